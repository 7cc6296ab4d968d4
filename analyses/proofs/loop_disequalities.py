"""Numbers that a loop's phis are not: a list ends at -1, so the place that an iteration looks at is
another one.

A phi is its first value, or what the last iteration made it, for which the guard of the back edge
holds. What that excludes, and the first value is not, the phi is in no iteration.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.invariant_sums import Recurrence
from analyses.proofs.path_condition import PathCondition


def excluded(
    recurrences: Iterable[Recurrence], before: PathCondition, back: PathCondition
) -> PathCondition:
    """What is not zero of the phis, where ``before`` holds on entry, and ``back`` on the back
    edge."""
    found = []
    for phi, symbol, first, after in recurrences:
        for fact in back.apart:
            for sign in (1, -1):
                number = (fact.polynomial - after.scaled(sign)).constant
                if number is not None and is_not_zero(before, first.scaled(sign) + number):
                    found.append(Inequality(Polynomial.of(symbol).scaled(sign) + number, phi))
    return PathCondition(apart=tuple(found))


def is_not_zero(premises: PathCondition, polynomial: Polynomial) -> bool:
    """True if its range, or one of the facts, says so."""
    low, high = polynomial.range()
    said = {fact.polynomial for fact in premises.apart}
    return low > 0 or high < 0 or not said.isdisjoint((polynomial, -polynomial))
