"""Polynomials that are not zero: where they lie on one side of it, that is an inequality."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.proofs.inequalities import InequalitySystem


def one_sided(
    facts: InequalitySystem, apart: Iterable[Inequality]
) -> Iterator[tuple[Inequality, list[Inequality]]]:
    """The inequalities that follow where polynomials are not zero but on one side of it, and what
    each was made of. Polynomials that differ by constants say which numbers one sum is not: where
    it is at least such a number, it is above it, and then may be at least the next one."""
    numbers: dict[Polynomial, list[tuple[int, Inequality]]] = {}
    for fact in apart:
        for polynomial in (fact.polynomial, -fact.polynomial):
            constant = polynomial.terms.get((), 0)
            numbers.setdefault(polynomial - constant, []).append((-constant, fact))
    for moving, excluded in numbers.items():
        least: int | None = None
        passed: list[Inequality] = []
        for number, fact in sorted(excluded, key=lambda one: one[0]):
            if (least is None or number > least) and facts.entails(moving - number) is None:
                break
            least = number + 1
            passed.append(fact)
        if least is not None:
            yield Inequality(moving - least, passed[-1].origin), passed


def left_apart(
    apart: Iterable[Inequality], sides: Iterable[tuple[Inequality, list[Inequality]]]
) -> list[Inequality]:
    """The polynomials that are not zero without those that a side was made of."""
    done = {fact for _, made_of in sides for fact in made_of}
    return [fact for fact in apart if fact not in done]
