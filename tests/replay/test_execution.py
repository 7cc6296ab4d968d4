"""Proofs by execution: a run without a fault has no conflict in any order of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from random import Random

import pytest
from msgspec.structs import replace

from ptxlint.api import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import Extent, Launch
from ptxlint.facts.kernel_facts import Facts
from ptxlint.results.verdict import Property, Status
from ptxlint.verdicts.execution import ORDERED, executed, fixed, ordered, run_of

from .judging import kernel_of

THREADS, BLOCKS, WARP = 64, 2, 32
CTA, WARPS = "bar.sync 0;", "bar.warp.sync 0xffffffff;"
HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
BEGIN = """.visible .entry k(.param .u64 y, .param .u32 n, .param .f32 f) {
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<4>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd1, [y];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, tile;
    shl.b32 %r4, %r1, 2;
    add.u32 %r5, %r3, %r4;
    st.shared.u32 [%r5], %r1;
    bar.sync 0;
"""
LAUNCH = Launch(
    block=(THREADS, 1, 1), grid=(BLOCKS, 1, 1), values={1: Range(64, 64)},
    buffers={0: Extent(Range(1024, 1024))}, names=("y", "n", "f"),
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """An access by the threads below a bound, at word ``(factor * t + shift + stride * block) &
    mask`` of an array, and what follows it."""

    space: str
    store: bool
    factor: int
    shift: int
    stride: int
    below: int
    after: str

    @classmethod
    def drawn(cls, random: Random) -> Step:
        space = random.choice(("shared", "shared", "global"))
        return cls(
            space, random.random() < 0.6,
            random.choice((0, 1, 1, 1, 2, 3)), random.choice((0, 0, 1, 32)),
            64 if space == "global" and random.random() < 0.8 else 0,
            random.choice((1, 16, 32, THREADS, THREADS)), random.choice((CTA, CTA, WARPS, "")),
        )  # fmt: skip

    @property
    def mask(self) -> int:
        return 63 if self.space == "shared" else 255

    def word(self, block: int, thread: int) -> int | None:
        if thread >= self.below:
            return None
        return (self.factor * thread + self.shift + self.stride * block) & self.mask

    def text(self) -> str:
        base, wide = ("%r3", "%r6") if self.space == "shared" else ("%rd1", "%rd2")
        scaled = "shl.b32 %r6, %r6, 2;" if self.space == "shared" else "mul.wide.u32 %rd2, %r6, 4;"
        width = "u32" if self.space == "shared" else "u64"
        access = f"st.{self.space}.u32 [{wide}], %r9;"
        return f"""
    mad.lo.u32 %r6, %r1, {self.factor}, {self.shift};
    mad.lo.u32 %r6, %r2, {self.stride}, %r6;
    and.b32 %r6, %r6, {self.mask};
    {scaled}
    add.{width} {wide}, {base}, {wide};
    setp.lt.u32 %p1, %r1, {self.below};
    @%p1 {access if self.store else f"ld.{self.space}.u32 %r8, [{wide}];"}
    {self.after}"""


def facts_of(body: str) -> Facts:
    return Facts(kernel_of(f"{HEAD}{BEGIN}{body}\n    ret;\n}}\n"), LAUNCH, "sm_80")


def faultless(facts: Facts) -> bool:
    outcome = run_of(facts, None, True)
    return outcome is not None and not outcome.faults


def conflict(steps: list[Step]) -> bool:
    """True if two threads access one word with no barrier of both between."""

    def words(step: Step) -> Iterator[tuple[int, int, int]]:
        for block in range(BLOCKS):
            for thread in range(THREADS):
                word = step.word(block, thread)
                if word is not None:
                    yield word, block, thread

    for one, other in combinations_with_replacement(range(len(steps)), 2):
        first, last = steps[one], steps[other]
        if first.space != last.space or not (first.store or last.store):
            continue
        between = {step.after for step in steps[one:other]}
        for word, block, thread in words(first):
            for same, there, mate in words(last):
                if word != same or (block, thread) == (there, mate):
                    continue
                if block != there:
                    if first.space == "global":
                        return True
                elif CTA not in between and not (
                    WARPS in between and thread // WARP == mate // WARP
                ):
                    return True
    return False


def test_a_run_is_without_a_fault_if_and_only_if_no_two_accesses_conflict() -> None:
    random, clean = Random(7), 0
    for _ in range(60):
        steps = [Step.drawn(random) for _ in range(random.randint(2, 4))]
        facts = facts_of("".join(step.text() for step in steps))
        assert fixed(facts) and ordered(facts)
        free = not conflict(steps)
        assert faultless(facts) is free, steps
        clean += free
    assert 12 < clean < 48


ELSEWHERE = {
    "an undefined predicate decides": (
        "@%p3 st.shared.u32 [%r3], %r9; @%p3 bra $b; bar.sync 0; $b:"
    ),
    "a place in memory decides": (
        "ld.param.u64 %rd3, [y]; and.b64 %rd3, %rd3, 512; setp.eq.u64 %p1, %rd3, 0; "
        "@%p1 st.shared.u32 [%r3], %r9;"
    ),
    "an address is scaled": (
        "ld.param.u64 %rd3, [y]; shl.b64 %rd3, %rd3, 1; st.global.u32 [%rd3], %r9;"
    ),
    "an undeclared number decides": (
        "ld.param.f32 %f1, [f]; setp.gt.f32 %p1, %f1, 0f00000000; @%p1 st.shared.u32 [%r3], %r9;"
    ),
    "an address is loaded": (
        "ld.shared.u32 %r7, [%r5]; and.b32 %r7, %r7, 252; st.shared.u32 [%r7], %r1;"
    ),
    "a branch is loaded": (
        "ld.shared.u32 %r7, [%r5]; setp.eq.u32 %p1, %r7, 0; @%p1 bra $a; bar.sync 0; $a:"
    ),
    "half of a warp waits": "bar.warp.sync 0xffff;",
    "a fence orders blocks": "membar.gl;",
    "warps only arrive": "bar.arrive 1, 64;",
    "the multiprocessor decides": (
        "mov.u32 %r7, %smid; setp.eq.u32 %p1, %r7, 0; @%p1 st.shared.u32 [%r3], %r7;"
    ),
    "the active lanes decide": (
        "activemask.b32 %r7; setp.eq.u32 %p1, %r7, 0; @%p1 st.shared.u32 [%r5], %r7;"
    ),
}


@pytest.mark.parametrize("why", ELSEWHERE)
def test_one_run_decides_nothing_where(why: str) -> None:
    facts = facts_of(ELSEWHERE[why])
    assert not (fixed(facts) and ordered(facts))


EXIT = """
    setp.ge.u32 %p2, %r1, 48;
    @%p2 ret;
    bar.sync 0;
    ld.shared.u32 %r7, [tile+252];
"""


def test_a_barrier_does_not_order_what_came_before_an_exit() -> None:
    """Thread 63 stores the word that the others read, and exits."""
    assert faultless(facts_of(EXIT))  # the barrier before orders its first store
    assert not faultless(facts_of(f"    st.shared.u32 [%r5], %r9;{EXIT}"))


AROUND_ARITHMETIC = """
    ld.shared.u32 %r7, [%r5];
    setp.eq.u32 %p1, %r7, 0;
    @%p1 bra $zero;
    div.u32 %r8, %r9, %r7;
$zero:
    st.shared.u32 [ADDRESS], %r8;
"""


@pytest.mark.parametrize(("address", "decided"), [("%r5", True), ("%r8", False)])
def test_a_branch_around_arithmetic_decides_no_access(address: str, decided: bool) -> None:
    """Unless the address depends on the arithmetic."""
    body = "    mov.u32 %r8, %r5;" + AROUND_ARITHMETIC.replace("ADDRESS", address)
    assert fixed(facts_of(body)) is decided


SUM = """
    mov.u32 %r6, 32;
$more:
    setp.ge.u32 %p1, %r1, %r6;
    @%p1 bra $wait;
    shl.b32 %r7, %r6, 2;
    add.u32 %r7, %r7, %r5;
    ld.shared.u32 %r8, [%r7];
    ld.shared.u32 %r10, [%r5];
    add.u32 %r8, %r8, %r10;
    st.shared.u32 [%r5], %r8;
$wait:
    BARRIER
    shr.u32 %r6, %r6, 1;
    setp.ne.u32 %p2, %r6, 0;
    @%p2 bra $more;
    ret;
}
"""


def test_a_tree_of_sums_is_free_of_races_in_a_declared_launch() -> None:
    def races(barrier: str) -> Status:
        launch = Contract(
            block=THREADS, grid=BLOCKS, params="y,n,f", args={"n": 64}, buffers={"y": 1024}
        )
        report = check(HEAD + BEGIN + SUM.replace("BARRIER", barrier), launches=launch)
        return next(each.status for each in report.summary.verdicts if each.name is Property.RACES)

    assert races(CTA) is Status.PROVED
    assert races("") is not Status.PROVED


# --- bounds and alignment

CUBIC = """.visible .entry k(.param .u64 y, .param .u64 z, .param .u64 shift) {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<16>;
    ld.param.u64 %rd1, [y];
    ld.param.u64 %rd2, [z];
    ld.param.u64 %rd3, [shift];
    INDEX
    sub.u32 %r2, 63, %r1;
    mul.lo.u32 %r2, %r1, %r2;
    mul.lo.u32 %r2, %r1, %r2;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd5, %rd5, %rd3;
    BODY
    ret;
}
"""
"""Offsets from the start of y: 4*i*i*(63 - i) + shift, which are at most those of i = 42."""
GREATEST = 4 * 42 * 42 * 21
THREAD = "mov.u32 %r1, %tid.x;"
STORE = "st.global.u32 [%rd5], %r1;"


def last_access(
    body: str = STORE, shift: int = 0, y: Extent | None = None, index: str = THREAD
) -> tuple[bool, bool]:
    """True if a run proves that the last access is inside of its region; that it is aligned."""
    text = HEAD + CUBIC.replace("INDEX", index).replace("BODY", body)
    whole = Extent(Range(GREATEST + 4, GREATEST + 4))
    launch = replace(
        LAUNCH, values={2: Range(shift, shift)}, names=("y", "z", "shift"),
        buffers={0: y or whole, 1: Extent(Range(64, 64))},
    )  # fmt: skip
    facts = Facts(kernel_of(text), launch, "sm_80")
    found = executed(facts, {about: {} for about in ORDERED})
    *_, access = facts.accesses
    assert not access.in_bounds, "the analyses prove it without a run"
    return access.instr in found.inside, access.instr in found.aligned


def test_a_run_proves_the_bounds_and_the_alignment_of_what_it_accesses() -> None:
    assert last_access() == (True, True)
    assert last_access(shift=4) == (False, True)
    assert last_access(shift=-4) == (False, True)
    assert last_access(shift=-2) == (False, False)


def test_an_access_that_never_happens_is_safe() -> None:
    assert last_access(f"setp.gt.u32 %p1, %r2, {GREATEST // 4}; @%p1 {STORE}", shift=1 << 20) == (
        True,
        True,
    )


def test_an_access_that_hits_another_buffer_is_out_of_bounds() -> None:
    apart = (1 << 32) + (1 << 36)  # bytes between two small buffers of a run
    other = f"and.b64 %rd4, %rd4, 60; add.s64 %rd5, %rd1, %rd4; add.s64 %rd5, %rd5, %rd3; {STORE}"
    assert last_access(other, shift=apart) == (False, True)


def test_the_least_extent_counts() -> None:
    assert not last_access(y=Extent(Range(GREATEST, GREATEST + 4)))[0]


@pytest.mark.parametrize(("align", "aligned"), [(256, True), (8, True), (4, False)])
def test_an_address_is_aligned_no_better_than_its_buffer(align: int, aligned: bool) -> None:
    wide = "add.s64 %rd5, %rd5, %rd4; st.global.v2.u32 [%rd5], {%r1, %r1};"
    y = Extent(Range(2 * GREATEST + 8, 2 * GREATEST + 8), align)
    assert last_access(wide, y=y) == (True, aligned)


def test_a_fault_of_another_access_changes_nothing() -> None:
    assert last_access(f"st.global.u32 [%rd2+64], %r1; {STORE}") == (True, True)


@pytest.mark.parametrize(
    "index",
    [
        "ld.global.u32 %r1, [%rd2];",
        "mov.u32 %r1, %clock;",
        "shr.u64 %rd6, %rd2, 8; cvt.u32.u64 %r1, %rd6;",
        "unheard.of.u32 %r1, %r2;",
    ],
)
def test_what_the_launch_does_not_decide_is_not_proved(index: str) -> None:
    assert last_access(index=f"{index} and.b32 %r1, %r1, 63;") == (False, False)


def test_an_undeclared_buffer_is_not_proved() -> None:
    other = f"add.s64 %rd5, %rd2, %rd4; {STORE}"
    text = HEAD + CUBIC.replace("INDEX", THREAD).replace("BODY", other)
    launch = replace(LAUNCH, values={2: Range(0, 0)}, buffers={}, names=("y", "z", "shift"))
    facts = Facts(kernel_of(text), launch, "sm_80")
    assert not executed(facts, {about: {} for about in ORDERED}).inside
