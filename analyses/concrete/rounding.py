"""Rounding of IEEE 754 operations: formats, error terms, modes.

An operation gives, in float64, the nearest number and an error term with the sign of the exact
result minus that number. A directed mode then steps to the neighbour; a narrower format is reached
through round-to-odd, which makes double rounding harmless (Boldo & Melquiond, IEEE Trans. Computers
57(4), 2008). Error terms are Knuth's and Dekker's (Muller et al., Handbook of Floating-Point
Arithmetic, 2nd edition, chapter 4), exact unless they overflow or underflow.

NaN results are canonical, 0x7fff and 0x7fffffff as in the PTX manual. Where a side has 64 bits the
manual leaves them open, and they are a device's: an operand's NaN, which keeps sign and payload,
or 0xfff8000000000000. A result is flushed if it is subnormal after rounding. Not supported:
bfloat16, tf32, 8-bit floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct

from analyses.algebra import FloatMode
from analyses.concrete.bitvectors import Array

Rounded = tuple[Array, Array]
"""The nearest float64, and a number with the sign of the error (0 or NaN: exact)."""


class _Format(Struct, frozen=True):
    number: type[np.floating[Any]]
    word: type[np.unsignedinteger[Any]]
    exponent: int
    nan: int

    @property
    def fraction(self) -> int:
        """The number of its bits."""
        return (self.exponent & -self.exponent).bit_length() - 1


FORMATS: Mapping[int, _Format] = {
    16: _Format(np.float16, np.uint16, 0x7C00, 0x7FFF),
    32: _Format(np.float32, np.uint32, 0x7F800000, 0x7FFFFFFF),
    64: _Format(np.float64, np.uint64, 0x7FF0000000000000, 0xFFF8000000000000),
}


def _flushed(width: int, bits: Array) -> Array:
    """Subnormals become zeros of their sign."""
    small = (bits & FORMATS[width].exponent) == 0
    return np.where(small, bits & (1 << (width - 1)), bits) if small.any() else bits


def decoded(width: int, bits: Array, ftz: bool) -> Array:
    """The numbers that the bits encode."""
    numbers: Array = (_flushed(width, bits) if ftz else bits).view(FORMATS[width].number)
    return numbers


def encoded(width: int, value: Array, mode: FloatMode) -> Array:
    """The bits of numbers of this format, saturated and flushed as the mode says."""
    form = FORMATS[width]
    if mode.sat:
        value = np.where(value > 0, np.minimum(value, form.number(1)), form.number(0))
    bits = value.view(form.word)
    undefined = np.isnan(value)
    if undefined.any():
        bits = np.where(undefined, form.word(form.nan), bits)
    return _flushed(width, bits) if mode.ftz else bits


def with_nan_of(width: int, result: Array, source_width: int, *operands: Array) -> Array:
    """The result, in which a NaN is that of the last operand that is one: made quiet, with its sign
    and what fits of its payload."""
    undefined = np.isnan(decoded(width, result, False))
    if not undefined.any():
        return result
    form, source = FORMATS[width], FORMATS[source_width]
    for bits in operands:
        nan = undefined & np.isnan(decoded(source_width, bits, False))
        wide: Array = bits.astype(np.uint64)
        sign = (wide >> (source_width - 1)) << (width - 1)
        quiet = source.fraction - 1
        payload = (wide & ((1 << quiet) - 1)) | (1 << quiet)
        more = form.fraction - source.fraction
        payload = payload << more if more > 0 else payload >> -more
        result = np.where(nan, (sign | form.exponent | payload).astype(form.word), result)
    return result


# --- error terms


def two_sum(a: Array, b: Array) -> Rounded:
    """a + b and its error (Knuth)."""
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


def _split(a: Array) -> tuple[Array, Array]:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: Array, b: Array) -> Rounded:
    """a * b and its error (Dekker)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def odd(nearest: Array, missing: Array) -> Array:
    """Round to odd: of the two neighbours of an inexact result, the one whose last bit is 1."""
    bits = nearest.view(np.int64)
    inexact = np.abs(missing) > 0
    inward = inexact & ((missing > 0) != (nearest > 0))
    chosen: Array = (bits - (inward & ~bits)) | inexact
    return chosen.view(np.float64)


# --- modes


def _stepped(nearest: Array, above: Array, below: Array, rounding: str) -> Array:
    """The directed rounding, or round to odd, given the side of the exact result.

    An overflow, whose exact result is below infinity, steps to the greatest finite number.
    """
    zero, infinity = nearest.dtype.type(0), nearest.dtype.type(np.inf)
    if rounding == "rp":
        return np.where(above, np.nextafter(nearest, infinity), nearest)
    if rounding == "rm":
        return np.where(below, np.nextafter(nearest, -infinity), nearest)
    if rounding == "rz":
        outside = np.where(nearest > 0, below, (nearest < 0) & above)
        return np.where(outside, np.nextafter(nearest, zero), nearest)
    if rounding == "ro":
        inward = _stepped(nearest, above, below, "rz")
        bits: Array = inward.view(f"u{inward.itemsize}") | (above | below)
        return bits.view(inward.dtype)
    raise ValueError(f"no rounding mode {rounding!r}")


def narrowed(width: int, number: Array, rounding: str) -> Array:
    """Float64 numbers rounded to the format of this width."""
    narrow: Array = number.astype(FORMATS[width].number, copy=False)
    if rounding == "rn" or width == 64:
        return narrow
    wide = narrow.astype(np.float64)
    return _stepped(narrow, number > wide, number < wide, rounding)


def rounded_once(width: int, nearest: Array, missing: Array, rounding: str) -> Array:
    """The exact result rounded to the format of this width."""
    if width < 64:
        return narrowed(width, odd(nearest, missing), rounding)
    if rounding == "rn":
        return nearest
    return _stepped(nearest, missing > 0, missing < 0, rounding)
