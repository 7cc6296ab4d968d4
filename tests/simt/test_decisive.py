"""A run that leaves data out executes the same accesses at the same addresses, in the same lanes
and steps, and has the same faults as one that computes all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace

from analyses.concrete.bitvectors import Array
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt import Fault, Observer, RunOptions, run
from ptxlint.simt.decisive import decisive_names
from ptxlint.undefined_values import undefined_values
from tests.sampled import sampled

from .programs import kernel_of, text_of
from .test_corpus import case, cases

CASES = [f"{folder}/{name}" for folder in ("clean", "flawed", "regressions")
         for name in cases(folder)]  # fmt: skip
MAX_STEPS = 20_000  # of the corpus only kernels that never end take more


class Executed(NamedTuple):
    """An access by one batch."""

    offset: int
    addresses: bytes
    active: bytes


class Accesses(Observer):
    """All accesses of a run, in order."""

    def __init__(self) -> None:
        self.seen: list[Executed] = []

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        self.seen.append(Executed(instr.offset, addresses[active].tobytes(), active.tobytes()))


class Behaviour(NamedTuple):
    """What a run does."""

    accesses: list[Executed]
    faults: tuple[Fault, ...]
    steps: int
    lane_instructions: int


def behaviour(kernel: Kernel, launch: ConcreteLaunch, options: RunOptions) -> Behaviour:
    observer = Accesses()
    outcome = run(kernel, launch, options, observer)
    return Behaviour(observer.seen, outcome.faults, outcome.steps, outcome.lane_instructions)


@pytest.mark.parametrize("name", sampled(CASES, 3))
def test_a_run_without_data_does_the_same_as_one_with_them(name: str) -> None:
    folder, stem = name.split("/")
    try:
        found = case(folder, stem)
    except AssertionError:
        pytest.skip("no launch of one kernel")
    for schedule in (None, 1):
        options = RunOptions(schedule=schedule, max_steps=MAX_STEPS)
        kernel, launch = found.kernel, found.launch
        whole = behaviour(kernel, launch, options)
        assert behaviour(kernel, launch, replace(options, data=False)) == whole


def left_out(body: str, module: str = "") -> set[str]:
    """The registers of the kernel that do not decide."""
    kernel = kernel_of(text_of(body, module))
    needed = decisive_names(kernel, undefined_values(kernel))
    names = {value.name.split(".")[0] for block in kernel.blocks for value in block.defined()}
    return names - {value.name.split(".")[0] for value in needed}


ARRAY = ".shared .align 4 .b8 s[4096];"
KEPT = "mul.lo.u32 %r10, %r1, 4; mov.u32 %r11, s; add.u32 %r11, %r11, %r10;"


def test_arithmetic_whose_result_is_stored_is_left_out() -> None:
    assert "%r30" in left_out("add.u32 %r30, %r4, 1; st.global.u32 [%rd5], %r30;")


def test_a_word_that_is_stored_and_loaded_as_an_index_decides() -> None:
    body = f"""
        add.u32 %r30, %r4, 1; {KEPT} st.shared.u32 [%r11], %r30; bar.sync 0;
        ld.shared.u32 %r31, [%r11]; mul.wide.u32 %rd10, %r31, 4; add.u64 %rd11, %rd1, %rd10;
        st.global.u32 [%rd11], %r31;
    """
    assert not {"%r30", "%r31"} & left_out(body, ARRAY)


def test_a_word_that_is_stored_to_another_space_does_not_decide() -> None:
    body = f"""
        add.u32 %r30, %r4, 1; {KEPT} st.shared.u32 [%r11], %r30;
        ld.global.u32 %r31, [%rd6]; mul.wide.u32 %rd10, %r31, 4; add.u64 %rd11, %rd2, %rd10;
        ld.global.u32 %r32, [%rd11];
    """
    assert {"%r30", "%r32"} <= left_out(body, ARRAY)


def test_a_word_that_is_stored_by_a_generic_address_decides_what_is_loaded_anywhere() -> None:
    body = """
        add.u32 %r30, %r4, 1; st.u32 [%rd5], %r30;
        ld.global.u32 %r31, [%rd6]; mul.wide.u32 %rd10, %r31, 4; add.u64 %rd11, %rd2, %rd10;
        ld.global.u32 %r32, [%rd11];
    """
    assert "%r30" not in left_out(body)


def test_a_word_that_must_be_defined_decides() -> None:
    body = "add.u32 %r30, %r40, 1; st.global.u32 [%rd5], %r30;"
    assert "%r30" not in left_out(body)


def test_what_is_left_out_stores_zero() -> None:
    kernel = kernel_of(text_of("add.u32 %r30, %r4, 1; st.global.u32 [%rd5], %r30;"))
    launch = ConcreteLaunch((1, 1, 1), (4, 1, 1), 0, (Allocation(16), Allocation(0), 0))
    stored = {
        data: run(kernel, launch, RunOptions(data=data)).buffers[0].view(np.uint32).tolist()
        for data in (True, False)
    }
    assert stored == {True: [1, 2, 3, 4], False: [0, 0, 0, 0]}


PAIR = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y, .param .align 4 .b8 p[12], .param .u32 n, .param .u32 m) {{
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [y];
    {}
    st.global.u32 [%rd1], %r1;
    ret;
}}
"""
BY_ADDRESS = "mov.b64 %rd2, m; cvta.param.u64 %rd3, %rd2; ld.u32 %r1, [%rd3];"


@pytest.mark.parametrize(
    ("body", "read", "deciding"),
    [
        ("mov.u32 %r1, 0;", {"y"}, {"y"}),
        ("ld.param.u32 %r1, [n];", {"y", "n"}, {"y"}),
        ("ld.param.u32 %r1, [p+4];", {"y", "p+4"}, {"y"}),
        ("ld.param.u32 %r1, [p+8]; bar.warp.sync %r1;", {"y", "p+8"}, {"y", "p+8"}),
        (BY_ADDRESS, {"y", "m"}, {"y", "m"}),
    ],
)
def test_a_parameter_is_read_and_decides(body: str, read: set[str], deciding: set[str]) -> None:
    kernel = kernel_of(PAIR.format(body))
    name = {p.index: p.name for p in kernel.arguments}
    assert {name[i] for i in kernel.read} == read
    assert {name[i] for i in kernel.deciding} == deciding
