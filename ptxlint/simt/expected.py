"""Loads of words that a compare-and-swap expects.

A loop of compare-and-swaps begins with a plain load. If another thread changes the word meanwhile,
the swap fails and is tried again: such a load is as good as a relaxed one, and races with no
atomic. It orders nothing, and does race with plain stores.
"""

from __future__ import annotations

from analyses.program import Operand, Phi, Value
from ptxlint.ir import Kernel, PtxInstr


def expected_loads(kernel: Kernel) -> frozenset[PtxInstr]:
    """The loads whose word, maybe by a phi or a copy, a compare-and-swap of the same address
    expects. An address is the same if it is one name and one offset."""
    defined: dict[Value, PtxInstr | Phi] = {}
    for block in kernel.blocks:
        defined.update((phi.target, phi) for phi in block.phis)
        for instr in block.instrs:
            if isinstance(instr, PtxInstr):
                defined.update((value, instr) for value in instr.defs)
    copies = {node.target: node.source for block in kernel.blocks for node in block.assumes}
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
            elif node is not None and node.opcode == "mov":
                work += node.uses
            elif node is not None and _loads_from(node, swap):
                found.add(node)
    return frozenset(found)


def _loads_from(instr: PtxInstr, swap: PtxInstr) -> bool:
    """True if it is a load of the word that is swapped."""
    one, other = instr.access, swap.access
    if one is None or other is None or one.kind != "load" or one.mask is not None:
        return False
    return (one.base, one.offset, one.bytes) == (other.base, other.offset, other.bytes)
