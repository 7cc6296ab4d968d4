"""The corpus under its declared launches: clean kernels run without a fault, all checks on and in
any order; flawed ones show the planted fault, at its line and nowhere else. Buffers hold 0, 1, 2
and so on as floats, or what ``// input: start=arange:i4`` says, as on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.execution.arrays import Input
from ptxlint.ir import Kernel
from ptxlint.replay.candidates import Candidate, launches
from ptxlint.simt import ConcreteLaunch, Fault, Outcome, RunOptions, run
from tests.sampled import sampled

from .programs import kernel_of

EXPECT = r"// expect: ([\w-]+)"
CORPUS = Path(__file__).parents[2] / "corpus"
SHOWN = {
    "out-of-bounds",
    "misaligned-access",
    "address-space-mismatch",
    "divergent-uniform-branch",
    "divergent-barrier",
}
"""The rules whose harm a run shows; the others speak of cost or of what one run cannot show."""


def cases(folder: str) -> list[str]:
    return sorted(path.stem for path in (CORPUS / folder).glob("*.ptx"))


@dataclass(frozen=True)
class Case:
    """The text in which a case was written, whether that is the PTX, and its declared launch, with
    other numbers in every word of its buffers."""

    source: str
    own: bool
    kernel: Kernel
    launch: ConcreteLaunch

    def run(self, checks: frozenset[str] = frozenset(), schedule: int | None = None) -> Outcome:
        return run(self.kernel, self.launch, RunOptions(checks=checks, schedule=schedule))

    def others(self) -> Iterator[Candidate]:
        """Launches of other sizes, with buffers of zeros."""
        launch = resolved([Contract.from_comments(self.source)], self.kernel)
        yield from launches(self.kernel, launch)
        yield from launches(self.kernel, launch, inside=True)


def case(folder: str, name: str) -> Case:
    ptx = (CORPUS / folder / f"{name}.ptx").read_text("utf-8")
    written = CORPUS / folder / f"{name}.cu"
    source = written.read_text("utf-8") if written.exists() else ptx
    kernel = kernel_of(ptx, name)
    launch = resolved([Contract.from_comments(source)], kernel)
    concrete = launch.concrete(kernel, contents(source, launch))
    return Case(source, not written.exists(), kernel, concrete)


def contents(source: str, launch: Launch) -> dict[int, NDArray[Any]]:
    """What the first bytes of the buffers hold, by the position of the parameter."""
    given = " ".join(re.findall(r"^// input: (.*)$", source, re.MULTILINE)).split()
    inputs = {each.name: each for each in map(Input.of, given)}
    assert inputs.keys() <= set(launch.names)
    return {
        i: inputs.get(name, Input.of(f"{name}=arange")).array(min(extent.bytes.high, 4096) // 4 * 4)
        for i, extent in launch.buffers.items()
        for name in [launch.names[i]]
    }


def planted(source: str, pattern: str) -> set[tuple[int, str]]:
    """The rules in comments of this form, with their lines."""
    return {
        (number, rule)
        for number, text in enumerate(source.splitlines(), 1)
        for rule in re.findall(pattern, text)
    }


def line(source: str, own: bool, fault: Fault) -> int:
    if own:
        return source.count("\n", 0, fault.offset) + 1
    assert fault.loc is not None
    return fault.loc.line


@pytest.mark.parametrize("name", cases("clean"))
def test_clean_kernel_runs_without_a_fault(name: str) -> None:
    outcome = case("clean", name).run(frozenset({"race", "init", "sync"}))
    assert not outcome.faults, "\n".join(map(str, outcome.faults))
    assert not outcome.exhausted


@pytest.mark.parametrize("name", sampled(cases("clean"), 2))
def test_clean_kernel_leaves_the_same_whoever_comes_first(name: str) -> None:
    clean = case("clean", name)
    expected = [buffer.tobytes() for buffer in clean.run().buffers]
    for seed in range(3):
        outcome = clean.run(frozenset({"sync"}), seed)
        assert not outcome.faults, "\n".join(map(str, outcome.faults))
        assert [buffer.tobytes() for buffer in outcome.buffers] == expected, f"seed {seed}"


@pytest.mark.parametrize("name", cases("flawed"))
def test_flawed_kernel_shows_its_fault_at_its_line(name: str) -> None:
    """In the greatest launch that is declared, or else in one of a size inside of a range."""
    flawed = case("flawed", name)
    outcome = flawed.run()
    expected = {(n, rule) for n, rule in planted(flawed.source, EXPECT) if rule in SHOWN}
    faults = [fault for fault in outcome.faults if fault.kind in SHOWN]
    if expected and not faults:
        faults = [
            fault
            for candidate in flawed.others()
            for fault in run(flawed.kernel, *candidate).faults
        ]
    if " or null" in flawed.source:
        faults = [through_null(fault) for fault in faults]
    assert {(line(flawed.source, flawed.own, f), f.kind) for f in faults} == expected
    assert not outcome.exhausted


def through_null(fault: Fault) -> Fault:
    """The fault as a check names it: to a run, the address 0 is in no memory, whatever pointer it
    comes from."""
    if fault.kind == "address-space-mismatch":
        return replace(fault, kind="out-of-bounds")
    return fault


def test_a_missing_barrier_is_a_race_at_its_line_and_another_sum() -> None:
    flawed = case("flawed", "reduce_missing_barrier")
    faults = flawed.run(frozenset({"race"})).faults
    found = {line(flawed.source, flawed.own, fault) for fault in faults}
    assert {fault.kind for fault in faults} == {"data-race"}
    assert {(at, "data-race") for at in found} == planted(flawed.source, EXPECT)
    sums = {flawed.run(schedule=seed).buffers[1].tobytes() for seed in range(8)}
    assert len(sums) > 1
