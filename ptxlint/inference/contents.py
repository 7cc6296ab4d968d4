"""Index buffers: the value ranges of buffers whose integers decide addresses.

An address like ``x + 4*at[i]`` is bounded by the least and the greatest integer in ``at``. A
contract calls them ``at.min`` and ``at.max``, and requires that ``at.min >= 0`` and that ``x`` has
``4*at.max + 4`` bytes. That is sound where each load from ``at`` stays inside of the bytes that the
contract requires of ``at``, and no thread writes these: loads that are ``unknown`` bound nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyses.polynomials.polynomial import Symbol
from ptxlint.contracts.declaration import ValueRange
from ptxlint.contracts.expression import Identifier
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.inferred import Unknown

WIDTHS = (32, 64)  # of integers that value ranges are declared of


def index_buffers(facts: Facts) -> dict[int, ValueRange]:
    """The buffers, by position, from which only words of one width are read that decide something,
    and which the kernel does not write: each with its declared range, or that from its least to
    its greatest integer if the buffer is not declared."""
    widths: dict[int, set[int]] = {}
    loaded = set(facts.symbolic.loaded.values())
    positions = {facts.pointers[p.word]: p for p in facts.kernel.words if p.word in facts.pointers}
    for place in facts.places:
        region = place.region
        parameter = positions.get(region) if region is not None else None
        if parameter is None or region is None or facts.footprints.may_be_written(region):
            continue
        if place.instr in loaded:
            widths.setdefault(parameter.index, set()).update(d.width for d in place.instr.defs)
    called, declared = facts.launch.names, facts.launch.buffers
    formals = {p.index: p.name for p in facts.kernel.words}
    found = {
        index: declared[index].aligned_range
        if index in declared
        else value_range(formals[index], called[index], bits)
        for index, (bits, *others) in widths.items()
        if not others and bits in WIDTHS
    }
    return {index: held for index, held in found.items() if held is not None}


def value_range(name: str, called: str, bits: int) -> ValueRange:
    """From the least to the greatest integer of a buffer, by its name in the PTX."""
    ends = Identifier(f"{name}.min"), Identifier(f"{name}.max")
    return ValueRange(bits, True, *ends, f"{called}.min..{called}.max:s{bits}")


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


def bounded(
    facts: Facts, mentioned: Iterable[Symbol], unknown: Iterable[Unknown]
) -> dict[int, ValueRange]:
    """Of these, the ranges of buffers that are bounded at all loads."""
    open_, called = {one.name for one in unknown}, facts.launch.names
    return {i: held for i, held in spoken(facts, mentioned).items() if called[i] not in open_}
