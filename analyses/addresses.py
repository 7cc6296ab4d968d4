"""Where each memory access goes: the region that the address came from and the bytes it may touch
there, under the guards of its place.

In bounds is proved when every byte lies in the region in every thread; this is sound because the
numbers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd

from analyses.domains.affine import Affine
from analyses.domains.regions import BasePlusOffset, Origin
from analyses.program import Access, Instr, Operand, Region, Value
from analyses.values import Values


@dataclass(frozen=True, slots=True)
class ResolvedAccess:
    """Where an access goes. ``low`` and ``high`` bound the offset of its first byte from the start
    of the region, None where unknown; ``residue`` is (r, m): the address is r modulo m."""

    instr: Instr
    access: Access
    block: int
    origin: Origin | None
    low: int | None
    high: int | None
    residue: tuple[int, int]
    polynomial: Affine
    size: int | None  # of the region
    reached: bool

    @property
    def region(self) -> Region | None:
        return self.origin.region if self.origin is not None else None

    @property
    def in_bounds(self) -> bool:
        if not self.reached:
            return True
        if self.size is None or self.low is None or self.high is None:
            return False
        return self.low >= 0 and self.high + self.access.bytes <= self.size

    @property
    def never_in_bounds(self) -> bool:
        """No thread that gets here touches only bytes of the region."""
        if not self.reached or self.size is None:
            return False
        last = self.size - self.access.bytes
        return (self.low is not None and self.low > last) or (
            self.high is not None and self.high < 0
        )

    @property
    def aligned(self) -> bool:
        residue, modulus = self.residue
        align = self.access.align
        return not self.reached or (modulus % align == 0 and residue % align == 0)


Aligns = Mapping[Region, int]


def resolved_accesses(values: Values, aligns: Aligns) -> Iterator[ResolvedAccess]:
    """Every access of the function. ``aligns`` overrides the alignment of regions."""
    for block in values.function.blocks:
        for instr in block.instrs:
            if instr.access is not None:
                yield resolve(values, aligns, instr, instr.access, block.index)


def resolve(
    values: Values, aligns: Aligns, instr: Instr, access: Access, block: int
) -> ResolvedAccess:
    fact = values.at(access.base, block, access.mask)
    polynomial = values.polynomial(access.base)
    offset = polynomial.offset
    if offset.terms is not None:
        moved = values.affines.const(offset.width, access.offset)
        offset = values.resolved(values.affines.add(offset, moved))
    reached = values.reached(block) and not values.numbers.is_bottom(fact)
    low, high = _range(values, fact, polynomial, offset, access.offset) if reached else (None, None)
    residue = _residue(fact, access.offset, aligns) if reached else (0, 1)
    size = values.size(fact.origin.region) if fact.origin is not None else None
    return ResolvedAccess(
        instr, access, block, fact.origin, low, high, residue, offset, size, reached
    )


def _range(
    values: Values, fact: BasePlusOffset, polynomial: BasePlusOffset, offset: Affine, shift: int
) -> tuple[int | None, int | None]:
    """The numbers' bounds, and the polynomial's where it holds without an assumption and cannot
    wrap."""
    if fact.origin is None:
        low, high = values.interval(fact).unsigned_bounds()
    else:
        low, high = values.interval(fact).signed_bounds()
    low, high = low + shift, high + shift
    exact = offset.terms is not None and not offset.assumed
    bounds = values.affines.range(offset) if exact and polynomial.origin == fact.origin else None
    half = 1 << (offset.width - 1)
    if bounds is not None and fact.origin is not None and -half <= bounds[0] <= bounds[1] < half:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return low, high


def _residue(fact: BasePlusOffset, shift: int, aligns: Aligns) -> tuple[int, int]:
    residue, bits = fact.offset[1].alignment
    modulus = 1 << min(bits, 12)
    if fact.origin is not None:
        region = fact.origin.region
        modulus = gcd(modulus, max(aligns.get(region, region.align), 1))
    return (residue + shift) % modulus, modulus


def sources(values: Values, place: ResolvedAccess) -> tuple[Region, ...]:
    """The regions that an address may point into: several where pointers are joined or exchanged,
    or lie in an array of the thread's own. Empty where it may come from other memory, or from
    nowhere that is known."""
    if place.region is not None:
        return (place.region,)
    joined = {p.target: p for block in values.function.blocks for p in block.phis}
    renamed = {a.target: a.source for block in values.function.blocks for a in block.assumes}
    found: dict[Region, None] = {}
    seen: set[Operand] = set()
    work: list[Operand] = [place.access.base] if place.reached else []
    while work:
        operand = work.pop()
        if operand in seen:
            continue
        seen.add(operand)
        origin = values.number(operand).origin
        instr = values.definition.get(operand) if isinstance(operand, Value) else None
        if origin is not None:
            found[origin.region] = None
        elif operand in joined:
            work += joined[operand].sources.values()
        elif operand in renamed:
            work.append(renamed[operand])
        elif instr is not None and instr.access is not None and instr.access.space != "param":
            cell = _cell(values, instr, values.home[operand])  # type: ignore[index]
            if cell is None:
                return ()
            work += [word for word in _stored(values, cell) if word.width == operand.width]
        elif instr is not None:
            work += [use for use in instr.uses if use.width == operand.width]
    return tuple(sorted(found, key=lambda region: region.name))


def _cell(values: Values, instr: Instr, block: int) -> tuple[Region, int] | None:
    """The place in an array of the thread's own, if it is the same in every thread."""
    assert instr.access is not None
    found = resolve(values, {}, instr, instr.access, block)
    if found.region is None or found.region.space != "local" or found.low != found.high:
        return None
    return (found.region, found.low) if found.low is not None else None


def _stored(values: Values, cell: tuple[Region, int]) -> Iterator[Operand]:
    """The words that are stored there."""
    for block in values.function.blocks:
        for instr in block.instrs:
            access = instr.access
            if access is None or access.kind != "store":
                continue
            if _cell(values, instr, block.index) == cell:
                yield from (use for use in instr.uses if use not in (access.base, access.mask))
