"""Which buffers must not overlap: what is inferred, held against runs with buffers that do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

from .copies import HEAD, INDICES, READ, TAIL, WRITE, kernels
from .kernels import ROOT, Subject, files, subjects
from .overlaps import shown

LEAST_TIGHT = 0.8
ALONG_X = "ntid.y*ntid.z*nctaid.y*nctaid.z == 1"


def subject(text: str) -> Subject:
    source = Source("k.ptx", text)
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    launch = resolved([Contract()], kernel)
    return Subject(Path("k.ptx"), kernel, contract_of(kernel, launch))


def said(of: Subject) -> list[str]:
    return [each.text for each in of.contract.distinct]


COPY = f"{INDICES['thread of all']} {READ.format(0)} {WRITE.format(0)}"
CASES = {
    "element for element": (COPY, [f"x, y or same when {ALONG_X}"]),
    "an index that may wrap": (
        COPY.replace(INDICES["thread of all"], INDICES["guarded as unsigned"]).replace(
            "wide.s32", "wide.u32"
        ),
        [f"x, y or same when nctaid.x*ntid.x <= 2**32 and {ALONG_X}"],
    ),
    "rows of a matrix": (
        COPY.replace(INDICES["thread of all"], INDICES["rows inside"]),
        ["x, y or same when ntid.z*nctaid.x*nctaid.y*nctaid.z == 1"],
    ),
    "two rows of a block": (COPY.replace("%r9", "%r4"), ["x, y"]),
    "the next element": (COPY.replace("[%rd3+0]", "[%rd3+4]"), ["x, y"]),
    "read-only loads": (COPY.replace("ld.global", "ld.global.nc"), ["x, y"]),
    "an atomic": (COPY.replace("st.global.u32", "red.global.add.u32"), ["x, y"]),
    "both written": (COPY + "st.global.u32 [%rd3], %r13;", ["x, y"]),
    "both read": (COPY.replace("st.global.u32 [%rd4+0], %r13", "ld.global.u32 %r14, [%rd4]"), []),
    "one only": (COPY.replace("%rd2;", "%rd1;"), []),
    "a pointer of two": (
        "setp.eq.u32 %p1, %r1, 0;\n selp.b64 %rd3, %rd1, %rd2, %p1;\n st.global.u32 [%rd3], %r9;",
        ["x, y"],
    ),
    "a pointer from memory": (
        "ld.global.u64 %rd3, [%rd1];\n ld.global.u32 %r12, [%rd3];\n st.global.u32 [%rd2], %r12;",
        ["x, y"],
    ),
    "written first, then read": (
        f"mov.u32 %r12, 1; {INDICES['thread of all']} {WRITE.format(0)} {READ.format(0)}",
        ["x, y"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str) -> None:
    body, expected = CASES[case]
    assert said(subject(HEAD + body + TAIL)) == expected


def test_those_that_are_all_distinct_stand_together() -> None:
    (last,) = subjects(ROOT / "clean" / "last_block_sums.ptx")
    assert said(last) == ["x, sums", "x, done", "x, total", "sums, done, total"]


SOME = (
    "saxpy_guarded", "guard_2d_early_return", "int4_load_aligned", "loop_doubling_scan",
    "batched_product_of_small", "reduce_shared", "index_reversed", "stencil_with_halo",
    "circular_buffer_mask", "compaction_by_ballot", "histogram_shared",
)  # fmt: skip


def test_buffers_overlap_without_harm_where_the_contract_lets_them_and_with_harm_elsewhere() -> (
    None
):
    harmful = Counter[bool]()
    for path in files():
        for of in subjects(path) if path.stem in SOME else ():
            for pair, found in shown(of, 6):
                if pair.said.same:
                    assert found and not any(found), (of.name, pair.label, found)
                elif found:
                    harmful[any(found)] += 1
    assert harmful[True] >= LEAST_TIGHT * harmful.total()


@pytest.mark.parametrize("index", INDICES)
def test_copies_are_done_in_place_where_the_contract_lets_them(index: str) -> None:
    """Every index in every order of a read and a write."""
    for name, text in kernels():
        of = subject(text) if name.startswith(f"{index};") else None
        if of is not None and any(each.same for each in of.contract.distinct):
            ((pair, found),) = shown(of, 2)
            assert not any(found), (name, pair.label, found)
