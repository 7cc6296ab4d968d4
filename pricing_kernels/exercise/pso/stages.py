"""The stages: eight ways to run a turn of the swarm, with the same bits.

O0 is numpy on the host, which is also the twin of all kernels. O1 to O6 are the paper's stages; O7
divides the paths as well as the particles, for which the paper takes ever more particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import KernelLaunch, Number
from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.pso import kernels
from pricing_kernels.exercise.pso.kernels import GROUP, MAX_PARTICLES, PARAMETERS, WARP, WARPS
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.rng import philox

Floats = NDArray[np.float32]
Fitness = NDArray[np.uint64]

GREATEST: Final = 2**32 - 1  # that a path can pay
BLOCKS: Final = 2**10  # of a tiled launch, about: enough for a device


@dataclass(frozen=True)
class Stage:
    """A way to run a turn by kernels, one after the other; without any, numpy runs it. If the
    ``host_keeps`` the best positions, the kernels give what each path pays."""

    number: int
    name: str
    kernels: tuple[EmittedKernel, ...] = ()
    host_keeps: bool = False

    def __str__(self) -> str:
        return f"O{self.number} {self.name}"


def _unfused(number: int, fitness: EmittedKernel) -> Stage:
    name = fitness.name.removeprefix("pso_")
    return Stage(number, name, (kernels.move_kernel(), fitness, kernels.remember_kernel()))


STAGES: Final = (
    Stage(0, "numpy"),
    Stage(1, "hybrid", (kernels.move_kernel(by_particle=True), kernels.hybrid_kernel()), True),
    _unfused(2, kernels.fitness_kernel("forward", forward=True)),
    _unfused(3, kernels.fitness_kernel("lockstep")),
    Stage(4, "fused", (kernels.fused_kernel("fused"),)),
    _unfused(5, kernels.fitness_kernel("vector", GROUP)),
    Stage(6, "fused_vector", (kernels.fused_kernel("fused_vector", GROUP),)),
    _unfused(7, kernels.tiled_kernel()),
)


@dataclass(frozen=True)
class SwarmSearch:
    """How to search: the least and the greatest value of each of 1 to 4 parameters; the particles,
    a multiple of 32; how many turns at most, and how many in a row without progress; the pulls of a
    move. Raises ExerciseError.

    The pulls are those of M. Clerc and J. Kennedy, IEEE Transactions on Evolutionary Computation 6,
    2002, with which a swarm converges."""

    bounds: tuple[tuple[float, float], ...] = ((0.0, 1.0), (0.0, 1.0))
    particles: int = 64
    turns: int = 50
    patience: int = 8
    inertia: float = 0.7298
    own_pull: float = 1.4962
    leader_pull: float = 1.4962

    def __post_init__(self) -> None:
        if not 1 <= len(self.bounds) <= PARAMETERS:
            raise ExerciseError(f"{len(self.bounds)} parameters, expected 1 to {PARAMETERS}")
        for low, high in self.bounds:
            if not 0.0 <= low < high <= 100.0:
                raise ExerciseError(f"bounds {low:g} to {high:g}, expected 0 <= low < high <= 100")
        if self.particles < 1:
            raise ExerciseError("an empty swarm: expected a multiple of 32 particles")
        if self.particles % WARP or self.particles > MAX_PARTICLES:
            expected = f"a multiple of {WARP} up to {MAX_PARTICLES}"
            raise ExerciseError(f"{self.particles} particles, expected {expected}")
        if self.turns < 1 or self.patience < 1:
            raise ExerciseError(f"{self.turns} turns, patience {self.patience}: expected 1 or more")
        for name in ("inertia", "own_pull", "leader_pull"):
            if not 0.0 <= getattr(self, name) <= 10.0:
                raise ExerciseError(f"{name} {getattr(self, name)}, expected 0 to 10")

    def pulls(self, turn: int) -> dict[str, float]:
        """Those of a turn: the first one moves nothing."""
        names = ("inertia", "own_pull", "leader_pull")
        return {name: getattr(self, name) if turn else 0.0 for name in names}


@dataclass(frozen=True)
class BoundaryProblem:
    """What the swarm is held against: so many paths; the ``basis`` of a threshold, by date and
    parameter; the ``box``, by bound and parameter."""

    paths: int
    basis: Floats
    box: Floats
    seed: int

    @property
    def rows(self) -> int:
        return len(self.basis)

    def uniform(self, particles: int, turn: int) -> Floats:
        """The numbers of a turn in [0, 1), two for each parameter: by number, parameter and
        particle."""
        counter = np.zeros((particles, 2, 4), np.uint64)
        counter[..., 0] = np.arange(particles)[:, None]
        counter[..., 1] = turn
        counter[..., 2] = np.arange(2)
        words = philox.philox(counter, [self.seed & 0xFFFFFFFF, self.seed >> 32])
        numbers = (words >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
        return np.ascontiguousarray(numbers.reshape(particles, PARAMETERS, 2).T)


class Swarm(Protocol):
    """A swarm at work."""

    def turn(self, number: int) -> None:
        """Moves the particles and tries them; in turn 0, their first positions."""

    @property
    def leader(self) -> tuple[Floats, int]:
        """The best position of the swarm, the first of equals, and its fitness."""


class HostSwarm:
    """The swarm on the host, in the operations of the kernels: float32, each rounded.
    ``gains`` by date and path."""

    def __init__(self, problem: BoundaryProblem, search: SwarmSearch, gains: Floats) -> None:
        self.problem, self.search, self.gains = problem, search, gains
        low, high = problem.box[:, :, None]
        self.position = low + (high - low) * problem.uniform(search.particles, 0)[0]
        self.velocity = np.zeros_like(self.position)
        self.own = self.position.copy()
        self.best = np.zeros(search.particles, np.uint64)

    def turn(self, number: int) -> None:
        self.move(number)
        self.remember(self.fitness())

    @property
    def leader(self) -> tuple[Floats, int]:
        return leading(self.own, self.best)

    def move(self, number: int) -> None:
        inertia, own, leader = map(np.float32, self.search.pulls(number).values())
        low, high = self.problem.box[:, :, None]
        to_own, to_leader = self.problem.uniform(self.search.particles, number)
        best = self.leader[0][:, None]
        velocity = inertia * self.velocity
        velocity = velocity + (own * to_own) * (self.own - self.position)
        self.velocity = velocity + (leader * to_leader) * (best - self.position)
        self.position = np.minimum(np.maximum(self.position + self.velocity, low), high)

    def thresholds(self) -> Floats:
        """By date and particle."""
        sums = self.problem.basis[:, :1] * self.position[:1]
        for k in range(1, PARAMETERS):
            sums = sums + self.problem.basis[:, k : k + 1] * self.position[k : k + 1]
        found: Floats = np.maximum(sums, np.float32(0))
        return found

    def fitness(self) -> Fitness:
        thresholds = self.thresholds()
        pays = np.zeros((self.problem.paths, self.search.particles), np.float32)
        for gains, least in zip(self.gains[::-1], thresholds[::-1], strict=True):
            some = np.flatnonzero(gains >= least.min())
            pays[some] = np.where(gains[some, None] >= least, gains[some, None], pays[some])
        whole = np.minimum(np.rint(pays.astype(np.float64)), GREATEST)
        found: Fitness = whole.astype(np.uint64).sum(axis=0)
        return found

    def remember(self, fitness: Fitness) -> None:
        better = fitness > self.best
        self.best[better] = fitness[better]
        self.own[:, better] = self.position[:, better]


class DeviceSwarm:
    """The swarm of an engine; its arrays stay there from turn to turn, as do the ``gains``."""

    def __init__(
        self,
        device: engines.Session,
        stage: Stage,
        problem: BoundaryProblem,
        search: SwarmSearch,
        gains: Any,
    ) -> None:
        self.device, self.stage, self.problem, self.search = device, stage, problem, search
        first = HostSwarm(problem, search, np.zeros((problem.rows, 0), np.float32))
        host: dict[str, NDArray[Any]] = {
            "box": problem.box, "basis": problem.basis, "best": first.best,
            "position": first.position, "velocity": first.velocity, "own": first.own,
        }  # fmt: skip
        self.arrays = {name: device.array(array) for name, array in host.items()}
        self.arrays["gains"] = gains

    def turn(self, number: int) -> None:
        self.arrays["leader"] = self.device.array(self.leader[0])
        for kernel in self.stage.kernels:
            launch = self.launch(kernel, number)
            self.device.run(kernel.ptx(), launch, self.given(launch))
        if self.stage.host_keeps:
            self.remember()

    def launch(self, kernel: EmittedKernel, number: int) -> KernelLaunch:
        """The launch of a kernel of the stage in a turn."""
        problem, particles = self.problem, self.search.particles
        numbers: dict[str, Number] = {
            "particles": particles, "rows": problem.rows, "paths": problem.paths,
            "turn": number, "seed": problem.seed, **self.search.pulls(number),
        }  # fmt: skip
        needed = {name: numbers[name] for name in kernel.contract.scalars}
        if kernel.contract.block == (WARP, WARPS):
            groups = -(-problem.paths // (GROUP * WARPS))
            warps = particles // WARP
            return kernel.contract.launch((warps, min(groups, -(-BLOCKS // warps))), **needed)
        return kernel.contract.launch(**needed)

    def given(self, launch: KernelLaunch) -> dict[str, Any]:
        """The arrays of a launch; those that no kernel filled yet are zero."""
        for name in launch.contract.buffers:
            if name not in self.arrays:
                self.arrays[name] = self.device.zeros(launch, name)
        return {name: self.arrays[name] for name in launch.contract.buffers}

    def remember(self) -> None:
        """What ``pso_remember`` does, from what each path pays each particle."""
        shape = self.search.particles, self.problem.paths
        pays = self.device.host(self.arrays["pays"]).reshape(shape)
        fitness = pays.sum(axis=1, dtype=np.uint64)
        best, own = (self.device.host(self.arrays[name]) for name in ("best", "own"))
        better = fitness > best
        best[better] = fitness[better]
        own = own.reshape(PARAMETERS, -1)
        position = self.device.host(self.arrays["position"]).reshape(PARAMETERS, -1)
        own[:, better] = position[:, better]
        self.arrays |= {"best": self.device.array(best), "own": self.device.array(own)}

    @property
    def leader(self) -> tuple[Floats, int]:
        own = self.device.host(self.arrays["own"]).reshape(PARAMETERS, -1)
        return leading(own, self.device.host(self.arrays["best"]))


def leading(own: Floats, best: Fitness) -> tuple[Floats, int]:
    """The position of the greatest fitness, the first of equals, and that fitness."""
    at = int(np.argmax(best))
    return np.ascontiguousarray(own[:, at]), int(best[at])
