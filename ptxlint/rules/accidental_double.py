"""Arithmetic in double precision between single-precision values.

What it does
    Reports double-precision arithmetic on constants and on values widened from single precision
    (or from 32-bit integers), if the result is narrowed to single precision again.

Why it is bad
    Most GPUs have 32 or 64 times fewer units for doubles. A literal without an ``f`` is enough to
    make an expression double.

How to fix
    ``2.0f`` instead of ``2.0``, ``fabsf`` instead of ``fabs``; or a comment, if double precision is
    intended.

Known limitations
    The intention is unknown: this is a note.

References
    CUDA C++ Best Practices Guide, "Single vs Double Precision".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Constant, Operand, Value
from ptxlint.claim import Claim, RelatedInstr
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="accidental-double",
    severity=Severity.NOTE,
    tags=("work",),
    summary="double-precision arithmetic between single-precision values",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1 --buffer x=128 --params x
.visible .entry twice(.param .u64 x) {
    .reg .b32 %r1;
    .reg .f32 %f<3>;
    .reg .f64 %fd<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    cvt.f64.f32 %fd1, %f1;
    mul.f64 %fd2, %fd1, 0d4000000000000000;  // expect: accidental-double
    cvt.rn.f32.f64 %f2, %fd2;
    st.global.f32 [%rd3], %f2;
    ret;
}
"""

GOOD = (
    BAD.replace("    cvt.f64.f32 %fd1, %f1;\n", "")
    .replace(
        "mul.f64 %fd2, %fd1, 0d4000000000000000;",
        "mul.f32 %f2, %f1, 0f40000000;",
    )
    .replace("    cvt.rn.f32.f64 %f2, %fd2;\n", "")
)


def check(facts: Facts) -> Iterator[Claim]:
    defined = facts.values.definition
    widened: set[Value] = set()

    def narrow(operand: Operand) -> bool:
        return isinstance(operand, Constant) or operand in widened

    for instr in facts.kernel.instructions:
        kind = kinds(instr)
        if kind in WIDENED:
            widened.update(instr.defs)
        elif kind == ("f64",) and any(use in widened for use in instr.uses):
            if all(map(narrow, instr.uses)):
                widened.update(instr.defs)
        elif kind == ("f32", "f64") and instr.uses[0] in widened:
            origin = defined.get(instr.uses[0])
            if isinstance(origin, PtxInstr) and kinds(origin) == ("f64",):
                yield RULE.claim(
                    origin,
                    f"{origin.text} between single-precision values",
                    True,
                    related=(RelatedInstr("the result is narrowed here", instr),),
                    help="write constants with an f, unless double precision is intended",
                )


WIDENED = (("f64", "f32"), ("f64", "s32"), ("f64", "u32"))
"""Conversions to a double that lose nothing."""


def kinds(instr: PtxInstr) -> tuple[str, ...]:
    """The types of an instruction that computes with floats, without repetition."""
    if instr.form is None or instr.access is not None or instr.copies:
        return ()
    return tuple(dict.fromkeys(kind.name for kind in instr.form.types))
