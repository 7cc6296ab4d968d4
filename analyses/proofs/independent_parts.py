"""Sums of parts that no fact connects: a row and a column, each with choices of its own.

The least sum is the sum of the least parts. So a goal is bounded part by part, and has as many
cases as the parts together, not as the product of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol, order
from analyses.polynomials.symbols import decisions, deep
from analyses.proofs.lower_bounds import Bound
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, unique

MAX_SUMS = 16
"""Sums of cases of the parts."""


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


def with_choices(polynomial: Polynomial, here: PathCondition) -> list[Polynomial]:
    """The parts, if several of them have choices; or else none."""
    found = parts(polynomial, here)
    return found if sum(decisions(part) > 0 for part in found) > 1 else []


def sums(each: Sequence[Sequence[ConditionalBound]]) -> list[ConditionalBound]:
    """The bounds of a sum by those of its parts; none if there are too many, or multiples of a part
    are bounded."""
    combined = list(product(*each))
    if len(combined) > MAX_SUMS or any(one.scale > 1 for part in each for one in part):
        return []
    return [whole(terms) for terms in combined]


def whole(terms: Sequence[ConditionalBound]) -> ConditionalBound:
    """The bound of a sum by one of each of its terms."""
    bounds = [one.bound for one in terms if one.bound is not None]
    least = sum((one.least for one in terms), Polynomial.of(0))
    used = tuple(fact for one in bounds for fact in one.used)
    blocks = sum(one.blocks for one in bounds)
    needs = tuple(unique(need for one in terms for need in one.preconditions))
    return ConditionalBound(least, needs, Bound(least, 1, used, blocks=blocks))
