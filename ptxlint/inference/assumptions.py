"""What a contract rests on and no launch can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyses.domains.wrapped_interval import full
from analyses.polynomials.polynomial import order
from analyses.program import Region
from ptxlint.contracts.tables import table_of
from ptxlint.facts.imprecision import imprecisions
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.parameter_types import handles
from ptxlint.facts.wording import region_name
from ptxlint.inference.inferred_contract import InferredRequirement
from ptxlint.inference.reasons import TABLES
from ptxlint.ir import PtxInstr


def assumptions(
    facts: Facts, placed: Mapping[Region, tuple[int, PtxInstr]]
) -> Iterator[InferredRequirement]:
    """That arrays are ``placed`` so that they are aligned, that handles are textures, that lanes
    take part whose words decide an address, and that memory is written that does."""
    for region, (align, instr) in placed.items():
        why = f"declared: {region.align}; ptxas places arrays one behind the other"
        said = f"{region_name(region)} is aligned to {align} bytes"
        yield InferredRequirement(said, why, instr)
    yield from bound_outside(facts)
    exchange = next(bounded_exchanges(facts), None)
    if exchange is not None:
        said = "shuffles read lanes that take part"
        yield InferredRequirement(said, "the word of any other lane is undefined", exchange)
    for instr, name in read_tables(facts):
        yield InferredRequirement(f"{name} holds its initial values", TABLES, instr)
    load = next(bounded_loads(facts), None)
    if load is not None:
        said = "shared memory is written before it is read"
        yield InferredRequirement(said, "what else it holds is undefined", load)


def bound_outside(facts: Facts) -> Iterator[InferredRequirement]:
    """That the words which instructions take for textures and surfaces are these."""
    names = {p.word: facts.launch.names[p.index] for p in facts.kernel.words}
    first: dict[str, tuple[str, PtxInstr]] = {}
    for instr, name in facts.textures.items():
        first.setdefault(name, ("texture", instr))
    for word, held in handles(facts).items():
        first.setdefault(names[word], held)
    for name, (kind, instr) in first.items():
        which = "buffer that is written" if kind == "texture" else "buffer"
        yield InferredRequirement(f"{name} is a {kind}", f"no {which} overlaps it", instr)


def read_tables(facts: Facts) -> Iterator[tuple[PtxInstr, str]]:
    """The tables of the module that an address depends on, each with the first load of it."""
    symbolic, first = facts.symbolic, dict[str, PtxInstr]()
    held = facts.footprints.contents.keys() & facts.kernel.initials.keys()
    if not held:
        return
    offsets = (one.polynomial for place in facts.places for one in place.each)
    used = {symbol for offset in offsets if offset is not None for symbol in offset.parts}
    for symbol in sorted(used & symbolic.loaded.keys(), key=order):
        load = symbolic.loaded[symbol]
        region = table_of(load, symbolic)
        if region is not None and region in held:
            assert isinstance(load, PtxInstr)
            first.setdefault(region_name(region), load)
    yield from ((load, name) for name, load in first.items())


def bounded_exchanges(facts: Facts) -> Iterator[PtxInstr]:
    """The shuffles whose result has a range, that of the word in all lanes, if the address of an
    access is computed from what other lanes give."""
    places = (one for place in facts.places if place.reached for one in place.each)
    if not any("lanes" in imprecisions(facts, place.access.base) for place in places):
        return
    for instr in facts.kernel.instructions:
        form = instr.form
        fact = facts.values.number.facts.get(instr.defs[0]) if instr.defs else None
        if form is None or form.row.opcode != "shfl" or fact is None:
            continue
        full_range = full(instr.defs[0].width) == facts.values.interval(fact)
        if not full_range or instr.defs[0] in facts.footprints.others.used:
            yield instr


def bounded_loads(facts: Facts) -> Iterator[PtxInstr]:
    """The loads from shared memory of which a range or a bound is known by what is stored there."""
    shared = facts.values.shared
    known = shared.facts.keys() | (shared.stored.keys() & facts.footprints.others.used)
    return (instr for instr in facts.kernel.instructions if not known.isdisjoint(instr.defs))
