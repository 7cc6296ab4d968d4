"""Lane values: one unknown base per warp, and a known offset for each lane.

An abstract value says that lane ``l`` holds ``2**free * B + offsets[l]`` modulo 2**width, where B
is unknown but the same in all lanes of a warp. If ``free == width`` the values are known; one
offset for all lanes and ``free == 0`` say only that the value is uniform. Addresses have this form:
the thread coordinates are known, and everything else in an address (parameters, block indices,
counters of loops that lanes iterate in step) is uniform.

Offsets below 2**free in every lane never carry into the base: bits from ``free`` on are then
uniform, bits below it known, and bitwise operators (xor swizzles, masks, shifts) are exact too.
``carry_free`` brings a value into that form if possible.

Of a predicate that compares such a value with a uniform one it is known in which lanes it may hold
(``lanes.runs``).

Operators on known values are those of the concrete machine: the simple ones are computed here with
Python's integers, all others by ``concrete.machine``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import add, and_, eq, lt, mul, or_, sub, xor
from typing import Any

from analyses.algebra import Algebra, implement
from analyses.hardware import WARP
from analyses.lanes.lane_value import NEVER, NO_WRAP, LaneValue, assumed, signed
from analyses.lanes.runs import complement, less, meet, predicate, union
from analyses.lanes.sequences import (
    common_trailing_zeros,
    greatest,
    least,
    mapped,
    modulo,
    signed_values,
    trailing_zeros,
)


class LaneValues(Algebra[LaneValue]):
    """The domain of lane values. ``specials`` holds the values of special registers by name,
    ``other`` gives those of any other; ``aligned`` gives the alignment of a region's first byte."""

    def __init__(
        self,
        specials: Mapping[str, LaneValue],
        aligned: Callable[[Any], int],
        other: Callable[[str, int], LaneValue],
    ) -> None:
        self.specials = specials
        self.aligned = aligned
        self.other = other

    def width(self, a: LaneValue) -> int:
        return a.width

    # --- values of each kind

    def top(self, width: int, *assumptions: str) -> LaneValue:
        return LaneValue(width, None, 0, assumptions=frozenset(assumptions))

    def of(self, width: int, free: int, offsets: Sequence[int], *operands: LaneValue) -> LaneValue:
        """The value with these offsets and the assumptions of the operands."""
        return LaneValue(width, modulo(width, offsets), min(free, width), None, assumed(operands))

    def unknown(self, width: int, *operands: LaneValue) -> LaneValue:
        """A pure operator maps uniform operands to a uniform result."""
        if operands and all(a.uniform for a in operands):
            return LaneValue(width, (0,), 0, assumptions=assumed(operands))
        return LaneValue(width, None, 0, None, assumed(a for a in operands if a.offsets is None))

    def const(self, width: int, bits: int) -> LaneValue:
        return LaneValue(width, (bits & ((1 << width) - 1),), width)

    def special(self, name: str, width: int) -> LaneValue:
        word = self.specials.get(name)
        if word is None:
            return self.other(name, width)
        return self.zext(width, word) if word.width < width else self.extract(width, 0, word)

    def address(self, region: object, width: int) -> LaneValue:
        return LaneValue(width, (0,), trailing_zeros(self.aligned(region)))

    def convert_address(self, space: str, to_generic: bool, a: LaneValue) -> LaneValue:
        """A generic window begins at a multiple of the alignment of every region."""
        return a._replace(bounds=None)

    def loaded(self, width: int, space: str, address: LaneValue) -> LaneValue:
        """One load from one address gives all lanes of a warp the same value."""
        if address.uniform and space in ("global", "shared", "const"):
            return self.unknown(width, address)
        return self.top(width, "loaded-index")

    def carry_free(self, a: LaneValue) -> LaneValue:
        """The same value with offsets below 2**free, if those of each warp agree on the higher
        bits."""
        if a.offsets is None or a.free >= a.width:
            return a
        if greatest(a.offsets) >> a.free == 0:
            return a._replace(bounds=None)
        if any(least(warp) >> a.free != greatest(warp) >> a.free for warp in a.by_warp):
            return self.top(a.width, "nonlinear-lane")
        return self.of(a.width, a.free, modulo(a.free, a.offsets), a)

    # --- arithmetic: offsets add and scale

    def add(self, a: LaneValue, b: LaneValue) -> LaneValue:
        if a.offsets is None or b.offsets is None:
            return self.unknown(a.width, a, b)
        return self.of(a.width, min(a.free, b.free), each(add, a, b), a, b)

    def sub(self, a: LaneValue, b: LaneValue) -> LaneValue:
        if a.offsets is None or b.offsets is None:
            return self.unknown(a.width, a, b)
        return self.of(a.width, min(a.free, b.free), each(sub, a, b), a, b)

    def mul(self, a: LaneValue, b: LaneValue) -> LaneValue:
        """(2**i * A + x) * (2**j * B + y): the unknown products are uniform if the offset that
        multiplies an unknown base is."""
        if a.offsets is None or b.offsets is None:
            return self.unknown(a.width, a, b)
        if not (a.known or b.uniform) or not (b.known or a.uniform):
            return self.top(a.width, "symbolic-stride")
        free = a.width
        if not a.known and not b.known:
            free = a.free + b.free
        if not a.known:
            free = min(free, a.free + common_trailing_zeros(b.offsets))
        if not b.known:
            free = min(free, b.free + common_trailing_zeros(a.offsets))
        return self.of(a.width, free, each(mul, a, b), a, b)

    def not_(self, a: LaneValue) -> LaneValue:
        if a.run is not None:
            return predicate(complement(a.run))
        return self.sub(self.const(a.width, -1), a)

    # --- bits

    def and_(self, a: LaneValue, b: LaneValue) -> LaneValue:
        run = meet(a, b)
        if run is not None:
            return predicate(run)
        for word, mask in ((a, b), (b, a)):
            if word.offsets is None or not mask.known:
                continue
            if all(m >> word.free == 0 for m in mask.offsets or ()):
                return self.of(a.width, a.width, each(and_, word, mask), a, b)
        for word, mask in ((a, b), (b, a)):
            if mask.known and not word.known and mask.uniform:
                word = self.carry_free(word)
                if word.offsets is not None:
                    cleared = common_trailing_zeros([m >> word.free for m in mask.offsets or ()])
                    return self.of(a.width, word.free + cleared, each(and_, word, mask), a, b)
        return self._bitwise(and_, a, b)

    def or_(self, a: LaneValue, b: LaneValue) -> LaneValue:
        run = union(a, b)
        return self._bitwise(or_, a, b) if run is None else predicate(run)

    def xor(self, a: LaneValue, b: LaneValue) -> LaneValue:
        return self._bitwise(xor, a, b)

    def _bitwise(
        self, function: Callable[[int, int], int], a: LaneValue, b: LaneValue
    ) -> LaneValue:
        """Bits that are unknown in one operand must be uniform in the other."""
        free = min(a.free, b.free)
        a, b = (self.carry_free(x._replace(free=free) if free < x.width else x) for x in (a, b))
        if a.offsets is None or b.offsets is None:
            return self.unknown(a.width, a, b)
        return self.of(a.width, free, each(function, a, b), a, b)

    def shl(self, a: LaneValue, n: LaneValue) -> LaneValue:
        if a.offsets is None or n.offsets is None or not n.known:
            return self._stride(a, n)
        if not a.known and not n.uniform:
            return self.unknown(a.width, a, n)
        factors = tuple([1 << min(by, a.width) for by in n.offsets])
        shifted = mapped(mul, a.offsets, factors)
        return self.of(a.width, a.free + least(n.offsets), shifted, a, n)

    def _stride(self, a: LaneValue, n: LaneValue) -> LaneValue:
        """A known offset times an unknown power of two."""
        if a.offsets is not None and n.uniform and not a.uniform:
            return self.top(a.width, "symbolic-stride")
        return self.unknown(a.width, a, n)

    def shr_u(self, a: LaneValue, n: LaneValue) -> LaneValue:
        return self._shifted(a, n, lambda x, by: x >> by)

    def shr_s(self, a: LaneValue, n: LaneValue) -> LaneValue:
        return self._shifted(a, n, lambda x, by: signed(a.width, x) >> by)

    def _shifted(
        self, a: LaneValue, n: LaneValue, function: Callable[[int, int], int]
    ) -> LaneValue:
        """The bits shifted out are known if they do not carry; a shifted base stays uniform."""
        if a.known and n.known:
            free = a.width
        elif n.known and n.uniform:
            a, function = self.carry_free(a), lambda x, by: x >> by
            free = max(a.free - greatest(n.offsets or ()), 0)
        else:
            return self.unknown(a.width, a, n)
        if a.offsets is None:
            return self.unknown(a.width, a, n)
        shifted = each(lambda x, y: function(x, min(y, a.width)), a, n)
        return self.of(a.width, free, shifted, a, n)

    def _known(self, function: Callable[[int, int], int], a: LaneValue, b: LaneValue) -> LaneValue:
        if a.known and b.known:
            return self.of(a.width, a.width, each(function, a, b), a, b)
        return self.unknown(a.width, a, b)

    def mul_hi_u(self, a: LaneValue, b: LaneValue) -> LaneValue:
        return self._known(lambda x, y: x * y >> a.width, a, b)

    def mul_hi_s(self, a: LaneValue, b: LaneValue) -> LaneValue:
        w = a.width
        return self._known(lambda x, y: signed(w, x) * signed(w, y) >> w, a, b)

    def div_u(self, a: LaneValue, b: LaneValue) -> LaneValue:
        return self._known(lambda x, y: x // y if y else -1, a, b)

    def rem_u(self, a: LaneValue, b: LaneValue) -> LaneValue:
        """The remainder by a power of two is a mask."""
        by = b.constant
        if by and by & (by - 1) == 0:
            return self.and_(a, self.const(a.width, by - 1))
        return self._known(lambda x, y: x % y if y else -1, a, b)

    # --- comparison and choice

    def eq(self, a: LaneValue, b: LaneValue) -> LaneValue:
        return self._compared(eq, a, b)

    def lt_u(self, a: LaneValue, b: LaneValue) -> LaneValue:
        return self._less(lt, a, b, True)

    def lt_s(self, a: LaneValue, b: LaneValue) -> LaneValue:
        w = a.width
        return self._less(lambda x, y: signed(w, x) < signed(w, y), a, b, False)

    def _less(
        self, function: Callable[[int, int], bool], a: LaneValue, b: LaneValue, unsigned: bool
    ) -> LaneValue:
        found = self._compared(function, a, b)
        if found.offsets is not None or a.uniform == b.uniform:
            return found
        other = a if b.uniform else b
        if other.offsets is None:
            return found
        run = less(other, self.carry_free(other), b.uniform, unsigned)
        return found if run is None else predicate(run)

    def _compared(
        self, function: Callable[[int, int], bool], a: LaneValue, b: LaneValue
    ) -> LaneValue:
        if a.known and b.known:
            return self.of(1, 1, each(function, a, b), a, b)
        return self.unknown(1, a, b)

    def select(self, p: LaneValue, a: LaneValue, b: LaneValue) -> LaneValue:
        if p.known:
            if p.constant is not None:
                return (a if p.constant else b).assuming(*p.assumptions)
            if a.known and b.known:
                chosen = [
                    a.lane(i) if taken else b.lane(i) for i, taken in enumerate(p.offsets or ())
                ]
                return self.of(a.width, a.width, chosen, p, a, b)
        if p.uniform:
            return self.join(a, b).assuming(*p.assumptions)
        return self.unknown(a.width, p, a, b)

    def join(self, a: LaneValue, b: LaneValue) -> LaneValue:
        """A value that is one of two in all lanes of a warp: their distance must be uniform."""
        for word, other in ((a, b), (b, a)):
            if NEVER in word.assumptions:
                return other
        between = self.sub(a, b)
        if a.offsets is None or between.offsets is None or not between.uniform:
            return self.unknown(a.width, a, b)
        free = min(a.free, b.free, common_trailing_zeros(between.offsets))
        return self.of(a.width, free, a.offsets, a, b)

    # --- widths

    def zext(self, width: int, a: LaneValue) -> LaneValue:
        return self._extended(width, a, 1)

    def sext(self, width: int, a: LaneValue) -> LaneValue:
        return self._extended(width, a, 0)

    def _extended(self, width: int, a: LaneValue, unsigned: int) -> LaneValue:
        """Known values are exact. A base without a carry is extended by itself. Otherwise the lanes
        keep their distances if none of them wraps around: two integers between ``low`` and ``high``
        that differ by d modulo 2**w, |d| <= ``reach``, differ by d if high - low + reach < 2**w. If
        the bounds do not imply that, NO_WRAP is assumed."""
        if a.offsets is None or width == a.width:
            return a if width == a.width else self.unknown(width, a)
        if a.known:
            numbers = a.offsets if unsigned else signed_values(a.width, a.offsets)
            return self.of(width, width, numbers, a)
        whole = self.carry_free(a)
        if whole.offsets is not None:
            return self.of(width, whole.free, whole.offsets, a)
        distances = a.distances
        reach = max([greatest(lanes) - least(lanes) for lanes in distances])
        offsets: Sequence[int] = a.offsets  # even ones that do not wrap stay: the base is unknown
        if type(offsets) is not range or distances[0][-1] != offsets[WARP - 1] - offsets[0]:
            offsets = [
                start % (1 << a.free) + distance
                for start, lanes in zip(offsets[::WARP], distances, strict=True)
                for distance in lanes
            ]
        extended = self.of(width, a.free, offsets, a)
        if a.bounds is not None:
            low, high = a.bounds[unsigned]
            if high - low + reach < 1 << a.width:
                return extended
        return extended.assuming(NO_WRAP)

    def extract(self, width: int, low: int, a: LaneValue) -> LaneValue:
        if low:
            a = self.shr_u(a, self.const(32, low))
        if a.offsets is None:
            return self.unknown(width, a)
        return self.of(width, a.free, a.offsets, a)

    def trunc(self, width: int, a: LaneValue) -> LaneValue:
        return self.extract(width, 0, a)

    def concat(self, *parts: LaneValue) -> LaneValue:
        width = sum(part.width for part in parts)
        result, low = self.const(width, 0), 0
        for part in parts:
            moved = self.shl(self.zext(width, part), self.const(32, low))
            result, low = self.or_(result, moved), low + part.width
        return result

    # --- exchange between lanes

    def shuffle(
        self, mode: str, a: LaneValue, lane: LaneValue, clamp: LaneValue, members: LaneValue
    ) -> tuple[LaneValue, LaneValue]:
        """Offsets move, the base stays. Only for a full warp."""
        if a.offsets is None or not (lane.known and clamp.known and members.known):
            return self.unknown(a.width, a, lane, clamp, members), self.top(1)
        count = max(
            len(x.offsets or ()) for x in (a, lane, clamp, members, *self.specials.values())
        )
        wide = a._replace(free=a.width)
        words = [self._bit_vector(x, count) for x in (wide, lane, clamp, members)]
        moved, found = self._machine().shuffle(mode, *words)
        mine = self.of(a.width, a.free, moved.bits.tolist(), a, lane)
        return mine, self.of(1, 1, found.bits.astype(int).tolist(), lane)

    # --- all other operators, on known values

    def computed(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """By the concrete machine, lane by lane."""
        words = [a for a in arguments if type(a) is LaneValue]
        count = max(len(a.offsets or ()) for a in words)
        given = [self._bit_vector(a, count) if type(a) is LaneValue else a for a in arguments]
        try:
            result = getattr(self._machine(), name)(*given, **options)
        except NotImplementedError:
            return getattr(Algebra, name)(self, *arguments, **options)
        several = isinstance(result, tuple)
        found = [
            self.of(word.width, word.width, word.bits.astype(object).tolist(), *words)
            for word in (result if several else (result,))
        ]
        return tuple(found) if several else found[0]

    @staticmethod
    def _bit_vector(a: LaneValue, count: int) -> Any:
        from analyses.concrete.machine import BitVector

        numbers = tuple(a.offsets or ())
        return BitVector.of(a.width, numbers * count if len(numbers) < count else numbers)

    @staticmethod
    def _machine() -> Any:
        from analyses.concrete.machine import Lanes

        return Lanes()


def each(function: Callable[[int, int], int], a: LaneValue, b: LaneValue) -> Sequence[int]:
    """The function of both offsets, lane by lane."""
    assert a.offsets is not None and b.offsets is not None
    return mapped(function, a.offsets, b.offsets)


IMPURE = frozenset({
    "havoc", "parameter", "is_space", "vote", "active_mask", "match", "reduce", "barrier_vote",
    "matrix_product",
})  # fmt: skip
"""Operators whose results do not depend on their operands alone: they are not computed."""


def _by_lane(name: str) -> Callable[..., Any]:
    """The operator as the algebra derives it; on known operands, by the concrete machine if
    needed."""

    def operator(self: LaneValues, *arguments: Any, **options: Any) -> Any:
        result = getattr(Algebra, name)(self, *arguments, **options)
        words = [a for a in arguments if type(a) is LaneValue]
        if not words or not all(a.known and a.width <= 64 for a in words):
            return result
        found = result if isinstance(result, tuple) else (result,)
        if all(type(word) is LaneValue and word.known for word in found):
            return result
        return self.computed(name, arguments, options)

    return operator


implement(LaneValues, _by_lane, but=IMPURE)
