"""Lanes of a warp read different addresses of constant memory.

What it does
    Reports loads from constant memory by which the lanes of a warp read more than two distinct
    addresses.

Why it is bad
    Constant memory serves one address after the other: a broadcast is as fast as a register, 32
    addresses are 32 times as slow.

How to fix
    A warp-uniform index; for a table indexed by the thread, global memory (read through the cache)
    or shared memory.

Known limitations
    Loaded indices are undecided unless a replay shows them.

References
    CUDA C++ Programming Guide, "Device Memory Accesses", Constant Memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.rules._traffic import costly

RULE = Rule(
    id="serialized-constant",
    severity=Severity.WARNING,
    tags=("traffic",),
    summary="lanes of a warp read different addresses of constant memory",
    property=Property.COSTS,
)

BAD = """
.const .align 4 .b8 table[128];
// launch: --block 32 --grid 1 --buffer y=128 --params y
.visible .entry lookup(.param .u64 y) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    mov.u64 %rd3, table;
    add.s64 %rd4, %rd3, %rd2;
    ld.const.u32 %r2, [%rd4];  // expect: serialized-constant
    add.s64 %rd5, %rd1, %rd2;
    st.global.u32 [%rd5], %r2;
    ret;
}
"""

GOOD = BAD.replace("[%rd4];", "[%rd3+4];")


ADVICE = "use a warp-uniform index, or keep the table in shared memory"


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        if access.space == "const":
            yield from costly(RULE, facts, access, "a warp's constant", ADVICE)
