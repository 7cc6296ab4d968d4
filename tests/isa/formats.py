"""Float formats by exact fractions: what a bit pattern means, and which one is nearest a fraction.

Numbers are Python floats where they carry more than a value (infinities, NaN, the sign of a zero)
and fractions where they are exact results that still have to be rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

Number = float | Fraction


@dataclass(frozen=True)
class Format:
    """``top`` is the pattern of the greatest finite number; without ``infinity`` there is none.
    ``nan`` is what an invalid operation gives."""

    exponent: int
    fraction: int
    top: int
    infinity: int | None
    nan: int | None

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.fraction)


def ieee(exponent: int, fraction: int) -> Format:
    infinity = ((1 << exponent) - 1) << fraction
    return Format(exponent, fraction, infinity - 1, infinity, (1 << (exponent + fraction)) - 1)


FORMATS = {
    "f16": ieee(5, 10),
    "bf16": ieee(8, 7),
    "f32": ieee(8, 23),
    "f64": Format(11, 52, (0x7FF << 52) - 1, 0x7FF << 52, 0xFFF8000000000000),
    "tf32": ieee(8, 10),
    "e5m2": ieee(5, 2),
    "e4m3": Format(4, 3, 0x7E, None, 0x7F),
    "e2m3": Format(2, 3, 0x1F, None, None),
    "e3m2": Format(3, 2, 0x1F, None, None),
    "e2m1": Format(2, 1, 0x7, None, None),
}


def value(name: str, bits: int) -> float:
    """The number that the bits encode."""
    form = FORMATS[name]
    sign = -1.0 if bits & form.sign else 1.0
    size = bits & (form.sign - 1)
    if size == form.infinity:
        return sign * math.inf
    if size > form.top:
        return math.nan
    exponent, fraction = size >> form.fraction, size & ((1 << form.fraction) - 1)
    bias = (1 << (form.exponent - 1)) - 1
    if exponent:
        fraction |= 1 << form.fraction
    return sign * math.ldexp(fraction, max(exponent, 1) - bias - form.fraction)


def encoded(name: str, number: Number, rounding: str = "rn", finite: bool = False) -> int:
    """The bits of a number, rounded once; ``finite`` clamps instead of overflowing."""
    form = FORMATS[name]
    if isinstance(number, float):
        if math.isnan(number):
            return form.top if form.nan is None else form.nan
        sign = form.sign if math.copysign(1, number) < 0 else 0
        if math.isinf(number):
            return sign | (form.top if finite or form.infinity is None else form.infinity)
    else:
        sign = form.sign if number < 0 else 0
    size = abs(Fraction(number))
    low = below(form, size)
    rest = size - (unrounded(form, low) if low <= form.top else size)
    if low > form.top:
        inward = rounding == "rz" or rounding == ("rp" if sign else "rm")
        low = form.top if finite or inward else form.top + 1
        return sign | (low if form.infinity is not None else form.top)
    gap = unrounded(form, low + 1) - unrounded(form, low)
    up = {
        "rn": rest > gap / 2 or (rest == gap / 2 and low % 2 == 1),
        "rna": rest >= gap / 2,
        "rz": False,
        "rp": rest > 0 and not sign,
        "rm": rest > 0 and bool(sign),
    }[rounding]
    low += up
    if low > form.top and (finite or form.infinity is None):
        low = form.top
    return sign | low


def nan_of(name: str, other: str, bits: int) -> int:
    """The NaN of another format with its sign and the upper bits of its fraction, made quiet."""
    form, source = FORMATS[name], FORMATS[other]
    assert form.infinity is not None
    fraction = bits % (1 << source.fraction) | 1 << (source.fraction - 1)
    more = form.fraction - source.fraction
    sign = form.sign if bits & source.sign else 0
    return sign | form.infinity | (fraction << more if more > 0 else fraction >> -more)


def unrounded(form: Format, size: int) -> Fraction:
    """What a pattern would mean if the format went on beyond its greatest number."""
    exponent, fraction = size >> form.fraction, size & ((1 << form.fraction) - 1)
    bias = (1 << (form.exponent - 1)) - 1
    if exponent:
        fraction |= 1 << form.fraction
    return Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - bias - form.fraction)


def below(form: Format, size: Fraction) -> int:
    """The greatest pattern that means no more than the fraction."""
    if unrounded(form, form.top + 1) <= size:
        return form.top + 1
    if not size:
        return 0
    bias = (1 << (form.exponent - 1)) - 1
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    exponent = max(power + bias, 1)
    steps = size / Fraction(2) ** (exponent - bias - form.fraction)
    low = ((exponent - 1) << form.fraction) + int(steps)
    assert unrounded(form, low) <= size < unrounded(form, low + 1)
    return low


def total(a: float, b: float) -> Number:
    if not (math.isfinite(a) and math.isfinite(b)) or a == b == 0:
        return a + b
    return Fraction(a) + Fraction(b) or 0.0


def product(a: float, b: float) -> Number:
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return a * b
    return Fraction(a) * Fraction(b)


def fused(a: float, b: float, c: float) -> Number:
    exact = product(a, b)
    if isinstance(exact, float) or not math.isfinite(c):
        return c if isinstance(exact, Fraction) else exact + c
    return exact + Fraction(c) or 0.0


def least(a: float, b: float) -> float:
    """The smaller one, -0 below +0; the other one where one is NaN."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=lambda x: (x, math.copysign(1, x)))


def greatest(a: float, b: float) -> float:
    return -least(-a, -b) if a == a or b == b else math.nan


def relu(a: Number) -> Number:
    """+0 where the number is negative, -0 included."""
    if isinstance(a, float) and a == 0:
        return 0.0
    return 0.0 if a < 0 else a
