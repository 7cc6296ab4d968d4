"""Strided intervals on the circle of words: {lo, lo + stride, ..., lo + span} modulo 2**width.

The set starts at ``lo`` and goes *up*, perhaps across the wrap of the unsigned (2**w to 0) or of
the signed interpretation (2**(w-1)). Arithmetic modulo 2**w (add, sub, mul, neg, not) is
independent of the interpretation and loses nothing at either wrap. An operator that interprets its
operands as integers (compare, divide, shift right, extend) cuts the circle at the wrap of its
interpretation into at most two progressions, and is exact on each. The product of a signed and an
unsigned interval would be less precise: each loses sets that cross its own wrap.

Wrapped intervals: Gange, Navas, Schachte, Sondergaard & Stuckey, "Interval analysis and machine
arithmetic: why signedness ignorance is bliss", TOPLAS 37(1), 2015; strides: Balakrishnan & Reps,
"Analyzing memory accesses in x86 executables", CC 2004. As there, this is not a lattice: two arcs
have several least upper bounds, ``join`` takes the one with fewest elements and is not associative;
``meet`` of two arcs that overlap twice keeps both overlaps and thus is inside only one of the arcs.

Unknown: floats, memory, lanes, ``prmt`` (known bits has the last).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from math import gcd
from types import MappingProxyType
from typing import Any

from analyses.domains import arithmetic_progression as pr
from analyses.domains.arithmetic_progression import Progression, progression
from analyses.domains.wrapped_interval import (
    StridedInterval,
    bounds,
    constant,
    empty,
    full,
    gather,
    included,
    interval,
    join,
    meet,
    nearest,
    residues,
    restricted,
    signed,
    unsigned,
    wrapped,
)
from analyses.lattice import Domain, Relation

__all__ = ["StridedInterval", "StridedIntervals", "constant", "empty", "full", "interval"]


def widened(
    old: Progression, new: Progression, thresholds: Sequence[int], floor: int, end: int
) -> Progression:
    """A bound that grew jumps to the nearest threshold beyond it, else to [floor, end)."""
    lo, hi, stride = pr.hull(old, new)
    if lo < old[0]:
        i = bisect_right(thresholds, lo)
        below = max(thresholds[i - 1], floor) if i else floor
        lo -= (lo - below) // stride * stride
    if hi > old[1]:
        i = bisect_left(thresholds, hi)
        above = min(thresholds[i], end - 1) if i < len(thresholds) else end - 1
        hi += (above - hi) // stride * stride
    return lo, hi, stride


class StridedIntervals(Domain[StridedInterval]):
    """The domain. ``specials`` gives the ranges of special registers by name."""

    def __init__(self, specials: Mapping[str, StridedInterval] = MappingProxyType({})) -> None:
        self.specials = specials

    # --- the lattice

    def width(self, a: StridedInterval) -> int:
        return a.width

    def unknown(self, width: int, *operands: StridedInterval) -> StridedInterval:
        return full(width)

    def const(self, width: int, bits: int) -> StridedInterval:
        return constant(width, bits)

    def bottom(self, width: int) -> StridedInterval:
        return empty(width)

    def is_bottom(self, a: StridedInterval) -> bool:
        return a.span < 0

    def leq(self, a: StridedInterval, b: StridedInterval) -> bool:
        return included(a, b)

    def join(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return join(a, b)

    def meet(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return meet(a, b)

    def widen(
        self, old: StridedInterval, new: StridedInterval, thresholds: Sequence[int] = ()
    ) -> StridedInterval:
        """Widens the signed interval if neither wraps, else the unsigned one, else to the residue
        class.

        Chains are finite: in one interpretation a bound moves from threshold to threshold and the
        stride from divisor to divisor; an arc that crosses the signed wrap keeps crossing it, until
        it closes the circle and only the stride shrinks.
        """
        if included(new, old):
            return old
        if old.span < 0:
            return new
        size = 1 << old.width
        for read, floor in ((signed, -size // 2), (unsigned, 0)):
            was, now = read(old), read(new)
            if len(was) == len(now) == 1:
                stops = thresholds if floor else sorted(t & (size - 1) for t in thresholds)
                return wrapped(old.width, widened(was[0], now[0], stops, floor, floor + size))
        return residues(old.width, old.lo, gcd(old.stride, new.stride, old.lo - new.lo))

    def bounds(self, a: StridedInterval) -> tuple[int, int] | None:
        return None if a.span < 0 else a.signed_bounds()

    def admits(self, fact: StridedInterval, words: Any) -> Any:
        import numpy as np  # only the judge needs it: checking starts without

        width, lo, span, stride = fact
        bits = words.bits
        if width > 64:  # two rows of 64 bits
            bits = bits[0] | bits[1].astype(object) << 64
        number = object if width > 64 else np.uint64
        offset = (bits.astype(number) - np.array(lo, number)) & np.array((1 << width) - 1, number)
        on_grid = offset % np.array(stride or 1, number) == 0
        return (offset <= np.array(max(span, 0), number)) & on_grid & (span >= 0)

    def assume(
        self, a: StridedInterval, relation: Relation, b: StridedInterval
    ) -> tuple[StridedInterval, StridedInterval]:
        """Cuts each side at the extreme of the other, in the interpretation of the relation."""
        if a.span < 0 or b.span < 0:
            return empty(a.width), empty(b.width)
        if relation == "eq":
            x, y = restricted(a, b), restricted(b, a)
        elif relation == "ne":
            x, y = _without(a, b), _without(b, a)
        else:
            strict = relation[:2] == "lt"
            read, floor = (signed, -1 << (a.width - 1)) if relation[3] == "s" else (unsigned, 0)
            left, right = read(a), read(b)
            x = _clipped(a, left, floor, bounds(right)[1] - strict)
            y = _clipped(b, right, bounds(left)[0] + strict, floor + (1 << a.width) - 1)
        return (x, y) if x.span >= 0 and y.span >= 0 else (empty(a.width), empty(a.width))

    # --- arithmetic modulo 2**width

    def add(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if a.span < 0 or b.span < 0:
            return empty(a.width)
        lo = a.lo + b.lo
        return wrapped(a.width, (lo, lo + a.span + b.span, gcd(a.stride, b.stride)))

    def sub(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return self.add(a, self.neg(b))

    def neg(self, a: StridedInterval) -> StridedInterval:
        if a.span < 0:
            return a
        return wrapped(a.width, (-a.lo - a.span, -a.lo, a.stride))

    def not_(self, a: StridedInterval) -> StridedInterval:
        """-1 - a."""
        if a.span < 0:
            return a
        return wrapped(a.width, (-1 - a.lo - a.span, -1 - a.lo, a.stride))

    def mul(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if a.span < 0 or b.span < 0:
            return empty(a.width)
        return wrapped(a.width, pr.product(nearest(a), nearest(b)))

    def shl(self, a: StridedInterval, n: StridedInterval) -> StridedInterval:
        """Multiplication by 2**n; 2**width is 0, which is what a longer shift gives."""
        if a.span < 0 or n.span < 0:
            return empty(a.width)
        lo, hi = n.unsigned_bounds()
        if lo == hi:
            by = min(lo, a.width)
            start = a.lo << by
            return wrapped(a.width, (start, start + (a.span << by), a.stride << by))
        power = 1 << min(lo, a.width)
        return wrapped(
            a.width, pr.product(nearest(a), progression(power, 1 << min(hi, a.width), power))
        )

    # --- operators that interpret their operands as integers, piece by piece

    def mul_hi_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        w = a.width
        return _pairwise(lambda p, q: pr.shifted(pr.product(p, q), w), w, unsigned(a), unsigned(b))

    def mul_hi_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        w = a.width
        return _pairwise(lambda p, q: pr.shifted(pr.product(p, q), w), w, signed(a), signed(b))

    def div_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if 0 in b:
            return full(a.width)
        return _pairwise(pr.quotient, a.width, unsigned(a), unsigned(b))

    def rem_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if 0 in b:
            return full(a.width)
        return _pairwise(pr.remainder, a.width, unsigned(a), unsigned(b))

    def div_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        """|a| / |b| with the product of the signs: division towards zero is one of magnitudes."""
        if 0 in b:
            return full(a.width)
        return gather(
            a.width,
            (
                pr.negated(pr.quotient(p, q)) if minus != other else pr.quotient(p, q)
                for p, minus in _magnitudes(a)
                for q, other in _magnitudes(b)
            ),
        )

    def rem_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        """|a| % |b| with the sign of a."""
        if 0 in b:
            return full(a.width)
        return gather(
            a.width,
            (
                pr.negated(pr.remainder(p, q)) if minus else pr.remainder(p, q)
                for p, minus in _magnitudes(a)
                for q, _ in _magnitudes(b)
            ),
        )

    def min_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _pairwise(pr.least, a.width, unsigned(a), unsigned(b))

    def max_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _pairwise(pr.greatest, a.width, unsigned(a), unsigned(b))

    def min_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _pairwise(pr.least, a.width, signed(a), signed(b))

    def max_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _pairwise(pr.greatest, a.width, signed(a), signed(b))

    def abs_(self, a: StridedInterval) -> StridedInterval:
        return gather(a.width, (p for p, _ in _magnitudes(a)))

    def and_(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _bitwise(pr.conjunction, a, b)

    def or_(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _bitwise(pr.disjunction, a, b)

    def xor(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _bitwise(pr.difference, a, b)

    def shr_u(self, a: StridedInterval, n: StridedInterval) -> StridedInterval:
        return _shift_right(a.width, unsigned(a), n)

    def shr_s(self, a: StridedInterval, n: StridedInterval) -> StridedInterval:
        return _shift_right(a.width, signed(a), n)

    def popc(self, a: StridedInterval) -> StridedInterval:
        bits = [pr.known_bits(p) for p in unsigned(a)]
        return gather(32, (progression(v.bit_count(), (v | u).bit_count(), 1) for v, u in bits))

    def clz(self, a: StridedInterval) -> StridedInterval:
        w = a.width
        return gather(
            32,
            (progression(w - hi.bit_length(), w - lo.bit_length(), 1) for lo, hi, _ in unsigned(a)),
        )

    def brev(self, a: StridedInterval) -> StridedInterval:
        """The known bits, mirrored; of a word that is not 0, at least one."""
        pieces = []
        for p in unsigned(a):
            value, unknown = (int(f"{bits:0{a.width}b}"[::-1], 2) for bits in pr.known_bits(p))
            least = value or (unknown & -unknown if p[0] > 0 else 0)
            pieces.append(pr.from_bits(value, unknown, least, value | unknown))
        return gather(a.width, pieces)

    # --- comparison and choice

    def eq(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if a.span == 0 == b.span:
            return constant(1, a.lo == b.lo)
        if a.span < 0 or b.span < 0:
            return empty(1)
        return constant(1, 0) if restricted(a, b).span < 0 else full(1)

    def lt_u(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _less(unsigned(a), unsigned(b))

    def lt_s(self, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        return _less(signed(a), signed(b))

    def select(self, p: StridedInterval, a: StridedInterval, b: StridedInterval) -> StridedInterval:
        if p.span > 0:
            return join(a, b)
        if p.span < 0:
            return empty(a.width)
        return a if p.lo else b

    # --- widths

    def zext(self, width: int, a: StridedInterval) -> StridedInterval:
        return gather(width, unsigned(a))

    def sext(self, width: int, a: StridedInterval) -> StridedInterval:
        return gather(width, signed(a))

    def extract(self, width: int, low: int, a: StridedInterval) -> StridedInterval:
        """Truncation maps circles to circles and needs no cut."""
        if low or a.span < 0:
            return gather(width, (pr.shifted(p, low) for p in unsigned(a)))
        return wrapped(width, (a.lo, a.lo + a.span, a.stride))

    def concat(self, *parts: StridedInterval) -> StridedInterval:
        """low + high * 2**k; as integers the sum does not exceed the width."""
        width = sum(part.width for part in parts)
        pieces: list[Progression] = [(0, 0, 0)]
        low = 0
        for part in parts:
            above = [(lo << low, hi << low, s << low) for lo, hi, s in unsigned(part)]
            pieces = [pr.total(p, q) for p in pieces for q in above]
            low += part.width
        return gather(width, pieces)

    # --- special registers

    def special(self, name: str, width: int) -> StridedInterval:
        known = self.specials.get(name)
        if known is None:
            return full(width)
        return self.extract(width, 0, known) if known.width > width else self.zext(width, known)

    # --- other lanes

    def shuffle(
        self,
        mode: str,
        a: StridedInterval,
        lane: StridedInterval,
        clamp: StridedInterval,
        members: StridedInterval,
    ) -> tuple[StridedInterval, StridedInterval]:
        """The word that some lane has here, whichever: what is so for all threads is so for it."""
        return a, full(1)


def _pairwise(
    op: Callable[[Progression, Progression], Progression],
    width: int,
    left: tuple[Progression, ...],
    right: tuple[Progression, ...],
) -> StridedInterval:
    if len(left) == len(right) == 1:
        return wrapped(width, op(left[0], right[0]))
    return gather(width, (op(p, q) for p in left for q in right))


def _bitwise(
    op: Callable[[Progression, Progression, int], Progression],
    a: StridedInterval,
    b: StridedInterval,
) -> StridedInterval:
    width = a.width
    ones, left, right = (1 << width) - 1, unsigned(a), unsigned(b)
    if len(left) == len(right) == 1:
        return wrapped(width, op(left[0], right[0], ones))
    return gather(width, (op(p, q, ones) for p in left for q in right))


def _magnitudes(a: StridedInterval) -> list[tuple[Progression, bool]]:
    """The magnitudes of the signed words, each with true if the words are negative."""
    parts = []
    for lo, hi, stride in signed(a):
        if hi < 0:
            parts.append(((-hi, -lo, stride), True))
        elif lo >= 0:
            parts.append(((lo, hi, stride), False))
        else:
            first = lo % stride
            parts.append((progression(stride - first, -lo, stride), True))
            parts.append((progression(first, hi, stride), False))
    return parts


def _shift_right(
    width: int, pieces: tuple[Progression, ...], n: StridedInterval
) -> StridedInterval:
    """A shift by the range of n: a longer shift brings a number nearer to 0 (or to -1)."""
    if n.span < 0:
        return empty(width)
    few, many = (min(bound, width) for bound in n.unsigned_bounds())
    if few == many:
        return gather(width, (pr.shifted(p, few) for p in pieces))
    return gather(
        width,
        (
            progression(lo >> (few if lo < 0 else many), hi >> (many if hi < 0 else few), 1)
            for lo, hi, _ in pieces
        ),
    )


def _less(left: tuple[Progression, ...], right: tuple[Progression, ...]) -> StridedInterval:
    if not left or not right:
        return empty(1)
    (a, b), (c, d) = bounds(left), bounds(right)
    if b < c:
        return constant(1, 1)
    return constant(1, 0) if a >= d else full(1)


def _clipped(
    a: StridedInterval, pieces: tuple[Progression, ...], least: int, most: int
) -> StridedInterval:
    """The words from least to most, in the interpretation with these pieces."""
    lo, hi = bounds(pieces)
    if least <= lo and hi <= most:
        return a
    if len(pieces) == 1:
        stride = a.stride or 1
        lo, hi = max(lo, lo + (least - lo + stride - 1) // stride * stride), min(hi, most)
        hi -= (hi - lo) % stride
        return wrapped(a.width, progression(lo, hi, stride)) if lo <= hi else empty(a.width)
    if most < least:
        return empty(a.width)
    return restricted(a, wrapped(a.width, progression(least, most, 1)))


def _without(a: StridedInterval, b: StridedInterval) -> StridedInterval:
    """a without the one word of b, if it is an end of a; a closed circle may be cut anywhere."""
    width, lo, span, stride = a
    if b.span or b.lo not in a:
        return a
    if not span:
        return empty(width)
    if span + stride == 1 << width:
        return wrapped(width, progression(b.lo + stride, b.lo + span, stride))
    if b.lo == lo:
        return wrapped(width, progression(lo + stride, lo + span, stride))
    if b.lo == (lo + span) & ((1 << width) - 1):
        return wrapped(width, progression(lo, lo + span - stride, stride))
    return a
