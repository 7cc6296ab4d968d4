"""Two threads access the same bytes, at least one writes, and nothing orders the accesses.

What it does
    Reports accesses to shared and global memory that conflict with another thread's on the
    interpreter: at least one of the two writes, they are not both atomic, and no barrier, warp
    barrier, fence or barrier object orders them. Atomics and fences of scope ``.cta``
    (``atomicAdd_block``, ``__threadfence_block``) order threads of one block only. ``cp.async``
    conflicts with accesses of its own thread too, until the thread waits for it.

Why it is bad
    The order changes from run to run, also inside a warp: since compute capability 7.0 lanes do
    not run in lockstep. An update by a load and a store is lost if two threads do it at the same
    time.

How to fix
    For a copy: ``cp.async.wait_group`` or ``wait_all``, then a barrier before other threads read.
    ``__syncthreads()`` between the write and the read, ``__syncwarp()`` inside a
    warp, an atomic for an update by several threads.

Known limitations
    Checked only if block and grid are declared, the grid by numbers or by a formula, and shown
    only if every integer is that decides where and when memory is accessed: a value or a range, of
    which the bounds and some values between are tried. A race is reported if a run shows it, of a
    large grid in its first and last blocks. Where data decide, several contents of the
    buffers are tried, inside of declared ``--values``. A race that some of them avoid, as distinct
    indices of a scatter do, is undecided; that of a load and a store which update one word, as in a
    histogram, is a warning. A plain load of global memory that conflicts with atomics only is not
    reported: loops of compare-and-swap begin so. In shared memory, and by ``ptxlint run``, it is
    unless a compare-and-swap expects its word. Nor are stores of the same word. Buffers are assumed
    not to overlap; ``ptxlint contract`` lists those that must not.

References
    PTX ISA, "Memory Consistency Model". CUDA C++ Programming Guide, "Independent Thread
    Scheduling".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, DataRace
from ptxlint.facts.agreement import must_agree
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="data-race",
    severity=Severity.ERROR,
    tags=("memory", "sync"),
    summary="unordered accesses of two threads to the same bytes, at least one a write",
    property=Property.RACES,
)

BAD = """
// launch: --block 64 --grid 1 --buffer out=4*64
// params: out
.visible .entry reversed(.param .u64 out) {
    .shared .align 4 .b8 line[256];
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, line;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    sub.u32 %r4, %r3, %r2;
    ld.shared.u32 %r5, [%r4+252];  // expect: data-race
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    cvt.u64.u32 %rd2, %r2;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
"""

APART = "separate the two by a barrier, or make the update atomic"
WIDER = "the scope of an atomic that threads of several blocks make is .gpu: without _block"
GOOD = BAD.replace("    sub.u32", "    bar.sync 0;\n    sub.u32")


def check(facts: Facts) -> Iterator[Claim]:
    candidates = facts.race_candidates if facts.launch.has_grid else ()
    if not candidates:
        return
    updated = facts.updates
    for access in facts.accesses:
        if access.instr not in candidates:
            continue
        region = access.place.region
        name = region_name(region) if region is not None else f"{access.space} memory"
        agree = must_agree(facts, access.place)
        harm = DataRace(("data-race",), frozenset({"race"}), access.instr in updated, agree)
        yield RULE.claim(
            access.instr,
            f"data race: {access.place.access.kind} of `{name}` and another thread's access",
            False,
            access=described(access),
            harm=harm if facts.launch.decided(facts.kernel) else None,
            help=WIDER if access.place.access.cta else APART,
            unless="the accesses may be ordered or disjoint",
        )
