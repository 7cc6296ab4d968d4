"""Members of structures by value: parameters with an offset."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import required, resolved
from ptxlint.execution.arrays import Input
from ptxlint.execution.faults import prepare
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.simt import Allocation, ConcreteLaunch, run
from ptxlint.source import Source
from ptxlint.syntax import parse

from .__main__ import faulting, held
from .breaking import bounds
from .kernels import ROOT, subjects
from .launches import Launches

VIEWS = ROOT / "clean" / "views_by_value.ptx"
BLOCK = ["--params", "v", "--block", "32"]
SCALE = """.version 8.0
.target sm_80
.address_size 64
// v is { u32* data; int n; short step; char kind; float scale; }
.visible .entry k(.param .align 8 .b8 v[24])
{
    .reg .pred %p; .reg .b16 %h<3>; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f;
    LOADS
    mov.u32 %r1, %tid.x;
    setp.ge.s32 %p, %r1, %r2;
    @%p ret;
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    cvt.rni.s32.f32 %r3, %f;
    cvt.s32.s16 %r4, %h1;
    add.s32 %r3, %r3, %r4;
    cvt.s32.s8 %r4, %h2;
    add.s32 %r3, %r3, %r4;
    st.global.u32 [%rd1], %r3;
    ret;
}
"""
PLAIN = """ld.param.u64 %rd1, [v]; ld.param.u32 %r2, [v+8]; ld.param.s16 %h1, [v+12];
    ld.param.s8 %h2, [v+14]; ld.param.f32 %f, [v+16];"""
THROUGH_A_REGISTER = "mov.b64 %rd3, v;" + PLAIN.replace("[v", "[%rd3")


def kernel(loads: str = PLAIN) -> Kernel:
    source = Source("k.ptx", SCALE.replace("LOADS", loads))
    module = parse(source).module
    assert module is not None
    (found,) = lower_module(module, source).kernels
    return found


either = pytest.mark.parametrize("loads", [PLAIN, THROUGH_A_REGISTER])


@either
def test_the_loads_of_a_structure_tell_its_members(loads: str) -> None:
    found = [(m.name, m.type, m.size, m.number) for m in kernel(loads).members]
    assert found == [
        ("v+0", "u64", 8, False),
        ("v+8", "u32", 4, True),
        ("v+12", "s16", 2, True),
        ("v+14", "s8", 1, True),
        ("v+16", "f32", 4, True),
    ]


def test_words_that_overlap_are_no_members() -> None:
    found = kernel(PLAIN + "ld.param.u32 %r4, [v+4];").members
    assert [m.offset for m in found] == [8, 12, 14, 16]


@either
@pytest.mark.parametrize(("extent", "proved"), [("4*v.8", 1), ("4*v.8-4", 0)])
def test_an_access_is_proved_by_a_size_that_speaks_of_a_member(
    loads: str, extent: str, proved: int
) -> None:
    contract = Contract.of(params="v", buffer=[f"v.0={extent}"], assume=["v.8 >= 1"])
    report = check([Source("k.ptx", SCALE.replace("LOADS", loads))], Options((contract,)))
    assert report.summary.accesses.proved == proved


def test_a_launch_sets_members() -> None:
    options = ["--arg", "v.8=3", "--arg", "v.12=-2", "--arg", "v.14=7", "--arg", "v.16=5.0"]
    contract = Contract.from_options([*BLOCK, *options, "--buffer", "v.0=12"])
    prepared = prepare(kernel(), [contract], [])
    (words,) = run(prepared.kernel, prepared.concrete).buffers
    assert words.view(np.int32).tolist() == [10, 10, 10]


def test_the_bytes_of_a_structure_set_what_is_not_said_of_its_members(tmp_path: Path) -> None:
    whole = struct.pack("<Qihbxf4x", 0, 4, -2, 7, 5.0)
    np.save(tmp_path / "v.npy", np.frombuffer(whole, np.uint8))
    contract = Contract.from_options([*BLOCK, "--arg", "v.8=2", "--buffer", "v.0=16"])
    prepared = prepare(kernel(), [contract], [Input.of(f"v={tmp_path / 'v.npy'}")])
    (words,) = run(prepared.kernel, prepared.concrete).buffers
    assert words.view(np.int32).tolist() == [10, 10, 0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--arg v=5", "--arg v: v is a structure, its members are v.0, v.8, v.12, v.14, v.16"),
        (
            "--buffer v=5",
            "--buffer v: v is a structure, its members are v.0, v.8, v.12, v.14, v.16",
        ),
        (
            "--assume v>5",
            "--assume v>5: v is a structure, its members are v.0, v.8, v.12, v.14, v.16",
        ),
        ("--assume v.4>5", "--assume v.4>5: no kernel has a parameter v.4, this kernel's are"),
        ("--buffer v.8=4", "--buffer v.8=4: v.8 is no pointer, it is .u32"),
        ("--arg v.14=300", "--arg v.14: v.14 is .s8, the value does not fit in 8 bits"),
        ("--arg v.8=1 --arg 0.8=2", "--arg 0.8: the same parameter as v.8"),
    ],
)
def test_refused(options: str, message: str) -> None:
    words = ["--params", "v", *options.split()]
    with pytest.raises(ContractError) as error:
        resolved([Contract.from_options(words)], kernel())
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("v, v.8: s64", "--params v.8: s64, but the PTX has .u32"),
        ("v, v.9: s32", "--params v.9: no kernel has a parameter v.9, this kernel's are"),
    ],
)
def test_refused_as_a_type(params: str, message: str) -> None:
    contract = Contract.of(params=params)
    with pytest.raises(ContractError) as error:
        required([contract], [(kernel(), None)])
        resolved([contract], kernel())
    assert str(error.value).startswith(message)


def test_a_run_wants_each_member() -> None:
    contract = Contract.from_options([*BLOCK, "--arg", "v.8=3"])
    with pytest.raises(ContractError) as error:
        prepare(kernel(), [contract], [])
    assert str(error.value).startswith("member (v.0, .u64) has no value: give --arg v.0=...")


def test_an_undeclared_pointer_in_a_structure_is_followed() -> None:
    contract = Contract.from_options([*BLOCK, "--arg", "v.8=3"])
    found = kernel()
    launch = resolved([contract], found).concrete(found)
    assert isinstance(launch.arguments[1], Allocation)
    assert run(found, launch).faults == ()


def test_a_contract_with_members_is_inferred_and_holds() -> None:
    """Launches that meet it do not fault, and most that break it by one do."""
    (subject,) = subjects(VIEWS)
    assert {(part.kind, part.name, part.high) for part in subject.contract.bytes} == {
        ("reads", "from.0", "4*from.16*to.8 + 4*to.12 - 4*from.16"),
        ("writes", "to.0", "4*to.16*to.8 + 4*to.12 - 4*to.16"),
    }
    count: Counter[str] = Counter()
    launches = Launches(subject, Random(0))
    assert held(launches, 10, count) == [] and count["launches"] > 0
    ends = [bound for bound in bounds(launches) if bound.part is not None]
    assert ends and all(any(faulting(launches, bound, 25)) for bound in ends)


def test_the_guard_knows_members() -> None:
    contract = Contract.of(params="v, v.8: s32", assume=["v.8 >= 1"], buffer=["v.0=4*v.8"])
    good = ConcreteLaunch.of((32, 1, 1), arguments={"v.8": 3, "v.0": Allocation(12)})
    assert check_launch(contract, good) == []
    bad = ConcreteLaunch.of((32, 1, 1), arguments={"v.8": 2**32 - 1, "v.0": Allocation(12)})
    assert check_launch(contract, bad) == ["requires v.8 >= 1"]
