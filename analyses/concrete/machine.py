"""The concrete machine: computes every operator; all other domains are tested against it.

Source: the instruction sections of the PTX ISA manual, version 9.0. What the manual leaves open is
what a device was seen to leave (``docs/measurements/device.md``): all ones for a quotient and a
remainder by zero. A shuffle from an inactive lane gives the lane's own word. Lane ``l`` of warp
``w`` is element ``32*w + l``. Memory belongs to the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from analyses.algebra import Algebra, FloatMode, MatrixProduct
from analyses.concrete import floats, matrices
from analyses.concrete.bitvectors import (
    Array,
    BitVector,
    constant,
    cut,
    fit,
    keep_freed_memory,
    magnitude,
    ones,
    product_high,
    shift_amount,
    storage,
)
from analyses.hardware import WARP

__all__ = ["BitVector", "Lanes"]


class Lanes(Algebra[BitVector]):
    """The concrete machine.

    ``specials`` holds the special registers; ``regions`` the address of each region in its own
    space; ``windows`` the generic addresses of each space other than ``global``, which has all the
    rest. ``active`` is the active mask (None: all); the interpreter sets it before each
    instruction, and only shuffles, votes and ``active_mask`` read it. ``meeting`` is the CTA of
    each lane (None: one CTA).
    """

    def __init__(
        self,
        specials: Mapping[str, BitVector] | None = None,
        active: Array | None = None,
        regions: Mapping[Any, int] | None = None,
        windows: Mapping[str, range] | None = None,
    ) -> None:
        keep_freed_memory()
        self.specials = specials or {}
        self.active = active
        self.meeting: Array | None = None
        self.regions = regions or {}
        self.windows = windows or {}

    def width(self, a: BitVector) -> int:
        return a.width

    def unknown(self, width: int, *operands: BitVector) -> BitVector:
        raise NotImplementedError("the concrete machine has no unknown word")

    def const(self, width: int, bits: int) -> BitVector:
        return constant(width, bits & ((1 << width) - 1))

    # --- integer arithmetic

    def add(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, a.unsigned + b.unsigned)

    def sub(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, a.unsigned - b.unsigned)

    def neg(self, a: BitVector) -> BitVector:
        return fit(a.width, np.negative(a.unsigned))

    def mul(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, a.unsigned * b.unsigned)

    def mul_hi_u(self, a: BitVector, b: BitVector) -> BitVector:
        if a.width <= 32:
            product: Array = np.multiply(a.unsigned, b.unsigned, dtype=np.uint64)
            return cut(a.width, product >> a.width)
        high = product_high(a.unsigned, b.unsigned)
        if a.width == 64:
            return BitVector(64, high)
        return fit(a.width, (high << (64 - a.width)) | ((a.unsigned * b.unsigned) >> a.width))

    def mul_hi_s(self, a: BitVector, b: BitVector) -> BitVector:
        """Above 32 bits: a negative word is its unsigned value minus 2**width."""
        if a.width <= 32:
            product: Array = np.multiply(a.signed, b.signed, dtype=np.int64)
            return cut(a.width, (product >> a.width).view(np.uint64))
        high = self.mul_hi_u(a, b).unsigned
        high = high - b.unsigned * (a.signed < 0)
        return fit(a.width, high - a.unsigned * (b.signed < 0))

    def div_u(self, a: BitVector, b: BitVector) -> BitVector:
        divisor = b.unsigned
        quotient = a.unsigned // np.maximum(divisor, 1)
        return fit(a.width, np.where(divisor == 0, (1 << a.width) - 1, quotient))

    def div_s(self, a: BitVector, b: BitVector) -> BitVector:
        """The least word by -1 wraps to itself."""
        divisor = magnitude(b)
        quotient = magnitude(a) // np.maximum(divisor, 1)
        quotient = np.where((a.signed < 0) != (b.signed < 0), np.negative(quotient), quotient)
        return fit(a.width, np.where(divisor == 0, (1 << a.width) - 1, quotient))

    def rem_u(self, a: BitVector, b: BitVector) -> BitVector:
        divisor = b.unsigned
        remainder = a.unsigned % np.maximum(divisor, 1)
        return fit(a.width, np.where(divisor == 0, (1 << a.width) - 1, remainder))

    def rem_s(self, a: BitVector, b: BitVector) -> BitVector:
        divisor = magnitude(b)
        remainder = magnitude(a) % np.maximum(divisor, 1)
        remainder = np.where(a.signed < 0, np.negative(remainder), remainder)
        return fit(a.width, np.where(divisor == 0, (1 << a.width) - 1, remainder))

    def min_u(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, np.minimum(a.unsigned, b.unsigned))

    def max_u(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, np.maximum(a.unsigned, b.unsigned))

    def min_s(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, np.minimum(a.signed, b.signed).view(a.unsigned.dtype))

    def max_s(self, a: BitVector, b: BitVector) -> BitVector:
        return fit(a.width, np.maximum(a.signed, b.signed).view(a.unsigned.dtype))

    # --- bits

    def and_(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(a.width, a.bits & b.bits)

    def or_(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(a.width, a.bits | b.bits)

    def xor(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(a.width, a.bits ^ b.bits)

    def not_(self, a: BitVector) -> BitVector:
        if a.width == 1:
            return BitVector(1, ~a.bits)
        return fit(a.width, ~a.unsigned)

    def shl(self, a: BitVector, n: BitVector) -> BitVector:
        shifted = a.unsigned << shift_amount(a, n)
        return fit(a.width, shifted * (n.unsigned < a.width))

    def shr_u(self, a: BitVector, n: BitVector) -> BitVector:
        shifted = a.unsigned >> shift_amount(a, n)
        return fit(a.width, shifted * (n.unsigned < a.width))

    def shr_s(self, a: BitVector, n: BitVector) -> BitVector:
        signed = a.signed
        amount = np.minimum(n.unsigned, a.width - 1).astype(signed.dtype)
        return fit(a.width, (signed >> amount).view(a.unsigned.dtype))

    def popc(self, a: BitVector) -> BitVector:
        return BitVector(32, ones(a.unsigned.astype(np.uint64)).astype(np.uint32))

    def clz(self, a: BitVector) -> BitVector:
        """Fills every place below the leading one; the other places are the leading zeros."""
        filled: Array = a.unsigned.astype(np.uint64)
        for distance in (1, 2, 4, 8, 16, 32):
            filled |= filled >> distance
        return BitVector(32, (a.width - ones(filled)).astype(np.uint32))

    def brev(self, a: BitVector) -> BitVector:
        """Swaps halves of halves, for 64 bits; a narrower word is then shifted down from the
        top."""
        bits: Array = a.unsigned.astype(np.uint64)
        for distance in (1, 2, 4, 8, 16, 32):
            low = 0xFFFFFFFFFFFFFFFF // ((1 << distance) + 1)  # the lower place of each pair
            bits = ((bits >> distance) & low) | ((bits & low) << distance)
        return cut(a.width, bits >> (64 - a.width))

    def prmt(self, a: BitVector, b: BitVector, selector: BitVector) -> BitVector:
        """The generic mode of ``prmt.b32``."""
        if a.width != 32:
            raise NotImplementedError(f"prmt permutes the bytes of 32-bit words, not {a.width}")
        bytes_ = (b.bits.astype(np.uint64) << 32) | a.bits
        result: Array = np.zeros(1, np.uint64)
        for place in range(4):
            nibble = (selector.bits >> (4 * place)) & 15
            byte = (bytes_ >> (8 * (nibble & 7))) & 0xFF
            byte = np.where(nibble & 8, (byte >> 7) * 0xFF, byte)
            result = result | (byte << (8 * place))
        return BitVector(32, result.astype(np.uint32))

    # --- comparison and choice

    def eq(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.unsigned == b.unsigned)

    def ne(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.unsigned != b.unsigned)

    def lt_u(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.unsigned < b.unsigned)

    def le_u(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.unsigned <= b.unsigned)

    def lt_s(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.signed < b.signed)

    def le_s(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, a.signed <= b.signed)

    def select(self, p: BitVector, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(a.width, np.where(p.bits, a.bits, b.bits))

    # --- widths

    def zext(self, width: int, a: BitVector) -> BitVector:
        return BitVector(width, a.unsigned.astype(storage(width), copy=False))

    def sext(self, width: int, a: BitVector) -> BitVector:
        if width == a.width:
            return a
        return fit(width, a.signed.astype(storage(width)))

    def extract(self, width: int, low: int, a: BitVector) -> BitVector:
        if a.width <= 64:
            return cut(width, a.unsigned >> low if low else a.unsigned)
        if low >= 64:
            return cut(width, a.bits[1] >> (low - 64))
        across = a.bits[1] << (64 - low) if low + width > 64 else 0
        return cut(width, (a.bits[0] >> low) | across)

    def concat(self, *parts: BitVector) -> BitVector:
        width = sum(part.width for part in parts)
        if [part.width for part in parts] == [64, 64]:
            return BitVector(128, np.stack(np.broadcast_arrays(*(part.bits for part in parts))))
        low, bits = width, constant(width, 0).unsigned
        for part in reversed(parts):
            low -= part.width
            bits = bits | (part.unsigned.astype(bits.dtype) << low)
        return fit(width, bits)

    # --- floating point

    def fadd(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return _rounded(floats.ADD, mode, a, b)

    def fmul(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return _rounded(floats.MULTIPLY, mode, a, b)

    def fma(self, a: BitVector, b: BitVector, c: BitVector, mode: FloatMode) -> BitVector:
        return _rounded(floats.FUSE if a.width == 64 else floats.FUSE_NARROW, mode, a, b, c)

    def fdiv(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return _rounded(floats.DIVIDE, mode, a, b)

    def fsqrt(self, a: BitVector, mode: FloatMode) -> BitVector:
        return _rounded(floats.ROOT, mode, a)

    def fmin(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return BitVector(a.width, floats.extreme(False, a.width, mode, a.bits, b.bits))

    def fmax(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return BitVector(a.width, floats.extreme(True, a.width, mode, a.bits, b.bits))

    def approx(self, function: str, a: BitVector, mode: FloatMode) -> BitVector:
        return BitVector(a.width, floats.approximate(a.width, function, a.bits, mode))

    def feq(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return BitVector(1, floats.compared(np.equal, a.width, mode, a.bits, b.bits))

    def flt(self, a: BitVector, b: BitVector, mode: FloatMode) -> BitVector:
        return BitVector(1, floats.compared(np.less, a.width, mode, a.bits, b.bits))

    def funordered(self, a: BitVector, b: BitVector) -> BitVector:
        return BitVector(1, floats.is_nan(a.width, a.bits) | floats.is_nan(a.width, b.bits))

    def float_to_float(
        self, width: int, a: BitVector, mode: FloatMode, integral: bool = False
    ) -> BitVector:
        return BitVector(width, floats.convert(width, a.width, a.bits, mode, integral))

    def float_to_int(self, width: int, signed: bool, a: BitVector, mode: FloatMode) -> BitVector:
        """NaN gives 0 only if neither side has 64 bits (PTX 9.0)."""
        return cut(width, floats.to_integer(width, signed, a.width, a.bits, mode))

    def int_to_float(self, width: int, signed: bool, a: BitVector, mode: FloatMode) -> BitVector:
        integers = a.signed if signed else a.unsigned
        return BitVector(width, floats.from_integer(width, integers, mode))

    # --- special registers, memory and other lanes

    def special(self, name: str, width: int) -> BitVector:
        word = self.specials[name]
        return self.zext(width, word) if word.width < width else self.trunc(width, word)

    def address(self, region: object, width: int) -> BitVector:
        return self.const(width, self.regions[region])

    def convert_address(self, space: str, to_generic: bool, a: BitVector) -> BitVector:
        if space == "global":
            return a
        base = self.const(a.width, self.windows[space].start)
        return self.add(a, base) if to_generic else self.sub(a, base)

    def is_space(self, space: str, a: BitVector) -> BitVector:
        if space != "global":
            return self._inside(self.windows[space], a)
        elsewhere = self.const(1, 0)
        for window in self.windows.values():
            elsewhere = self.or_(elsewhere, self._inside(window, a))
        return self.or_(self.not_(elsewhere), BitVector(1, np.zeros(a.bits.shape, np.bool_)))

    def _inside(self, window: range, a: BitVector) -> BitVector:
        offset = self.sub(a, self.const(a.width, window.start))
        return self.lt_u(offset, self.const(a.width, len(window)))

    def loaded(self, width: int, space: str, address: BitVector) -> BitVector:
        raise NotImplementedError("the interpreter owns the memory of the concrete machine")

    def shuffle(
        self, mode: str, a: BitVector, lane: BitVector, clamp: BitVector, members: BitVector
    ) -> tuple[BitVector, BitVector]:
        """``clamp`` holds the last lane in bits 0-4 and the segment mask in bits 8-12.

        If the source lane is inactive or not a member, the lane keeps its own word.
        """
        voters = _per_warp(self._everywhere(a, lane, clamp, members))[::WARP, None]
        here = np.arange(WARP)
        distance = (_rows(lane) & 31).astype(np.int64)
        segment = ((_rows(clamp) >> 8) & 31).astype(np.int64)
        first = here & segment
        last = first | ((_rows(clamp) & 31).astype(np.int64) & ~segment)
        source, in_range = _SHUFFLES[mode](here, distance, first, last, segment)
        source = np.where(in_range, source, here)
        source = np.where(((voters & _rows(members)) >> source) & 1, source, here)
        values = np.broadcast_to(a.bits, voters.size * WARP)
        moved = values[source + np.arange(0, values.size, WARP)[:, None]]
        in_range = np.broadcast_to(in_range, moved.shape)
        return BitVector(a.width, moved.reshape(-1)), BitVector(1, in_range.reshape(-1))

    def vote(self, mode: str, p: BitVector, members: BitVector) -> BitVector:
        active = self._everywhere(p, members)
        voters = _per_warp(active) & members.bits
        ballot = _per_warp(active & p.bits) & members.bits
        if mode == "ballot":
            return BitVector(32, ballot)
        return BitVector(1, _VOTES[mode](ballot, voters))

    def match(self, a: BitVector, members: BitVector) -> BitVector:
        active = self._everywhere(a, members)
        voters = (_per_warp(active) & members.bits)[::WARP]
        words = np.broadcast_to(a.bits, active.shape).reshape(-1, WARP)
        same = np.zeros(words.shape, np.uint32)
        for lane in range(WARP):
            equal = words == words[:, lane : lane + 1]
            same |= equal.astype(np.uint32) << np.uint32(lane)
        return BitVector(32, (same & voters[:, None]).reshape(-1))

    def reduce(self, function: str, a: BitVector, members: BitVector) -> BitVector:
        """Each group of members by itself: those of a warp may name different ones."""
        active = self._everywhere(a, members)
        voters = np.broadcast_to(_per_warp(active) & members.bits, active.shape)
        words = BitVector(a.width, np.broadcast_to(a.bits, active.shape).reshape(-1, WARP))
        combine, result = _REDUCTIONS[function], None
        member = voters.reshape(-1, WARP)
        for lane in range(WARP):
            word = BitVector(a.width, words.bits[:, lane : lane + 1])
            here = (member >> np.uint32(lane)) & 1
            if result is None:
                result, begun = BitVector(a.width, np.where(here, word.bits, 0)), here
                continue
            both = combine(self, result, word)
            kept = np.where(here, np.where(begun, both.bits, word.bits), result.bits)
            result, begun = BitVector(a.width, kept.astype(word.bits.dtype)), begun | here
        assert result is not None
        return BitVector(a.width, result.bits.reshape(-1))

    def barrier_vote(self, mode: str, p: BitVector, barrier: BitVector) -> BitVector:
        active = self._everywhere(p, barrier)
        place = np.zeros(active.size, np.int64) if self.meeting is None else self.meeting
        _, group = np.unique(place << 32 | barrier.bits.astype(np.int64), return_inverse=True)
        present = np.bincount(group, active)[group]
        ayes = np.bincount(group, active & p.bits)[group]
        if mode == "popc":
            return BitVector(32, ayes.astype(np.uint32))
        return BitVector(1, ayes == present if mode == "and" else ayes > 0)

    def matrix_product(self, product: MatrixProduct, *words: BitVector) -> tuple[BitVector, ...]:
        size = self._everywhere(*words).size
        return matrices.multiply(product, words, size // WARP)

    def active_mask(self) -> BitVector:
        if self.active is None:
            return self.const(32, -1)
        return BitVector(32, _per_warp(self.active))

    def _everywhere(self, *operands: BitVector) -> Array:
        """The active mask as a vector of whole warps."""
        active = self.active
        if active is None:
            active = np.ones(max(operand.bits.size for operand in operands), np.bool_)
        if active.size % WARP:
            raise ValueError(f"{active.size} lanes are not whole warps of {WARP}")
        return active


def _rounded(operation: floats.FloatOperation, mode: FloatMode, *words: BitVector) -> BitVector:
    width = words[0].width
    return BitVector(width, floats.computed(operation, width, mode, *[w.bits for w in words]))


def _rows(word: BitVector) -> Array:
    """A row per warp, or one row of one element if all lanes hold the same word."""
    return word.bits.reshape(-1, WARP if word.bits.size > 1 else 1)


def _per_warp(flags: Array) -> Array:
    """For each lane, the flags of its warp as a word of 32 bits."""
    rows = np.packbits(flags.reshape(-1, WARP), axis=1, bitorder="little").view("<u4")
    return np.repeat(rows.astype(np.uint32), WARP)


_REDUCTIONS: Mapping[str, Callable[[Lanes, BitVector, BitVector], BitVector]] = {
    "add": Lanes.add,
    "and": Lanes.and_,
    "or": Lanes.or_,
    "xor": Lanes.xor,
    "min_u": Lanes.min_u,
    "max_u": Lanes.max_u,
    "min_s": Lanes.min_s,
    "max_s": Lanes.max_s,
}

_Shuffle = Callable[[Array, Array, Array, Array, Array], tuple[Array, Array]]

_SHUFFLES: Mapping[str, _Shuffle] = {
    "up": lambda here, b, first, last, segment: (here - b, here - b >= last),
    "down": lambda here, b, first, last, segment: (here + b, here + b <= last),
    "bfly": lambda here, b, first, last, segment: (here ^ b, (here ^ b) <= last),
    "idx": lambda here, b, first, last, segment: (
        first | (b & ~segment),
        (first | (b & ~segment)) <= last,
    ),
}

_VOTES: Mapping[str, Callable[[Array, Array], Array]] = {
    "all": lambda ballot, voters: ballot == voters,
    "any": lambda ballot, voters: ballot != 0,
    "uni": lambda ballot, voters: (ballot == voters) | (ballot == 0),
}
