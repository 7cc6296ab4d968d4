"""Words with at most one bit set: what is said of a result holds, for all words of a small width;
and which numbers a condition declares to be powers of two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from analyses.concrete.machine import Lanes
from analyses.single_bits import SingleBit, SingleBits
from ptxlint.contracts.expression import conditions
from ptxlint.contracts.powers import powers
from tests.oracle.operators import CASES, Case

WIDTH = 4
WIDTHS = {"w": WIDTH, "p": 1, "n": 32, "b": 32}
WORDS = {"w": range(16), "p": range(2), "n": range(6), "b": (0, 1, 0x80, 0x8000_0000, 0xFFFF_FFFF)}


def said(width: int, word: int) -> Iterator[SingleBit]:
    """What may be known of a word."""
    of = None if word & (word - 1) else frozenset[str]()
    for positive, zero in product((False, True), repeat=2):
        if (not positive or word < 1 << (width - 1)) and (not zero or word == 0):
            yield SingleBit(width, of, positive, zero)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_said_of_a_result_holds(case: Case) -> None:
    lanes, bits = Lanes(), SingleBits()
    for words in product(*(WORDS[kind] for kind in case.kinds)):
        widths = [WIDTHS[kind] for kind in case.kinds]
        operands = [lanes.const(*operand) for operand in zip(widths, words, strict=True)]
        exact = case.apply(lanes, WIDTH, *operands)
        word = int(exact.bits[0])
        for known in product(*map(said, widths, words)):
            found = case.apply(bits, WIDTH, *known)
            assert found.width == exact.width
            assert found.of is None or not word & (word - 1)
            assert not found.positive or word < 1 << (exact.width - 1)
            assert not found.zero or not word


@pytest.mark.parametrize(
    ("text", "found"),
    {
        "1024 % n == 0": [("n", 1024)],
        "2**31 % ntid.x == 0": [("ntid.x", 2**31)],
        "768 % n == 0": [],
        "n % 1024 == 0": [],
        "m % n == 0": [],
        "1024 % n == 1": [],
        "1024 % n <= 0": [],
        "n >= 1 and 64 % n == 0": [("n", 64)],
    }.items(),
)
def test_a_divisor_of_a_power_of_two_is_one(text: str, found: list[tuple[str, int]]) -> None:
    assert list(powers(conditions(text))) == found
