"""A slip before its judge: what races on legal data must be shown, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.contracts.resolution import resolved
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.results.finding import Finding
from ptxlint.simt import Fault, RunOptions, run
from ptxlint.source import Source
from ptxlint.syntax import parse

from .programs import Program

RACE = RunOptions(checks=frozenset({"race"}))
RUNS = 4
STRAY = {"out-of-bounds", "misaligned-access"}


@dataclass(frozen=True)
class Judged:
    """``races`` counts the runs on legal data with a race; ``whole`` is false if one of them leaves
    memory, so that it says nothing of races. ``shown`` are the findings with a witness, ``open``
    the others."""

    races: int
    whole: bool
    shown: tuple[Finding, ...]
    open: int

    @property
    def harmful(self) -> bool:
        return self.whole and self.races > 0


def kernel_of(text: str) -> Kernel:
    source = Source("k.ptx", text)
    parsed = parse(source)
    assert parsed.module is not None, parsed.diagnostics
    program = lower_module(parsed.module, source)
    assert not program.diagnostics, program.diagnostics
    return program.kernels[0]


def judged(text: str, program: Program, values: bool = True) -> Judged:
    contract = Contract.from_options(program.options(values))
    kernel = kernel_of(text)
    concrete = resolved([contract], kernel).concrete(kernel)
    outcomes = [run(kernel, legal(program, concrete, seed), RACE) for seed in range(RUNS)]
    races = sum(any(map(harmful, outcome.faults)) for outcome in outcomes)
    whole = not any(outcome.kinds() & STRAY or outcome.exhausted for outcome in outcomes)
    options = Options((contract,), select=("data-race",), pedantic=True)
    report = check([Source("k.ptx", text)], options)
    assert not report.diagnostics
    shown = tuple(f for f in report.findings if f.witness is not None)
    return Judged(races, whole, shown, len(report.findings) - len(shown))


def harmful(fault: Fault) -> bool:
    """A race, but for a load of global memory beside an atomic."""
    instrs = (fault.instr, fault.other_instr)
    kinds = {instr.access.kind for instr in instrs if instr is not None and instr.access}
    return fault.kind == "data-race" and (fault.space, kinds) != ("global", {"load", "atomic"})


def legal(program: Program, launch: ConcreteLaunch, seed: int) -> ConcreteLaunch:
    """The launch with data that a caller may give."""
    random = np.random.default_rng(seed)
    data = {name: random.integers(100, 1 << 30, program.words(name), np.int32) for name in "yz"}
    data |= program.legal(random)
    arguments = tuple(
        replace(argument, data=data[name].view(np.uint8))
        if isinstance(argument, Allocation) and name in data
        else argument
        for name, argument in zip(("x", "at", "y", "z", "n"), launch.arguments, strict=True)
    )
    return replace(launch, arguments=arguments)
