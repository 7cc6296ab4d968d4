"""What decides where and when a kernel accesses memory: the names without which a run has the same
branches, accesses, barriers and faults.

It is the backward slice (Weiser, "Program slicing", 1984) of addresses, predicates, branch
conditions, operands of barriers, member masks, and words that must be defined. A name that is
loaded depends on all words that any instruction may store to its state space, so the slice is
closed under memory, too: what it leaves out reaches none of these operands, by registers or by
memory. Most of a kernel's arithmetic is left out; what of it the interpreter does not support ends
no run, then.
"""

from __future__ import annotations

from analyses.program import Value
from analyses.slices import closed_under_memory
from ptxlint.ir import Kernel
from ptxlint.undefined_values import UndefinedValues


def decisive_names(kernel: Kernel, undefined: UndefinedValues) -> frozenset[Value]:
    """The names of the slice."""
    effects = (effect.operand for _, effect in undefined.all_effects(kernel))
    return closed_under_memory(kernel, [*kernel.deciding_operands, *effects])
