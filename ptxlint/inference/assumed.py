"""What a contract rests on and no launch can be asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyses.program import Region
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import region_name
from ptxlint.inference.inferred import InferredRequirement
from ptxlint.ir import PtxInstr


def assumptions(
    facts: Facts, placed: Mapping[Region, tuple[int, PtxInstr]]
) -> Iterator[InferredRequirement]:
    """That arrays are ``placed`` so that they are aligned, and that handles are textures."""
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
