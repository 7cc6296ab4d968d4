"""Known bits: which bits of a word are 0, which are 1, which may be either ("tristate numbers").

Known low bits say x = r modulo 2**a, the alignment of an address; known high bits bound it.
Arithmetic follows Vishwanathan, Shachnai, Narayana & Nagarakatte, "Sound, precise, and fast
abstract interpretation with tristate numbers", CGO 2022 (sections III-B and III-C), who prove it
sound and, for add and sub, optimal. A lattice of height width + 1, so ``widen`` is ``join``.

Not handled: floats, memory, lanes; division but by powers of two and by its range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from analyses.domains.tristate import (
    KnownBits,
    between,
    between_signed,
    constant,
    empty,
    flipped,
    full,
    residue,
    trailing_zeros,
    without,
)
from analyses.lattice import Domain, Relation

__all__ = ["Alignments", "KnownBits", "between", "constant", "empty", "full", "residue"]

SPARSE = 8  # multiply exactly bit by bit while one factor has at most so many bits that may be set


class Alignments(Domain[KnownBits]):
    """The domain. ``specials`` gives what is known of special registers by name."""

    def __init__(self, specials: Mapping[str, KnownBits] = MappingProxyType({})) -> None:
        self.specials = specials

    # --- the lattice

    def width(self, a: KnownBits) -> int:
        return a.width

    def unknown(self, width: int, *operands: KnownBits) -> KnownBits:
        return full(width)

    def const(self, width: int, bits: int) -> KnownBits:
        return constant(width, bits)

    def bottom(self, width: int) -> KnownBits:
        return empty(width)

    def is_bottom(self, a: KnownBits) -> bool:
        return a.unknown < 0

    def leq(self, a: KnownBits, b: KnownBits) -> bool:
        if a.unknown < 0:
            return True
        return b.unknown >= 0 and not (a.unknown | (a.value ^ b.value)) & ~b.unknown

    def join(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return b
        if b.unknown < 0:
            return a
        unknown = a.unknown | b.unknown | (a.value ^ b.value)
        return KnownBits(a.width, a.value & ~unknown, unknown)

    def widen(self, old: KnownBits, new: KnownBits, thresholds: Sequence[int] = ()) -> KnownBits:
        """A bit that changes from round to round carries into those above it: they go at once, or
        a counter would take a round for each of its bits."""
        joined = self.join(old, new)
        lost = joined.unknown & ~old.unknown
        if old.unknown < 0 or not lost:
            return joined
        unknown = joined.unknown | ((1 << joined.width) - (1 << lost.bit_length() - 1))
        return KnownBits(joined.width, joined.value & ~unknown, unknown)

    def meet(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0 or (a.value ^ b.value) & ~(a.unknown | b.unknown):
            return empty(a.width)
        return KnownBits(a.width, a.value | b.value, a.unknown & b.unknown)

    def bounds(self, a: KnownBits) -> tuple[int, int] | None:
        return None if a.unknown < 0 else a.signed_bounds()

    def admits(self, fact: KnownBits, words: Any) -> Any:
        width, value, unknown = fact
        if width > 64:  # two rows of 64 bits
            halves = [KnownBits(64, value >> n & _ONES, unknown >> n & _ONES) for n in (0, 64)]
            rows = zip(halves, words.bits, strict=True)
            low, high = (_agree(half, row) for half, row in rows)
            return low & high & (unknown >= 0)
        return _agree(fact, words.bits) & (unknown >= 0)

    def assume(self, a: KnownBits, relation: Relation, b: KnownBits) -> tuple[KnownBits, KnownBits]:
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width), empty(a.width)
        if relation == "eq":
            both = self.meet(a, b)
            return both, both
        if relation == "ne":
            x, y = without(a, b), without(b, a)
        else:
            x, y = self._ordered(a, b, relation.startswith("lt"), relation.endswith("s"))
        return (x, y) if x.unknown >= 0 and y.unknown >= 0 else (empty(a.width), empty(a.width))

    def _ordered(
        self, a: KnownBits, b: KnownBits, strict: bool, signed: bool
    ) -> tuple[KnownBits, KnownBits]:
        """Cut a's range at b's greatest word and b's at a's least, then keep the common bits.

        The signed order is the unsigned one with the sign bit flipped.
        """
        flip = 1 << (a.width - 1) if signed else 0
        a, b = flipped(a, flip), flipped(b, flip)
        lo, hi = a.value + strict, (b.value | b.unknown) - strict
        if a.value > hi or lo > b.value | b.unknown:
            return empty(a.width), empty(a.width)
        x = self.meet(a, between(a.width, a.value, min(a.value | a.unknown, hi)))
        y = self.meet(b, between(a.width, max(b.value, lo), b.value | b.unknown))
        return flipped(x, flip), flipped(y, flip)

    # --- arithmetic

    def add(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """A bit is unknown where an operand's is or where the least and greatest carries differ."""
        w, v, u = a
        _, x, m = b
        if u < 0 or m < 0:
            return empty(w)
        least = v + x
        unknown = (((least + u + m) ^ least) | u | m) & ((1 << w) - 1)
        return KnownBits(w, least & ~unknown & ((1 << w) - 1), unknown)

    def sub(self, a: KnownBits, b: KnownBits) -> KnownBits:
        w, v, u = a
        _, x, m = b
        if u < 0 or m < 0:
            return empty(w)
        difference = v - x
        unknown = (((difference + u) ^ (difference - m)) | u | m) & ((1 << w) - 1)
        return KnownBits(w, difference & ~unknown & ((1 << w) - 1), unknown)

    def mul(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """Meet of what the bits, the low ends and the ranges say.

        Range: if the greatest product stays in the width, so do all, and they share its prefix.
        """
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width)
        if not (a.unknown or b.unknown):
            return constant(a.width, a.value * b.value)
        result = self._low_product(a, b)
        greatest = (a.value | a.unknown) * (b.value | b.unknown)
        if greatest >> a.width == 0:
            result = self.meet(result, between(a.width, a.value * b.value, greatest))
        sparse, dense = sorted((a, b), key=lambda k: (k.value | k.unknown).bit_count())
        if (sparse.value | sparse.unknown).bit_count() <= SPARSE:
            result = self.meet(result, self._long_multiplication(sparse, dense))
        return result

    def _low_product(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """2**i*x * 2**j*y with x, y known modulo 2**k, 2**l is known modulo 2**(i+j+min(k, l))."""
        i, j = trailing_zeros(a), trailing_zeros(b)
        known = i + j + min(a.alignment[1] - i, b.alignment[1] - j)
        return residue(a.width, a.value * b.value, min(known, a.width))

    def _long_multiplication(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """``our_mul`` of the paper: the product of the values, plus what unknown bits may add."""
        total = constant(a.width, a.value * b.value)
        ones = (1 << a.width) - 1
        bits = a.value | a.unknown
        while bits:
            bit = bits & -bits
            bits ^= bit
            added = b.unknown | b.value if a.unknown & bit else b.unknown
            total = self.add(total, KnownBits(a.width, 0, added * bit & ones))
        return total

    def mul_hi_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        w = a.width
        return self.extract(w, w, self.mul(self.zext(2 * w, a), self.zext(2 * w, b)))

    def mul_hi_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """Of the whole product, met with the range that its corners span."""
        w = a.width
        if a.unknown < 0 or b.unknown < 0:
            return empty(w)
        corners = [x * y for x in a.signed_bounds() for y in b.signed_bounds()]
        range_ = between_signed(w, min(corners) >> w, max(corners) >> w)
        whole = self.mul(self.sext(2 * w, a), self.sext(2 * w, b))
        return self.meet(range_, self.extract(w, w, whole))

    def div_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """Exact by a power of two; else the common prefix of the range."""
        if b.unknown < 0 or a.unknown < 0:
            return empty(a.width)
        if not b.value:
            return full(a.width)
        if not b.unknown and b.value.bit_count() == 1:
            return self._shifted_right(a, b.value.bit_length() - 1)
        (lo, hi), (few, many) = a.unsigned_bounds(), b.unsigned_bounds()
        return between(a.width, lo // many, hi // few)

    def rem_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """a - b*q: known where the quotient q is; else it keeps the low bits that no b changes.

        In any case it is at most a and less than b.
        """
        if b.unknown < 0 or a.unknown < 0:
            return empty(a.width)
        if not b.value:
            return full(a.width)
        quotient, greatest = self.div_u(a, b), a.value | a.unknown
        if not quotient.unknown:
            return self.sub(a, self.mul(quotient, b)) if quotient.value else a
        range_ = between(a.width, 0, min(greatest, (b.value | b.unknown) - 1))
        low = (1 << trailing_zeros(b)) - 1
        return self.meet(range_, KnownBits(a.width, a.value & low, a.unknown | ~low & _top(a)))

    def div_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """The magnitudes divided; the least word is its own magnitude, read unsigned."""
        if not b.value:
            return full(a.width) if b.unknown >= 0 else empty(a.width)
        results = [
            self.neg(self.div_u(x, y)) if minus != other else self.div_u(x, y)
            for x, minus in self._magnitudes(a)
            for y, other in self._magnitudes(b)
        ]
        return self._joined(a.width, results)

    def rem_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        """The remainder of the magnitudes with the sign of a."""
        if not b.value:
            return full(a.width) if b.unknown >= 0 else empty(a.width)
        results = [
            self.neg(self.rem_u(x, y)) if minus else self.rem_u(x, y)
            for x, minus in self._magnitudes(a)
            for y, _ in self._magnitudes(b)
        ]
        return self._joined(a.width, results)

    def _magnitudes(self, a: KnownBits) -> Iterator[tuple[KnownBits, bool]]:
        """|a| where a is not negative, and where it is; each with whether it is."""
        sign = 1 << (a.width - 1)
        for minus in (False, True):
            part = self.meet(a, KnownBits(a.width, sign * minus, sign - 1))
            if part.unknown >= 0:
                yield (self.neg(part) if minus else part), minus

    def _joined(self, width: int, parts: Sequence[KnownBits]) -> KnownBits:
        result = empty(width)
        for part in parts:
            result = self.join(result, part)
        return result

    def min_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._extreme(min, a, b, 0)

    def max_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._extreme(max, a, b, 0)

    def min_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._extreme(min, a, b, 1 << (a.width - 1))

    def max_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        return self._extreme(max, a, b, 1 << (a.width - 1))

    def _extreme(
        self, of: Callable[[int, int], int], a: KnownBits, b: KnownBits, flip: int
    ) -> KnownBits:
        """One of the two, within the range of their extremes.

        ``flip`` is the sign bit where the order is signed: flipped, that is the unsigned one.
        """
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width)
        a, b = flipped(a, flip), flipped(b, flip)
        (low_a, high_a), (low_b, high_b) = a.unsigned_bounds(), b.unsigned_bounds()
        lo, hi = of(low_a, low_b), of(high_a, high_b)
        range_ = between(a.width, lo, hi)
        parts = [self.meet(part, range_) for part in (a, b)]
        return flipped(self.join(*parts), flip)

    def abs_(self, a: KnownBits) -> KnownBits:
        return self._joined(a.width, [part for part, _ in self._magnitudes(a)])

    # --- bits

    def and_(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width)
        value = a.value & b.value
        maybe = (a.value | a.unknown) & (b.value | b.unknown)
        return KnownBits(a.width, value, maybe ^ value)

    def or_(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width)
        value = a.value | b.value
        return KnownBits(a.width, value, (a.unknown | b.unknown) & ~value)

    def xor(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(a.width)
        unknown = a.unknown | b.unknown
        return KnownBits(a.width, (a.value ^ b.value) & ~unknown, unknown)

    def shl(self, a: KnownBits, n: KnownBits) -> KnownBits:
        return self._shift(self._shifted_left, a, n)

    def shr_u(self, a: KnownBits, n: KnownBits) -> KnownBits:
        return self._shift(self._shifted_right, a, n)

    def shr_s(self, a: KnownBits, n: KnownBits) -> KnownBits:
        """As a word of twice the width, whose upper half is the sign, shifted right."""
        w = a.width
        return self.trunc(w, self._shift(self._shifted_right, self.sext(2 * w, a), n, w))

    def _shift(
        self,
        by: Callable[[KnownBits, int], KnownBits],
        a: KnownBits,
        n: KnownBits,
        most: int | None = None,
    ) -> KnownBits:
        """Join over the amounts that n may be; from ``most`` (the width) on, all shift alike."""
        if a.unknown < 0 or n.unknown < 0:
            return empty(a.width)
        lo, hi = n.unsigned_bounds()
        last = min(hi, a.width if most is None else most)
        result = by(a, last)
        for amount in range(lo, last):
            if amount & ~n.unknown == n.value:
                result = self.join(result, by(a, amount))
        return result

    def _shifted_left(self, a: KnownBits, n: int) -> KnownBits:
        ones = _top(a)
        return KnownBits(a.width, a.value << n & ones, a.unknown << n & ones)

    def _shifted_right(self, a: KnownBits, n: int) -> KnownBits:
        return KnownBits(a.width, a.value >> n, a.unknown >> n)

    def popc(self, a: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return empty(32)
        return between(32, a.value.bit_count(), (a.value | a.unknown).bit_count())

    def clz(self, a: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return empty(32)
        lo, hi = a.unsigned_bounds()
        return between(32, a.width - hi.bit_length(), a.width - lo.bit_length())

    def brev(self, a: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return a
        value, unknown = (int(f"{x:0{a.width}b}"[::-1], 2) for x in (a.value, a.unknown))
        return KnownBits(a.width, value, unknown)

    def prmt(self, a: KnownBits, b: KnownBits, selector: KnownBits) -> KnownBits:
        """Byte by byte where the selector is known."""
        if a.unknown < 0 or b.unknown < 0 or selector.unknown < 0:
            return empty(a.width)
        source = self.concat(a, b)
        return self.concat(
            *(
                self._byte(source, selector.value >> n & 15)
                if not selector.unknown >> n & 15
                else full(8)
                for n in range(0, a.width // 2, 4)
            )
        )

    def _byte(self, source: KnownBits, nibble: int) -> KnownBits:
        low = 8 * (nibble & 7)
        if nibble & 8:
            return self.sext(8, self.extract(1, low + 7, source))
        return self.extract(8, low, source)

    # --- comparison and choice

    def eq(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(1)
        if (a.value ^ b.value) & ~(a.unknown | b.unknown):
            return constant(1, 0)
        return full(1) if a.unknown | b.unknown else constant(1, 1)

    def lt_u(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(1)
        return _less(a.unsigned_bounds(), b.unsigned_bounds())

    def lt_s(self, a: KnownBits, b: KnownBits) -> KnownBits:
        if a.unknown < 0 or b.unknown < 0:
            return empty(1)
        return _less(a.signed_bounds(), b.signed_bounds())

    def select(self, p: KnownBits, a: KnownBits, b: KnownBits) -> KnownBits:
        if p.unknown > 0:
            return self.join(a, b)
        if p.unknown < 0:
            return empty(a.width)
        return a if p.value else b

    # --- widths

    def zext(self, width: int, a: KnownBits) -> KnownBits:
        return KnownBits(width, a.value, a.unknown)

    def sext(self, width: int, a: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return empty(width)
        sign, ones = 1 << (a.width - 1), (1 << width) - 1
        value, unknown = (((x ^ sign) - sign) & ones for x in (a.value, a.unknown))
        return KnownBits(width, value, unknown)

    def extract(self, width: int, low: int, a: KnownBits) -> KnownBits:
        if a.unknown < 0:
            return empty(width)
        ones = (1 << width) - 1
        return KnownBits(width, a.value >> low & ones, a.unknown >> low & ones)

    def concat(self, *parts: KnownBits) -> KnownBits:
        width = value = unknown = 0
        for part in parts:
            if part.unknown < 0:
                return empty(sum(part.width for part in parts))
            value |= part.value << width
            unknown |= part.unknown << width
            width += part.width
        return KnownBits(width, value, unknown)

    # --- the world

    def special(self, name: str, width: int) -> KnownBits:
        known = self.specials.get(name)
        if known is None:
            return full(width)
        return self.extract(width, 0, known) if known.width > width else self.zext(width, known)


_ONES = (1 << 64) - 1


def _top(a: KnownBits) -> int:
    return (1 << a.width) - 1


def _agree(fact: KnownBits, bits: Any) -> Any:
    import numpy as np  # only the judge needs it: checking starts without

    known = np.uint64(~fact.unknown & _ONES)
    return (bits.astype(np.uint64) & known) == np.uint64(fact.value)


def _less(a: tuple[int, int], b: tuple[int, int]) -> KnownBits:
    if a[1] < b[0]:
        return constant(1, 1)
    return constant(1, 0) if a[0] >= b[1] else full(1)
