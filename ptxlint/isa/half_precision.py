"""Half and mixed precision (PTX ISA 9.4, "Half Precision Floating Point Instructions", "Mixed
Precision Floating Point Instructions").

The types are f16 and bf16, alone or two in a word. f16 has operators of its own; bf16 goes through
32 bits (``formats``). In mixed precision the narrow operands are converted, which is exact, and the
operation is one of f32. Not modelled: mixed packed forms that narrow their result, packed fp8.
"""

from __future__ import annotations

from analyses.algebra import Algebra, V
from analyses.program import Effect
from ptxlint.isa.floating_point import (
    absolute,
    add,
    approximate,
    fma,
    greatest,
    least,
    mul,
    opposite,
    sub,
)
from ptxlint.isa.formats import floating, packed, single
from ptxlint.isa.row import Form, WordSemantics, op


def mixed(operation: WordSemantics) -> WordSemantics:
    """An operation of f32 on operands of which those of another type are converted first."""

    def one(o: Algebra[V], f: Form, *words: V) -> V:
        bits, narrow = f.type.bits, f.types[1]
        converted = [a if o.width(a) == bits else single(o, narrow, a) for a in words]
        return operation(o, f, f.mode, *converted)

    return packed(one)


F16 = "f16 f16x2"
BF16 = "bf16 bf16x2"
AT = "half-precision-floating-point-instructions-"
MIXED = "mixed-precision-floating-point-instructions-"
EXTREMES = (("min", least), ("max", greatest))

ROWS = (
    *(row for name, operation in (("add", add), ("sub", sub), ("mul", mul)) for row in (
        op(f"{name}{{.rnd}}{{.ftz}}{{.sat}}.type d, a, b", at=AT + name, rnd="rn", types=F16,
           sem=floating(operation)),
        op(f"{name}{{.rnd}}.type d, a, b", at=AT + name, rnd="rn", types=BF16,
           sem=floating(operation)),
    )),
    op("fma.rnd{.ftz}{.sat}.type d, a, b, c", at=AT + "fma", rnd="rn", types=F16,
       sem=floating(fma)),
    op("fma.rnd{.ftz}.relu.type d, a, b, c", at=AT + "fma", rnd="rn", types=F16,
       sem=floating(fma)),
    op("fma.rnd{.relu}.type d, a, b, c", at=AT + "fma", rnd="rn", types=BF16, sem=floating(fma)),
    op("fma.rnd.oob{.relu}.type d, a, b, c", at=AT + "fma", rnd="rn", types=f"{F16} {BF16}",
       effects=Effect.UNMODELLED),
    op("abs{.ftz}.type d, a", at=AT + "abs", types=F16, sem=packed(absolute)),
    op("abs.type d, a", at=AT + "abs", types=BF16, sem=packed(absolute)),
    op("neg{.ftz}.type d, a", at=AT + "neg", types=F16, sem=packed(opposite)),
    op("neg.type d, a", at=AT + "neg", types=BF16, sem=packed(opposite)),
    *(row for name, operation in EXTREMES for row in (
        op(f"{name}{{.ftz}}{{.NaN}}.type d, a, b", at=AT + name, types=F16,
           sem=floating(operation)),
        op(f"{name}{{.NaN}}.type d, a, b", at=AT + name, types=BF16, sem=floating(operation)),
        op(f"{name}{{.ftz}}{{.NaN}}.xorsign.abs.type d, a, b", at=AT + name, types=F16,
           sem=floating(operation)),
        op(f"{name}{{.NaN}}.xorsign.abs.type d, a, b", at=AT + name, types=BF16,
           sem=floating(operation)),
    )),
    op("tanh.approx.type d, a", at=AT + "tanh", types=f"{F16} {BF16}", sem=approximate("tanh")),
    op("ex2.approx.type d, a", at=AT + "ex2", types=F16, sem=approximate("ex2")),
    op("ex2.approx.ftz.type d, a", at=AT + "ex2", types=BF16, sem=approximate("ex2")),
    *(row for name, operation in (("add", add), ("sub", sub)) for row in (
        op(f"{name}{{.rnd}}{{.sat}}.f32.atype d, a:atype, c", at=MIXED + name, atype="f16 bf16",
           sem=mixed(operation)),
        op(f"{name}{{.rnd}}{{.ftz}}.f32x2.atype.f32x2 d, a:atype, c", at=MIXED + name,
           atype="f16x2 bf16x2", sem=mixed(operation)),
    )),
    op("fma.rnd{.sat}.f32.atype d, a:atype, b:atype, c", at=MIXED + "fma", atype="f16 bf16",
       sem=mixed(fma)),
    op("fma.rnd{.ftz}.f32x2.atype.f32x2.f32x2 d, a:atype, b, c", at=MIXED + "fma",
       atype="f16x2 bf16x2", sem=mixed(fma)),
    *(op(f"{name}.rnd{{.ftz}}.dtype.f32x2.f32x2 d, a:f32x2, b:f32x2", at=MIXED + name,
         dtype="f16x2 bf16x2", effects=Effect.UNMODELLED) for name in ("add", "sub", "mul")),
    op("fma.rnd{.ftz}.dtype.f32x2.f32x2.f32x2 d, a:f32x2, b:f32x2, c:f32x2", at=MIXED + "fma",
       dtype="f16x2 bf16x2", effects=Effect.UNMODELLED),
)  # fmt: skip
