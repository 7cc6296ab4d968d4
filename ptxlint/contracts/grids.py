"""Limits of extents and parameters: ``nctaid.x <= 16`` bounds a block's number, and ``0 <= n <= 4``
a parameter, wherever they are computed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlint.contracts.expression import Condition, Identifier, names, value

EXTENTS = ("nctaid.x", "nctaid.y", "nctaid.z")
MIRRORED = {">": "<", ">=": "<=", "==": "==", "<": ">", "<=": ">="}
FEW = 2**12  # a parameter that is limited to so many is a count of elements of a small array


def grid_limits(said: Iterable[Condition]) -> Iterator[tuple[str, int]]:
    """The extents of the grid that conditions compare with a number, each with the greatest value
    that meets the condition."""
    for name, relation, number in compared_with_numbers(said):
        if name in EXTENTS and relation in ("<", "<=", "=="):
            yield name, number - (relation == "<")


def few(said: Iterable[Condition]) -> dict[str, tuple[int, int | None]]:
    """The names that conditions limit to FEW, each with the greatest and the least value that meets
    them; None if they say nothing of the least."""
    most, least = dict[str, int](), dict[str, int]()
    for name, relation, number in compared_with_numbers(said):
        if relation in ("<", "<=", "=="):
            most[name] = min(number - (relation == "<"), most.get(name, FEW))
        if relation in (">", ">=", "=="):
            least[name] = max(number + (relation == ">"), least.get(name, 0))
    return {name: (high, least.get(name)) for name, high in most.items() if 0 <= high < FEW}


def compared_with_numbers(said: Iterable[Condition]) -> Iterator[tuple[str, str, int]]:
    """A name, a relation, and a number, of each condition that compares these."""
    for one in said:
        name, relation, number = one.left, one.relation, one.right
        if isinstance(number, Identifier):
            name, relation, number = number, MIRRORED.get(relation, ""), name
        if isinstance(name, Identifier) and not names(number):
            yield name.text, relation, value(number, int)
