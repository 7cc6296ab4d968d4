"""Finite arithmetic progressions of integers, {lo, lo + stride, ..., hi}: no width, no wrap.

This is the arithmetic of strided intervals (Balakrishnan & Reps, CC 2004; Granger 1989 for the
congruence part). ``strided_interval`` cuts a circle of words into such progressions, computes here
and wraps the result. A single number has stride 0, so that gcd(0, s) = s. Every function returns a
progression that contains each pointwise result; bounds are tight unless noted. Progressions are
plain tuples, never empty.
"""

from __future__ import annotations

from math import gcd

Progression = tuple[int, int, int]  # lo, hi, stride; hi - lo is a multiple of stride


def progression(lo: int, hi: int, stride: int) -> Progression:
    """The progression, with stride 0 if it is a single number."""
    return (lo, hi, stride) if lo < hi else (lo, lo, 0)


def hull(p: Progression, q: Progression) -> Progression:
    """The least progression that contains both."""
    lo, hi = min(p[0], q[0]), max(p[1], q[1])
    return lo, hi, gcd(p[2], q[2], p[0] - q[0])


def common(p: Progression, q: Progression) -> Progression | None:
    """The numbers in both, exactly (Chinese remainder theorem)."""
    (p_lo, p_hi, s), (q_lo, q_hi, t) = p, q
    lo, hi = max(p_lo, q_lo), min(p_hi, q_hi)
    if not s or not t:
        x, other = (p_lo, q) if not s else (q_lo, p)
        fits = lo <= x <= hi and (x - other[0]) % (other[2] or 1) == 0
        return (x, x, 0) if fits else None
    g = gcd(s, t)
    if (q_lo - p_lo) % g:
        return None
    # p_lo + s*k = q_lo (mod t)  has one k modulo t/g
    k = (q_lo - p_lo) // g * pow(s // g, -1, t // g) % (t // g)
    first, step = p_lo + s * k, s // g * t
    lo += (first - lo) % step
    if lo > hi:
        return None
    return progression(lo, hi - (hi - lo) % step, step)


def total(p: Progression, q: Progression) -> Progression:
    """p + q."""
    return p[0] + q[0], p[1] + q[1], gcd(p[2], q[2])


def negated(p: Progression) -> Progression:
    return -p[1], -p[0], p[2]


def product(p: Progression, q: Progression) -> Progression:
    """p * q: (a + i*s)(b + j*t) = ab + at*j + bs*i + st*ij, so all differ from ab by their gcd."""
    (a, b, s), (c, d, t) = p, q
    corners = (a * c, a * d, b * c, b * d)
    lo = min(corners)
    return progression(lo, max(corners), gcd(a * t, c * s, s * t))


def quotient(p: Progression, q: Progression) -> Progression:
    """p // q for p >= 0 and q > 0."""
    (a, b, s), (c, d, _) = p, q
    lo, hi = a // d, b // c
    if c == d and b - a == s:  # two numbers over one: exact
        return progression(lo, hi, hi - lo)
    return progression(lo, hi, s // c if c == d and s % c == 0 else 1)


def remainder(p: Progression, q: Progression) -> Progression:
    """p % q for p >= 0 and q > 0: exact if the quotient is constant, else p modulo gcd(s, q).

    The remainder is p - q*k, hence congruent to p modulo every common divisor of the stride and of
    all divisors; it is at most p and less than q.
    """
    (a, b, s), (c, d, t) = p, q
    if c == d and a // c == b // c:
        return a % c, b % c, s
    if b < c:
        return p
    g = gcd(s, c, t)
    lo = a % g
    hi = min(b, d - 1)
    return progression(lo, hi - (hi - lo) % g, g)


def shifted(p: Progression, n: int) -> Progression:
    """p >> n, rounding down."""
    a, b, s = p
    lo, hi = a >> n, b >> n
    if b - a == s:
        return progression(lo, hi, hi - lo)
    return progression(lo, hi, 1 if s & ((1 << n) - 1) else s >> n)


def least(p: Progression, q: Progression) -> Progression:
    """min(p, q) for each pair; p or q itself where they do not overlap."""
    if p[1] <= q[0]:
        return p
    if q[1] <= p[0]:
        return q
    lo, hi = min(p[0], q[0]), min(p[1], q[1])
    return progression(lo, hi, gcd(p[2], q[2], p[0] - q[0]))


def greatest(p: Progression, q: Progression) -> Progression:
    return negated(least(negated(p), negated(q)))


# --- bits of numbers that are not negative


def known_bits(p: Progression) -> tuple[int, int]:
    """(value, unknown): unknown are the bits from the first in which lo and hi differ down to the
    lowest bit of the stride."""
    lo, hi, stride = p
    unknown = ((1 << (lo ^ hi).bit_length()) - 1) & -(stride & -stride)
    return lo & ~unknown, unknown


def from_bits(value: int, unknown: int, lo: int, hi: int) -> Progression:
    """Numbers from lo to hi with these bits; at least one must exist.

    The bits below the lowest unknown one are fixed: they give the stride.
    """
    step = unknown & -unknown
    if not step:
        return value, value, 0
    lo, hi = max(lo, value), min(hi, value | unknown)
    lo += (value - lo) % step
    return progression(lo, hi - (hi - value) % step, step)


def conjunction(p: Progression, q: Progression, ones: int) -> Progression:
    """p & q below ``ones``, which is all ones. A mask of low bits is a remainder, of high a floor.

    In general  a + b - ones <= a & b <= min(a, b), for a | b <= ones and a + b = (a & b) + (a | b).
    """
    if not p[2]:
        p, q = q, p
    (a, b, _), (c, d, t) = p, q
    if not t:
        if not c & (c + 1):
            return remainder(p, (c + 1, c + 1, 0))
        low = ones ^ c
        if not low & (low + 1):
            n = low.bit_length()
            x, y, s = shifted(p, n)
            return x << n, y << n, s << n
    (v, u), (w, m) = known_bits(p), known_bits(q)
    if not t and not (v | u) & ~c:
        return p
    value = v & w
    return from_bits(value, (v | u) & (w | m) ^ value, max(0, a + c - ones), min(b, d))


def disjunction(p: Progression, q: Progression, ones: int) -> Progression:
    """p | q: the sum where no bit can be set in both, else by bits, max(a, b) <= a | b <= a + b."""
    (v, u), (w, m) = known_bits(p), known_bits(q)
    if not (v | u) & (w | m):
        return total(p, q)
    value = v | w
    return from_bits(value, (u | m) & ~value, max(p[0], q[0]), min(p[1] + q[1], ones))


def difference(p: Progression, q: Progression, ones: int) -> Progression:
    """p ^ q: the sum where no bit can be set in both, else by bits, |a - b| <= a ^ b <= a + b."""
    (v, u), (w, m) = known_bits(p), known_bits(q)
    if not (v | u) & (w | m):
        return total(p, q)
    unknown = u | m
    lo = max(0, p[0] - q[1], q[0] - p[1])
    return from_bits((v ^ w) & ~unknown, unknown, lo, min(p[1] + q[1], ones))
