"""What a report says, letter by letter where a person reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ptxlint.claim import Claim, RelatedInstr
from ptxlint.documentation import rule_page
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.mangling import demangled
from ptxlint.reports import render
from ptxlint.reports.view import View
from ptxlint.results.finding import Certainty, MemoryAccess, RequestCost, Severity, Witness
from ptxlint.results.verdict import Property

from .conftest import PTX, found

Checked = Callable[..., Any]

SEEN = Witness((2, 1, 1), (64, 1, 1), (1, 0, 0), (31, 0, 0), 128, {"n": 32})


def everything(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
    """One finding with all that a finding may have, said of two accesses; and a plain one."""
    first, second, store = accesses
    for instr in (first, second):
        yield found(
            instr,
            certainty=Certainty.WITNESS,
            condition="n <= 31",
            access=MemoryAccess("global", 4, "p", "4*tid.x", (0, 252), "load"),
            cost=RequestCost(unit="sectors", actual=8, ideal=4, best=5),
            witness=SEEN,
            related=(RelatedInstr("the index comes from here", kernel.instructions[2]),),
            help="guard the index",
            reason="loaded-index",
        )
    yield found(
        store,
        rule="uncoalesced-access",
        severity=Severity.WARNING,
        message="32 sectors where 4 would do",
        property=Property.COSTS,
    )


FULL = """\
two.cu:3:5: error[out-of-bounds] past the end
 3 |     return p[i] * 2.0f;
   |     ^^^^^^^^^^^^^^^^^^
   | two.cu:7:5: the index comes from here
 7 |     int i = threadIdx.x;
   | two.ptx:16:2: in k
16 |     ld.global.f32 %f1, [%rd4];
   = inlined:  twice, called at two.cu:8:5
   = witness:  block (1,0,0) thread (31,0,0): reads byte 128 of p[0..128) (grid 2, block 64, n=32)
   = when:     n <= 31
   = cost:     5 to 8 sectors a warp, ideal 4
   = unproved: loaded-index
   = also:     and 1 more access on this line
   = help:     guard the index

two.cu:8:5: warning[uncoalesced-access] 32 sectors where 4 would do
 8 |     q[i] = twice(p, i) + twice(p, i + 1);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   | two.ptx:21:2: in k
21 |     st.global.f32 [%rd5], %f3;

2 errors, 1 warning
launch: block 64, p 128 bytes, q 256 bytes (command line)
bounds: 1 of 3 proved, 2 flagged
races: not checked: grid is not declared; --grid XxYxZ
costs: 2 of 3 ideal, 1 above ideal
proved: alignment, spaces
nothing to prove: barriers, uniformity, initialisation
1 of 1 kernel, 3 accesses; undecided: --show-undecided; 0.2 s
"""

CONCISE = """\
two.cu:3:5: error[out-of-bounds] past the end (and 1 more access on this line)
two.cu:8:5: warning[uncoalesced-access] 32 sectors where 4 would do
1 of 1 kernel, 3 accesses; bounds: 1 of 3 proved, 2 flagged; races: not checked: grid is \
not declared; --grid XxYxZ; costs: 2 of 3 ideal, 1 above ideal; alignment, spaces: proved; 0.2 s
"""

OPTIONS = ["--params", "p,q", "--block", "64", "--buffer", "p=128", "--buffer", "q=256"]


@pytest.mark.parametrize(("form", "text"), [("full", FULL), ("concise", CONCISE)])
def test_for_a_person(checked: Checked, form: str, text: str) -> None:
    assert render(checked(everything, options=OPTIONS), form) == text


def test_colour_adds_nothing_but_colour(checked: Checked) -> None:
    import re

    view = View(colour=True, documentation="https://docs.example/ptxlint")
    coloured = render(checked(everything, options=OPTIONS), "full", view)
    link = (
        f"\x1b]8;;{rule_page(view.documentation, 'out-of-bounds')}\x1b\\out-of-bounds\x1b]8;;\x1b\\"
    )
    assert f"\x1b[1;31merror[{link}]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m|\x1b]8;;.*?\x1b\\", "", coloured) == FULL


def span(path: str, line: int, column: int, end: int) -> dict[str, object]:
    return {"path": path, "line": line, "column": column, "end_line": line, "end_column": end}


JSON = {
    "rule": "out-of-bounds",
    "severity": "error",
    "certainty": "witness",
    "message": "past the end",
    "condition": "n <= 31",
    "kernel": "k",
    "demangled": "k",
    "location": span("two.cu", 3, 5, 23),
    "ptx": span("two.ptx", 16, 2, 27),
    "access": {
        "space": "global",
        "region": "p",
        "bytes": 4,
        "offset": "4*tid.x",
        "range": [0, 252],
        "kind": "load",
        "size": 128,
    },
    "cost": {"unit": "sectors", "actual": 8, "best": 5, "ideal": 4},
    "witness": {
        "grid": [2, 1, 1],
        "block": [64, 1, 1],
        "ctaid": [1, 0, 0],
        "tid": [31, 0, 0],
        "address": 128,
        "arguments": {"n": 32},
    },
    "related": [
        {"message": "the index comes from here", "location": span("two.cu", 7, 5, 24)},
        {
            "message": "twice is inlined here",
            "location": span("two.cu", 8, 5, 41),
            "inlined": "twice",
        },
    ],
    "help": "guard the index",
    "reason": "loaded-index",
}


def test_for_a_program(checked: Checked) -> None:
    document = json.loads(render(checked(everything, options=OPTIONS), "json"))
    first, second, third = document["findings"]
    assert first == {**JSON, "fingerprint": first["fingerprint"]}
    assert first["fingerprint"] != second["fingerprint"]
    assert set(third) == {
        *("rule", "severity", "certainty", "message", "kernel", "demangled"),
        *("location", "ptx", "fingerprint"),
    }
    del document["findings"]
    (kernel,) = document.pop("kernels")
    assert kernel["location"] == span("two.ptx", 4, 1, 18)
    assert [access["status"] for access in kernel["accesses"]] == ["flagged", "flagged", "proved"]
    assert kernel["accesses"][2]["ptx"] == span("two.ptx", 21, 2, 27)
    properties = document["summary"].pop("properties")
    assert properties["bounds"] == {
        "name": "bounds",
        "status": "flagged",
        "proved": 1,
        "flagged": 2,
    }
    assert properties["alignment"] == {"name": "alignment", "status": "proved", "proved": 3}
    assert properties["races"] == {
        "name": "races",
        "status": "not checked",
        "unchecked": 1,
        "reason": "grid is not declared",
        "option": "--grid XxYxZ",
    }
    assert document == {
        "schema": "ptxlint-report/1",
        "version": "0.1.0",
        "summary": {
            "files": 1,
            "kernels": {"analysed": 1, "present": 1},
            "accesses": {
                "total": 3,
                "proved": 1,
                "flagged": 2,
                "conditional": 0,
                "undecided": 0,
            },
            "unmodelled": {},
            "seconds": 0.25,
        },
    }


# --- places


def fingerprints(report: Any) -> list[str]:
    return [f["fingerprint"] for f in json.loads(render(report, "json"))["findings"]]


def test_a_fingerprint_survives_another_compiler(checked: Checked, folder: Path) -> None:
    before = fingerprints(checked(everything))
    moved = PTX.replace("%rd", "%rl").replace("%f", "%q").replace("{\n", "{\n\n// nvcc 99\n", 1)
    assert fingerprints(checked(everything, ptx=moved)) == before
    source = (folder / "two.cu").read_text()
    (folder / "two.cu").write_text("// one line more\n" + source.replace("p[i] *", "p[i]  *"))
    again = moved.replace(".loc 1 3", ".loc 1 4").replace("1 8 5", "1 9 5")
    assert fingerprints(checked(everything, ptx=again)) == before


def test_the_source_of_a_place_is_looked_for_next_to_the_ptx(
    checked: Checked, folder: Path
) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "two.cu").write_text("\n\n    other text\n")
    report = checked(everything, path="out/two.ptx")
    assert "out/two.cu:3:5: error[out-of-bounds]" in render(report, "concise")
    assert "other text" in render(report, "full")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("gone.cu", "gone.cu:3:5"),
        ("/etc/passwd", "passwd:3:5"),
        ("C:\\\\temp\\\\gone.cu", "gone.cu:3:5"),
        ("../two.cu/..", "two.ptx:16:2"),
        ("", "two.ptx:16:2"),
        ("two.ptx", "two.ptx:16:2"),
    ],
)
def test_without_its_source_a_finding_is_told_by_its_line(
    checked: Checked, name: str, place: str
) -> None:
    text = render(checked(everything, ptx=PTX.replace("FOLDER/two.cu", name)), "full")
    assert text.startswith(f"{place}: error[out-of-bounds] past the end\n")
    assert "16 |     ld.global" in text
    assert "root:" not in text


def test_an_inlined_line_without_source_stands_where_it_was_called(checked: Checked) -> None:
    ptx = PTX.replace(".loc 1 3 5", ".loc 2 3 5").replace(
        '\t.file 1 "FOLDER/two.cu"\n', '\t.file 1 "two.cu"\n\t.file 2 "header.cuh"\n'
    )
    assert "two.cu:8:5: error[out-of-bounds]" in render(checked(everything, ptx=ptx), "concise")


def test_a_file_cannot_style_the_terminal(checked: Checked, folder: Path) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\u202eevil"
    (folder / "two.cu").write_text(f"\n\n    return p[i]; // {evil}\n")

    def says(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
        yield found(accesses[0], message=evil)

    text = render(checked(says), "full")
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "?]0;title??[2J?evil" in text


def test_a_long_line_is_cut_around_the_place(checked: Checked, folder: Path) -> None:
    line = " ".join(f"a{i};" for i in range(50_000))
    column = line.index("a25000") + 1
    (folder / "two.cu").write_text(f"\n\n{line}\n")
    text = render(checked(everything, ptx=PTX.replace(".loc 1 3 5", f".loc 1 3 {column}")), "full")
    claim, shown, mark, *_ = text.splitlines()
    assert claim.startswith(f"two.cu:3:{column}:")
    assert len(shown) < 110
    assert shown[mark.index("^") :].startswith("a25000;")
    assert mark.count("^") == len("a25000")


# --- what is counted, what is shown


def test_possible_findings_are_for_pedants(checked: Checked) -> None:
    def perhaps(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
        yield found(accesses[0], certainty=Certainty.POSSIBLE, reason="nobody knows")

    assert "no findings" in render(checked(perhaps), "full")
    text = render(checked(perhaps, options=OPTIONS), "full")
    assert "no findings; not proved: bounds, races\n" in text
    assert "\nbounds: 1 of 3 proved, 2 undecided\n" in text
    assert "1 error" in render(checked(perhaps, pedantic=True), "full")


def test_a_crash_stays_with_its_kernel_and_rule(checked: Checked) -> None:
    def faulty(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
        yield found(accesses[0])
        raise KeyError("x")

    report = checked(faulty, everything, options=OPTIONS)
    text = render(report, "concise")
    assert text.startswith(
        "two.ptx:4:1: error: internal error in rule faulty, kernel k is not analysed: KeyError:"
        " 'x'; please report it with this file\n"
    )
    assert "two.cu:8:5: warning[uncoalesced-access]" in text
    assert "0 of 1 kernel, 3 accesses;" in text


def test_unmodelled_instructions_are_named(checked: Checked) -> None:
    text = render(checked(ptx=PTX.replace("add.f32", "frob.f32")), "concise")
    assert "two.ptx:18:2: note: frob.f32 is not in the instruction table" in text
    assert "1 instruction unmodelled (frob.f32 1)" in text


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("saxpy", "saxpy"),
        ("_Z5twicePKfi", "twice"),
        ("_ZN5price3putEPdi", "price::put"),
        ("_ZN12_GLOBAL__N_13putEv", "(anonymous)::put"),
        ("_ZZ17reduce_off_by_oneE1s", "s"),
        ("_ZZ6reducePfiE4tile", "tile"),
        ("_Z", "_Z"),
        ("_ZZ", "_ZZ"),
        ("$L__info_string0", "$L__info_string0"),
    ],
)
def test_demangled(symbol: str, name: str) -> None:
    assert demangled(symbol) == name


def test_findings_of_one_source_line_are_one_block(checked: Checked) -> None:
    def several(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
        for instr in accesses[:2]:
            yield from (found(instr, message=f"past the end by {n}") for n in range(5))
            yield found(instr, rule="data-race", message="a race")

    text = render(checked(several), "full")
    assert text.count("return p[i] * 2.0f;") == 1
    lines = [line for line in text.splitlines() if line.startswith("two.cu:")]
    assert [line.partition(": ")[2] for line in lines] == [
        "error[data-race] a race", "error[out-of-bounds] past the end by 0",
    ]  # fmt: skip
    assert "also:    past the end by 2" in text and "and 7 more accesses on this line" in text


def test_lines_inside_of_inline_assembly_are_not_believed(checked: Checked) -> None:
    store = "\tst.global.f32 [%rd5], %f3;"
    inside = f"\t// begin inline asm\n\t.loc 1 2 1\n{store}\n\t// end inline asm"

    def stores(kernel: Kernel, accesses: list[PtxInstr]) -> Iterator[Claim]:
        yield found(accesses[-1])

    (one,) = checked(stores, ptx=PTX.replace(store, inside)).findings
    assert one.location.short == "two.cu:8"
