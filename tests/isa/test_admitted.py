"""What the domains say of an arithmetic row covers what lanes compute, operand by operand.

The oracle holds single operators against lanes; here whole meanings are, on words that are known
exactly, known in part, or not at all.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from analyses.concrete.machine import BitVector
from analyses.domains.known_bits import KnownBits
from analyses.domains.product import Product, Reduction
from analyses.domains.reductions import interval_and_bits
from analyses.domains.strided_interval import StridedIntervals
from analyses.lattice import Domain
from tests.isa.case import LANES, Case, arguments
from tests.isa.table import CASES

NUMBERS: Domain[Any] = Product(
    (StridedIntervals(), KnownBits()), (Reduction(0, 1, interval_and_bits),)
)
ROWS_OF_OPERANDS = 12


def one_for_each_row() -> list[Case]:
    """A case of each row, and of each half of a product that it gives."""
    found = {(case.form.row, case.form.has("hi")): case for case in CASES}
    return list(found.values())


def pairs(outcome: Any) -> tuple[Any, ...]:
    return outcome if type(outcome) is tuple else (outcome,)


@pytest.mark.parametrize("case", one_for_each_row(), ids=str)
def test_facts_cover_what_lanes_compute(case: Case) -> None:
    form, (kinds, rows) = case.form, arguments(case)
    sem = form.row.sem
    assert sem is not None
    for row in rows[:: max(1, len(rows) // ROWS_OF_OPERANDS)]:
        words = [BitVector.of(kind.bits, [bits]) for kind, bits in zip(kinds, row, strict=True)]
        results = pairs(sem(LANES, form, *words, *case.literals))
        exact = [NUMBERS.const(kind.bits, bits) for kind, bits in zip(kinds, row, strict=True)]
        known = [
            NUMBERS.join(fact, NUMBERS.const(kind.bits, bits ^ 4))
            for fact, kind, bits in zip(exact, kinds, row, strict=True)
        ]
        nothing = [NUMBERS.havoc(kind.bits) for kind in kinds]
        for facts in (exact, known, nothing, *mixtures(exact, nothing)):
            claims = pairs(sem(NUMBERS, form, *facts, *case.literals))
            for claim, word in zip(claims, results, strict=True):
                assert NUMBERS.width(claim) == word.width
                assert NUMBERS.admits(claim, word).all(), f"{case} {list(map(hex, row))}: {claim}"


def mixtures(exact: list[Any], nothing: list[Any]) -> list[list[Any]]:
    """All but one operand known."""
    return [
        [*exact[:i], nothing[i], *itertools.islice(exact, i + 1, None)] for i in range(len(exact))
    ]
