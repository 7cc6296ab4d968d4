"""Index buffers: contracts that speak of the integers in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.results.contract import InferredContract
from ptxlint.simt import Allocation, ConcreteLaunch, run
from ptxlint.source import Source
from ptxlint.syntax import parse

from .__main__ import held
from .kernels import ROOT, Subject, subjects
from .launches import Launches

NAMES = "n,at,x,y"
GATHER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u32 n, .param .u64 at, .param .u64 x, .param .u64 y)
{
    .reg .pred %p; .reg .b16 %h; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u32 %r1, [n]; ld.param.u64 %d1, [at];
    ld.param.u64 %d2, [x]; ld.param.u64 %d3, [y];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p, %r2, %r1;
    @%p ret;
    mul.wide.s32 %d4, %r2, 4;
    add.s64 %d5, %d1, %d4;
    LOAD
    mul.wide.s32 %d6, %r3, 4;
    add.s64 %d7, %d2, %d6;
    ld.global.u32 %r4, [%d7];
    add.s64 %d8, %d3, %d4;
    st.global.u32 [%d8], %r4;
    ret;
}
"""
PLAIN = "ld.global.u32 %r3, [%d5];"
MASKED = "setp.ne.s32 %p, %r2, 0; mov.u32 %r3, 0; @%p ld.global.u32 %r3, [%d5];"
SHORT = "ld.global.u16 %h, [%d5]; cvt.u32.u16 %r3, %h;"
SIGNED = "ld.global.u16 %h, [%d5]; cvt.s32.s16 %r3, %h;"
EXTENDED = "ld.global.s16 %r3, [%d5];"
EITHER = SIGNED + "cvt.u32.u16 %r4, %h; mad.lo.s32 %r3, %r4, %r1, %r3;"
BYTE = "ld.global.u8 %r3, [%d5];"
WRITTEN = PLAIN + "st.global.u32 [%d5], %r2;"
ANYWHERE = "brev.b32 %r3, %r2; mul.wide.u32 %d6, %r3, 4; add.s64 %d5, %d1, %d6;" + PLAIN


def subject(load: str = PLAIN) -> Subject:
    source = Source("gather.ptx", GATHER.replace("LOAD", load))
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    return Subject(Path("gather.ptx"), kernel, contract_of(kernel, launch(kernel)))


def launch(kernel: Kernel) -> Launch:
    return resolved([Contract(params=NAMES)], kernel)


@pytest.fixture(scope="module")
def gather() -> InferredContract:
    return subject().result


def test_the_least_and_the_greatest_integer_bound_the_address(gather: InferredContract) -> None:
    assert gather.complete
    assert gather.needs == ("at.min >= 0",)
    assert gather.buffers == {"at": "4*n@4", "x": "4*at.max + 4@4", "y": "4*n@4"}
    assert gather.values == {"at": "at.min..at.max:s32"}
    assert "at, y" in gather.distinct  # not even the same: the integers must stay


def test_a_load_under_a_mask_is_bounded_where_a_select_takes_it() -> None:
    masked = subject(MASKED).result
    assert masked.complete
    assert "at.min >= 0" in masked.needs
    assert masked.reads["x"] == "max(4*at.max + 4, 4)"


def test_short_unsigned_integers_end_at_the_greatest_one() -> None:
    """Their type alone would ask for 65536 elements."""
    short = subject(SHORT).result
    assert short.complete and short.needs == ()
    assert short.buffers["x"] == "4*at.max + 4@4"
    assert short.values == {"at": "0..at.max:u16"}


@pytest.mark.parametrize("load", [SIGNED, EXTENDED], ids=["by a conversion", "by the load"])
def test_short_signed_integers_lie_between_the_least_and_the_greatest_one(load: str) -> None:
    short = subject(load).result
    assert short.complete and short.needs == ("at.min >= 0",)
    assert short.buffers["x"] == "4*at.max + 4@4"
    assert short.values == {"at": "at.min..at.max:s16"}


def test_short_integers_that_are_read_as_either_bound_nothing() -> None:
    found = subject(EITHER).result
    assert not found.values
    assert "x" in {one.access for one in found.unknown}


def test_bytes_need_a_table_as_long_as_the_greatest_says() -> None:
    found = subject(BYTE).result
    assert found.buffers["x"] == "4*at.max + 4@4"

    def launched(words: int, kinds: list[int] | None = None) -> list[str]:
        at = Allocation(12, None if kinds is None else np.array(kinds, "u1"))
        x, y = Allocation(4 * words), Allocation(12)
        launch = ConcreteLaunch.of((32, 1, 1), arguments={"n": 3, "at": at, "x": x, "y": y})
        return check_launch(found.contract(), launch)

    assert launched(5, [4, 0, 0] * 4) == []
    assert launched(4, [4, 0, 0] * 4) == ["x has 16 bytes, requires 20"]
    assert launched(4) == []  # they are not at hand


def test_a_byte_that_is_multiplied_is_the_number_of_a_row() -> None:
    found = subject(BYTE + " mul.lo.s32 %r3, %r3, %r1;").result
    assert found.buffers["x"] == "4*at.max*n + 4@4"
    assert found.values == {"at": "0..at.max:u8"}


@pytest.mark.parametrize("load", [WRITTEN, ANYWHERE], ids=["written", "loaded from anywhere"])
def test_integers_that_are_not_bounded_bound_nothing(load: str) -> None:
    found = subject(load).result
    assert not found.values
    assert "x" in {one.access for one in found.unknown}


@pytest.mark.parametrize("load", [PLAIN, MASKED, SHORT, SIGNED, EXTENDED])
def test_launches_that_meet_it_do_not_fault(load: str) -> None:
    count: Counter[str] = Counter()
    assert held(Launches(subject(load), Random(7)), 60, count) == []
    assert count["launches"] > 30


def given(at: list[int], rows: int) -> ConcreteLaunch:
    memory = {"at": Allocation.of(np.array(at, "i4")), "x": Allocation(4 * rows)}
    return ConcreteLaunch.of(
        (32, 1, 1), arguments={"n": 3, **memory, "y": Allocation(12, address=1 << 20)}
    )


def test_a_launch_check_reads_the_integers_that_are_given(gather: InferredContract) -> None:
    contract = gather.contract()
    assert check_launch(contract, given([0, 7, 2], 8)) == []
    assert check_launch(contract, given([0, 8, 2], 8)) == ["x has 32 bytes, requires 36"]
    assert check_launch(contract, given([0, -1, 2], 8)) == ["requires at.min >= 0"]
    assert check_launch(contract, given([0, 7, 2, -9], 8)) == []  # behind the bytes that are read
    on_a_device = ConcreteLaunch.of(
        (32, 1, 1),
        arguments={"n": 3, "at": Allocation(12), "x": Allocation(4), "y": Allocation(12)},
    )
    assert check_launch(contract, on_a_device) == []


def test_a_contract_that_is_pasted_proves_the_bounds(gather: InferredContract) -> None:
    contract = gather.contract()
    assert dict(contract.options())["--values"] == "at=at.min..at.max:s32"
    text = GATHER.replace("LOAD", PLAIN)
    (result,) = check([Source("gather.ptx", text)], Options((contract,))).kernels
    assert [access.status.value for access in result.accesses] == ["proved"] * 3


def test_a_run_reads_the_integers_of_its_arrays(gather: InferredContract) -> None:
    kernel, inferred = subject().kernel, gather.contract()
    whole = resolved([inferred, Contract(block=32, grid=1, args={"n": 3}, params=NAMES)], kernel)
    filled = whole.concrete(kernel, {1: np.array([4, 0, 2], "i4")})
    assert filled.allocations["x"].size == 20
    assert not run(kernel, filled).faults


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"requires": ["n.max > 0"]}, "n is no pointer, it is .u32"),
        ({"requires": ["row.max > 0"]}, "no kernel has a parameter row"),
        ({"buffers": {"at": "8"}, "values": {"at": "0..at.max:u64"}}, "use :s64"),
    ],
)
def test_names_of_integers_that_make_no_sense(said: dict[str, object], told: str) -> None:
    with pytest.raises(ContractError, match=told):
        resolved([Contract(params=NAMES, **said)], subject().kernel)  # type: ignore[arg-type]


def test_shared_memory_that_words_size_is_checked_where_they_are_at_hand() -> None:
    (texts,) = subjects(ROOT / "compilers/letters_of_texts.ptx")

    def launched(shared: int, letters: list[int] | None = None) -> list[str]:
        data = None if letters is None else np.array(letters, "u1")
        arguments = {
            "text": Allocation(2, data),
            "start": Allocation(8, np.array([0, 2], "i4").view("u1")),
            "found": Allocation(4),
            "texts": 1,
        }
        launch = ConcreteLaunch.of((32, 1, 1), (1, 1, 1), shared, arguments)
        return check_launch(texts.result.contract(), launch)

    assert launched(512) == []
    assert launched(512, [0, 3]) == []
    assert [told.split(",")[0] for told in launched(508, [0, 4])] == [
        "dynamic shared memory has 508 bytes"
    ]
