"""Factors of polynomials over GF(2), each a Python integer as in ``pricing_kernels.gf2``."""

from __future__ import annotations

from typing import Final

from pricing_kernels import gf2

T: Final = 0b10
"""The polynomial t."""


def remainder(a: int, f: int) -> int:
    """a modulo f, for f != 0."""
    while (excess := a.bit_length() - f.bit_length()) >= 0:
        a ^= f << excess
    return a


def gcd(a: int, b: int) -> int:
    """The greatest common divisor of a and b."""
    while b:
        a, b = b, remainder(a, b)
    return a


def is_irreducible(f: int) -> bool:
    """True if f has no proper factor: no root of f lies in GF(2^k) for k <= deg f / 2.

    Ends at the degree of the smallest factor, which is what makes it the test to search with.
    Source: M. Ben-Or, "Probabilistic algorithms in finite fields", FOCS 1981; its average cost: S.
    Gao and D. Panario, "Tests and constructions of irreducible polynomials over finite fields",
    1997.
    """
    reduce = gf2.reduction(f)
    frobenius = T
    for _ in range((f.bit_length() - 1) // 2):
        frobenius = reduce(gf2.square(frobenius))
        if gcd(f, frobenius ^ T) != 1:
            return False
    return True


def has_full_period(f: int) -> bool:
    """True if t has the order 2^p - 1 modulo f, for 2^p - 1 a Mersenne prime and p = deg f > 2.

    It is enough that t^(2^p) = t: then f divides t^(2^p) - t, so that its factors are distinct and
    of degrees that divide the prime p, hence 1 or p; two of degree 1 do not make a degree above 2.
    So f is irreducible, t is not 0 or 1 modulo f, and its order divides a prime.
    Source: M. Matsumoto and T. Nishimura, "Mersenne twister", ACM TOMACS 8 (1998), section 3.1.
    """
    reduce = gf2.reduction(f)
    frobenius = T
    for _ in range(f.bit_length() - 1):
        frobenius = reduce(gf2.square(frobenius))
    return frobenius == T
