"""Bit vectors: one bit pattern per lane, the values of the concrete machine.

Native widths (8, 16, 32, 64) wrap by themselves; any other width up to 64 is masked after each
operator, so tests try every operand at 4 or 5 bits. Predicates are numpy bools: comparisons yield
them and masks take them without a copy. Words of 128 bits are only split and concatenated. The bit
tricks are Warren's (Hacker's Delight, 2nd edition, chapters 5 and 8).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

_NATIVE = frozenset((8, 16, 32, 64))
_STORAGE: tuple[type[np.generic], ...] = (
    np.bool_,  # no word has width 0
    np.bool_,
    *[np.uint8] * 7,
    *[np.uint16] * 8,
    *[np.uint32] * 16,
    *[np.uint64] * 32,
)


class BitVector(Struct, frozen=True, eq=False):
    """A bit pattern per lane, below 2**width, in the smallest unsigned dtype (bool at width 1).

    A vector of one element is the same word in every lane. No operator writes to ``bits``, and a
    result may share them. At width 128 there are two rows of uint64, the low half first.
    """

    width: int
    bits: Array

    @staticmethod
    def of(width: int, values: ArrayLike) -> BitVector:
        """The word with these integers in its lanes, each taken modulo 2**width."""
        integers = np.atleast_1d(np.asarray(values, dtype=object)) & ((1 << width) - 1)
        return BitVector(width, integers.astype(storage(width)))

    @property
    def unsigned(self) -> Array:
        """The bits as unsigned integers."""
        if self.width in _NATIVE:
            return self.bits
        if self.width == 1:
            return self.bits.view(np.uint8)
        storage(self.width)
        return self.bits

    @property
    def signed(self) -> Array:
        """The bits as two's complement integers, in a signed dtype."""
        bits = self.unsigned
        spare = 8 * bits.itemsize - self.width
        number = np.dtype(f"i{bits.itemsize}")
        if spare == 0:
            return bits.view(number)
        shifted: Array = (bits << spare).view(number) >> spare
        return shifted


def storage(width: int) -> type[np.generic]:
    """The dtype that holds words of this width."""
    if not 1 <= width <= 64:
        raise NotImplementedError(f"lanes have no arithmetic on words of {width} bits")
    return _STORAGE[width]


def fit(width: int, bits: Array) -> BitVector:
    """The word of these bits modulo 2**width; ``bits`` has the dtype of that width, or uint8."""
    if width in _NATIVE:
        return BitVector(width, bits)
    if width == 1:
        return BitVector(1, (bits & 1).astype(np.bool_))
    return BitVector(width, bits & ((1 << width) - 1))


def cut(width: int, bits: Array) -> BitVector:
    """The word of these bits modulo 2**width, from any unsigned dtype."""
    if width == 1:
        return BitVector(1, (bits & 1).astype(np.bool_))
    return fit(width, bits.astype(storage(width), copy=False))


@lru_cache(maxsize=4096)
def constant(width: int, bits: int) -> BitVector:
    """One word for all lanes; read-only because it is shared."""
    word = BitVector.of(width, bits)
    word.bits.setflags(write=False)
    return word


def ones(bits: Array) -> Array:
    """Population count of each uint64, by adding neighbours."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    counts: Array = (bits * 0x0101010101010101) >> 56
    return counts


def product_high(a: Array, b: Array) -> Array:
    """The high 64 bits of a product of uint64, from products of 32-bit halves."""
    half = 0xFFFFFFFF
    low_high = (a & half) * (b >> 32)
    middle = (((a & half) * (b & half)) >> 32) + (low_high & half) + (a >> 32) * (b & half)
    high: Array = (a >> 32) * (b >> 32) + (low_high >> 32) + (middle >> 32)
    return high


def magnitude(a: BitVector) -> Array:
    """The absolute value as an unsigned integer; the least word gives 2**(width - 1)."""
    absolute: Array = np.abs(a.signed).view(a.unsigned.dtype)
    return absolute


def shift_amount(a: BitVector, n: BitVector) -> Array:
    """The amount in the dtype of ``a``, reduced below its size, from which on C shifts are
    undefined."""
    bits = a.unsigned
    amount: Array = (n.unsigned & (8 * bits.itemsize - 1)).astype(bits.dtype, copy=False)
    return amount


def keep_freed_memory() -> None:
    """Makes the allocator keep freed vectors for reuse.

    glibc returns freed memory above a threshold that grows with the largest block freed (malloc
    tunables, ``mmap_threshold``). Vectors of 200 kB lie above its first value, and page faults at
    each operator cost 5 to 8 times the arithmetic. The block here is never touched.
    """
    np.empty(31 << 20, np.uint8)
