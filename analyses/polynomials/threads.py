"""The range of the number of threads of a block, and of a thread's number in it: the extents of a
block may each be as large as their product, but not all at once."""

from __future__ import annotations

from analyses.hardware import MAX_THREADS
from analyses.polynomials.polynomial import Number, Polynomial

THREADS = ({("ntid.x", "ntid.y")}, {("ntid.x", "ntid.y", "ntid.z")})
NUMBER = (
    {("tid.x",), ("ntid.x", "tid.y")},
    {("tid.x",), ("ntid.x", "tid.y"), ("ntid.x", "ntid.y", "tid.z")},
)


def range_of(polynomial: Polynomial) -> tuple[Number, Number]:
    """The range of the polynomial; of a multiple of these numbers, and a constant, their own."""
    moving = [monomial for monomial in polynomial.terms if monomial]
    factors = {polynomial.terms[monomial] for monomial in moving}
    if len(factors) != 1 or not any(len(monomial) > 1 for monomial in moving):
        return polynomial.range()
    labels = {tuple(sorted(symbol.label for symbol in monomial)) for monomial in moving}
    least = 1 if labels in THREADS else 0 if labels in NUMBER else None
    if least is None or (factor := factors.pop()) < 0:
        return polynomial.range()
    constant = polynomial.terms.get((), 0)
    return factor * least + constant, factor * (MAX_THREADS - 1 + least) + constant
