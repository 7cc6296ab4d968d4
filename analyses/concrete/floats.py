"""Float operations on vectors of bit patterns, correctly rounded in the four modes of PTX.

Each operation is a row: the numpy function for round-to-nearest, its error term (``rounding``
derives the other modes and formats from it), and the lanes whose error term may be wrong at 64
bits, because it overflowed or underflowed. For those, exact fractions are used, a lane at a time.
The fused multiply-add is Boldo & Melquiond's (IEEE Trans. Computers 57(4), 2008).

Approximations are rounded from float64: they keep the manual's error bounds but are not bit for bit
the results of a device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
from msgspec import Struct

from analyses.algebra import FloatMode
from analyses.concrete.bitvectors import Array
from analyses.concrete.rounding import (
    FORMATS,
    Rounded,
    decoded,
    encoded,
    narrowed,
    odd,
    rounded_once,
    two_product,
    two_sum,
    with_nan_of,
)

# --- operations


def _quotient(a: Array, b: Array) -> Rounded:
    """The remainder a - q*b is exact, and has the sign of the error times that of b."""
    quotient = a / b
    product, error = two_product(quotient, b)
    return quotient, ((a - product) - error) * np.copysign(1.0, b)


def _root(a: Array) -> Rounded:
    """The remainder a - r*r is exact, once extreme numbers are scaled by an even power of two."""
    scale = np.where(a < 2.0**-900, 2.0**300, np.where(a > 2.0**900, 2.0**-300, 1.0))
    scaled = a * scale * scale
    root = np.sqrt(scaled)
    square, error = two_product(root, root)
    return root / scale, (scaled - square) - error


def _fused(a: Array, b: Array, c: Array) -> Rounded:
    """Boldo & Melquiond's fused multiply-add.

    The last error term has the sign of the total error: it is a multiple of the last place of
    ``rest``, and rounding ``rest`` to odd moved it by less.
    """
    product, product_error = two_product(a, b)
    carried, carried_error = two_sum(c, product_error)
    total, total_error = two_sum(product, carried)
    rest = odd(*two_sum(carried_error, total_error))
    nearest, missing = two_sum(total, rest)
    plain = ~((np.abs(nearest) > 0) & (np.abs(nearest) < np.inf))
    if plain.any():
        infinite_term = np.isinf(c) & np.isfinite(a) & np.isfinite(b)  # the product may overflow
        nearest = np.where(plain, np.where(infinite_term, c, product + c), nearest)
        missing = np.where(plain, 0.0, missing)
    return nearest, missing


class FloatOperation(Struct, frozen=True):
    """An operation: ``native`` rounds to nearest, ``rounded`` gives the error term too. ``risky``
    marks lanes whose error term may be wrong at 64 bits; ``exact`` repairs them. Of two NaN of 64
    bits the last is the result, or the ``first``."""

    rounded: Callable[..., Rounded]
    native: Callable[..., Array] | None = None
    risky: Callable[..., Array] | None = None
    exact: Callable[..., Fraction] | None = None
    is_sum: bool = False
    first: bool = False


def _within(a: Array, low: float, high: float) -> Array:
    inside: Array = (np.abs(a) > low) & (np.abs(a) < high)
    return inside


def _ordinary(a: Array) -> Array:
    return _within(a, 0.0, np.inf)


def _risky_sum(nearest: Array, a: Array, b: Array) -> Array:
    return np.isfinite(a) & np.isfinite(b) & (np.maximum(np.abs(a), np.abs(b)) > 2.0**1021)


def _risky_product(nearest: Array, a: Array, b: Array) -> Array:
    """The halves of a factor overflow, or the error reaches below the least subnormal."""
    safe = _within(a, 0.0, 2.0**990) & _within(b, 0.0, 2.0**990)
    return ~(safe & _within(nearest, 2.0**-960, 2.0**1020)) & _ordinary(a) & _ordinary(b)


def _risky_quotient(nearest: Array, a: Array, b: Array) -> Array:
    """The product of quotient and divisor is risky, or the quotient subnormal."""
    safe = _within(nearest, 2.0**-960, 2.0**990) & _within(b, 0.0, 2.0**990)
    return ~(safe & _within(a, 2.0**-960, 2.0**1020)) & _ordinary(a) & _ordinary(b)


def _risky_fused(nearest: Array, a: Array, b: Array, c: Array) -> Array:
    large = (np.abs(c) > 2.0**1020) & _ordinary(a) & _ordinary(b)
    return (_risky_product(a * b, a, b) | large) & np.isfinite(c)


ADD = FloatOperation(two_sum, np.add, _risky_sum, lambda a, b: a + b, is_sum=True)
MULTIPLY = FloatOperation(two_product, np.multiply, _risky_product, lambda a, b: a * b)
DIVIDE = FloatOperation(_quotient, np.divide, _risky_quotient, lambda a, b: a / b, first=True)
ROOT = FloatOperation(_root, np.sqrt)
FUSE = FloatOperation(_fused, None, _risky_fused, lambda a, b, c: a * b + c, is_sum=True)
FUSE_NARROW = FloatOperation(lambda a, b, c: two_sum(a * b, c), is_sum=True)  # the product is exact


def _nearest_fraction(exact: Fraction) -> tuple[float, int]:
    try:
        nearest = float(exact)
    except OverflowError:
        return (np.inf, -1) if exact > 0 else (-np.inf, 1)
    return nearest, (exact > Fraction(nearest)) - (exact < Fraction(nearest))


def _repaired(operation: FloatOperation, rounded: Rounded, operands: list[Array]) -> Rounded:
    """The risky lanes recomputed on fractions."""
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


def _directed(operation: FloatOperation, width: int, numbers: list[Array], rounding: str) -> Array:
    if operation.is_sum and rounding == "rm":
        # x - x is +0 except in this mode: take the negative of the opposite sum, rounded up.
        first, *middle, last = numbers
        return -_directed(operation, width, [-first, *middle, -last], "rp")
    operands = [number.astype(np.float64, copy=False) for number in numbers]
    rounded = operation.rounded(*operands)
    if width == 64:
        rounded = _repaired(operation, rounded, operands)
    return rounded_once(width, *rounded, rounding)


@np.errstate(all="ignore")
def computed(operation: FloatOperation, width: int, mode: FloatMode, *operands: Array) -> Array:
    """The operation on numbers of this width."""
    numbers = [decoded(width, bits, mode.ftz) for bits in operands]
    if operation.native is not None and mode.rounding == "rn":
        result = encoded(width, operation.native(*numbers), mode)
    else:
        result = encoded(width, _directed(operation, width, numbers, mode.rounding), mode)
    if width < 64:
        return result
    return with_nan_of(width, result, width, *(operands[::-1] if operation.first else operands))


# --- comparison


@np.errstate(all="ignore")
def extreme(greatest: bool, width: int, mode: FloatMode, a: Array, b: Array) -> Array:
    """The smaller or the greater one, where -0 is below +0; the other one where one is NaN."""
    x, y = decoded(width, a, mode.ftz), decoded(width, b, mode.ftz)
    word = FORMATS[width].word
    choose, of_zeros = (np.fmax, np.bitwise_and) if greatest else (np.fmin, np.bitwise_or)
    chosen = np.where(x == y, of_zeros(x.view(word), y.view(word)), choose(x, y).view(word))
    result = encoded(width, chosen.view(x.dtype), mode)
    return with_nan_of(width, result, width, a, b) if width == 64 else result


@np.errstate(all="ignore")
def compared(test: np.ufunc, width: int, mode: FloatMode, a: Array, b: Array) -> Array:
    """A comparison of numbers; ``np.equal`` and ``np.less`` are false if one is NaN."""
    holds: Array = test(decoded(width, a, mode.ftz), decoded(width, b, mode.ftz))
    return holds


def is_nan(width: int, a: Array) -> Array:
    nan: Array = np.isnan(decoded(width, a, False))
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
    value = decoded(source_width, a, mode.ftz and source_width == 32).astype(np.float64)
    if integral:
        value = _INTEGRAL[mode.rounding](value)
    value = narrowed(width, value, mode.rounding)
    result = encoded(width, value, FloatMode(sat=mode.sat, ftz=mode.ftz and width == 32))
    return with_nan_of(width, result, source_width, a) if 64 in (width, source_width) else result


@np.errstate(all="ignore")
def to_integer(width: int, signed: bool, source_width: int, a: Array, mode: FloatMode) -> Array:
    """Integers of a width as uint64, clamped to its range.

    NaN gives 0, but 2**(width - 1) where one side has 64 bits (PTX ISA 9.0, cvt).
    """
    number = decoded(source_width, a, mode.ftz and source_width == 32).astype(np.float64)
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
        value = narrowed(width, integers.astype(np.float64), mode.rounding)
    else:
        high = (integers >> 32).astype(np.float64) * 2.0**32
        low = (integers & 0xFFFFFFFF).astype(np.float64)
        value = rounded_once(width, *two_sum(high, low), mode.rounding)
    return encoded(width, value, mode)


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

    At 64 bits with .ftz only the upper halves of operand and result count, as in the manual.
    """
    halves = width == 64 and mode.ftz
    bits = a & _UPPER_HALF if halves else a
    value = _FUNCTIONS[function](decoded(width, bits, mode.ftz).astype(np.float64))
    result = encoded(width, narrowed(width, value, "rn"), mode)
    if width == 64:
        result = with_nan_of(width, result, width, a)
    return result & _UPPER_HALF if halves else result
