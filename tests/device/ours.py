"""The kernels of the package, as a device is to run them: every one of the catalogue, a payoff, and
a policy of early exercise; small launches for their bits, large ones for their speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import catalogue
from pricing_kernels.contract import KernelLaunch, Number
from pricing_kernels.exercise.classifiers import Stumps
from pricing_kernels.exercise.picazo import Classification
from pricing_kernels.exercise.policy import BermudanOption, average
from pricing_kernels.lint import Lintable
from pricing_kernels.payoffs import S, assets, black_scholes, dates, products
from pricing_kernels.payoffs.kernels import PayoffProgram, Shape, payoff_program

Sizes = Mapping[str, Number]

_MARKET: dict[str, Number] = {
    "seed": 7, "spot": 100.0, "strike": 105.0, "rate": 0.05, "volatility": 0.2, "maturity": 1.0,
    "is_call": 1, "discount": 0.99, "origin": 0, "first": 0, "stream": 1, "turn": 3,
}  # fmt: skip
SMALL: Sizes = _MARKET | {
    "streams": 256, "count": 6, "points": 6, "paths": 700, "stride": 700, "steps": 3, "rows": 5,
    "columns": 70, "particles": 64, "states": 300, "taken": 5, "starts": 3,
}  # fmt: skip
LARGE: Sizes = _MARKET | {
    "streams": 2**16, "count": 256, "points": 256, "paths": 2**16, "stride": 2**16, "steps": 50,
    "rows": 50, "columns": 4000, "particles": 1024, "states": 2**20, "taken": 30, "starts": 64,
}  # fmt: skip


@dataclass(frozen=True)
class OwnKernel:
    """A kernel, its name here, and what some buffers hold whatever the launch."""

    name: str
    kernel: Lintable
    contents: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    values: Sizes = field(default_factory=dict)

    def launch(self, sizes: Sizes) -> KernelLaunch:
        """The launch of these sizes, as far as the contract allows them."""
        own, values = {**sizes, **self.values}, dict[str, Number]()
        for name, scalar in self.kernel.contract.scalars.items():
            if not scalar.equals:
                wanted = max(scalar.low, min(scalar.high, own.get(name, 0.5)))
                if scalar.integer:
                    wanted = max(int(wanted) // scalar.multiple_of, 1) * scalar.multiple_of
                    wanted = wanted if scalar.low or own.get(name) else 0
                values[name] = wanted
        contract = self.kernel.contract
        grid = (2,) if not contract.threads and "segments" in contract.scalars else None
        return contract.launch(grid, **values)

    def arrays(self, launch: KernelLaunch) -> dict[str, NDArray[Any]]:
        """What the buffers hold: the state of a generator, floats about one, zeros."""
        given = dict(self.contents)
        fitting = [g for g in catalogue.GENERATORS if self.name.startswith(f"{g.name}_")]
        if fitting:
            generator = max(fitting, key=lambda g: len(g.name))
            first = self.name == f"{generator.name}_initialise"
            before = generator.before if first else generator.start
            given["state"] = before(7, int(launch.values["streams"]))
        if "runs" in self.kernel.contract.buffers:  # prices
            given["runs"] = np.full(launch.elements("runs"), 100, np.float32).view(np.uint32)
        random = np.random.default_rng(7)
        for name, buffer in self.kernel.contract.buffers.items():
            if name not in given and np.dtype(buffer.dtype).kind == "f":
                drawn = random.uniform(0.5, 1.5, launch.elements(name))
                given[name] = drawn.astype(buffer.dtype)
        return launch.arrays(given)


def own_kernels() -> Iterator[OwnKernel]:
    """Every kernel of the catalogue; then those of payoffs, with their tables."""
    for name, kernel in catalogue.kernels().items():
        yield OwnKernel(name, kernel)
    asian = payoff_program(products.asian_put(100, dates(12)), black_scholes(100, 0.03, 0.3))
    yield _of_payoff("asian", asian, "simulation")
    yield _of_payoff("asian", asian, "record")
    model = black_scholes([100.0] * 5, 0.03, 0.4, dividend=0.05)
    each = tuple(partial(S, a) for a in range(5))
    option = BermudanOption(model, 100, 1.0, dates(10), True, average(assets(5)), each)
    coefficients = np.tile(np.linspace(0.5, 1.5, 81, dtype=np.float32), (10, 1))
    policy = Classification(option, Stumps(), coefficients)
    yield _of_payoff("picazo", payoff_program(policy.payoff(), model), "scenarios")


def _of_payoff(name: str, program: PayoffProgram, shape: Shape) -> OwnKernel:
    contents = {"table": program.table(1.0)}
    values = {"rows": program.program.rows}
    return OwnKernel(f"{name}_{shape}", program.kernel(shape), contents, values)
