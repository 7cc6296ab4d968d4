"""Offsets by parts that no thread symbol connects: where a row begins, and how far behind that.

The greatest sum is the sum of the greatest parts. Of a row by its block, and a column by a loop
that is unrolled, each has a proof; one that has to find both at once has to look at their products.
"""

from __future__ import annotations

from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.independent import parts
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import cost
from analyses.proofs.prover import Proofs


def inside_by_parts(
    proofs: Proofs, here: PathCondition, behind: Polynomial, end: Polynomial
) -> bool:
    """True if ``behind`` is proved to be at most ``end``: with the bounds of all parts but the
    youngest one in place of these, where they need no precondition. Each bound is a sum that the
    part does not exceed, so what is proved of them holds."""
    *others, youngest = parts(behind, here)
    room = end - youngest
    for part in others:
        bounds = proofs.bounds(here, -part, cost)
        if len(bounds) != 1 or bounds[0].scale != 1 or bounds[0].preconditions:
            return False
        room += bounds[0].least
    return bool(others) and proofs.proves(here, room)
