"""Base plus offset: the region that an address points into, and the offset from its start.

An abstract word is ``origin + offset``: the origin is a region of memory or nothing, the offset a
value of any inner domain. Addresses of one region are then as precise as numbers, although the
region's address is unknown. This is the value-set analysis of Balakrishnan & Reps (CC 2004) as a
functor over the inner domain.

Sound because addition and subtraction commute with adding a constant base modulo 2**w. Every other
operator sees the whole word, the base being some multiple of the region's alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple

from analyses.algebra import V, has_several_results, implement
from analyses.lattice import Bounded, Domain, Relation
from analyses.program import Region


class Origin(NamedTuple):
    """The first byte of a region, as an address inside its state space or as a generic one."""

    region: Region
    generic: bool

    def __str__(self) -> str:
        return f"generic({self.region.name})" if self.generic else self.region.name


class BasePlusOffset(NamedTuple):
    """``origin + offset``; without an origin the offset is the whole word."""

    origin: Origin | None
    offset: Any

    def __str__(self) -> str:
        return f"{self.origin} + {self.offset}" if self.origin else str(self.offset)


class Addresses(Bounded[BasePlusOffset], Generic[V]):
    """The operators on base and offset. ``pointers`` says, by parameter name and byte offset, which
    parameters hold an address and of what; other parameters are numbers. Parameters in ``interior``
    hold any address in their region: as numbers they are its offset."""

    def __init__(
        self,
        inner: Bounded[V],
        pointers: Mapping[str, Region] | None = None,
        interior: Collection[str] = (),
    ) -> None:
        self.inner = inner
        self.pointers = pointers or {}
        self.interior = interior

    def width(self, a: BasePlusOffset) -> int:
        return self.inner.width(a.offset)

    def unknown(self, width: int, *operands: BasePlusOffset) -> BasePlusOffset:
        return BasePlusOffset(None, self.inner.unknown(width, *(self.word(a) for a in operands)))

    def word(self, a: BasePlusOffset) -> V:
        """The whole word: a base that is only known to be aligned, plus the offset."""
        if a.origin is None:
            return a.offset  # type: ignore[no-any-return]
        inner, width = self.inner, self.width(a)
        align = inner.const(width, max(a.origin.region.align, 1))
        return inner.add(inner.mul(inner.unknown(width), align), a.offset)

    def bounds(self, a: BasePlusOffset) -> tuple[int, int] | None:
        return self.inner.bounds(a.offset) if a.origin is None else None

    # --- operators that keep an origin

    def add(self, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        if a.origin is not None and b.origin is not None:
            return BasePlusOffset(None, self.inner.add(self.word(a), self.word(b)))
        return BasePlusOffset(a.origin or b.origin, self.inner.add(a.offset, b.offset))

    def sub(self, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        if a.origin == b.origin:
            return BasePlusOffset(None, self.inner.sub(a.offset, b.offset))
        if b.origin is None:
            return BasePlusOffset(a.origin, self.inner.sub(a.offset, b.offset))
        return BasePlusOffset(None, self.inner.sub(self.word(a), self.word(b)))

    def eq(self, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        if a.origin == b.origin:
            return BasePlusOffset(None, self.inner.eq(a.offset, b.offset))
        return BasePlusOffset(None, self.inner.eq(self.word(a), self.word(b)))

    def select(self, p: BasePlusOffset, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        if a.origin == b.origin:
            return BasePlusOffset(a.origin, self.inner.select(p.offset, a.offset, b.offset))
        return BasePlusOffset(None, self.inner.select(p.offset, self.word(a), self.word(b)))

    def extract(self, width: int, low: int, a: BasePlusOffset) -> BasePlusOffset:
        """The low half of an address inside a small state space is that address as 32 bits."""
        if a.origin is not None and low == 0 and width == 32 and small(a.origin):
            return BasePlusOffset(a.origin, self.inner.extract(width, 0, a.offset))
        return BasePlusOffset(None, self.inner.extract(width, low, self.word(a)))

    def trunc(self, width: int, a: BasePlusOffset) -> BasePlusOffset:
        return self.extract(width, 0, a)

    def zext(self, width: int, a: BasePlusOffset) -> BasePlusOffset:
        """An address inside a small space plus an offset that is not negative does not wrap:
        both are below 2**31."""
        if a.origin is not None and self.width(a) == 32 and small(a.origin):
            bounds = self.inner.bounds(a.offset)
            if bounds is not None and bounds[0] >= 0:
                return BasePlusOffset(a.origin, self.inner.zext(width, a.offset))
        return BasePlusOffset(None, self.inner.zext(width, self.word(a)))

    # --- the world

    def address(self, region: object, width: int) -> BasePlusOffset:
        assert isinstance(region, Region)
        return BasePlusOffset(Origin(region, False), self.inner.const(width, 0))

    def parameter(self, name: str, offset: int, width: int) -> BasePlusOffset:
        region = self.pointers.get(f"{name}+{offset}")
        if region is None or width not in (32, 64):
            return BasePlusOffset(None, self.inner.parameter(name, offset, width))
        inside = f"{name}+{offset}" in self.interior
        at = self.inner.parameter(name, offset, width) if inside else self.inner.const(width, 0)
        return BasePlusOffset(Origin(region, False), at)

    def convert_address(self, space: str, to_generic: bool, a: BasePlusOffset) -> BasePlusOffset:
        """A generic address is the same number in ``global``; elsewhere the origin changes form."""
        origin = a.origin
        if origin is None and space == "global":
            return a
        if origin is not None and origin.region.space == space:
            if space == "global":
                return a
            if origin.generic != to_generic:
                return BasePlusOffset(Origin(origin.region, to_generic), a.offset)
        return BasePlusOffset(None, self.inner.convert_address(space, to_generic, self.word(a)))


def small(origin: Origin) -> bool:
    """An address inside a space of at most 2**31 bytes, not a generic one."""
    return not origin.generic and origin.region.space != "global"


def _whole(name: str) -> Callable[..., Any]:
    """An operator that sees whole words."""
    several = has_several_results(name)

    def operator(self: Addresses[Any], *arguments: Any, **options: Any) -> Any:
        words = [self.word(x) if type(x) is BasePlusOffset else x for x in arguments]
        result = getattr(self.inner, name)(*words, **options)
        return (
            tuple(BasePlusOffset(None, part) for part in result)
            if several
            else BasePlusOffset(None, result)
        )

    return operator


implement(Addresses, _whole)


class BasePlusOffsets(Addresses[V], Domain[BasePlusOffset]):
    """Bases and offsets where offsets form a lattice. ``bases`` (for ``admits`` only) says where
    regions lie."""

    inner: Domain[V]

    def __init__(
        self,
        inner: Domain[V],
        pointers: Mapping[str, Region] | None = None,
        bases: Mapping[Origin, int] | None = None,
        interior: Collection[str] = (),
    ) -> None:
        super().__init__(inner, pointers, interior)
        self.bases = bases or {}

    def bottom(self, width: int) -> BasePlusOffset:
        return BasePlusOffset(None, self.inner.bottom(width))

    def is_bottom(self, a: BasePlusOffset) -> bool:
        return self.inner.is_bottom(a.offset)

    def leq(self, a: BasePlusOffset, b: BasePlusOffset) -> bool:
        if self.is_bottom(a):
            return True
        if a.origin == b.origin:
            return self.inner.leq(a.offset, b.offset)
        return b.origin is None and self.inner.leq(self.word(a), b.offset)

    def join(self, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        return self._bound(a, b, self.inner.join)

    def widen(
        self, old: BasePlusOffset, new: BasePlusOffset, thresholds: Sequence[int] = ()
    ) -> BasePlusOffset:
        return self._bound(old, new, lambda x, y: self.inner.widen(x, y, thresholds))

    def _bound(
        self, a: BasePlusOffset, b: BasePlusOffset, combine: Callable[[V, V], V]
    ) -> BasePlusOffset:
        if self.is_bottom(a):
            return b
        if self.is_bottom(b):
            return a
        if a.origin == b.origin:
            return BasePlusOffset(a.origin, combine(a.offset, b.offset))
        return BasePlusOffset(None, combine(self.word(a), self.word(b)))

    def meet(self, a: BasePlusOffset, b: BasePlusOffset) -> BasePlusOffset:
        """Two different origins contradict nothing: one is kept, always the same."""
        if a.origin != b.origin:
            return max(a, b, key=lambda one: (self.is_bottom(one), repr(one.origin or "")))
        both = self.inner.meet(a.offset, b.offset)
        return BasePlusOffset(None if self.inner.is_bottom(both) else a.origin, both)

    def assume(
        self, a: BasePlusOffset, relation: Relation, b: BasePlusOffset
    ) -> tuple[BasePlusOffset, BasePlusOffset]:
        """Equal origins cancel in an equation; an order of addresses is not used."""
        if a.origin != b.origin or (a.origin is not None and relation not in ("eq", "ne")):
            return a, b
        left, right = self.inner.assume(a.offset, relation, b.offset)
        return BasePlusOffset(a.origin, left), BasePlusOffset(b.origin, right)

    def admits(self, fact: BasePlusOffset, words: Any) -> Any:
        if fact.origin is None:
            return self.inner.admits(fact.offset, words)
        number = words.bits.dtype.type
        base, mask = self.bases[fact.origin], (1 << words.width) - 1
        offsets = (words.bits - number(base & mask)) & number(mask)
        return self.inner.admits(fact.offset, type(words)(words.width, offsets))
