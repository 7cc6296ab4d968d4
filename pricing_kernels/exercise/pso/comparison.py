"""The table of all stages: what a step costs, how long a turn takes, what the boundary is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from time import perf_counter
from typing import Final

from analyses.hardware import WARP
from pricing_kernels import engines
from pricing_kernels.exercise.policy import BermudanOption
from pricing_kernels.exercise.pso.boundary import Boundary, led, problem, started
from pricing_kernels.exercise.pso.costs import CountingSession, LaunchCosts, turn_costs
from pricing_kernels.exercise.pso.stages import (
    STAGES,
    BoundaryProblem,
    DeviceSwarm,
    Stage,
    SwarmSearch,
)

PRICED: Final = 100_000  # paths
HEAD: Final = (
    "stage           sectors  wavefronts  instructions  active  launches  warps  seconds"
    "  price             found"
)
LEGEND: Final = """\
A step is one date of one path for 32 particles. ptxlint predicts the sectors and the wavefronts of
a request; the interpreter counts requests, instructions and active lanes of the second turn.
Found are rules of ptxlint, and loops that the lanes of a warp leave apart, at lines of kernels.py.
Seconds are those of the third turn, {where}.
The price is that of the leader's boundary after three turns, on other paths."""
WHERE: Final = {
    "simt": "O0 by numpy, the others by the interpreter",
    "cupy": "O0 by numpy, the others by the device",
}


@dataclass(frozen=True)
class ComparedStage:
    """A stage after three turns: the costs of the second by step, the seconds of the third, and the
    boundary of its leader. numpy has no costs."""

    stage: Stage
    costs: LaunchCosts | None
    steps: int
    seconds: float
    boundary: Boundary

    @property
    def found(self) -> str:
        """What was found, with its lines."""
        lines = defaultdict[str, list[str]](list)
        for name, line in sorted(set(self.costs.found if self.costs else ())):
            lines[name].append(str(line))
        return ", ".join(f"{name} {' '.join(each)}" for name, each in lines.items())

    def row(self, price: str) -> str:
        costs, steps, label = self.costs, self.steps, f"{self.stage!s:15}"
        if costs is None:
            return f"{label} {'':59}{self.seconds:9.3f}  {price}"
        return (
            f"{label}{costs.sectors / steps:8.2f} {costs.wavefronts / steps:11.2f}"
            f" {costs.instructions / steps:13.1f} {costs.active:7.0%} {costs.launches:9}"
            f" {costs.warps:6}{self.seconds:9.3f}  {price}  {self.found}".rstrip()
        )


def compared(
    option: BermudanOption,
    search: SwarmSearch,
    paths: int,
    seed: int,
    engine: str,
    control: float | None = None,
) -> Iterator[str]:
    """The lines of the table. ``control`` is the European option's price. Raises ExerciseError,
    EngineError, BuildError."""
    made = problem(option, search, paths, seed ^ 2**63)
    prices: dict[tuple[float, ...], str] = {}
    yield HEAD
    for stage in STAGES:
        found = compare(stage, option, made, search, engine)
        spots = found.boundary.spots
        if spots not in prices:
            priced = found.boundary.price(PRICED, seed, engine, control)
            prices[spots] = f"{priced.price:.4f} +- {priced.stderr:.3f}"
        yield found.row(prices[spots])
    yield LEGEND.format(where=WHERE[engine])


def compare(
    stage: Stage, option: BermudanOption, made: BoundaryProblem, search: SwarmSearch, engine: str
) -> ComparedStage:
    """Three turns of a stage on the engine. Its second turn is made on the interpreter as well."""
    with engines.session(engine) as device:
        swarm = started(device, stage, option, made, search)
        swarm.turn(0)
        swarm.turn(1)
        start = perf_counter()
        swarm.turn(2)
        seconds = perf_counter() - start
        boundary = led(option, search, swarm, 3)
    each = counted(stage, option, made, search) if stage.kernels else ()
    costs = reduce(add, each) if stage.kernels else None
    steps = made.rows * made.paths * search.particles // WARP
    return ComparedStage(stage, costs, steps, seconds, boundary)


def counted(
    stage: Stage, option: BermudanOption, made: BoundaryProblem, search: SwarmSearch
) -> Iterator[LaunchCosts]:
    """The costs of each launch of the second turn."""
    session = CountingSession()
    swarm = started(session, stage, option, made, search)
    assert isinstance(swarm, DeviceSwarm)
    swarm.turn(0)
    yield from turn_costs(swarm, session, 1)
