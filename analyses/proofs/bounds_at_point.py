"""Lower bounds that ask nothing of a launch, or for what no launch is to be asked, by what is known
at a program point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from analyses.polynomials.polynomial import Polynomial, Ranges
from analyses.proofs.lower_bounds import OF_ANY_SIGN, Bound
from analyses.proofs.path_condition import PathCondition


def met_at_point(bounds: Sequence[Bound], premises: PathCondition, ranges: Ranges) -> list[Bound]:
    """The bounds that are not negative where symbols have these ranges, as they have at a program
    point, or that its path condition says, if each may be in other launches: as 0, which asks
    nothing of a launch. That is so of ``-24*step`` for a negative step, and of ``to - from`` where
    ``from < to``."""
    if any(bound.least.range()[0] >= 0 for bound in bounds):
        return []
    met = (b for b in bounds if b.least.range(ranges)[0] >= 0 or premises.says(b.least.primitive()))
    return [replace(bound, least=Polynomial.of(0)) for bound in met]


def of_known_sign(bounds: Iterable[Bound]) -> list[Bound]:
    """The bounds without those that may be negative for what a division of a number of any sign
    leaves: they would ask that it leaves nothing."""

    def usable(bound: Bound) -> bool:
        sure = bound.least.range()[0] >= 0
        return sure or all(fact.origin is not OF_ANY_SIGN for fact in bound.used)

    return list(filter(usable, bounds))


def possible_at_point(bounds: Iterable[Bound], ranges: Ranges) -> list[Bound]:
    """The bounds without those that are negative where symbols have these ranges, but not in all
    launches: they would ask that no thread is there."""
    return [b for b in bounds if b.least.range(ranges)[1] >= 0 or b.least.range()[1] < 0]
