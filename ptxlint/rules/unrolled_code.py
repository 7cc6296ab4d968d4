"""Unrolled code: many copies of the same instructions, one after the other, instead of a loop.

What it does
    Reports a basic block in which at least 64 copies of the same 4 to 512 instructions follow each
    other, 1000 instructions or more in all. Registers and constants may differ.

Why it is bad
    The time of ptxas grows faster than the code, and instructions that no longer fit into the
    instruction cache are fetched from memory by every warp.

How to fix
    A loop: ``#pragma unroll 1``, or ``#pragma unroll 8`` where a few copies hide latency. Numbers
    that differ by copy become a table.

Known limitations
    Copies that the compiler has interleaved, or of which some have other instructions, are not
    recognised. A run of fewer than 4 instructions, as of ``fma`` in a product of matrices, is not
    reported: its operands are registers, which no loop can index.

References
    CUDA C++ Programming Guide, "#pragma unroll".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.thresholds import COPIES, PERIODS, UNROLLED

RULE = Rule(
    id="unrolled-code",
    severity=Severity.NOTE,
    tags=("size",),
    summary="many copies of the same instructions instead of a loop",
    property=Property.COSTS,
)

_HEAD = """
// launch: --block 32 --grid 1 --buffer x=64000 --buffer y=128 --params x,y
.visible .entry sum(.param .u64 x, .param .u64 y) {
    .reg .pred %p;
    .reg .f32 %f<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd4, %rd2, %rd3;
    mov.f32 %f1, 0f00000000;
    mov.u32 %r2, 0;
"""
_COPY = """    ld.global.f32 %f2, [%rd1];
    max.f32 %f2, %f2, 0f3F800000;
    add.f32 %f1, %f1, %f2;
    add.s64 %rd1, %rd1, 128;
"""
_TAIL = """    st.global.f32 [%rd4], %f1;
    ret;
}
"""

BAD = _HEAD + _COPY.replace("];", "];  // expect: unrolled-code", 1) + 299 * _COPY + _TAIL
GOOD = f"""{_HEAD}AGAIN:
{_COPY}    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 300;
    @%p bra AGAIN;
{_TAIL}"""


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        instrs = list(facts.instructions(block))
        if len(instrs) < UNROLLED:
            continue
        from analyses.repetition import repetition  # which needs numpy

        run = repetition([instr.text for instr in instrs], PERIODS, COPIES, UNROLLED)
        if run is None:
            continue
        copy = instrs[run.start : run.start + run.period]
        yield RULE.claim(
            next((instr for instr in copy if instr.access is not None), copy[0]),
            f"{run.times} copies of {run.period} instructions follow each other",
            True,
            help="write a loop, and forbid the compiler to unroll it",
        )
