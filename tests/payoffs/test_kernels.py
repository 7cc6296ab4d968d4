"""The emitted kernels: proved by ptxlint, at the lines of the payoff, and no compiler needed."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from pricing_kernels import build
from pricing_kernels.build import BuildError
from pricing_kernels.contract import ContractError, GlobalArray
from pricing_kernels.kernel import SHIPPED
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import (
    Expression,
    S,
    black_scholes,
    by_date,
    dates,
    maximum,
    mean,
    products,
    sum,
)
from pricing_kernels.payoffs.backends.ptx.assembler import Assembler, AssemblerError, printed
from pricing_kernels.payoffs.backends.ptx.splice import SpliceError, spliced
from pricing_kernels.payoffs.kernels import PayoffProgram, Shape, payoff_program
from pricing_kernels.payoffs.simulation import skeletons
from ptxlint.source import Source
from ptxlint.syntax import parse
from ptxlint.syntax.ast import Function, Instruction

MODEL = black_scholes([100.0, 90.0, 110.0], 0.03, 0.3, correlation=0.5)
PAYOFFS: dict[str, Callable[[], Expression]] = {
    "vanilla": lambda: products.put(100),
    "Asian": lambda: products.asian_put(100, dates(12)),
    "barrier": lambda: products.down_and_out_put(100, 80, dates(12)),
    "first half": lambda: maximum(S(0, 0.5) - mean(dates(4), lambda t: S(1, t)), 0),
    "basket": lambda: products.basket_put(100, [0.2, 0.3, 0.5]),
    "correlations": lambda: products.correlation_swap(3, dates(12)),
    "constant": lambda: S(0, 0) + 1,
}


def program(name: str) -> PayoffProgram:
    return payoff_program(PAYOFFS[name](), MODEL)


def proved(said: str) -> set[str]:
    """The properties that a report calls proved."""
    named = re.search(r"^proved: (.*)$", said, re.MULTILINE)
    assert named, said
    return set(named[1].split(", "))


@pytest.mark.parametrize(
    ("name", "shape"),
    [*product(PAYOFFS, ["simulation", "replay"]), *product(["Asian"], ["scenarios", "record"])],
)
def test_every_access_is_proved_for_every_launch(name: str, shape: Shape) -> None:
    code, said = lint(
        program(name).kernel(shape), require=["bounds", "alignment", "spaces", "barriers"]
    )
    assert code == 0, said
    assert said.startswith("no findings"), said
    barriers = {"barriers"} if shape in ("simulation", "scenarios") else set()
    assert proved(said) - {"costs"} == {"bounds", "alignment", "spaces"} | barriers
    assert "unmodelled" not in said


def test_one_launch_has_no_finding() -> None:
    kernel = program("Asian").kernel()
    launch = kernel.contract.launch((2,), first=1, paths=1000, seed=5)
    code, said = lint(kernel, launch=launch)
    assert code == 0, said
    assert proved(said) - {"costs"} == {
        "bounds",
        "alignment",
        "spaces",
        "barriers",
        "races",
        "initialisation",
    }


def test_a_launch_simulates_the_segments_up_to_its_last_path() -> None:
    contract = program("Asian").kernel().contract
    assert contract.launch(first=2, paths=1000, seed=0).values["segments"] == 2
    with pytest.raises(ContractError, match="segments: 0 is not in"):
        contract.launch(first=4, paths=1000, seed=0)


def test_a_launch_with_other_rows_is_refused() -> None:
    with pytest.raises(ContractError, match="requires rows == 12, given rows=11"):
        program("Asian").kernel("replay").contract.launch(paths=5, rows=11)


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="there is no ptxas")
@pytest.mark.parametrize("name", PAYOFFS)
def test_the_assembler_accepts_the_text_and_spills_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / "kernel.ptx"
    path.write_text(program(name).kernel().ptx())
    command = ["ptxas", "-v", "-arch=sm_90", "-o", str(tmp_path / "cubin"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in done.stderr


def test_an_instruction_is_at_the_line_of_the_payoff() -> None:
    """The subtraction of the running mean, in this file."""

    def payoff() -> Expression:
        average = mean(dates(3), lambda t: S(0, t))
        return maximum(100 - average, 0)

    kernel = payoff_program(payoff(), MODEL).kernel()
    ptx = kernel.ptx()
    here = re.search(r'\.file\s+(\d+) "test_kernels\.py"', ptx)
    assert here and __file__ in kernel.files
    line = inspect.getsourcelines(payoff)[1] + 2
    at = re.search(rf"\.loc\s+{here[1]} {line} 1\n\s+sub\.rn\.f32", ptx)
    assert at, ptx


def payoff_of_levels() -> Expression:
    level = by_date(dates(4), [90, 95, 100, 105])
    return sum(dates(4), lambda t: maximum(S(0, t) - level[t], 0))


def test_a_finding_is_at_the_line_of_the_payoff(tmp_path: Path) -> None:
    """A table without its last column: where the payoff reads its levels, here and by the command
    that has nothing but the texts."""
    kernel = payoff_program(payoff_of_levels(), black_scholes(100, 0.03, 0.3)).kernel()
    table = kernel.contract.params["table"]
    assert isinstance(table, GlobalArray) and table.elements == "1 + 4*rows"
    params = {**kernel.contract.params, "table": replace(table, elements="1 + 3*rows")}
    flawed = replace(kernel, contract=replace(kernel.contract, params=params))
    launch = flawed.contract.launch((1,), first=0, paths=256, seed=0)
    lines, first = inspect.getsourcelines(payoff_of_levels)
    wanted = (
        rf"test_kernels\.py:{first + 2}:1: error\[out-of-bounds\] out-of-bounds read of `table`"
    )
    code, said = lint(flawed, launch=launch)
    assert code == 1 and re.search(wanted, said) and lines[2].strip() in said, said

    (tmp_path / "levels.ptx").write_text(flawed.ptx())
    shutil.copy(__file__, tmp_path)
    options = [word for pair in launch.declared().options() for word in pair]
    command = [sys.executable, "-m", "ptxlint", "check", "--no-cache", "levels.ptx", *options]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.returncode == 1 and re.search(wanted, done.stdout), done.stdout + done.stderr
    assert lines[2].strip() in done.stdout


def test_what_follows_a_zone_is_at_the_line_of_the_skeleton() -> None:
    kernel = program("Asian").kernel()
    ours = set(re.findall(r'\.file\s+(\d+) "(?:products|test_kernels|\w*folds)\.py"', kernel.ptx()))
    file, instructions = "", []
    for line in kernel.ptx().split("\n"):
        if located := re.match(r"\s*\.loc\s+(\d+)", line):
            file = located[1]
        elif re.match(r"\s+(bar\.sync|st\.shared)", line):
            instructions.append(file)
    assert instructions and not ours & set(instructions)


def test_the_shipped_skeletons_are_those_of_the_sources() -> None:
    for skeleton in skeletons():
        assert (SHIPPED / f"{skeleton.name}.cu").read_text("utf-8") == skeleton.cuda()


def test_a_payoff_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse() -> None:
        raise BuildError("no compiler")

    monkeypatch.setenv("PRICING_KERNELS_CACHE", str(tmp_path))
    monkeypatch.setattr(build, "_nvrtc", refuse)
    for name in PAYOFFS:
        assert ".visible .entry payoff_simulation_" in program(name).kernel().ptx()


def test_the_text_reads_as_the_instructions_that_were_emitted() -> None:
    """The printed kernel parses, and its instructions print as they are written."""
    ptx = program("correlations").kernel("replay").ptx()
    parsed = parse(Source("replay.ptx", ptx))
    assert parsed.module is not None and not parsed.diagnostics
    (kernel,) = (item for item in parsed.module.items if isinstance(item, Function))
    assert kernel.body is not None
    ours = [
        printed(each)
        for each in kernel.body.statements
        if isinstance(each, Instruction) and "%payoff" in str(each.operands)
    ]
    lines = {" ".join(line.split()) for line in ptx.split("\n")}
    assert len(ours) > 20
    assert not [line for line in ours if " ".join(line.split()) not in lines]


@pytest.mark.parametrize(
    ("opcode", "operands", "said"),
    [
        ("add.rn.s32", (1, 2), "PTX has no instruction add.rn.s32"),
        ("add.rn.f32", (1.0,), "takes 2 operands, not 1"),
        ("add.rn.f32", (1.0, 2), "operand b is 2, expected f32"),
        ("add.s32", (1.0, 2), "operand a is 1.0, expected s32"),
        ("selp.f32", (1.0, 2.0, 1), "operand c is 1, expected pred"),
        ("ld.global.nc.f32", (), "takes 1 operands, not 0"),
    ],
)
def test_an_instruction_that_ptx_does_not_have_is_refused(
    opcode: str, operands: tuple[int | float, ...], said: str
) -> None:
    with pytest.raises(AssemblerError, match=said):
        Assembler().emit(opcode, *operands)


def test_a_register_of_another_type_is_refused() -> None:
    out = Assembler()
    with pytest.raises(AssemblerError, match=r"operand b is .*payoff_r0.*, expected f32"):
        out.emit("add.rn.f32", 1.0, out.fresh("s32"))
    assert out.emit("add.u32", out.fresh("s32"), 1).type.name == "u32"


@pytest.mark.parametrize("name", ["before", "row", "after"])
def test_a_skeleton_without_a_hook_is_refused(name: str) -> None:
    made = program("Asian")
    skeleton = made.kernel().skeleton.ptx()
    with pytest.raises(SpliceError, match="the skeleton has the hooks"):
        spliced(re.sub(rf"//!{name} .*", "", skeleton), made.program)
    with pytest.raises(SpliceError, match=r"the skeleton has the hooks .*other"):
        spliced(skeleton.replace(f"//!{name} ", "//!other "), made.program)
