"""A 64-bit integer division whose operands fit into 32 bits.

What it does
    Reports 64-bit integer divisions and remainders by a variable, if the ranges of both operands
    fit into 32 bits.

Why it is bad
    No GPU divides integers in hardware. A 64-bit division is a subroutine of about a hundred
    instructions, a 32-bit one of about twenty.

How to fix
    32-bit indices, or a cast of both operands before the division.

Known limitations
    Ranges need a declared launch and declared arguments. A division beside which the compiler
    wrote one of 32 bits, for operands that fit, is not reported.

References
    CUDA C++ Programming Guide, "Maximize Instruction Throughput", Arithmetic Instructions.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Constant, Operand
from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="slow-division",
    severity=Severity.NOTE,
    tags=("work",),
    summary="a 64-bit division whose operands fit into 32 bits",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1 --arg n=1..1000 --buffer y=128 --params n,y
.visible .entry column(.param .u32 n, .param .u64 y) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd5, [y];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd5, %rd4;
    cvt.u64.u32 %rd1, %r1;
    cvt.u64.u32 %rd2, %r2;
    rem.u64 %rd3, %rd2, %rd1;  // expect: slow-division
    cvt.u32.u64 %r3, %rd3;
    st.global.u32 [%rd5], %r3;
    ret;
}
"""

GOOD = (
    BAD.replace("    cvt.u64.u32 %rd1, %r1;\n    cvt.u64.u32 %rd2, %r2;\n", "")
    .replace("rem.u64 %rd3, %rd2, %rd1;", "rem.u32 %r3, %r2, %r1;")
    .replace("    cvt.u32.u64 %r3, %rd3;\n", "")
)


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            form = instr.form
            if form is None or form.row.opcode not in ("div", "rem") or not form.types:
                continue
            if form.type.floating or form.type.bits != 64 or isinstance(instr.uses[1], Constant):
                continue
            signed = form.type.signed
            fast = instr.defs[0] in facts.kernel.fast_divisions
            if fast or not facts.values.reached(block.index):
                continue
            if all(fits(facts, use, block.index, signed) for use in instr.uses[:2]):
                yield RULE.claim(
                    instr,
                    f"{instr.text}: both operands fit into 32 bits",
                    True,
                    help="divide as 32-bit integers",
                )


def fits(facts: Facts, operand: Operand, block: int, signed: bool) -> bool:
    fact = facts.guarded.at(operand, block)
    if fact.origin is not None or facts.values.numbers.is_bottom(fact):
        return False
    numbers = facts.values.interval(fact)
    low, high = numbers.signed_bounds() if signed else numbers.unsigned_bounds()
    return low >= (-(2**31) if signed else 0) and high < (2**31 if signed else 2**32)
