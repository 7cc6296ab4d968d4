"""Offsets by parts that no thread symbol connects: where a row begins, and how far behind that.

The greatest sum is the sum of the greatest parts. Of a row by its block, and a column by a loop
that is unrolled, each has a proof; one that has to find both at once has to look at their products.
"""

from __future__ import annotations

from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol, order
from analyses.polynomials.symbols import deep
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


def parts(polynomial: Polynomial, here: PathCondition) -> list[Polynomial]:
    """The sums of terms that symbols of threads, and facts about these, connect, the youngest
    last."""
    groups: list[set[Symbol]] = []
    terms = [moving(Polynomial({monomial: 1})) for monomial in polynomial.terms]
    for symbols in (*terms, *map(moving, here.polynomials)):
        near = [group for group in groups if not group.isdisjoint(symbols)]
        groups = [group for group in groups if group.isdisjoint(symbols)]
        groups.append(symbols.union(*near))
    found: dict[int, dict[Monomial, int]] = {}
    for (monomial, factor), own in zip(polynomial.terms.items(), terms, strict=True):
        at = next((i for i, group in enumerate(groups) if own and own <= group), -1)
        found.setdefault(at, {})[monomial] = factor
    sums = map(Polynomial, found.values())
    return sorted(sums, key=lambda one: max(map(order, moving(one)), default=(0, 0, "")))


def moving(polynomial: Polynomial) -> set[Symbol]:
    """The symbols that the launch does not decide."""
    return {symbol for symbol in deep(polynomial) if symbol.rank}
