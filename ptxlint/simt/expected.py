"""Loads of words that a compare-and-swap expects.

A loop of compare-and-swaps begins with a plain load. If another thread changes the word meanwhile,
the swap fails and is tried again: such a load is as good as a relaxed one, and races with no
atomic. It orders nothing, and does race with plain stores.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyses.program import Access, AddressOf, Operand, Phi, Value
from ptxlint.ir import Kernel, PtxInstr

COPIES = frozenset({"mov", "cvta"})
"""Opcodes whose result is the operand, or the same place as it."""


def expected_loads(kernel: Kernel) -> frozenset[PtxInstr]:
    """The loads whose word, maybe by a phi or a copy, a compare-and-swap of the same address
    expects. An address is the same if it is a copy of one name or array, and one offset."""
    defined: dict[Value, PtxInstr | Phi] = {}
    for block in kernel.blocks:
        defined.update((phi.target, phi) for phi in block.phis)
        for instr in block.instrs:
            if isinstance(instr, PtxInstr):
                defined.update((value, instr) for value in instr.defs)
    copies: dict[Value, Operand] = {
        assume.target: assume.source for block in kernel.blocks for assume in block.assumes
    }
    for value, one in defined.items():
        if isinstance(one, PtxInstr) and one.opcode in COPIES and len(one.uses) == 1:
            copies[value] = one.uses[0]
    found = set[PtxInstr]()
    for swap in kernel.instructions:
        if swap.access is None or swap.form is None or not swap.form.has("cas"):
            continue
        seen, work = set[Operand](), [swap.uses[1]]
        while work:
            word = work.pop()
            if word in seen or not isinstance(word, Value):
                continue
            seen.add(word)
            if word in copies:
                work.append(copies[word])
            elif isinstance(node := defined.get(word), Phi):
                work += node.sources.values()
            elif node is not None and _loads_from(node, place(swap.access, copies), copies):
                found.add(node)
    return frozenset(found)


def place(access: Access, copies: Mapping[Value, Operand]) -> tuple[object, int, int]:
    """What it accesses: of what name or array, the offset, and how many bytes."""
    base = access.base
    while isinstance(base, Value) and base in copies:
        base = copies[base]
    root = base.region if isinstance(base, AddressOf) else base
    return root, access.offset, access.bytes


def _loads_from(
    instr: PtxInstr, where: tuple[object, int, int], copies: Mapping[Value, Operand]
) -> bool:
    access = instr.access
    return access is not None and access.kind == "load" and place(access, copies) == where
