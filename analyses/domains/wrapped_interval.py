"""Wrapped strided intervals as sets: arcs on the circle of words of one width.

The set {lo, lo + stride, ..., lo + span} modulo 2**width, its normal form, its cuts into
progressions of integers, and inclusion, join and meet. ``strided_interval`` has the reasons and the
references.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import NamedTuple

from analyses.domains import arithmetic_progression as pr
from analyses.domains.arithmetic_progression import Progression, progression


class StridedInterval(NamedTuple):
    """A set of words. Made by ``constant``, ``interval`` or ``empty``, which normalise.

    The normal form is unique, so ``==`` is equality of sets: ``stride`` is 0 for one word; two
    words use the shorter arc; a set that closes the circle begins below its stride, which then is a
    power of two; the empty set has span -1.
    """

    width: int
    lo: int
    span: int
    stride: int

    @property
    def is_constant(self) -> bool:
        return self.span == 0

    @property
    def value(self) -> int:
        """The one word, unsigned."""
        if self.span:
            raise ValueError(f"{self} is not one word")
        return self.lo

    @property
    def cardinality(self) -> int:
        return self.span // (self.stride or 1) + 1

    def unsigned_bounds(self) -> tuple[int, int]:
        return bounds(unsigned(self))

    def signed_bounds(self) -> tuple[int, int]:
        return bounds(signed(self))

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, int):
            return False
        offset = (word - self.lo) & ((1 << self.width) - 1)
        return offset <= self.span and not (self.stride and offset % self.stride)

    def __str__(self) -> str:
        if self.span < 0:
            return "none"
        read = signed if self.width > 1 and len(signed(self)) == 1 else _as_it_goes
        lo = read(self)[0][0]
        if not self.stride:
            return str(lo)
        if self.span + self.stride == 1 << self.width:
            return "any" if self.stride == 1 else f"{self.lo} mod {self.stride}"
        if self.stride == 1:
            return f"[{lo}..{lo + self.span}]"
        first, offset = divmod(lo, self.stride)
        steps = f"{self.stride}*[{first}..{first + self.span // self.stride}]"
        return f"{offset}+{steps}" if offset else steps


def constant(width: int, value: int) -> StridedInterval:
    return StridedInterval(width, value & ((1 << width) - 1), 0, 0)


def empty(width: int) -> StridedInterval:
    return StridedInterval(width, 0, -1, 0)


def interval(width: int, lo: int, hi: int, stride: int = 1) -> StridedInterval:
    """From lo to at most hi, signed or unsigned; if hi < lo, across the wrap."""
    if hi < lo:
        hi = lo + ((hi - lo) & ((1 << width) - 1))
    return wrapped(width, progression(lo, hi - (hi - lo) % stride, stride))


def full(width: int) -> StridedInterval:
    return StridedInterval(width, 0, (1 << width) - 1, 1)


def wrapped(width: int, p: Progression) -> StridedInterval:
    """A progression of integers modulo 2**width, in normal form.

    If it covers the circle more than once, it becomes the residue class of the lowest set bit of
    its stride; a stride beyond half the circle becomes a shorter step the other way.
    """
    lo, hi, stride = p
    span = hi - lo
    size = 1 << width
    if span + stride < size and (span > stride or stride + stride < size):
        return StridedInterval(width, lo & (size - 1), span, stride)
    steps, step = span // stride, stride & (size - 1)
    if step + step > size:
        lo += steps * step
        step = size - step
    span = steps * step
    if not step or (span < size and span + step != size):
        return StridedInterval(width, lo & (size - 1), span, step)
    low = step & -step
    return StridedInterval(width, lo & (low - 1), size - low, low)


def residues(width: int, lo: int, stride: int) -> StridedInterval:
    """All words lo + stride*k: the class of lo modulo the greatest power of two in the stride.

    A stride that is not a power of two does not return to lo after one cycle, so no smaller set
    holds all of them.
    """
    return wrapped(width, (lo, lo + (stride << width), stride))


def _cut(a: StridedInterval, floor: int) -> tuple[Progression, ...]:
    """The words as integers in [floor, floor + 2**width), in at most two progressions."""
    width, lo, span, stride = a
    if span < 0:
        return ()
    size = 1 << width
    if span + stride == size:  # closes the circle: begins at the cut
        lo = floor + lo
        return ((lo, lo + span, stride),)
    if lo >= floor + size:
        lo -= size
    hi, end = lo + span, floor + size
    if hi < end:
        return ((lo, hi, stride),)
    last = lo + (end - 1 - lo) // stride * stride
    return progression(lo, last, stride), progression(last + stride - size, hi - size, stride)


def unsigned(a: StridedInterval) -> tuple[Progression, ...]:
    return _cut(a, 0)


def signed(a: StridedInterval) -> tuple[Progression, ...]:
    return _cut(a, -1 << (a.width - 1))


def _as_it_goes(a: StridedInterval) -> tuple[Progression, ...]:
    return ((a.lo, a.lo + a.span, a.stride),)


def bounds(pieces: tuple[Progression, ...]) -> tuple[int, int]:
    if len(pieces) == 1:
        return pieces[0][:2]
    if not pieces:
        raise ValueError("the empty set has no bounds")
    return min(p[0] for p in pieces), max(p[1] for p in pieces)


def nearest(a: StridedInterval) -> Progression:
    """The words as one progression of integers close to 0, for arithmetic modulo 2**width."""
    width, lo, span, stride = a
    if lo + lo + span > 1 << width:
        lo -= 1 << width
    return lo, lo + span, stride


def gather(width: int, pieces: Iterable[Progression]) -> StridedInterval:
    result: StridedInterval | None = None
    for p in pieces:
        part = wrapped(width, p)
        result = part if result is None else join(result, part)
    return empty(width) if result is None else result


# --- order


def included(a: StridedInterval, b: StridedInterval) -> bool:
    """True if every word of a is in b. Relative to b.lo, a is one or two progressions."""
    if a.span < 0:
        return True
    if b.span < 0:
        return False
    size, stride = 1 << a.width, b.stride or 1
    lo = (a.lo - b.lo) & (size - 1)
    hi = lo + a.span
    if hi < size:
        return hi <= b.span and lo % stride == 0 and a.stride % stride == 0
    last = lo + (size - 1 - lo) // a.stride * a.stride
    first = last + a.stride - size
    return all(
        y <= b.span and x % stride == 0 and (x == y or a.stride % stride == 0)
        for x, y in ((lo, last), (first, hi - size))
    )


def join(a: StridedInterval, b: StridedInterval) -> StridedInterval:
    """The smaller of the two arcs that begin with a or with b and cover both.

    An arc that begins at a.lo covers b unless b itself passes a.lo. If there is neither, a and b
    together cover the circle and their common residue class is returned. Choosing by (elements,
    start) makes the choice commutative.
    """
    if a == b or b.span < 0:
        return a
    if a.span < 0:
        return b
    size = 1 << a.width
    stride = gcd(a.stride, b.stride)
    ahead = (b.lo - a.lo) & (size - 1)
    arcs = []
    for x, y, gap in ((a, b, ahead), (b, a, size - ahead if ahead else 0)):
        end = gap + y.span
        if end < size:
            span, step = max(x.span, end), gcd(stride, gap)
            arcs.append((span // step, x.lo, span, step))
    if not arcs:
        if included(a, b):
            return b
        return a if included(b, a) else residues(a.width, a.lo, gcd(stride, ahead))
    _, lo, span, step = min(arcs)
    return wrapped(a.width, (lo, lo + span, step))


def restricted(a: StridedInterval, b: StridedInterval) -> StridedInterval:
    """The part of a from its first to its last word in b: within a, and contains all common words.

    Offsets count from a.lo, so the common words of an a that crosses the cut stay one arc; a closed
    circle begins where b does.
    """
    width, lo, span, stride = a
    if span < 0 or b.span < 0:
        return empty(width)
    size = 1 << width
    if span + stride == size:
        lo = b.lo + ((lo - b.lo) & (stride - 1))
    offset = (b.lo - lo) & (size - 1)
    end = offset + b.span
    mine = (0, span, stride)
    if end < size:
        found = pr.common(mine, (offset, end, b.stride))
    else:
        last = offset + (size - 1 - offset) // b.stride * b.stride
        found = pr.common(mine, progression(offset, last, b.stride))
        rest = pr.common(mine, progression(last + b.stride - size, end - size, b.stride))
        found = pr.hull(found, rest) if found and rest else found or rest
    return wrapped(width, (lo + found[0], lo + found[1], found[2])) if found else empty(width)


def meet(a: StridedInterval, b: StridedInterval) -> StridedInterval:
    """The smaller of the restrictions of one by the other."""
    return min(restricted(a, b), restricted(b, a), key=lambda m: (m.cardinality, m))
