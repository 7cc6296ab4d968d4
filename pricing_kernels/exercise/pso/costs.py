"""The costs of a stage: what ptxlint predicts of a request, times the requests of a turn.

Sectors and wavefronts of a request, divergent loops and findings are static: they hold for the
launch, whatever the arrays contain. How often a warp makes an access depends on the data where
lanes leave a loop early, so the interpreter counts it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from numpy.typing import NDArray

from analyses.concrete.bitvectors import Array
from analyses.domains.uniformity import Level
from analyses.hardware import WARP
from pricing_kernels.contract import KernelLaunch
from pricing_kernels.engines.simt import MAX_STEPS, HostSession
from pricing_kernels.exercise.pso.stages import DeviceSwarm
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.lint import sources
from ptxlint.checker import check
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.simt import Observer, RunOptions, run
from ptxlint.source import Source
from ptxlint.syntax import parse

ARCH: Final = "sm_80"


@dataclass(frozen=True)
class LaunchCosts:
    """Of some launches: their number, and the warps of the largest one; sectors of global memory,
    wavefronts of shared memory and instructions, over all warps; the lanes that executed an
    instruction; and what was found, with its line: rules, and exits of loops by which the lanes of
    a warp leave apart."""

    launches: int = 0
    warps: int = 0
    sectors: int = 0
    wavefronts: int = 0
    instructions: int = 0
    lane_instructions: int = 0
    found: tuple[tuple[str, int], ...] = ()

    def __add__(self, other: LaunchCosts) -> LaunchCosts:
        return LaunchCosts(
            self.launches + other.launches,
            max(self.warps, other.warps),
            self.sectors + other.sectors,
            self.wavefronts + other.wavefronts,
            self.instructions + other.instructions,
            self.lane_instructions + other.lane_instructions,
            (*self.found, *other.found),
        )

    @property
    def active(self) -> float:
        """The part of the lanes of executing warps that executed, too."""
        return self.lane_instructions / (WARP * self.instructions)


class CountingSession(HostSession):
    """A session of the interpreter that counts the requests of each kernel."""

    def __init__(self) -> None:
        self.requests: dict[str, RequestCounts] = {}

    def run(self, ptx: str, launch: KernelLaunch, arrays: Mapping[str, NDArray[Any]]) -> None:
        name = launch.contract.kernel
        kernel = lowered(Source(name, ptx))
        counted = self.requests[name] = RequestCounts(kernel)
        outcome = run(kernel, launch.concrete(arrays), RunOptions(max_steps=MAX_STEPS), counted)
        for array, after in zip(arrays.values(), outcome.buffers, strict=True):
            array[:] = after.view(array.dtype)


class RequestCounts(Observer):
    """How often the warps of a run make each access, and what they execute."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.accesses: Counter[PtxInstr] = Counter()
        self.instructions = 0
        self.lane_instructions = 0

    def entered(self, block: int, active: Array) -> None:
        lanes, number = active.reshape(-1, WARP), len(self.kernel.blocks[block].instrs) + 1
        self.instructions += number * int(lanes.any(axis=1).sum())
        self.lane_instructions += number * int(lanes.sum())

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        self.accesses[instr] += int(active.reshape(-1, WARP).any(axis=1).sum())


def turn_costs(swarm: DeviceSwarm, session: CountingSession, number: int) -> Iterator[LaunchCosts]:
    """The costs of each launch of a turn of a swarm of that session, which makes the turn."""
    swarm.turn(number)
    for kernel in swarm.stage.kernels:
        yield launch_costs(kernel, swarm.launch(kernel, number), session.requests[kernel.name])


def lowered(ptx: Source) -> Kernel:
    module = parse(ptx).module
    assert module is not None, "the compiler's PTX"
    (kernel,) = lower_module(module, ptx).kernels
    return kernel


def launch_costs(
    kernel: EmittedKernel, launch: KernelLaunch, counted: RequestCounts
) -> LaunchCosts:
    """The costs of a launch that made so many requests."""
    ptx, files = sources(kernel)
    contract = launch.declared()
    facts = Facts(counted.kernel, resolved([contract], counted.kernel), ARCH)
    moved = Counter[str]()
    for access in facts.accesses:
        number = counted.accesses[access.instr]
        if number:
            assert access.cost is not None, f"{access.instr.text} has no cost"
            moved[access.cost.unit] += access.cost.worst * number
    report = check([ptx], Options(contracts=(contract,), arch=ARCH), files=files)
    reported = (*report.findings, *(one.finding for one in report.ignored))
    found = ((one.rule, one.location.line) for one in reported)
    return LaunchCosts(
        launches=1,
        warps=warps(launch),
        sectors=moved["sectors"],
        wavefronts=moved["wavefronts"],
        instructions=counted.instructions,
        lane_instructions=counted.lane_instructions,
        found=(*found, *(("divergent exit", line) for line in divergent_exits(facts))),
    )


def warps(launch: KernelLaunch) -> int:
    """The warps that a launch starts."""
    return math.prod(launch.grid) * math.prod(launch.contract.block) // WARP


def divergent_exits(facts: Facts) -> Iterator[int]:
    """The branches by which lanes of a warp leave a loop in different iterations, by line."""
    divergence = facts.divergence
    for loop in facts.values.loops.values():
        if divergence.exit_levels.get(loop.head) is not Level.DIVERGENT:
            continue
        for index in sorted(loop.nodes):
            block = facts.kernel.blocks[index]
            leaves = not loop.nodes.issuperset(block.terminator.targets)
            if leaves and divergence.branches.get(index) is Level.DIVERGENT:
                loc = facts.branch(block).loc
                yield loc.line if loc else 0
