"""A read of a register that was never written.

What it does
    Reports instructions that read a register without a reaching definition, on every path or on
    the path that the interpreter took.

Why it is bad
    The value is undefined: results change with the compiler, the driver and the previous kernel.

How to fix
    Initialise the register, or read it under the guard of the write only.

Known limitations
    Registers only; for memory see uninitialized-read. A copy (``mov``, ``st``) of an undefined
    value is not reported: debug builds copy padding. The results of calls count as written.

References
    PTX ISA, "Register State Space".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Undefined
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import register
from ptxlint.results.finding import Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="undefined-register",
    severity=Severity.ERROR,
    tags=("structure",),
    summary="a read of a register that was never written",
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry stale() {
    .shared .align 4 .b8 tile[128];
    .reg .b32 %r<4>;
    mov.u32 %r1, %ntid.x;
    add.s32 %r3, %r1, %r2;  // expect: undefined-register
    st.shared.u32 [tile], %r3;
    ret;
}
"""

GOOD = BAD.replace(
    "    mov.u32 %r1, %ntid.x;\n", "    mov.u32 %r1, %ntid.x;\n    mov.u32 %r2, 1;\n"
)


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            for use in instr.reads:
                never = isinstance(use, Undefined)
                if not never and use not in facts.undefined:
                    continue
                name = use.name if isinstance(use, Undefined) else register(use)
                certain = never and facts.unconditional(block.index)
                yield RULE.claim(
                    instr,
                    f"{name} is read but never written before",
                    certain,
                    harm=Faulting(("undefined-register",)),
                    help="give it an initial value",
                    unless="it may be written on every executed path",
                )
                break
