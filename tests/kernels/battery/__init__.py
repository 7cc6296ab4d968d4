"""A battery of statistical tests: is what streams give together like random numbers?

Numbers are judged interleaved, as the threads of a kernel produce them: the first number of each
stream, then the second of each. Streams that are each good may be bad together, and it is together
that a price uses them. Each test has a file of its own, with the source of its distribution, and
gives a p-value: the probability that random numbers look as unlikely or more so.

A test is failed below ``LEVEL``. Were all p-values of a thousand runs those of random numbers, one
of these runs would be expected to fail a test; a structure that a test is made for gives p-values
below 1e-10 as soon as it is seen, so that nothing is lost by such a low level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from . import (
    birthday,
    complexity,
    correlation,
    gaps,
    lattice,
    monobit,
    rank,
    serial,
)
from .words import Words, leftmost

__all__ = ["LEVEL", "SIZE", "TESTS", "failed", "leftmost", "p_values"]

LEVEL: Final = 1e-4
SIZE: Final = 2**20
"""The least numbers that all tests together are made for."""

TESTS: Final[Mapping[str, Callable[[Words], float]]] = {
    "monobit": monobit.p_value,
    "serial": serial.p_value,
    "gaps": gaps.p_value,
    "birthday spacings": birthday.p_value,
    "matrix rank": rank.p_value,
    "linear complexity": complexity.p_value,
    "lattice": lattice.p_value,
}
"""The tests of one sequence of words."""


def p_values(numbers: Words) -> dict[str, float]:
    """The p-value of each test for numbers of the shape (count, streams), at least SIZE in all.

    A number has 32 bits: ``leftmost`` makes such of smaller ones. The correlation of streams is
    judged where there is more than one.
    """
    if numbers.size < SIZE:
        raise ValueError(f"the battery needs {SIZE} numbers, and these are {numbers.size}")
    results = {name: test(numbers.ravel()) for name, test in TESTS.items()}
    if numbers.shape[1] > 1:
        results["cross-stream correlation"] = correlation.p_value(numbers)
    return results


def failed(numbers: Words) -> dict[str, float]:
    """The tests that numbers of the shape (count, streams) do not pass, with their p-values."""
    return {name: p for name, p in p_values(numbers).items() if p < LEVEL}
