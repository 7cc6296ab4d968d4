"""The verdict on a kernel by property: what is said proved, what it asks for, and exit codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from ptxlint.api import check
from ptxlint.contracts.contract import Contract
from ptxlint.errors import Error
from ptxlint.reports import render
from ptxlint.reports.view import View
from ptxlint.results.report import Report
from ptxlint.results.verdict import CORRECTNESS, Property, Status, required
from ptxlint.verdicts import conditions

CORPUS = Path(__file__).parents[2] / "corpus"
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
DECLARED = """
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<16>;
"""
SCALE = """
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra $done;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r6, [%rd4];
    st.global.u32 [%rd5], %r6;
$done:
    ret;
"""
TILE = """
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    STORE
    BARRIER
    xor.b32 %r5, %r2, 124;
    add.u32 %r6, %r3, %r5;
    ld.shared.u32 %r7, [%r6];
    st.shared.u32 [%r4], %r7;
    ret;
"""
STORE, BARRIER = "st.shared.u32 [%r4], %r1;", "bar.sync 0;"
POINTERS = "x,y,n"
FEW = {"n": 1000}
SIZES = {"x": "4*n", "y": "4*n"}
ASSUMED = "assumed: at most 2**31 threads where no grid is declared; not with --any-grid"
WIDE = ["nctaid.x <= 2**31 - 1"]  # which says as much as nothing
BROKEN = (Status.UNDECIDED, Status.FLAGGED)


def entry(body: str, name: str = "scale") -> str:
    parameters = ".param .u64 x, .param .u64 y, .param .u32 n"
    return f".visible .entry {name}({parameters}) {{{DECLARED}{body}}}\n"


def tile(store: str = STORE, barrier: str = BARRIER) -> str:
    body = TILE.replace("STORE", store).replace("BARRIER", barrier)
    return entry(f"    .shared .align 4 .b8 tile[128];\n{body}", "tile")


def report(body: str, *launches: Contract) -> Report:
    return check(HEAD + body, launches=launches) if launches else check(HEAD + body)


def launch(**declared: object) -> Contract:
    return Contract(**{"params": POINTERS, **declared})  # type: ignore[arg-type]


def statuses(found: Report) -> Mapping[Property, Status]:
    return {one.name: one.status for one in found.summary.verdicts}


def text_of(found: Report, undecided: bool = False) -> list[str]:
    return render(found, "full", View(undecided=undecided)).splitlines()


# --- what is declared, what is not


def test_without_a_declared_launch_the_conditions_are_printed() -> None:
    found = report(entry(SCALE))
    said = text_of(found)
    assert said[0] == "no findings; not proved: bounds, alignment, races"
    assert "launch: unspecified (every grid and block)" in said and ASSUMED in said
    assert "scale: safe if x, y >= 4*n bytes" in said
    assert "bounds: 2 conditional" in said
    assert "proved: spaces" in said
    assert found.summary.accesses.conditional == 2 and not found.summary.accesses.undecided
    asks = "races: not checked: block and grid are not declared; --block XxYxZ --grid XxYxZ"
    assert asks in said
    assert said[-1].startswith("1 of 1 kernel, 2 accesses; undecided: --show-undecided;")
    assert (found.exit_code(), found.exit_code(strict=True)) == (0, 3)
    assert found.exit_code(require=["spaces"]) == 0
    assert found.exit_code(require=["spaces", "bounds"]) == 3


def test_with_sizes_alone_bounds_are_proved_for_launches_of_common_grids() -> None:
    found = report(entry(SCALE), launch(buffers=SIZES))
    assert statuses(found)[Property.BOUNDS] is Status.PROVED
    assert found.kernels[0].declared.assumed == ("at most 2**31 threads",)
    assert [line for line in text_of(found) if "2**31" in line] == [ASSUMED]


def test_without_the_assumption_a_grid_may_wrap_the_index() -> None:
    found = check(HEAD + entry(SCALE), contract=launch(buffers=SIZES), any_grid=True)
    assert statuses(found)[Property.BOUNDS] is Status.CONDITIONAL
    assert "scale: safe if nctaid.x*ntid.x <= 2**31" in text_of(found)
    assert not found.kernels[0].declared.assumed


@pytest.mark.parametrize(
    "said", [{"grid": 4}, {"grid": "(n+255)/256"}, {"requires": ["nctaid.x >= 2**28"]}]
)
def test_nothing_is_assumed_of_a_grid_of_which_something_is_declared(
    said: Mapping[str, object],
) -> None:
    found = check(HEAD + entry(SCALE), contract=launch(buffers=SIZES, **said))
    assert not found.kernels[0].declared.assumed
    assert "any-grid" not in "\n".join(text_of(found))


def test_an_index_is_divided_by_a_declared_number_as_by_any_other() -> None:
    """Without a grid the index may be negative, and its quotient rounds towards zero: below 40,
    ``index + 3*(index/5)`` is at most 60 in launches where the index does not wrap."""
    divided = "div.s32 %r8, %r5, 5; mad.lo.s32 %r5, %r8, 3, %r5; mul.wide.s32 %rd3"
    sizes = {"x": 4 * 61, "y": 4 * 61}
    for divisor, args in (("%r7", {"n": 5}), ("5", {})):
        body = SCALE.replace("%p1, %r5, %r1", "%p1, %r5, 40")
        body = body.replace("mul.wide.s32 %rd3", divided.replace(", 5;", f", {divisor};"))
        body = body.replace("mov.u32 %r2", "ld.param.u32 %r7, [n];\n    mov.u32 %r2")
        found = report(entry(body), launch(args=args, buffers=sizes, requires=WIDE))
        counted = found.summary.accesses
        assert (counted.conditional, counted.undecided) == (2, 0)


def test_a_declared_range_holds_where_its_load_is_in_bounds() -> None:
    """``z[x[4*i]]``: the load of the index is in bounds if ``4*i`` does not wrap, and so is what it
    indexes; where nothing bounds the load, nothing is known of the word."""
    body = SCALE.replace(
        "mul.wide.s32 %rd3, %r5, 4", "shl.b32 %r8, %r5, 2; mul.wide.s32 %rd3, %r8, 4"
    )
    body = body.replace("st.global.u32 [%rd5], %r6", "mul.wide.s32 %rd6, %r6, 4;"
                        " add.s64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], %r5")  # fmt: skip
    ranged = {"x": "16*n holds 0..9", "y": "40"}
    found = report(entry(body), launch(buffers=ranged))
    assert (found.summary.accesses.conditional, found.summary.accesses.undecided) == (2, 0)
    options = {one.option for one in found.judged[0].unproved if one.property is Property.BOUNDS}
    assert options == {"--assume 'n <= 2**29'"}
    unbounded = body.replace("shl.b32 %r8, %r5, 2", "brev.b32 %r8, %r5")
    found = report(entry(unbounded), launch(buffers=ranged))
    assert (found.summary.accesses.conditional, found.summary.accesses.undecided) == (0, 2)


def test_what_is_asked_for_decides() -> None:
    """The options of the list, declared: then the next is asked for, until all is proved."""
    overflow = "nctaid.x*ntid.x <= 2**31"
    steps = [
        ({}, {"--buffer 'x=4*n'", "--buffer 'y=4*n'"}),
        ({"buffers": SIZES, "requires": WIDE}, {f"--assume '{overflow}'"}),
        ({"buffers": SIZES}, set()),
    ]
    for declared, asked in steps:
        found = report(entry(SCALE), launch(**declared))
        (kernel,) = found.judged
        open_ = {one.option for one in kernel.unproved if one.property in CORRECTNESS}
        assert open_ == asked
    assert found.exit_code(require=["bounds", "alignment", "spaces"]) == 0
    whole = report(entry(SCALE), launch(block=256, grid=4, args=FEW, buffers=SIZES))
    assert whole.exit_code(strict=True) == 0
    assert text_of(whole)[0] == "no findings"


def test_what_a_declared_range_violates_is_undecided_not_conditional() -> None:
    """One that overflows for some declared numbers: no declaration is missing."""
    ranges = launch(block=256, grid=4, args={"n": (1, 1000)}, buffers={"x": 400, "y": 4000})
    found = report(entry(SCALE), ranges)
    assert statuses(found)[Property.BOUNDS] in BROKEN
    assert not found.summary.accesses.conditional


def test_no_condition_asks_for_all_that_an_index_may_reach() -> None:
    """The index is a hash: ``n >= 2**27`` would do, and no launch meets it."""
    hashed = SCALE.replace(
        "ld.global.u32 %r6, [%rd4];",
        """mul.lo.u32 %r6, %r5, 2654435761;
    shr.u32 %r6, %r6, 5;
    mul.wide.u32 %rd6, %r6, 4;
    add.s64 %rd7, %rd1, %rd6;
    ld.global.u32 %r6, [%rd7];""",
    )
    found = report(entry(hashed), launch(block=256, grid=4, buffers=SIZES))
    counted = found.summary.accesses
    assert (counted.proved, counted.undecided, counted.conditional) == (1, 1, 0)


def test_nothing_proved_is_said() -> None:
    body = """
    ld.param.u64 %rd1, [x];
    ld.global.u64 %rd2, [%rd1];
    ld.global.u64 %rd3, [%rd2];
    st.global.u64 [%rd3], %rd3;
    call wild, ();
    ret;
"""
    found = report(".extern .func wild ();\n" + entry(body))
    assert "proved" not in text_of(found)[0].replace("not proved", "")
    known = statuses(found)
    for one in (Property.BOUNDS, Property.RACES, Property.BARRIERS, Property.INITIALISATION):
        assert known[one] is not Status.PROVED, one
    assert found.exit_code(require=["barriers"]) == 3


# --- races


def test_races_are_proved_in_one_launch_and_not_in_another() -> None:
    """One block of one warp's words, and two blocks that both write them."""
    body = SCALE.replace("mad.lo.s32 %r5, %r2, %r3, %r4", "mov.u32 %r5, %r4")
    one = launch(block=32, grid=1, args=FEW, buffers=SIZES)
    two = launch(block=32, grid=2, args=FEW, buffers=SIZES)
    assert statuses(report(entry(body), one))[Property.RACES] is Status.PROVED
    for launches in ((one, two), (two, one)):
        found = report(entry(body), *launches)
        assert statuses(found)[Property.RACES] is not Status.PROVED
        assert found.exit_code(strict=True) != 0
        (kernel,) = found.judged
        assert len(found.kernels) == 2 and kernel.verdicts[0].status is Status.PROVED


def test_a_number_that_races_need_is_asked_for() -> None:
    body = SCALE.replace("mad.lo.s32 %r5, %r2, %r3, %r4", "add.s32 %r5, %r4, %r1")
    body = body.replace("setp.ge.s32 %p1, %r5, %r1", "setp.gt.s32 %p1, %r4, 100")
    body = body.replace("[%rd5], %r6", "[%rd5], %r6;\n ld.global.u32 %r7, [%rd2+400]")
    (races,) = (
        one
        for one in report(entry(body), launch(block=32, grid=1)).summary.verdicts
        if one.name is Property.RACES
    )
    assert races.status is Status.NOT_CHECKED
    assert (races.reason, races.option) == ("n is not declared", "--arg n=...")


@pytest.mark.parametrize("numbers", [{"n": (0, 127)}, {}])
def test_a_race_that_some_declared_number_causes_is_not_proved_away(
    numbers: dict[str, object],
) -> None:
    """Each thread reads the word of the thread ``n`` further on, before any barrier."""
    body = """
    .shared .align 4 .b8 words[1024];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    add.s32 %r3, %r2, %r1;
    shl.b32 %r4, %r2, 2;
    shl.b32 %r5, %r3, 2;
    mov.u32 %r6, words;
    add.s32 %r4, %r4, %r6;
    add.s32 %r5, %r5, %r6;
    st.shared.u32 [%r4], %r2;
    st.shared.u32 [%r4+512], %r2;
    ld.shared.u32 %r7, [%r5];
    st.shared.u32 [%r4], %r7;
    ret;
"""
    found = report(entry(body), launch(block=128, grid=1, args=numbers))
    assert statuses(found)[Property.RACES] not in (Status.PROVED, Status.CONDITIONAL)
    assert found.exit_code(strict=True) != 0
    own = report(entry(body), launch(block=128, grid=1, args={"n": 0}))
    assert statuses(own)[Property.RACES] is Status.PROVED


# --- initialisation, barriers, uniformity


@pytest.mark.parametrize(
    ("kernel", "block", "status"),
    [
        (tile(), 32, Status.PROVED),
        (tile(barrier=""), 32, Status.UNDECIDED),  # another thread's word
        (tile(), 31, Status.FLAGGED),  # the last word is not written, as a replay shows
        (tile(), None, Status.UNDECIDED),
        (tile(f"@%p1 {STORE}"), 32, Status.UNDECIDED),
        (tile("st.shared.u16 [%r4], %r1;"), 32, Status.UNDECIDED),  # half of each word
        (tile(""), 32, Status.UNDECIDED),  # written only after it is read
        (tile(f"{BARRIER} {STORE}", ""), 32, Status.UNDECIDED),
    ],
)
def test_initialisation_is_proved_from_what_every_thread_stores(
    kernel: str, block: int | None, status: Status
) -> None:
    body = kernel.replace("@%p1 st", "setp.lt.u32 %p1, %r1, 16; @%p1 st")
    found = report(body, launch(block=block, grid=1, args=FEW) if block else launch())
    assert statuses(found)[Property.INITIALISATION] is status


def test_lanes_that_do_not_come_and_masks_that_leave_some_out_are_not_proved() -> None:
    shuffle = "shfl.sync.idx.b32 %r3, %r1, 0, 31, MASK;"
    for body, status in [
        (shuffle.replace("MASK", "0xffffffff"), Status.PROVED),
        (shuffle.replace("MASK", "0x0000ffff"), Status.FLAGGED),  # the others come too
        (f"setp.lt.u32 %p1, %r1, 16; @%p1 {shuffle.replace('MASK', '-1')}", Status.UNDECIDED),
    ]:
        after = "ld.param.u64 %rd1, [x]; st.global.u32 [%rd1], %r3; ret;"
        found = report(entry(f"mov.u32 %r1, %tid.x; {body} {after}"), launch(block=32, grid=1))
        assert statuses(found)[Property.UNIFORMITY] is status, body


# --- how it is said


def test_strict_names_what_is_missing() -> None:
    text = render(report(entry(SCALE)), "full", View(required=required(())))
    assert (
        """
required, not proved: bounds, alignment, races
"""
        in text
    )
    assert "--buffer 'x=4*n'" in text and "--block XxYxZ --grid XxYxZ" in text
    concise = render(report(entry(SCALE)), "concise", View(required=required(["races"])))
    assert "required, not proved: races\n" in concise


def test_undecided_subjects_are_listed_by_line() -> None:
    listed = [one for one in text_of(report(entry(SCALE)), undecided=True) if "<text>" in one]
    assert listed[0].endswith(
        ": races of scale: not checked: block and grid are not declared; --block XxYxZ --grid XxYxZ"
    )
    assert [line.split(": ", 1)[1] for line in listed[1:]] == [
        "bounds, alignment: conditional: x is not declared; --buffer 'x=4*n'",
        "bounds, alignment: conditional: y is not declared; --buffer 'y=4*n'",
    ]


def test_the_report_of_many_kernels_is_short() -> None:
    many = "".join(entry(SCALE, f"scale{number}") for number in range(50))
    said = text_of(report(many))
    assert len(said) < 40 and max(map(len, said)) < 250
    assert "and 40 more" in said
    assert any(line.startswith("scale0: safe if x, y >= 4*n bytes") for line in said)
    assert "bounds: 100 conditional" in said


def test_of_many_launches_the_first_are_told() -> None:
    many = [launch(block=32, grid=1, args={"n": number}, buffers=SIZES) for number in range(1, 21)]
    said = text_of(report(entry(SCALE), *many))
    assert sum(line.startswith("launch: ") for line in said) == 8
    assert "and 12 launches more" in said
    assert "proved: bounds, alignment, spaces, races, costs" in said


def test_instances_with_the_same_launch_are_told_together() -> None:
    bounded = ".maxntid 64\n{"
    names = [f"_Z5scaleILi{number}EEvv" for number in range(4)]
    text = "".join(entry(SCALE, name).replace("{", bounded, 1) for name in names[:3])
    said = text_of(report(text + entry(SCALE, names[3])))
    assert [line for line in said if line.startswith("launch: ")] == [
        "launch: blocks of up to 64 threads (PTX directives): scale (3 kernels)",
        "launch: unspecified (every grid and block): scale",
    ]


def test_kernels_that_look_alike_share_a_row() -> None:
    names = [f"_Z5scaleILi{number}EEvv" for number in range(50)]
    said = text_of(report("".join(entry(SCALE, name) for name in names)))
    (row,) = (line for line in said if line.startswith("scale (50 kernels)  "))
    assert row.split("  ")[1].strip() == "2 of 2 conditional"
    assert len(said) <= 13


def test_a_buffer_of_too_little_alignment_is_undecided_not_conditional() -> None:
    body = SCALE.replace("ld.global.u32 %r6, [%rd4]", "ld.global.v4.u32 {%r6,%r7,%r8,%r9}, [%rd4]")
    body = body.replace("mul.wide.s32 %rd3, %r5, 4", "mul.wide.s32 %rd3, %r5, 16")
    bare = statuses(report(entry(body)))
    assert bare[Property.ALIGNMENT] is Status.CONDITIONAL
    short = launch(buffers={"x": "16*n@4", "y": "16*n"})
    assert statuses(report(entry(body), short))[Property.ALIGNMENT] in BROKEN
    aligned = launch(buffers={"x": "16*n@16", "y": "16*n"})
    assert statuses(report(entry(body), aligned))[Property.ALIGNMENT] is Status.PROVED


def test_what_no_launch_meets_is_no_condition() -> None:
    """Each end of the array has a condition of its own, ``rest >= 15`` and ``rest <= 7``."""
    path = CORPUS / "regressions" / "words_left_by_sixteens.ptx"
    (kernel,) = check(path).kernels
    assert kernel.condition is not None
    assert "rest <= 19" in kernel.condition and "rest >= 15" not in kernel.condition


def test_inference_that_was_cut_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "CONDITION_STEPS", 0)
    monkeypatch.setattr(conditions, "CONDITION_INSTRUCTION_STEPS", 0)
    body = SCALE.replace(
        "st.global", "add.s64 %rd5, %rd5, %rd5; sub.s64 %rd5, %rd5, %rd2; st.global"
    )
    said = text_of(report(entry(SCALE + body.replace("$done", "$end"))))
    assert any(line.startswith("scale: ") and "inference was cut at" in line for line in said)


def test_programs_read_the_same() -> None:
    found = report(entry(SCALE))
    document = json.loads(render(found, "json"))
    (kernel,) = document["kernels"]
    assert kernel["condition"] == "x, y >= 4*n bytes"
    assert {one["property"] for one in kernel["unproved"]} == {"bounds", "alignment", "costs"}
    assert document["summary"]["properties"]["races"]["status"] == "not checked"
    assert Report.from_json(found.to_json()) == found


def test_a_property_of_no_name_is_an_error() -> None:
    with pytest.raises(Error, match="require bound: no such property; did you mean bounds"):
        report(entry(SCALE)).exit_code(require=["bound"])
