"""Arithmetic on intervals of floats.

Rounding never exchanges two numbers, whatever its mode. So a float that is rounded from a result
lies between the rounded ends of all results. An end that is a float is itself. Another one is moved
outwards by more than rounding can move it, but not past zero, which is a float. An operand that is
subnormal may count as zero (``.ftz``), so an end that is, is moved to zero if that is outwards.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from itertools import product
from math import ceil, floor, inf, trunc
from typing import NamedTuple

PRECISION = {16: 2.0**-8, 32: 2.0**-21, 64: 2.0**-50}  # of approximate results, too
SUBNORMAL = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}  # those that are less
GREATEST = {16: 65504.0, 32: (2 - 2.0**-23) * 2.0**127, 64: (2 - 2.0**-52) * 2.0**1023}
FORMATS = {16: "<e", 32: "<f", 64: "<d"}
DIVISOR = 2.0**126  # an approximate quotient by a greater one is 0

INTEGRAL: dict[str, Callable[[float], int]] = {"rz": trunc, "rm": floor, "rp": ceil, "rn": round}


class Between(NamedTuple):
    """A float: a number from ``low`` to ``high``, or perhaps NaN."""

    low: float = -inf
    high: float = inf
    nan: bool = True

    @property
    def bounded(self) -> bool:
        """True if it is not infinite."""
        return max(-self.low, self.high) < inf

    def joined(self, other: Between) -> Between:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Between(low, high, self.nan or other.nan)

    @property
    def opposite(self) -> Between:
        return Between(-self.high, -self.low, self.nan)

    @property
    def magnitude(self) -> Between:
        """The absolute values."""
        return Between(max(self.low, -self.high, 0.0), max(-self.low, self.high), self.nan)

    def flushed(self, width: int) -> Between:
        """With zero in place of the subnormal numbers of that format, or not."""
        low = 0.0 if 0 < self.low < SUBNORMAL[width] else self.low
        high = 0.0 if -SUBNORMAL[width] < self.high < 0 else self.high
        return Between(low, high, self.nan)

    def integral(self, rounding: str) -> Between:
        """Rounded to integers. Only numbers of 32 bits are flushed."""
        to = INTEGRAL.get(rounding)
        if to is None:
            return ANY
        ends = self.flushed(32)[:2]
        low, high = (end if abs(end) == inf else float(to(end)) for end in ends)
        return Between(low, high, self.nan)


ANY = Between()


def of_integers(low: int, high: int, width: int) -> Between:
    """The floats that integers of this range are converted to."""
    return rounded([Fraction(low), Fraction(high)], width)


def converted(a: Between, width: int) -> Between:
    """The floats of another format. Only numbers of 32 bits are flushed."""
    a = a.flushed(32)
    low = a.low if a.low == -inf else below(Fraction(a.low), width)
    high = a.high if a.high == inf else -below(Fraction(-a.high), width)
    return Between(low, high, a.nan)


def total(a: Between, b: Between, width: int) -> Between:
    """The sums."""
    return fused(a, Between(1, 1, False), b, width)


def times(a: Between, b: Between, width: int) -> Between:
    """The products."""
    return fused(a, b, Between(0, 0, False), width)


def fused(a: Between, b: Between, c: Between, width: int) -> Between:
    """``a*b + c``, rounded once."""
    if not (a.bounded and b.bounded and c.bounded):
        return ANY
    each = (ends(operand.flushed(width)) for operand in (a, b, c))
    results = [x * y + z for x, y, z in product(*each)]
    return rounded(results, width, a.nan or b.nan or c.nan)


def over(a: Between, b: Between, width: int) -> Between:
    """The quotients by what has one sign, also approximate ones."""
    size = b if b.low > 0 else b.opposite
    if not a.bounded or not SUBNORMAL[width] <= size.low <= size.high <= DIVISOR:
        return ANY
    quotients = [x / y for x in ends(a.flushed(width)) for y in ends(b)]
    return rounded(quotients, width, a.nan or b.nan, approximate=True)


def ends(a: Between) -> tuple[Fraction, Fraction]:
    return Fraction(a.low), Fraction(a.high)


def rounded(
    results: Collection[Fraction], width: int, nan: bool = False, approximate: bool = False
) -> Between:
    """The floats to which numbers between these are rounded; subnormal ones may count as zero."""
    low, high = min(results), max(results)
    return Between(below(low, width, approximate), -below(-high, width, approximate), nan)


def below(end: Fraction, width: int, approximate: bool = False) -> float:
    """A float that is not greater than that to which the number is rounded. A number that is a
    float is that itself, and one that is not negative is rounded to none that is."""
    if end > GREATEST[width]:
        return GREATEST[width]
    if end < -GREATEST[width]:
        return -inf
    near = float(end)
    if is_float(near, width) and near == end and not approximate:
        return near
    moved = near - abs(near) * PRECISION[width] - SUBNORMAL[width]
    return max(moved, 0.0) if end >= 0 else max(moved, -inf)


def is_float(number: float, width: int) -> bool:
    """True if it is a float of that format, and no subnormal one."""
    try:
        (same,) = struct.unpack(FORMATS[width], struct.pack(FORMATS[width], number))
    except OverflowError:
        return False
    return bool(same == number and (not number or abs(number) >= SUBNORMAL[width]))


def union(parts: Iterable[Between]) -> Between:
    low, *more = parts
    for part in more:
        low = low.joined(part)
    return low


def extreme(of: Callable[[float, float], float], a: Between, b: Between, width: int) -> Between:
    """The bounds of a maximum or a minimum: the other operand where one is NaN."""
    a, b = a.flushed(width), b.flushed(width)
    found = Between(of(a.low, b.low), of(a.high, b.high), a.nan and b.nan)
    for one, other in ((a, b), (b, a)):
        found = found.joined(other) if one.nan else found
    return found
