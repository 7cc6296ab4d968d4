"""An effect of a register that was never written.

What it does
    Reports addresses, predicates, branch conditions, operands of barriers and atomics, and words
    computed and stored to global memory, that depend on a register without a reaching definition:
    on every path, or on the path that the interpreter took.

Why it is bad
    The value is undefined: results change with the compiler, the driver and the previous kernel.

How to fix
    Initialise the register, or use it under the guard of the write only.

Known limitations
    What has no effect is not reported: compilers select, shuffle and add undefined words whose
    result is then not used. Nor is a copy (``mov``, ``st``) of an undefined word: debug builds copy
    padding. A word that was stored and loaded again counts as written, as do the results of calls;
    for memory see uninitialized-read.

References
    PTX ISA, "Register State Space". Stepanov & Serebryany, "MemorySanitizer", CGO 2015.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import register
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="undefined-register",
    severity=Severity.ERROR,
    tags=("structure",),
    summary="an effect of a register that was never written",
    property=Property.INITIALISATION,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry stale() {
    .shared .align 4 .b8 tile[128];
    .reg .b32 %r<4>;
    mov.u32 %r1, tile;
    add.s32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r1;  // expect: undefined-register
    ret;
}
"""

GOOD = BAD.replace("    mov.u32 %r1, tile;\n", "    mov.u32 %r1, tile;\n    mov.u32 %r2, 4;\n")


def check(facts: Facts) -> Iterator[Claim]:
    undefined, reported = facts.undefined, set[PtxInstr]()
    for block, effect in undefined.all_effects(facts.kernel):
        if effect.instr in reported:
            continue
        reported.add(effect.instr)
        access = effect.instr.access
        masked = access is not None and access.mask not in (None, effect.operand)
        certain = undefined.always(effect.operand) and not masked
        yield RULE.claim(
            effect.instr,
            f"{effect.role} depends on {register(undefined.origin(effect.operand) or '')}, which "
            "was never written",
            certain and facts.unconditional(block.index),
            harm=Faulting(("undefined-register",)),
            help="give it an initial value",
            unless="it may be written on every executed path",
        )
