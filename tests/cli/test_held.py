"""What a buffer is declared to hold: where that proves an access, where not, what a run says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.resolution import resolved
from ptxlint.execution.arrays import Input
from ptxlint.execution.faults import prepare
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.simt import run
from ptxlint.source import Source
from ptxlint.syntax import parse

PTX = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 x, .param .u32 n) {{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [at];
    ld.param.u64 %rd2, [x];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mul.wide.s32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    {load}
    mul.wide.{read} %rd5, %r3, 4;
    add.s64 %rd6, %rd2, %rd5;
    ld.global.u32 %r4, [%rd6];
    {then}
DONE:
    ret;
}}
"""
LOAD, INDICES, ELEMENTS = "ld.global.u32 %r3, [%rd4];", "at=4*n holds 0..99", "x=400"


def kernel(load: str = LOAD, read: str = "s32", then: str = "") -> Kernel:
    source = Source("k.ptx", PTX.format(load=load, read=read, then=then))
    parsed = parse(source)
    assert parsed.module is not None
    program = lower_module(parsed.module, source)
    assert not program.diagnostics
    return program.kernels[0]


def contract(*buffers: str) -> Contract:
    options = ["--block", "64", "--arg", "n=1..64", "--params", "at,x,n"]
    return Contract.from_options(options + [w for b in buffers for w in ("--buffer", b)])


def proved(of: Kernel, *buffers: str) -> bool:
    """Whether the access by the loaded index is."""
    facts = Facts(of, resolved([contract(*buffers)], of), "sm_80")
    return facts.accesses[1].in_bounds


@pytest.mark.parametrize("read", ["s32", "u32"])
@pytest.mark.parametrize(
    "indices", [INDICES, "at=4*n holds 0..n+35", "at=4*n@4 holds 0..99:u32", "at=256 holds 5..7"]
)
def test_an_index_that_is_declared_is_proved(read: str, indices: str) -> None:
    assert proved(kernel(read=read), indices, ELEMENTS)


@pytest.mark.parametrize(
    ("of", "buffers"),
    [
        (kernel(), ["at=4*n", ELEMENTS]),
        (kernel(), ["at=4*n holds 0..100", ELEMENTS]),
        (kernel(), ["at=4*n holds -1..99", ELEMENTS]),
        (kernel(), ["at=4*n holds 0..n+36", ELEMENTS]),
        (kernel(), ["at=4*n holds 0..99:u64", ELEMENTS]),
        (kernel(), ["at=4*n@2 holds 0..99", ELEMENTS]),
        (kernel(), ["at=4*n-4 holds 0..99", ELEMENTS]),
        (kernel("ld.global.u32 %r3, [%rd4+4];"), [INDICES, ELEMENTS]),
        (kernel("ld.global.s16 %r3, [%rd4];"), [INDICES, ELEMENTS]),
        (kernel(then="st.global.u32 [%rd4], %r2;"), [INDICES, ELEMENTS]),
        (kernel(then="red.global.add.u32 [%rd4], 1;"), [INDICES, ELEMENTS]),
        (
            kernel(then="ld.global.u64 %rd7, [%rd2];\n st.global.u32 [%rd7], 1;"),
            [INDICES, ELEMENTS],
        ),
    ],
    ids=[
        "nothing declared",
        "too great",
        "negative",
        "too great at some size",
        "words of another size",
        "words that begin between two",
        "loaded past the end, maybe",
        "loaded past the end",
        "half a word",
        "stored to",
        "updated",
        "stored to somewhere",
    ],
)
def test_another_is_not(of: Kernel, buffers: list[str]) -> None:
    assert not proved(of, *buffers)


def test_a_store_elsewhere_does_no_harm() -> None:
    assert proved(kernel(then="st.global.u32 [%rd6], %r2;"), INDICES, ELEMENTS)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ("holds", "expected"),
        ("holds 7", "at=4*n holds 7: expected a range, like 0..n-1 or 1..7:u64"),
        ("holds 0..7:f32", "0..7:f32"),
        ("holds 0..7:u24", "holds 0..7:u24: expected a range, like 0..n-1 or 1..7:u64; types are"),
        ("holds 0..300:u8", "at=4*n holds 0..300:u8: 300 is no number of type u8"),
        ("holds -1..7:u32", "at=4*n holds -1..7:u32: -1 is no number of type u32"),
        ("holds 7..0", "at=4*n holds 7..0: the range is empty"),
        ("holds 0..m", "no kernel has a parameter m"),
        ("holds 0..(", "at=4*n holds 0..("),
    ],
)
def test_a_range_that_cannot_be(held: str, message: str) -> None:
    with pytest.raises(ContractError) as error:
        resolved([contract(f"at=4*n {held}")], kernel())
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([0, 99], None),
        ([3, 100], "at[1] is 100, declared to hold 0..99"),
        ([-1, 0], "at[0] is -1, declared to hold 0..99"),
    ],
)
def test_a_run_takes_what_is_declared(
    words: list[int], complaint: str | None, tmp_path: Path
) -> None:
    np.save(tmp_path / "words.npy", np.array(words, np.int32))
    given = [Input.of(f"at={tmp_path / 'words.npy'}")]
    contracts = [Contract.from_options(["--arg", "n=2"]), contract("at=8 holds 0..99", ELEMENTS)]
    of = kernel()
    if complaint is None:
        assert not run(of, prepare(of, contracts, given).concrete).faults
        return
    with pytest.raises(ContractError, match=re.escape(complaint)):
        prepare(of, contracts, given)


def test_a_buffer_that_nobody_fills_holds_what_it_may() -> None:
    of = kernel()
    launch = resolved([contract("at=256 holds 1000..1001", "x=4004")], of)
    assert not run(of, launch.concrete(of)).faults
    assert run(
        of, resolved([contract("at=256 holds 1001..1002", "x=4004")], of).concrete(of)
    ).faults
