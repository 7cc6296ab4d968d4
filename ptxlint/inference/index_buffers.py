"""Index buffers: the value ranges of buffers whose integers decide addresses.

An address like ``x + 4*at[i]`` is bounded by the least and the greatest integer in ``at``. A
contract calls them ``at.min`` and ``at.max``, and requires that ``at.min >= 0`` and that ``x`` has
``4*at.max + 4`` bytes. That is sound where each load from ``at`` stays inside of the bytes that the
contract requires of ``at``, and no thread writes these: loads that are ``unknown`` bound nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from analyses.loaded_types import types_read
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import type_range
from ptxlint.contracts.declaration import ValueRange
from ptxlint.contracts.expression import Identifier, Number
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.inferred_contract import Unknown

WIDTHS = (8, 16, 32, 64)  # of integers that value ranges are declared of
BYTE = 8


def index_buffers(facts: Facts) -> dict[int, ValueRange]:
    """The buffers, by position, from which only words of one type are read that decide something,
    and which the kernel does not write: each with its declared range, or that from its least to
    its greatest integer if the buffer is not declared."""
    types: dict[int, set[tuple[int, bool]]] = {}
    loads = set(facts.symbolic.loaded.values())
    positions = {facts.pointers[p.word]: p for p in facts.kernel.words if p.word in facts.pointers}
    for place in (one for each in facts.places for one in each.each):
        region = place.region
        parameter = positions.get(region) if region is not None else None
        if parameter is None or region is None or facts.footprints.may_be_written(region):
            continue
        if place.instr in loads:
            types.setdefault(parameter.index, set()).update(types_read(facts.symbolic, place.instr))
    called, declared = facts.launch.names, facts.launch.buffers
    formals = {p.index: p.name for p in facts.kernel.words}
    found = {
        index: declared[index].aligned_range
        if index in declared
        else value_range(formals[index], called[index], bits, signed)
        for index, each in types.items()
        for bits, signed in each
        if len(each) == 1 and bits in WIDTHS
    }
    return {index: held for index, held in found.items() if held is not None}


def value_range(name: str, called: str, bits: int, signed: bool) -> ValueRange:
    """From the least to the greatest integer of a buffer, by its name in the PTX; of unsigned ones
    from 0."""
    high = Identifier(f"{name}.max")
    if not signed:
        return ValueRange(bits, False, Number(0), high, f"0..{called}.max:u{bits}")
    low = Identifier(f"{name}.min")
    return ValueRange(bits, True, low, high, f"{called}.min..{called}.max:s{bits}")


def spoken(facts: Facts, mentioned: Iterable[Symbol]) -> dict[int, ValueRange]:
    """The value ranges that are declared, or whose ends are mentioned. A contract does without the
    others: whatever is read from a buffer lies between some two numbers, so a proof that needs no
    more holds without its range."""
    names, called = facts.decided, facts.launch.names
    parts = {part for symbol in mentioned for part in (symbol, *symbol.parts)}  # of quotients too
    words = {names[part] for part in parts if part in names}
    return {
        index: held
        for index, held in facts.launch.contents.items()
        if index in facts.launch.buffers
        or not words.isdisjoint((f"{called[index]}.min", f"{called[index]}.max"))
    }


def open_tables(facts: Facts, unknown: Iterable[Unknown]) -> bool:
    """True if an access to an array of the module with initial values is ``unknown``."""
    open_ = {one.instr for one in unknown}
    places = (one for place in facts.places if place.instr in open_ for one in place.each)
    return any(one.region in facts.kernel.initials for one in places if one.region)


def of_types(facts: Facts, ranges: Mapping[int, ValueRange]) -> Iterator[Inequality]:
    """That the ends of value ranges, each by the position of its buffer, are integers of their
    types."""
    named = {name: Polynomial.of(symbol) for symbol, name in facts.decided.items()}
    for index, held in ranges.items():
        name, (low, high) = facts.launch.names[index], type_range(held.bits, held.signed)
        for end in (named[e] for e in (f"{name}.min", f"{name}.max") if e in named):
            yield from (Inequality(end - low), Inequality(-end + high))


def bounded(
    facts: Facts, mentioned: Iterable[Symbol], unknown: Iterable[Unknown]
) -> dict[int, ValueRange]:
    """Of these, the ranges of buffers that are bounded at all loads."""
    instrs, arguments = {one.instr for one in unknown}, facts.kernel.arguments
    places = (one for each in facts.places if each.instr in instrs for one in each.each)
    open_ = {place.region for place in places}
    return {
        index: held
        for index, held in spoken(facts, mentioned).items()
        if facts.pointers[arguments[index].word] not in open_
    }
