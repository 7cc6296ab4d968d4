"""Whether a register may be an operand: its declared type against the one that the instruction asks
for.

PTX ISA 9.4, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size"; tried on
ptxas 13.0. A bit-size type agrees with every type of its size, integers agree with integers, and a
predicate with predicates alone. Half-precision types are asked for too many ways to be told apart
here. Where a row gives no type, nothing is checked.
"""

from __future__ import annotations

from functools import cache

from ptxlint.isa.row import TYPES, Form, Type

WIDER = frozenset({"ld", "ldu", "st", "cvt"})
"""Instructions whose registers may be wider than their types."""
SINGLE = frozenset({"f32", "f64"})


@cache
def clash(declared: str, kind: Type, form: Form) -> str | None:
    """What is wrong with a register of that type where the instruction has this one, if anything
    is."""
    own = TYPES.get(declared)
    if own is None:
        return None
    if (own.kind == "p") != (kind.kind == "p"):
        return f"has type .{declared}, expected .{kind.name}"
    floats, integers = own.name in SINGLE, own.kind in "us"
    if (floats and kind.kind in "us") or (integers and kind.name in SINGLE):
        return f"has type .{declared}, expected .{kind.name}"
    wider = form.row.opcode in WIDER
    if own.bits < kind.bits or (own.bits > kind.bits and not wider):
        more = " or more" if wider else ""
        return f"has {own.bits} bits, expected {kind.bits}{more}"
    return None
