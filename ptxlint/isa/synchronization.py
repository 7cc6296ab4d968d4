"""Parallel synchronization and communication instructions (PTX ISA 9.4, section of that name).

An atomic's ``sem`` computes the new word in memory from the old one and the operands; its result is
the old word. Barriers are effects: ``simt`` makes threads wait, analyses ask who gets there.
"""

from __future__ import annotations

from typing import Any

from analyses.algebra import FloatMode
from analyses.program import Effect
from ptxlint.isa.row import Form, op

AT = "parallel-synchronization-and-communication-instructions-"
ORDER = "{.sem}{.scope}{.space}{.sub}"
INTEGER = "u32 s32 u64 s64"
BARRIER = Effect.BARRIER | Effect.CONVERGENT


def updated(o: Any, f: Form, old: Any, b: Any, c: Any = None) -> Any:
    """The word that an atomic leaves in memory."""
    zero, one = o.const(f.type.bits, 0), o.const(f.type.bits, 1)
    match f.one_of("add", "and", "or", "xor", "exch", "cas", "min", "max", "inc", "dec"):
        case "add":
            return o.fadd(old, b, FloatMode()) if f.type.floating else o.add(old, b)
        case "and":
            return o.and_(old, b)
        case "or":
            return o.or_(old, b)
        case "xor":
            return o.xor(old, b)
        case "exch":
            return b
        case "cas":
            return o.select(o.eq(old, b), c, old)
        case "min":
            return (o.min_s if f.type.signed else o.min_u)(old, b)
        case "max":
            return (o.max_s if f.type.signed else o.max_u)(old, b)
        case "inc":
            return o.select(o.lt_u(old, b), o.add(old, one), zero)
        case _:  # dec
            out_of_range = o.or_(o.eq(old, zero), o.lt_u(b, old))
            return o.select(out_of_range, b, o.sub(old, one))


def vote(o: Any, f: Form, p: Any, members: Any = None) -> Any:
    members = o.const(32, -1) if members is None else members
    return o.vote(f.one_of("all", "any", "uni", "ballot"), p, members)


ATOMIC = {
    "add": "u32 s32 u64 f32 f64",
    "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64",
    "exch": "b32 b64", "min": INTEGER, "max": INTEGER, "inc": "u32", "dec": "u32",
}  # fmt: skip

ROWS = (
    op("bar{.cta}.sync{.aligned} a:u32{, b:u32}", at=AT + "bar",
       effects=BARRIER | Effect.ALIGNED),
    op("bar{.cta}.arrive{.aligned} a:u32, b:u32", at=AT + "bar",
       effects=Effect.ARRIVE | Effect.CONVERGENT | Effect.ALIGNED),
    op("barrier{.cta}.sync.aligned a:u32{, b:u32}", at=AT + "bar",
       effects=BARRIER | Effect.ALIGNED),
    op("barrier{.cta}.sync a:u32{, b:u32}", at=AT + "bar", effects=BARRIER),
    op("bar.warp.sync a:u32", at=AT + "bar-warp-sync", effects=Effect.CONVERGENT),
    op("membar.level", at=AT + "membar", level="cta gl sys", effects=Effect.FENCE),
    op("fence{.order}{.scope}", at=AT + "membar", order="sc acq_rel acquire release",
       effects=Effect.FENCE),
    *(op(f"atom{ORDER}.{name}.type d, [a], b", at=AT + "atom", types=types,
         effects=Effect.ATOMIC, sem=updated) for name, types in ATOMIC.items()),
    op(f"atom{ORDER}.cas.type d, [a], b, c", at=AT + "atom", types="b32 b64",
       effects=Effect.ATOMIC, sem=updated),
    *(op(f"red{ORDER}.{name}.type [a], b", at=AT + "red", types=types,
         effects=Effect.ATOMIC, sem=updated) for name, types in ATOMIC.items() if name != "exch"),
    op("vote{.sync}.mode.type d, a{, b:u32}", at=AT + "vote-sync", mode="all any uni",
       types="pred", effects=Effect.CONVERGENT, sem=vote),
    op("vote{.sync}.ballot.type d, a:pred{, b:u32}", at=AT + "vote-sync", types="b32",
       effects=Effect.CONVERGENT, sem=vote),
    op("activemask.type d", at=AT + "activemask", types="b32", effects=Effect.CONVERGENT,
       sem=lambda o, f: o.active_mask()),
)  # fmt: skip
