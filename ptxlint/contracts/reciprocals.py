"""Reciprocals: the multiplier and the shift by which a kernel divides by a third parameter.

``(mulhi(x, m) + x) >> s`` is ``x // d`` for words x up to 2**31 if

    2**(s + 32) <= d*(m + 2**32) <= 2**(s + 32) + 2**s

(``analyses.polynomials.fast_division``). A launch that requires this of three parameters, in these
words, declares that the kernel divides so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ptxlint.contracts.expression import (
    Condition,
    Expression,
    Identifier,
    Operation,
    conditions,
)

TEXT = "2**({s} + 32) <= {d}*({m} + 2**32) <= 2**({s} + 32) + 2**{s}"


class Reciprocal(NamedTuple):
    """The names of the parameters."""

    multiplier: str
    shift: str
    divisor: str

    @property
    def text(self) -> str:
        return TEXT.format(m=self.multiplier, s=self.shift, d=self.divisor)


def reciprocals(said: Sequence[Condition]) -> Iterator[Reciprocal]:
    """The reciprocals that conditions declare, by the names in these."""
    for one, other in pairwise(said):
        found = [text for side in (one.left, one.right) for text in identifiers(side)]
        if len(found) == 3:
            shift, divisor, multiplier = found
            if [one, other] == required(shift, divisor, multiplier):
                yield Reciprocal(multiplier, shift, divisor)


def required(shift: str, divisor: str, multiplier: str) -> list[Condition]:
    """The conditions in ``TEXT``; names of the PTX need not be spelt as there."""
    called = {"s": shift, "d": divisor, "m": multiplier}
    said = conditions(TEXT.format(s="s", d="d", m="m"))
    return [condition.renamed(called.__getitem__) for condition in said]


def identifiers(tree: Expression) -> Iterator[str]:
    """The names in the order in which they stand."""
    match tree:
        case Identifier(text):
            yield text
        case Operation(_, operands):
            for operand in operands:
                yield from identifiers(operand)
