"""Addresses: the region and the range of bytes of each memory access, under its guards.

An access is in bounds if every byte lies in the region in every thread; sound because the ranges
are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import gcd

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset, Origin
from analyses.local_arrays import WRITTEN
from analyses.pointer_choices import Pointer, handed_on, pointer_choices
from analyses.polynomials.congruence import congruence
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import type_range, unwrapped
from analyses.possible_ways import PossibleWays
from analyses.program import Access, Instr, Operand, Region, Value, opaque_writes
from analyses.proofs.guarded_values import GuardedValues
from analyses.ways import NO_CHOICE, Way

MODULUS_BITS = 12  # of the modulus of an address


class ResolvedAccess(Struct, frozen=True):
    """The region and the offset of an access, in threads that went the ``way``. ``low`` and
    ``high`` bound the offset of its first byte from the start of the region, None if unknown;
    ``residue`` is (r, m): the address is r modulo m. An access by one of several pointers has no
    origin: it is one of its ``choices`` in each thread."""

    instr: Instr
    access: Access
    block: int
    origin: Origin | None
    low: int | None
    high: int | None
    residue: tuple[int, int]
    polynomial: Polynomial | None  # the offset, modulo 2**width of the address
    size: int | None  # of the region
    reached: bool
    way: Way = NO_CHOICE
    choices: tuple[ResolvedAccess, ...] = ()

    @property
    def each(self) -> tuple[ResolvedAccess, ...]:
        """The accesses by each of several pointers, or the only one."""
        return self.choices or (self,)

    @property
    def formula(self) -> Polynomial | None:
        """The offset, if no word in it wraps."""
        return None if self.polynomial is None else unwrapped(self.polynomial)

    @property
    def region(self) -> Region | None:
        return self.origin.region if self.origin is not None else None

    @property
    def space(self) -> str:
        """The state space of the address; also that of a generic access, if known."""
        if self.access.space == "generic" and self.region is not None:
            return self.region.space
        return self.access.space

    @property
    def in_bounds(self) -> bool:
        if not self.reached:
            return True
        if self.size is None or self.low is None or self.high is None:
            return False
        return self.low >= 0 and self.high + self.access.bytes <= self.size

    @property
    def never_in_bounds(self) -> bool:
        """True if every thread that executes the access is out of bounds."""
        if not self.reached or self.size is None:
            return False
        last = self.size - self.access.least
        return (self.low is not None and self.low > last) or (
            self.high is not None and self.high < 0
        )

    @property
    def aligned(self) -> bool:
        residue, modulus = self.residue
        align = self.access.align
        return not self.reached or (modulus % align == 0 and residue % align == 0)


def moving(place: ResolvedAccess) -> Polynomial | None:
    """The offset without its constant: accesses that differ by constants need one proof."""
    offset = place.polynomial
    return None if offset is None else offset - offset.terms.get((), 0)


Aligns = Mapping[Region, int]


def resolved_accesses(guarded: GuardedValues, aligns: Aligns) -> Iterator[ResolvedAccess]:
    """Every access of the function. ``aligns`` overrides the alignment of regions."""
    for block in guarded.values.function.blocks:
        for instr in block.instrs:
            if instr.access is not None:
                yield resolve(guarded, aligns, instr, instr.access, block.index)


def resolve(
    guarded: GuardedValues, aligns: Aligns, instr: Instr, access: Access, block: int
) -> ResolvedAccess:
    values, word = guarded.values, guarded.symbolic.word(access.base)
    fact = guarded.at(access.base, block, access.mask)
    made = access.mask is None or values.may_be(access.mask, True)
    reached = made and values.reached(block) and not values.numbers.is_bottom(fact)
    low, high, residue = None, None, (0, 1)
    if reached:
        interval = values.interval(fact)
        bounds = interval.signed_bounds() if fact.origin else interval.unsigned_bounds()
        low, high = (bound + access.offset for bound in bounds)
        residue = _residue(fact, access.offset, aligns)
    polynomial: Polynomial | None = word.offset.polynomial
    if polynomial is not None:
        polynomial = polynomial + access.offset if word.origin == fact.origin else None
    size = values.size(fact.origin.region) if fact.origin is not None else None
    several = fact.origin is None or handed_on(guarded.symbolic, word)
    each = chosen(guarded, access, block) if reached and several else ()
    choices = tuple(_choice(guarded, aligns, instr, access, block, one) for one in each)
    return ResolvedAccess(
        instr, access, block, fact.origin, low, high, residue, polynomial, size, reached,
        choices=choices,
    )  # fmt: skip


def chosen(guarded: GuardedValues, access: Access, block: int) -> list[Pointer]:
    """The words that an address of several pointers may be; none if they are not known."""
    known = guarded.guards.masked(block, access.mask)
    possible = partial(guarded.once(PossibleWays).includes, block, access.mask)
    return pointer_choices(guarded, access.base, known, possible)


def _choice(
    guarded: GuardedValues,
    aligns: Aligns,
    instr: Instr,
    access: Access,
    block: int,
    pointer: Pointer,
) -> ResolvedAccess:
    """The access by one of several pointers."""
    (origin, word), way = pointer
    assert origin is not None
    offset: Polynomial = word.polynomial + access.offset
    rest, modulus = congruence(offset, {}, guarded.symbolic.congruence)
    modulus = _modulus(origin, modulus or 1 << MODULUS_BITS, aligns)
    ends = offset.range()
    least, most = type_range(word.width, signed=True)
    known = least <= ends[0] and ends[1] <= most
    low, high = (int(ends[0]), int(ends[1])) if known else (None, None)
    size = guarded.values.size(origin.region)
    return ResolvedAccess(
        instr, access, block, origin, low, high, (rest % modulus, modulus), offset, size, True, way
    )


def _residue(fact: BasePlusOffset, shift: int, aligns: Aligns) -> tuple[int, int]:
    residue, bits = fact.offset[1].alignment
    modulus = _modulus(fact.origin, 1 << min(bits, MODULUS_BITS), aligns)
    return (residue + shift) % modulus, modulus


def _modulus(origin: Origin | None, modulus: int, aligns: Aligns) -> int:
    """The modulus of an address whose offset is known modulo ``modulus``."""
    if origin is None:
        return modulus
    return gcd(modulus, max(aligns.get(origin.region, origin.region.align), 1))


def sources(guarded: GuardedValues, place: ResolvedAccess) -> tuple[Region, ...]:
    """The regions that an address may point into: several if pointers are joined or loaded from a
    local array. Empty if it may come from other memory, or is unknown."""
    return tuple(dict.fromkeys(origin.region for origin in origins(guarded, place)))


def origins(guarded: GuardedValues, place: ResolvedAccess) -> tuple[Origin, ...]:
    """The regions that an address may point into, each as an address of its own space or as a
    generic one."""
    if place.origin is not None:
        return (place.origin,)
    values = guarded.values
    joined, renamed = guarded.symbolic.joined, guarded.symbolic.alias
    found: dict[Origin, None] = {}
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
            found[origin] = None
        elif operand in joined:
            work += joined[operand][0].sources.values()
        elif operand in renamed:
            work.append(renamed[operand])
        elif instr is not None and instr.access is not None and instr.access.space != "param":
            cell = _cell(guarded, instr, values.home[operand])  # type: ignore[index]
            if cell is None or opaque_writes(values.function, "local"):
                return ()
            words = guarded.once(_stored).get(cell, ())
            work += [word for word in words if word.width == operand.width]
        elif instr is not None:
            work += [use for use in instr.uses if use.width == operand.width]
    return tuple(sorted(found, key=lambda origin: origin.region.name))


def _cell(guarded: GuardedValues, instr: Instr, block: int) -> tuple[Region, int] | None:
    """The element of a local array, if it is the same in every thread."""
    assert instr.access is not None
    found = resolve(guarded, {}, instr, instr.access, block)
    if found.region is None or found.region.space != "local" or found.low != found.high:
        return None
    return (found.region, found.low) if found.low is not None else None


def _stored(guarded: GuardedValues) -> dict[tuple[Region, int], list[Operand]]:
    """The words that are stored in each element."""
    found: dict[tuple[Region, int], list[Operand]] = {}
    for block in guarded.values.function.blocks:
        for instr in block.instrs:
            access = instr.access
            if access is not None and access.kind == "store" and access.space in WRITTEN:
                cell = _cell(guarded, instr, block.index)
                if cell is not None:
                    words = [use for use in instr.uses if use not in (access.base, access.mask)]
                    found.setdefault(cell, []).extend(words)
    return found
