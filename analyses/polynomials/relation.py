"""Affine relations of two words (Karr, Acta Informatica 1976): ``one = factor*other + rest``.

They are equations of polynomials, so they are exact modulo any power of two.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyses.polynomials.polynomial import Polynomial


def times(one: Polynomial, other: Polynomial) -> int | None:
    """What the longest monomial of the other is multiplied by in the first; None if that is no
    integer, or zero."""
    if not other.terms:
        return None
    monomial = max(other.terms, key=len)
    factor, left = divmod(one.terms.get(monomial, 0), other.terms[monomial])
    return None if left or not factor else factor


def relation(
    ones: Sequence[Polynomial], others: Sequence[Polynomial]
) -> tuple[int, Polynomial] | None:
    """The factor and the rest with which each of the first is made of its other."""
    for one, other in zip(ones[1:], others[1:], strict=True):
        factor = times(one - ones[0], other - others[0])
        if factor is not None:
            rests = [p.plus(q, -factor) for p, q in zip(ones, others, strict=True)]
            return (factor, rests[0]) if all(rest == rests[0] for rest in rests) else None
    return None
