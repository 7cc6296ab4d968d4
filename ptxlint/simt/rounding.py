"""Words that differ by rounding alone.

Lanes that add up their words by a butterfly of shuffles hold the same sum, but each of them has
added in its own order, and may have fused its first product. Compilers let all lanes of a warp
store such a sum to one word (Triton does). Which one remains does not matter.
"""

from __future__ import annotations

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.program import Operand
from ptxlint.ir import Kernel

FRACTIONS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
"""The bits of the fraction of each float type."""


def float_fractions(kernel: Kernel) -> dict[Operand, int]:
    """The words that float arithmetic computes, with the bits of their fractions."""
    return {
        value: FRACTIONS[kind.name]
        for instr in kernel.instructions
        if instr.access is None and instr.form is not None and instr.form.types
        for value in instr.defs
        if (kind := instr.form.types[0]).name in FRACTIONS and value.width == kind.bits
    }


def differ_by_rounding(one: Array, two: Array, fraction: int) -> Array:
    """True where two floats of one sign differ in the last third of their fractions alone."""
    least, greatest = np.minimum(one, two), np.maximum(one, two)
    sign = one.dtype.type(1 << (8 * one.dtype.itemsize - 1))
    near: Array = (greatest - least <= one.dtype.type(1 << fraction // 3)) & (
        (one & sign) == (two & sign)
    )
    return near
