"""Buffers whose pointers may be null: inferred, declared, checked at a launch, and run."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from ptxlint.checker import check
from ptxlint.contracts.compiled_check import LaunchGuard
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.contracts.files import contracts
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.execution.runner import chosen
from ptxlint.inference.contract import contract_of
from ptxlint.options import Options
from ptxlint.results.finding import Certainty
from ptxlint.results.verdict import Status
from ptxlint.simt import RunOptions, run
from ptxlint.source import Source
from ptxlint.syntax import modules

from .kernels import ROOT, subjects

BIAS = ROOT / "clean" / "bias_if_given.ptx"
GIVEN = {"bias": Allocation(200, address=256), "mask": Allocation(400, address=512)}
NULLS: tuple[Argument, ...] = (0, Allocation(0, address=0))


BEHIND = ROOT / "regressions" / "sum_behind_a_missing_buffer.ptx"


def test_a_buffer_that_may_be_missing_limits_no_parameter() -> None:
    """The largest possible buffer has 4*n bytes, but there is none if the pointer is null."""
    (subject,) = subjects(BEHIND)
    assert subject.contract.optional == {"x"}
    assert "nctaid.x*ntid.x + 4*n <= 2**64" in subject.result.needs


@pytest.mark.parametrize(("words", "proved"), [("words=4*n", True), ('"words=4*n or null"', False)])
def test_where_a_buffer_is_given_no_thread_comes_as_if_it_were_not(
    words: str, proved: bool
) -> None:
    """One that has bytes is not at null."""
    path = ROOT / "regressions" / "one_of_two_buffers.ptx"
    text = path.read_text("utf-8")
    contract = Contract.from_comments(text.replace("words=4*n", words))
    report = check([Source(path.name, text)], Options((contract,)))
    (stored,) = (one for one in report.accesses if "numbers" in str(one.access))
    assert (stored.status is Status.PROVED) == proved


def launch(**but: Argument) -> ConcreteLaunch:
    """Eight rows of fifty columns, with other arguments."""
    memory: dict[str, Argument] = {
        "x": Allocation(1600, address=4096),
        **GIVEN,
        "y": Allocation(1600, address=8192),
        "cols": 50,
        "rows": 8,
    }
    return ConcreteLaunch.of((64, 1, 1), (8, 1, 1), 0, memory | but)


def declared() -> Contract:
    (subject,) = subjects(BIAS)
    (contract,) = contracts(subject.result.as_toml(), "inferred.toml")
    return contract


def test_what_is_inferred() -> None:
    (subject,) = subjects(BIAS)
    assert subject.contract.optional == {"bias", "mask"}
    assert subject.result.buffers["bias"] == "4*cols@4 or null"
    assert subject.result.buffers["mask"] == "cols*rows@1 or null"
    assert subject.result.buffers["x"] == "4*cols*rows@4"
    assert declared().buffers["bias"].optional


@pytest.mark.parametrize(("bias", "mask"), list(product((*NULLS, None), repeat=2)))
def test_a_null_pointer_meets_the_contract(bias: Argument | None, mask: Argument | None) -> None:
    given = {"bias": bias, "mask": mask}
    concrete = launch(**{name: each for name, each in given.items() if each is not None})
    assert check_launch(declared(), concrete) == []
    (subject,) = subjects(BIAS)
    nulls = {name: 0 for name, each in given.items() if each is not None}
    outcome = run(subject.kernel, launch(**nulls), RunOptions(checks=frozenset()))
    assert outcome.faults == ()


def test_a_buffer_that_is_too_small_does_not() -> None:
    small = launch(bias=Allocation(196, address=256))
    assert check_launch(declared(), small) == ["bias has 196 bytes, requires 200"]


def test_a_null_pointer_of_what_is_required_does_not() -> None:
    for null in NULLS:
        assert "x has 0 bytes, requires 1600" in check_launch(declared(), launch(x=null))


def test_the_compiled_check_says_the_same() -> None:
    contract = declared()
    names = tuple(contract.positional)
    guard = LaunchGuard.of(contract, names, ("x", "bias", "mask", "y"))
    for concrete in (
        launch(),
        launch(bias=0),
        launch(mask=Allocation(8, address=512)),
        launch(x=0),
    ):
        given = [
            (each.address or 0, each.size or 0) if isinstance(each, Allocation) else each
            for each in concrete.arguments
        ]
        told = guard.refusals(concrete.grid, concrete.block, 0, given)  # type: ignore[arg-type]
        assert told == check_launch(contract, concrete)
    null = [
        (0, 0) if name in ("bias", "mask") else each
        for name, each in zip(names, given, strict=True)
    ]
    null[0] = (4096, 1600)
    assert guard.surely(concrete.grid, concrete.block, 0, null)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["4*n or null", "4*n@16 or null", "4*n@16  or  null holds 0..7"])
def test_how_it_is_declared(text: str) -> None:
    buffer = Contract.of(params="n,x", buffer=[f"x={text}"]).buffers["x"]
    assert buffer.optional
    assert buffer.size == "4*n"
    assert buffer.text.endswith(" or null")


def test_dynamic_shared_memory_is_never_null() -> None:
    with pytest.raises(ContractError, match="dynamic shared memory"):
        Contract.of(shared="64 or null")


def test_an_access_without_a_check_has_a_witness_with_a_null_pointer() -> None:
    path = ROOT / "flawed" / "bias_before_its_check.ptx"
    source = Source(path.name, path.read_text("utf-8"))
    options = Contract.from_comments(path.with_suffix(".cu").read_text("utf-8"))
    (finding,) = check([source], Options((options,))).findings
    assert finding.certainty is Certainty.WITNESS
    assert finding.witness is not None and finding.witness.arguments["bias"] == 0
    required = dict(options.buffers) | {"bias": replace(options.buffers["bias"], optional=False)}
    buffers = [f"{name}={each.text}" for name, each in required.items()]
    sized = Contract.of(params="x,bias,n", block="64", grid="4", arg=["n=200"], buffer=buffers)
    assert check([source], Options((sized,))).findings == ()


# --- random null checks

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {
    .reg .pred %p<40>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    setp.eq.s64 %p0, %rd1, 0;
    setp.ne.s64 %p1, %rd2, 0;
    setp.lt.u32 %p2, %r2, %r1;
    selp.b64 %rd4, 0, %rd3, %p0;
    selp.b64 %rd5, 0, %rd3, %p2;
    add.s64 %rd6, %rd1, %rd4;
    add.s64 %rd7, %rd1, %rd5;
    setp.ne.s64 %p3, %rd6, 0;
    setp.ne.s64 %p4, %rd7, 0;
    setp.ne.s64 %p5, %rd1, 0;
"""
FIRST = 6


def guarded(random: Random) -> str:
    """A kernel that loads from ``a`` where a random formula of null checks holds: under a branch or
    a predicate."""
    lines, last = [], FIRST
    for last in range(FIRST, FIRST + random.randrange(1, 5)):
        one, other = random.choices(range(last), k=2)
        of = (
            f"%p{one}, %p{other}"
            if (name := random.choice(("and", "or", "xor", "not"))) != "not"
            else f"%p{one}"
        )
        lines.append(f"    {name}.pred %p{last}, {of};")
    guard = random.choice((f"@%p{last}", f"@!%p{last}"))
    load = "ld.global.u32 %r3, [%rd1];"
    opposite = guard.replace("@", "@!").replace("!!", "")
    below = (
        f"    {guard} {load}" if random.random() < 0.5 else f"    {opposite} bra END;\n    {load}"
    )
    return "\n".join([HEAD.strip("\n"), *lines, below, "END:", "    ret;", "}"])


def test_what_is_optional_is_not_accessed_where_it_is_null() -> None:
    """By the interpreter, for random formulas of null checks; of the others, most do access it."""
    random, count = Random(7), [0, 0, 0]
    for _ in range(150):
        text = guarded(random)
        _, kernel = chosen(modules(Source("k.ptx", text)), None)
        contract = contract_of(kernel, resolved([Contract(params="a,b,n")], kernel))
        memory = Allocation(4)
        faulting = any(
            run(kernel, ConcreteLaunch((1, 1, 1), (4, 1, 1), 0, (0, b, n)), RunOptions()).faults
            for b, n in product((0, memory), (0, 2, 9))
        )
        optional = "a" in contract.optional
        assert not (optional and faulting), text
        count[0] += optional
        count[1] += faulting
        count[2] += not (optional or faulting)
    assert count[0] > 20
    assert count[1] > 50
    assert count[2] < 20
