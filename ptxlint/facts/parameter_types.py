"""As what a kernel reads its parameters: numbers, buffers, handles of textures and surfaces.

A handle is a word that only texture and surface instructions take, neither a number nor a buffer.
What it stands for is bound outside of the kernel; no launch says where it lies.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import KernelParameter, PtxInstr

KINDS = {"texture-instructions-": "texture", "surface-instructions-": "surface"}
"""By the beginning of the section of the manual that an instruction is in."""


def handles(facts: Facts) -> Mapping[str, tuple[str, PtxInstr]]:
    """The words of the parameters that are handles, each with its kind and the first instruction
    that takes it. A word that anything else takes is none."""
    names = {p.word for p in facts.kernel.words}
    found: dict[str, tuple[str, PtxInstr]] = {}
    other = set[str]()
    for instr in facts.kernel.instructions:
        kind = kind_of(instr)
        for at, use in enumerate(instr.uses):
            word = facts.read_from(use)
            if word is not None and kind and at == 0:
                found.setdefault(word, (kind, instr))
            elif word is not None:
                other.add(word)
    for block in facts.kernel.blocks:
        for phi in block.phis:
            other |= {w for w in map(facts.read_from, phi.sources.values()) if w is not None}
    return {word: held for word, held in found.items() if word in names - other}


def kind_of(instr: PtxInstr) -> str:
    """``texture`` or ``surface`` of an instruction that takes a handle first."""
    at = "" if instr.form is None else instr.form.row.at
    return next((kind for begin, kind in KINDS.items() if at.startswith(begin)), "")


def typed_arguments(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The name of each argument, and the type as which it is read."""
    bound, names = handles(facts), facts.launch.names
    return tuple((names[p.index], read_type(facts, p, bound)) for p in facts.kernel.arguments)


def read_type(facts: Facts, parameter: KernelParameter, bound: Collection[str]) -> str:
    """The type as which a parameter is read; one that decides nothing is a number."""
    ptx, region = parameter.type, facts.pointers.get(parameter.word)
    if parameter.word in bound:
        return f"b{ptx[1:]}"
    if parameter.declared_pointer or region in facts.addressed or ptx[0] == "f":
        return ptx
    if parameter.structure:
        return ptx
    return f"{'u' if parameter.word in facts.unsigned else 's'}{ptx[1:]}"
