"""Accesses by one of several pointers: the contract speaks of each, and launches that meet it stay
inside."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from ptxlint.api import check, infer
from ptxlint.contracts.contract import Contract
from ptxlint.reports import render
from ptxlint.reports.view import View
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property

from .__main__ import held
from .kernels import ROOT, subjects
from .launches import Launches

PATH = ROOT / "regressions/two_arrays_as_one.ptx"
NAMES = ("x", "y", "z", "n", "m")
LAUNCHES = 60


def test_each_array_has_an_extent_of_its_own() -> None:
    (contract,) = infer(PATH, params=NAMES)
    assert contract.complete
    assert contract.buffers == {"x": "4*n@4", "y": "4*m@4", "z": "4*m + 4*n@4"}
    assert set(contract.distinct) == {"x, z", "y, z"}


def test_launches_that_meet_the_contract_stay_inside() -> None:
    (subject,) = subjects(PATH)
    drawn, ran = Launches(subject, Random("arrays")), 0
    while ran < LAUNCHES:
        draw = drawn.random.choice((drawn.draw, drawn.far))()
        if not drawn.meets(draw) or (candidate := drawn.concrete(draw, drawn.sizes(draw))) is None:
            continue
        ran += 1
        assert not drawn.faults(candidate)


def test_a_short_array_is_refused_and_left() -> None:
    (subject,) = subjects(PATH)
    drawn = Launches(subject, Random("short"))
    draw = drawn.draw().but("nctaid.x", 2).but("ntid.x", 32).but("n", 20).but("m", 30)
    sizes = {**drawn.sizes(draw), "y": 116}
    assert drawn.refusals(draw, sizes)
    candidate = drawn.concrete(draw, sizes)
    assert candidate is not None and drawn.faults(candidate)


GRID = "nctaid.x*ntid.x <= 2**31"
TABLES = dict.fromkeys(["tables.0", "tables.8", "tables.16", "tables.24", "y"], "4*n@4")
CLEAN = {
    "pointers_in_a_structure": ([GRID], TABLES),
    "pointers_in_an_array": ([GRID], {"x": "4*n@4", "y": "4*n@4"}),
    "halves_by_pointer": ([], {"x": "4*n@4", "y": "4*n@4"}),
    "buffer_or_none": ([GRID], {"a": "4*n@4", "b": "4*n@4", "y": "4*n@4"}),
    "chosen_by_argument": ([GRID], {"a": "4*na@4", "b": "4*nb@4", "y": "max(4*nb, 4*na)@4"}),
    "chosen_by_block": ([GRID], dict.fromkeys(["k", "v", "q", "y", "z", "x"], "4*n@4")),
    "row_of_one_of_two": (
        [GRID], {"a": "4*columns*rows@4", "b": "4*columns*rows@4", "y": "4*columns@4"},
    ),
    "buffers_exchanged": (
        ["n >= -2**31 + 1"], {"x": "4*n@4", "y": "4*n@4"},
    ),
    "arrays_exchanged": (["ntid.x <= 256"], {"x": "4*n@4", "y": "4*n@4"}),
    "halves_exchanged": (
        ["n <= 2**30"],
        {"x": "4*ntid.x - 4@4", "y": "4*ntid.x@4"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_added_to_a_pointer_is_added_to_each(name: str) -> None:
    """An argument, the block, or the iteration of a loop chooses, also from an array."""
    (subject,) = subjects(ROOT / f"clean/{name}.ptx")
    contract = subject.result
    assert contract.complete
    assert (list(contract.needs), contract.buffers) == CLEAN[name]
    count: Counter[str] = Counter()
    assert held(Launches(subject, Random(name)), LAUNCHES, count) == []
    assert count["launches"] == LAUNCHES


KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n, .param .u32 by) {
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    .shared .align 4 .b8 tile[128];
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    ld.param.u64 %d2, [z];
    ld.param.u32 %r0, [n];
    ld.param.u32 %r1, [by];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p0, %r2, %r0;
    @%p0 bra done;
    setp.eq.s32 %p1, %r1, 0;
    selp.b64 %d3, %d0, %d1, %p1;
    cvta.to.global.u64 %d3, %d3;
    mul.wide.u32 %d4, %r2, 4;
    add.s64 %d5, %d3, %d4;
    st.global.u32 [%d5], %r2;
done:
    ret;
}
"""


def bounds(report: Report) -> str:
    """The verdict on bounds, and the condition of the access, if it has one."""
    (verdict,) = (one for one in report.summary.verdicts if one.name is Property.BOUNDS)
    said = render(report, "full", View()).splitlines()
    condition = next((line for line in said if line.startswith("k: safe if ")), "")
    return f"{verdict.status.value}: {condition.removeprefix('k: safe if ')}"


def test_a_condition_names_the_buffers_of_all_pointers() -> None:
    """The access is proved only where both buffers are declared, and large enough."""
    for buffers, expected in (
        ({}, "conditional: x, y >= 4*n bytes"),
        ({"x": "4*n"}, "conditional: y >= 4*n bytes"),
        ({"y": "4*n"}, "conditional: x >= 4*n bytes"),
        ({"x": "4*n", "y": "4*n"}, "proved: "),
    ):
        contract = Contract(buffers=buffers)
        assert bounds(check(KERNEL, contract=contract)) == expected


def test_one_short_buffer_leaves_the_access_open() -> None:
    contract = Contract(buffers={"x": "4*n", "y": "4*n - 4"})
    assert not bounds(check(KERNEL, contract=contract)).startswith(("proved", "conditional"))


def test_a_pointer_into_another_state_space_is_not_accounted_for() -> None:
    """One that may be chosen, and one that always is."""
    mixed = KERNEL.replace(
        "selp.b64 %d3, %d0, %d1", "mov.u64 %d1, tile;\n    selp.b64 %d3, %d0, %d1"
    )
    for text in (mixed, mixed.replace("add.s64 %d5, %d3", "add.s64 %d5, %d1")):
        (contract,) = infer(text)
        assert [one.reason for one in contract.unknown] == ["space"]


def test_an_index_out_of_the_buffers_is_required_not_to_be() -> None:
    """What selects the pointer says nothing of an index that is loaded."""
    gather = KERNEL.replace("mul.wide.u32 %d4, %r2, 4;", GATHER)
    (contract,) = infer(gather)
    assert contract.complete
    assert "z.min >= 0" in contract.needs
    assert contract.buffers == {"x": "4*z.max + 4@4", "y": "4*z.max + 4@4", "z": "4*n@4"}


GATHER = """
    mul.wide.u32 %d4, %r2, 4;
    cvta.to.global.u64 %d2, %d2;
    add.s64 %d2, %d2, %d4;
    ld.global.u32 %r3, [%d2];
    mul.wide.s32 %d4, %r3, 4;
"""


SECOND = "st.local.u64 [own+8], %d1;"


@pytest.mark.parametrize(
    ("stores", "complete"),
    [
        (SECOND, True),
        ("", False),
        (f"{SECOND} st.local.u64 [%d7], %d2;", False),
        (f"{SECOND} st.u64 [%d6], %d2;", False),
        ("st.local.u64 [own+9], %d1;", False),
    ],
)
def test_a_pointer_in_local_memory_is_one_that_was_stored(stores: str, complete: bool) -> None:
    """Not where an element is not stored, nor where a store at an unknown place may change it."""
    body = f"""
    st.local.u64 [own], %d0;
    ld.global.u64 %d6, [%d2];
    and.b64 %d7, %d6, 8;
    mov.u64 %d8, own;
    add.s64 %d7, %d8, %d7;
    {stores}
    and.b32 %r4, %r1, 1;
    mul.wide.u32 %d5, %r4, 8;
    add.s64 %d5, %d5, %d8;
    ld.local.u64 %d3, [%d5];
    """
    text = KERNEL.replace("selp.b64 %d3, %d0, %d1, %p1;", body)
    text = text.replace("tile[128];", "tile[128];\n    .local .align 8 .b8 own[16];")
    (contract,) = infer(text)
    assert contract.complete is complete
    assert not complete or contract.buffers == {"x": "4*n@4", "y": "4*n@4", "z": "8@8"}
