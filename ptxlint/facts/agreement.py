"""Accesses that rest on words of several buffers, which must agree.

A ragged batch has the first row of each sequence in one buffer, and its length in another one:
``x[start[b] + i]`` where ``i < length[b]``. A value range says where each word of a buffer lies. It
does not say that a first row and a length go together. So contents that a replay makes up, within
the ranges, may be no data for the kernel where several buffers decide an address. Words of one
buffer agree if they rise, as ``row[i]`` and ``row[i + 1]`` do, and a replay has such contents.

The words that decide are looked for in the registers alone: those that the address is computed
from, and those of conditions that must hold there if they are about a register of the address. A
word that is missed leaves a fault that is shown, as is one of a single buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import ResolvedAccess
from analyses.program import Instr, Operand, Region, Value
from analyses.slices import close, operands_of
from ptxlint.facts.kernel_facts import Facts


def rests_on_several(facts: Facts, place: ResolvedAccess) -> bool:
    """True if words of several buffers decide whether the access is in bounds."""
    loads = {value: instr for value, instr in facts.values.definition.items() if loaded(instr)}
    operands = {v: of for v, of in operands_of(facts.kernel).items() if v not in loads}

    def names(operand: Operand) -> set[Value]:
        found = set[Value]()
        close(found, [operand], operands)
        return found

    address = names(place.access.base)
    deciding = address.union(*(c for c in map(names, conditions(facts, place)) if c & address))
    return len({buffer(facts, loads[value]) for value in deciding & loads.keys()}) > 1


def loaded(instr: Instr) -> bool:
    """True if it gives words that the caller or another thread may have written."""
    return instr.access is not None and instr.access.space not in ("param", "const", "local")


def conditions(facts: Facts, place: ResolvedAccess) -> Iterator[Operand]:
    """The mask, and what the branches depend on that a thread passes before the access."""
    if place.access.mask is not None:
        yield place.access.mask
    block = facts.values.tree.parent[place.block]
    while block >= 0:
        condition = facts.kernel.blocks[block].terminator.condition
        if condition is not None:
            yield condition
        block = facts.values.tree.parent[block]


def buffer(facts: Facts, load: Instr) -> Region | Instr:
    """What it loads from; the load itself if that is not known."""
    assert load.access is not None
    origin = facts.values.number(load.access.base).origin
    return load if origin is None else origin.region
