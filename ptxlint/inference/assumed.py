"""What a contract rests on and no launch can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyses.domains.wrapped_interval import full
from analyses.program import Region
from ptxlint.facts.imprecision import imprecisions
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import region_name
from ptxlint.inference.inferred import InferredRequirement
from ptxlint.ir import PtxInstr


def assumptions(
    facts: Facts, placed: Mapping[Region, tuple[int, PtxInstr]]
) -> Iterator[InferredRequirement]:
    """That arrays are ``placed`` so that they are aligned, that handles are textures, and that the
    lanes take part whose words decide an address."""
    for region, (align, instr) in placed.items():
        why = f"declared: {region.align}; ptxas places arrays one behind the other"
        said = f"{region_name(region)} is aligned to {align} bytes"
        yield InferredRequirement(said, why, instr)
    first: dict[str, PtxInstr] = {}
    for instr, name in facts.textures.items():
        first.setdefault(name, instr)
    for name, instr in first.items():
        said = f"{name} is a texture"
        yield InferredRequirement(said, "no buffer that is written overlaps it", instr)
    exchange = next(bounded_exchanges(facts), None)
    if exchange is not None:
        said = "shuffles read lanes that take part"
        yield InferredRequirement(said, "the word of any other lane is undefined", exchange)


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
        if full(instr.defs[0].width) != facts.values.interval(fact):
            yield instr
