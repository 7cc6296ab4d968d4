"""Barrier objects and bulk copies: threads wait for each other and for bytes, and no longer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptxlint.contracts.declaration import Range
from ptxlint.contracts.launch import Extent, Launch
from ptxlint.facts.kernel_facts import Facts
from ptxlint.simt import Allocation, ConcreteLaunch
from tests.observation.observe import observe
from tests.simt.programs import STORE, gives, kernel_of, ran, text_of

WORDS = np.arange(128, dtype=np.uint32) * 7 + 1
T = np.arange(64, dtype=np.uint32)
OBJECTS = """.shared .align 8 .b64 full; .shared .align 8 .b64 empty;
    .shared .align 128 .b8 tile[256]; mov.u32 %r20, tile; mov.u32 %r21, full; mov.u32 %r9, 0;
    shl.b32 %r22, %r1, 2; add.u32 %r22, %r22, %r20; setp.ne.u32 %p1, %r1, 0;"""
TILE = "ld.shared.u32 %r9, [%r22];"


def begun(full: int, empty: int = 1) -> str:
    """One thread makes the objects."""
    return f"""{OBJECTS} @%p1 bra MADE;
    mbarrier.init.shared.b64 [full], {full}; mbarrier.init.shared.b64 [empty], {empty};
    MADE: bar.sync 0;"""


def wait(parity: str | int = 0, name: str = "full", kind: str = "try_wait") -> str:
    label = f"{name}_{parity}_{kind}".replace("%", "")
    return f"""{label}: mbarrier.{kind}.parity.shared::cta.b64 %p2, [{name}], {parity};
    @!%p2 bra {label};"""


def fetch(size: str | int = 256, space: str = "shared::cluster") -> str:
    return f"""cp.async.bulk.{space}.global.mbarrier::complete_tx::bytes
    [%r20], [%rd2], {size}, [%r21];"""


EXPECT = "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full],"
PHASES = f"""{begun(64)} mov.u32 %r30, 0;
    AGAIN: mbarrier.arrive.shared.b64 %rd10, [full];
    W: mbarrier.test_wait.shared.b64 %p2, [full], %rd10; @!%p2 bra W;
    mbarrier.pending_count.b64 %r31, %rd10; mad.lo.u32 %r9, %r9, 2, %r31;
    add.u32 %r30, %r30, 1; setp.lt.u32 %p3, %r30, 3; @%p3 bra AGAIN; {STORE}"""
PRODUCER = f"{begun(1)} @%p1 bra ON; {EXPECT} 256; {fetch()} ON: {wait()} {TILE} {STORE}"
GUARDED = f"""{begun(1)} not.pred %p4, %p1; @%p4 {EXPECT} 256; @%p4 {fetch(space="shared::cta")}
    {wait()} {TILE} {STORE}"""
PIPELINE = f"""{begun(1, 32)} setp.gt.u32 %p3, %r1, 31; mov.u32 %r30, 0; @%p3 bra CONSUME;
    @%p1 bra OUT;
    PRODUCE: and.b32 %r31, %r30, 1; xor.b32 %r32, %r31, 1; {wait("%r32", "empty")}
    {EXPECT} 128; {fetch(128)}
    add.u64 %rd2, %rd2, 128; add.u32 %r30, %r30, 1; setp.lt.u32 %p4, %r30, 4; @%p4 bra PRODUCE;
    bra OUT;
    CONSUME: and.b32 %r31, %r30, 1; {wait("%r31")}
    ld.shared.u32 %r23, [%r22+-128]; mad.lo.u32 %r9, %r9, 3, %r23; bar.sync 1, 32;
    mbarrier.arrive.shared.b64 %rd10, [empty];
    add.u32 %r30, %r30, 1; setp.lt.u32 %p4, %r30, 4; @%p4 bra CONSUME; OUT: {STORE}"""
BACK = f"""{OBJECTS} st.shared.u32 [%r22], %r4; bar.sync 0; fence.proxy.async.shared::cta;
    @%p1 bra OUT; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r20], 256;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; OUT:"""
FILL = f"""{OBJECTS} st.shared.u32 [%r22], %r4; bar.sync 0; @%p1 bra ON; mov.u64 %rd10, 64;
    st.bulk.weak.shared::cta [%r20], %rd10, 0; ON: bar.sync 0; {TILE} {STORE}"""
REDUCED = f"""{OBJECTS} st.shared.u32 [%r22], %r4; bar.sync 0; @%p1 bra OUT;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.{{}}.u32 [%rd1], [%r20], 256;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.{{}}.u32 [%rd1], [%r20], 128; OUT:"""
ADDED, GREATEST = REDUCED.format("add", "add"), REDUCED.format("inc", "max")
HALVES = f"""{OBJECTS} cvt.rn.f16.u32 %h1, %r1; mov.b32 %r23, {{%h1, %h1}};
    st.shared.u32 [%r22], %r23; bar.sync 0; @%p1 bra OUT;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r20], 256;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r20], 256; OUT:"""
INTO = "shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
TO_SHARED = f"""{begun(1)} .shared .align 128 .b8 more[256];
    mov.u32 %r24, more; shl.b32 %r25, %r1, 2;
    add.u32 %r25, %r25, %r24; st.shared.u32 [%r25], %r4; st.shared.u32 [%r22], 100; bar.sync 0;
    @%p1 bra ON; {EXPECT} 256;
    cp.async.bulk.{INTO} [%r20], [%r24], 256, [full]; {wait()}
    {EXPECT.replace("full", "empty")} 256;
    cp.reduce.async.bulk.{INTO}.add.u32 [%r20], [%r24], 256, [empty];
    ON: {wait(name="empty")} {TILE} {STORE}"""
STORED = f"""{begun(1)} @%p1 bra ON; {EXPECT} 256; ON: bar.sync 0; mul.lo.u32 %r23, %r4, 2;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r22], %r23, [%r21];
    {wait()} {TILE} {STORE}"""
UPDATED = f"""{begun(1)} @%p1 bra ON; {EXPECT} 256; ON: st.shared.u32 [%r22], %r4; bar.sync 0;
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32
        [%r22], %r4, [%r21];
    {wait()} {TILE} {STORE}"""
PROGRAMS = {"phases": PHASES, "producer": PRODUCER, "guarded": GUARDED, "pipeline": PIPELINE,
            "back": BACK, "fill": FILL, "added": ADDED, "greatest": GREATEST, "halves": HALVES,
            "to shared": TO_SHARED, "stored": STORED, "updated": UPDATED}  # fmt: skip
RUNS: tuple[dict[str, Any], ...] = (
    {}, {"checks": "race init sync"}, {"schedule": 1}, {"schedule": 7, "checks": "race init sync"},
)  # fmt: skip


def expected(name: str) -> Any:
    match name:
        case "producer" | "guarded":
            return WORDS[:64]
        case "pipeline":
            a, b, c, d = WORDS.reshape(4, 32)
            return [0] * 32 + (((a * 3 + b) * 3 + c) * 3 + d).tolist()
        case "fill":
            return np.where(T < 16, 0, T)
        case "added":
            return np.where(T < 32, 2 * T, T)
        case "greatest":
            return np.where(T < 32, T, 0) + np.where((T > 0) & (T >= 32), 1, 0)
        case "halves":
            return (2 * T).astype(np.float16).repeat(2).view("u4")
        case "to shared" | "stored" | "updated":
            return 2 * T
    return T


@pytest.mark.parametrize("how", RUNS, ids=str)
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "phases"])
def test_threads_find_what_they_waited_for(name: str, how: dict[str, Any]) -> None:
    gives(ran(PROGRAMS[name], 64, x=WORDS, **how), expected(name))


def test_the_state_of_a_phase_says_how_many_were_to_come() -> None:
    """In lane order, 64 to 1, in each of three phases."""
    gives(ran(PHASES, 64), (64 - T) * 7)


@pytest.mark.parametrize("blocks", [1, 3])
def test_each_block_has_objects_of_its_own(blocks: int) -> None:
    result = ran(PRODUCER, 64, blocks, x=WORDS)
    gives(result, np.tile(WORDS[:64], blocks))


def asked(changes: str, count: int = 4, parity: int = 0) -> int:
    """Whether the phase is over when one thread has done this."""
    body = f"""{begun(count)} @%p1 bra OUT; {changes}
        mbarrier.test_wait.parity.shared.b64 %p2, [full], {parity}; selp.u32 %r9, 1, 0, %p2;
        {STORE} OUT:"""
    result = ran(body)
    assert not result.faults
    return int(result.y()[0])


ARRIVE = "mbarrier.arrive.release.cta.shared::cta.b64 _, [full]"
DROP = "mbarrier.arrive_drop.shared.b64 %rd10, [full];"
TX = "mbarrier.{}.relaxed.cta.shared::cta.b64 [full], 48;"
MORE, LESS = TX.format("expect_tx"), TX.format("complete_tx")


@pytest.mark.parametrize(
    ("changes", "parity", "over"),
    [
        ("", 0, 0),
        ("", 1, 1),  # the phase before the first is over
        (f"{ARRIVE}, 3;", 0, 0),
        (f"{ARRIVE}, 4;", 0, 1),
        (f"{ARRIVE}, 4;", 1, 0),
        (f"{ARRIVE}, 3; {ARRIVE};", 0, 1),
        (f"{ARRIVE}, 4; {ARRIVE}, 4;", 0, 0),
        (f"{MORE} {ARRIVE}, 4;", 0, 0),
        (f"{MORE} {ARRIVE}, 4; {LESS}", 0, 1),
        (f"{LESS} {MORE} {ARRIVE}, 4;", 0, 1),
        (f"{LESS} {ARRIVE}, 4;", 0, 0),
        (f"{LESS} {ARRIVE}, 4; {MORE}", 0, 1),
        (f"{ARRIVE}, 3; {EXPECT} 48;", 0, 0),
        (f"{ARRIVE}, 3; {EXPECT} 48; {LESS}", 0, 1),
        (f"{DROP} {ARRIVE}, 3; {ARRIVE}, 2;", 1, 0),
        (f"{DROP} {ARRIVE}, 3; {ARRIVE}, 3;", 1, 1),
        ("cp.async.mbarrier.arrive.noinc.shared.b64 [full];" * 4, 0, 1),
        ("cp.async.mbarrier.arrive.shared.b64 [full];" * 4, 0, 0),
    ],
)
def test_a_phase_is_over_when_nothing_is_owed(changes: str, parity: int, over: int) -> None:
    assert asked(changes, parity=parity) == over


@pytest.mark.parametrize("schedule", [None, 3])
def test_a_phase_that_never_ends_uses_up_the_steps(schedule: int | None) -> None:
    result = ran(f"{begun(65)} {ARRIVE}; {wait()} {STORE}", 64, max_steps=3000, schedule=schedule)
    assert result.outcome.exhausted
    assert result.outcome.steps < 3100


@pytest.mark.parametrize(
    ("body", "x", "kind", "region"),
    [
        (PRODUCER, WORDS[:60], "out-of-bounds", "x"),
        (PRODUCER.replace(" 256", " 272"), WORDS, "out-of-bounds", "tile"),
        (PRODUCER.replace("[%rd2]", "[%rd2+8]"), WORDS, "misaligned-access", "x"),
        (PRODUCER.replace("[%r20],", "[%r20+4],"), WORDS, "misaligned-access", "tile"),
    ],
)
def test_a_copy_is_checked_for_its_whole_size(body: str, x: Any, kind: str, region: str) -> None:
    result = ran(body, 64, x=x)
    first = result.faults[0]
    assert (first.kind, first.region, first.text[:13]) == (kind, region, "cp.async.bulk")
    assert "cp.async.bulk" in result.line(first)
    assert not result.outcome.exhausted


def test_a_wide_size_is_checked_on_the_way_back() -> None:
    result = ran(BACK, 64, y=60)
    assert [(f.kind, f.region, f.distance, f.count) for f in result.faults] == [
        ("out-of-bounds", "y", 240, 1)
    ]


def test_who_does_not_wait_races() -> None:
    result = ran(PRODUCER.replace(wait(), ""), 64, x=WORDS, checks="race")
    assert {fault.kind for fault in result.faults} == {"data-race"}


def test_who_arrives_before_the_object_is_made_races() -> None:
    early = PHASES.replace("bar.sync 0;", "")
    assert "data-race" in ran(early, 64, checks="race").outcome.kinds()
    never = f"{OBJECTS} {ARRIVE}; {STORE}"
    assert "uninitialized-read" in ran(never, checks="init").outcome.kinds()


def launch(**more: Any) -> Launch:
    return Launch(grid=(1, 1, 1), block=(64, 1, 1), **more)


@pytest.mark.parametrize("name", PROGRAMS)
def test_facts_hold(name: str) -> None:
    """A barrier for some threads, on one side of a branch, keeps the rest from reconverging."""
    text = text_of(PROGRAMS[name].replace("bar.sync 1, 32;", ""))
    one = ConcreteLaunch((1, 1, 1), (64, 1, 1), 0, (Allocation(256), Allocation.of(WORDS), 0))
    for known in (launch(), Launch()):
        seen = observe(kernel_of(text), known, one)
        assert seen.checks
        assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)


def of_copies(body: str, x: int) -> set[tuple[str, str]]:
    """What is known of the accesses of bulk copies, where x has so many bytes."""
    extents = {index: Extent(Range(size, size), 16) for index, size in ((0, 256), (1, x))}
    facts = Facts(kernel_of(text_of(body)), launch(buffers=extents, names=("y", "x", "n")), "sm_90")
    return {
        (access.place.access.space, access.status)
        for access in facts.accesses
        if access.instr.text.startswith("cp.async.bulk") and access.place.access.kind != "atomic"
    }


def test_a_copy_is_proved_where_its_size_is_known() -> None:
    assert of_copies(PRODUCER, 256) == {("global", "proved"), ("shared", "proved")}
    assert ("global", "proved") not in of_copies(PRODUCER, 240)
    any_size = PRODUCER.replace("256, [%r21]", "%r0, [%r21]")
    assert not {status for _, status in of_copies(any_size, 256)} & {"proved"}


def test_an_arrival_that_announces_bytes_says_how_many() -> None:
    with pytest.raises(AssertionError, match="expected 3 operands, found 2"):
        kernel_of(text_of(f"{OBJECTS} mbarrier.arrive.expect_tx.shared.b64 %rd9, [full];"))


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_ptxas_takes_the_programs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.ptx"
    target = "sm_100a" if name == "fill" else "sm_90"
    text = text_of(PROGRAMS[name]).replace("sm_80", target).replace("version 8.5", "version 8.6")
    path.write_text(text)
    command = ["ptxas", "-arch", target, "-o", str(tmp_path / "out"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
