"""IEEE 754 arithmetic on vectors of bit patterns, correctly rounded in the four modes of PTX.

An operation gives, in float64, the nearest number and an error term whose sign says on which side
of it the exact result lies. A directed mode then steps to the neighbour; a narrower format is
reached through round-to-odd, which makes the second rounding harmless (Boldo & Melquiond, IEEE
Trans. Computers 57(4), 2008, who also give ``_fused``). Error terms are those of Knuth and Dekker
(Handbook of Floating-Point Arithmetic, 2nd edition, chapter 4); where they could overflow or
underflow, exact fractions take over, a lane at a time.

NaN results are canonical: 0x7fff, 0x7fffffff (PTX ISA, 8.3 and 9.7.3) and, by choice, for 64 bits
0x7ff8000000000000. A result is flushed when it is subnormal after rounding. Approximations are
rounded from float64: within the manual's bounds, not bit for bit what a device gives. Not handled:
bfloat16, tf32, 8-bit floats, NaN payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from analyses.algebra import FloatMode
from analyses.domains.words import Array

Rounded = tuple[Array, Array]
"""The nearest float64, and a number with the sign of what it lacks (0 or NaN: nothing)."""


@dataclass(frozen=True, slots=True)
class _Format:
    number: type[np.floating[Any]]
    word: type[np.unsignedinteger[Any]]
    exponent: int
    nan: int


_FORMATS: Mapping[int, _Format] = {
    16: _Format(np.float16, np.uint16, 0x7C00, 0x7FFF),
    32: _Format(np.float32, np.uint32, 0x7F800000, 0x7FFFFFFF),
    64: _Format(np.float64, np.uint64, 0x7FF0000000000000, 0x7FF8000000000000),
}
_NEAREST = FloatMode()


def _flushed(width: int, bits: Array) -> Array:
    """Subnormals become zeros of their sign."""
    return np.where(bits & _FORMATS[width].exponent, bits, bits & (1 << (width - 1)))


def _decoded(width: int, bits: Array, ftz: bool) -> Array:
    numbers: Array = (_flushed(width, bits) if ftz else bits).view(_FORMATS[width].number)
    return numbers


def _encoded(width: int, value: Array, mode: FloatMode) -> Array:
    """The bits of numbers of this format, saturated and flushed as the mode says."""
    form = _FORMATS[width]
    if mode.sat:
        value = np.where(value > 0, np.minimum(value, form.number(1)), form.number(0))
    bits = value.view(form.word)
    undefined = np.isnan(value)
    if undefined.any():
        bits = np.where(undefined, form.word(form.nan), bits)
    return _flushed(width, bits) if mode.ftz else bits


# --- error terms


def _two_sum(a: Array, b: Array) -> Rounded:
    total = a + b
    taken = total - a
    return total, (a - (total - taken)) + (b - taken)


def _split(a: Array) -> tuple[Array, Array]:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _two_product(a: Array, b: Array) -> Rounded:
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _quotient(a: Array, b: Array) -> Rounded:
    """The remainder a - q*b is exact, and has the sign of the error times that of b."""
    quotient = a / b
    product, error = _two_product(quotient, b)
    return quotient, ((a - product) - error) * np.copysign(1.0, b)


def _root(a: Array) -> Rounded:
    """Small numbers are scaled by an even power of two, so that the remainder does not vanish."""
    small = a < 2.0**-900
    scaled = np.where(small, a * 2.0**600, a)
    root = np.sqrt(scaled)
    square, error = _two_product(root, root)
    return np.where(small, root * 2.0**-300, root), (scaled - square) - error


def _odd(nearest: Array, missing: Array) -> Array:
    """Of the two neighbours of an inexact result, the one whose last bit is 1."""
    bits = nearest.view(np.int64)
    inexact = np.abs(missing) > 0
    inward = inexact & ((missing > 0) != (nearest > 0))
    odd: Array = (bits - (inward & ~bits)) | inexact
    return odd.view(np.float64)


def _fused(a: Array, b: Array, c: Array) -> Rounded:
    """Boldo & Melquiond's fused multiply-add; zeros and infinities need no care for rounding.

    The last error term has the sign of the whole: it is a multiple of the last place of ``rest``,
    and rounding ``rest`` to odd moved it by less.
    """
    product, product_error = _two_product(a, b)
    carried, carried_error = _two_sum(c, product_error)
    total, total_error = _two_sum(product, carried)
    rest = _odd(*_two_sum(carried_error, total_error))
    nearest, missing = _two_sum(total, rest)
    plain = ~((np.abs(nearest) > 0) & (np.abs(nearest) < np.inf))
    if plain.any():
        infinite_term = np.isinf(c) & np.isfinite(a) & np.isfinite(b)  # the product may overflow
        nearest = np.where(plain, np.where(infinite_term, c, product + c), nearest)
        missing = np.where(plain, 0.0, missing)
    return nearest, missing


# --- operations


@dataclass(frozen=True, slots=True)
class _Operation:
    """``risky`` marks the float64 lanes whose error term may be wrong and that ``exact`` repairs."""

    rounded: Callable[..., Rounded]
    native: Callable[..., Array] | None = None
    risky: Callable[..., Array] | None = None
    exact: Callable[..., Fraction] | None = None
    is_sum: bool = False


def _within(a: Array, low: float, high: float) -> Array:
    magnitude = np.abs(a)
    return (magnitude > low) & (magnitude < high)


def _risky_sum(nearest: Array, a: Array, b: Array) -> Array:
    return np.isfinite(a) & np.isfinite(b) & (np.maximum(np.abs(a), np.abs(b)) > 2.0**1021)


def _risky_product(nearest: Array, a: Array, b: Array) -> Array:
    """Products of finite numbers other than 0 whose halves or errors leave the exponent range."""
    safe = _within(a * b, 2.0**-960, 2.0**1020) & _within(a, 0, 2.0**990) & _within(b, 0, 2.0**990)
    return ~safe & _within(a, 0, np.inf) & _within(b, 0, np.inf)


def _risky_quotient(nearest: Array, a: Array, b: Array) -> Array:
    """A quotient is checked by multiplying back."""
    safe = _within(a, 2.0**-960, 2.0**1020) & _within(b, 0, 2.0**990)
    safe &= _within(nearest, 2.0**-960, 2.0**990)
    return ~safe & _within(a, 0, np.inf) & _within(b, 0, np.inf)


def _risky_fused(nearest: Array, a: Array, b: Array, c: Array) -> Array:
    large = (np.abs(c) > 2.0**1000) & _within(a, 0, np.inf) & _within(b, 0, np.inf)
    return (_risky_product(nearest, a, b) | large | (np.abs(a * b) > 2.0**1000)) & np.isfinite(
        a * 0 + b * 0 + c
    )


_ADD = _Operation(_two_sum, np.add, _risky_sum, lambda a, b: a + b, is_sum=True)
_MULTIPLY = _Operation(_two_product, np.multiply, _risky_product, lambda a, b: a * b)
_DIVIDE = _Operation(_quotient, np.divide, _risky_quotient, lambda a, b: a / b)
_ROOT = _Operation(_root, np.sqrt)
_FUSE = _Operation(_fused, None, _risky_fused, lambda a, b, c: a * b + c, is_sum=True)
_FUSE_NARROW = _Operation(lambda a, b, c: _two_sum(a * b, c), is_sum=True)  # the product is exact


def _nearest_fraction(exact: Fraction) -> tuple[float, int]:
    try:
        nearest = float(exact)
    except OverflowError:
        return (np.inf, -1) if exact > 0 else (-np.inf, 1)
    return nearest, (exact > Fraction(nearest)) - (exact < Fraction(nearest))


def _repaired(operation: _Operation, rounded: Rounded, operands: list[Array]) -> Rounded:
    """The same, with the risky lanes computed on fractions."""
    if operation.risky is None or operation.exact is None:
        return rounded
    risky = operation.risky(rounded[0], *operands)
    if not risky.any():
        return rounded
    nearest, missing = (np.array(part) for part in np.broadcast_arrays(*rounded, risky)[:2])
    lanes = np.flatnonzero(risky)
    columns = [np.broadcast_to(operand, risky.shape)[lanes].tolist() for operand in operands]
    for lane, *values in zip(lanes, *columns, strict=True):
        exact = operation.exact(*map(Fraction, values))
        nearest[lane], missing[lane] = _nearest_fraction(exact)
    return nearest, missing


def _stepped(nearest: Array, above: Array, below: Array, rounding: str) -> Array:
    """The directed rounding, given where the exact result lies beside the nearest number.

    An overflow to infinity counts as above the exact result, and so steps back where it must.
    """
    step = nearest.dtype.type(np.inf)
    if rounding == "rp":
        return np.where(above, np.nextafter(nearest, step), nearest)
    if rounding == "rm":
        return np.where(below, np.nextafter(nearest, -step), nearest)
    if rounding == "rz":
        outside = np.where(nearest > 0, below, (nearest < 0) & above)
        return np.where(outside, np.nextafter(nearest, step * 0 + 0), nearest)
    raise ValueError(f"no rounding mode {rounding!r}")


def _narrowed(width: int, nearest: Array, missing: Array, rounding: str) -> Array:
    """The exact result rounded once to a format of this width."""
    if width == 64:
        return (
            nearest if rounding == "rn" else _stepped(nearest, missing > 0, missing < 0, rounding)
        )
    odd = _odd(nearest, missing)
    narrow: Array = odd.astype(_FORMATS[width].number)
    if rounding == "rn":
        return narrow
    wide = narrow.astype(np.float64)
    return _stepped(narrow, odd > wide, odd < wide, rounding)


def _directed(operation: _Operation, width: int, numbers: list[Array], rounding: str) -> Array:
    if operation.is_sum and rounding == "rm":
        # x - x is +0 except in this mode: take the negative of the opposite sum, rounded up.
        first, *middle, last = numbers
        return -_directed(operation, width, [-first, *middle, -last], "rp")
    operands = [number.astype(np.float64, copy=False) for number in numbers]
    rounded = operation.rounded(*operands)
    if width == 64:
        rounded = _repaired(operation, rounded, operands)
    return _narrowed(width, *rounded, rounding)


@np.errstate(all="ignore")
def _computed(operation: _Operation, width: int, mode: FloatMode, *operands: Array) -> Array:
    numbers = [_decoded(width, bits, mode.ftz) for bits in operands]
    if operation.native is not None and mode.rounding == "rn":
        return _encoded(width, operation.native(*numbers), mode)
    return _encoded(width, _directed(operation, width, numbers, mode.rounding), mode)


def add(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """a + b."""
    return _computed(_ADD, width, mode, a, b)


def multiply(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """a * b."""
    return _computed(_MULTIPLY, width, mode, a, b)


def divide(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """a / b."""
    return _computed(_DIVIDE, width, mode, a, b)


def root(width: int, a: Array, mode: FloatMode) -> Array:
    """The square root."""
    return _computed(_ROOT, width, mode, a)


def fuse(width: int, a: Array, b: Array, c: Array, mode: FloatMode) -> Array:
    """a*b + c, rounded once."""
    return _computed(_FUSE if width == 64 else _FUSE_NARROW, width, mode, a, b, c)


# --- comparison


@np.errstate(all="ignore")
def least(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """The smaller one, -0 below +0; the other one where one is NaN."""
    x, y = _decoded(width, a, mode.ftz), _decoded(width, b, mode.ftz)
    word = _FORMATS[width].word
    smaller = np.where(x == y, x.view(word) | y.view(word), np.fmin(x, y).view(word))
    return _encoded(width, smaller.view(x.dtype), mode)


@np.errstate(all="ignore")
def greatest(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """The greater one, +0 above -0; the other one where one is NaN."""
    x, y = _decoded(width, a, mode.ftz), _decoded(width, b, mode.ftz)
    word = _FORMATS[width].word
    greater = np.where(x == y, x.view(word) & y.view(word), np.fmax(x, y).view(word))
    return _encoded(width, greater.view(x.dtype), mode)


@np.errstate(all="ignore")
def equal(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """Whether a = b; false where one is NaN."""
    same: Array = _decoded(width, a, mode.ftz) == _decoded(width, b, mode.ftz)
    return same


@np.errstate(all="ignore")
def less(width: int, a: Array, b: Array, mode: FloatMode) -> Array:
    """Whether a < b; false where one is NaN."""
    below: Array = _decoded(width, a, mode.ftz) < _decoded(width, b, mode.ftz)
    return below


def unordered(width: int, a: Array, b: Array) -> Array:
    """Whether one of them is NaN."""
    nan: Array = np.isnan(_decoded(width, a, False)) | np.isnan(_decoded(width, b, False))
    return nan


# --- conversion

_INTEGRAL: Mapping[str, Callable[[Array], Array]] = {
    "rn": np.rint,
    "rz": np.trunc,
    "rm": np.floor,
    "rp": np.ceil,
}


@np.errstate(all="ignore")
def convert(
    width: int, source_width: int, a: Array, mode: FloatMode, integral: bool = False
) -> Array:
    """To another format, or to an integral number; only 32-bit sides are flushed (cvt.ftz)."""
    value = _decoded(source_width, a, mode.ftz and source_width == 32).astype(np.float64)
    if integral:
        value = _INTEGRAL[mode.rounding](value)
    value = _narrowed(width, value, np.zeros(1), mode.rounding)
    return _encoded(width, value, FloatMode(sat=mode.sat, ftz=mode.ftz and width == 32))


@np.errstate(all="ignore")
def to_integer(width: int, signed: bool, source_width: int, a: Array, mode: FloatMode) -> Array:
    """Integers of a width as uint64, clamped to its range.

    NaN gives 0, but 2**(width - 1) where one side has 64 bits (PTX ISA 9.0, cvt).
    """
    number = _decoded(source_width, a, mode.ftz and source_width == 32).astype(np.float64)
    number = _INTEGRAL[mode.rounding](number)
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    inside = (number >= float(low)) & (number < float(high))
    integers = np.where(inside, number, 0.0).astype(np.int64 if signed else np.uint64)
    bits = integers.view(np.uint64)
    bits = np.where(inside | (number < 0), bits, np.uint64(high - 1))
    bits = np.where(number < float(low), np.uint64(low & 0xFFFFFFFFFFFFFFFF), bits)
    undefined = 1 << (width - 1) if 64 in (width, source_width) else 0
    return np.where(np.isnan(number), np.uint64(undefined), bits)


@np.errstate(all="ignore")
def from_integer(width: int, integers: Array, mode: FloatMode) -> Array:
    """Numbers from signed or unsigned integers; 64 bits are the sum of two exact halves."""
    if integers.itemsize < 8:
        nearest, missing = integers.astype(np.float64), np.zeros(1)
    else:
        high = (integers >> 32).astype(np.float64) * 2.0**32
        nearest, missing = _two_sum(high, (integers & 0xFFFFFFFF).astype(np.float64))
    return _encoded(width, _narrowed(width, nearest, missing, mode.rounding), mode)


# --- approximation

_FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "ex2": np.exp2,
    "lg2": np.log2,
    "rcp": lambda x: 1.0 / x,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}
_UPPER_HALF = 0xFFFFFFFF00000000


@np.errstate(all="ignore")
def approximate(width: int, function: str, a: Array, mode: FloatMode) -> Array:
    """The function in float64, rounded to the format.

    At 64 bits (rcp and rsqrt) only the upper halves of operand and result count, as in the manual.
    """
    bits = a & _UPPER_HALF if width == 64 else a
    value = _FUNCTIONS[function](_decoded(width, bits, mode.ftz).astype(np.float64))
    result = _encoded(width, _narrowed(width, value, np.zeros(1), "rn"), mode)
    return result & _UPPER_HALF if width == 64 else result
