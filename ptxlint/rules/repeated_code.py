"""A redundant computation: a costly instruction repeated with the same operands.

What it does
    Reports divisions, remainders, roots and transcendental functions of the same operands, if the
    first dominates the second.

Why it is bad
    Each of them takes as long as ten to a hundred additions, and ptxas does not always eliminate
    the second.

How to fix
    Keep the first result in a variable.

Known limitations
    Equal operands are recognised by their register: a copy or an equivalent computation hides the
    repetition. Loop-invariant computations are not reported.

References
    CUDA C++ Programming Guide, "Maximize Instruction Throughput".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, RelatedInstr
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="repeated-code",
    severity=Severity.NOTE,
    tags=("work",),
    summary="a costly instruction repeated with the same operands",
    property=Property.COSTS,
)

BAD = """
// launch: --block 32 --grid 1 --arg n=7 --buffer y=256 --params n,y
.visible .entry again(.param .u32 n, .param .u64 y) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [y];
    mov.u32 %r2, %tid.x;
    div.u32 %r3, %r2, %r1;
    mul.wide.u32 %rd2, %r3, 4;
    add.s64 %rd3, %rd1, %rd2;
    div.u32 %r4, %r2, %r1;  // expect: repeated-code
    st.global.u32 [%rd3], %r4;
    ret;
}
"""

GOOD = BAD.replace("    div.u32 %r4, %r2, %r1;  // expect: repeated-code\n", "").replace(
    "[%rd3], %r4;", "[%rd3], %r3;"
)


COSTLY = frozenset({"div", "rem", "sqrt", "rsqrt", "rcp", "sin", "cos", "lg2", "ex2", "tanh"})


def check(facts: Facts) -> Iterator[Claim]:
    tree = facts.values.tree
    known: dict[object, list[tuple[int, PtxInstr]]] = {}
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            if instr.form is None or instr.form.row.opcode not in COSTLY:
                continue
            before = known.setdefault((instr.text, instr.uses), [])
            first = next((i for b, i in before if tree.dominates(b, block.index)), None)
            before.append((block.index, instr))
            if first is not None:
                yield RULE.claim(
                    instr,
                    f"{instr.text} repeats an earlier computation",
                    True,
                    related=(RelatedInstr("first computed here", first),),
                    help="keep the first result",
                )
