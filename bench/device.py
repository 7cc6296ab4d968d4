"""How fast our kernels run on a device, beside cuRAND: ``python -m bench.device``

Prints thousands of millions of numbers a second, written to memory, best of five; cuRAND's come
from its host interface. Then the time of a European option, and pi from 10^9 points. Needs CuPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module

from pricing_kernels import european
from pricing_kernels.catalogue import FOR_PI, GENERATORS
from pricing_kernels.contract import Contents
from pricing_kernels.engines import cupy as engine
from pricing_kernels.estimators import pi
from pricing_kernels.gbm import Market, black_scholes
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.rng.generator import Generator

STREAMS, COUNT = 2**17, 1024
CURAND = {"xorwow": 101, "mrg32k3a": 121, "mt19937": 142, "philox": 161, "sobol": 201}


def seconds(start: Callable[[], object]) -> float:
    """The shortest of five, after one that loads everything."""
    from cupyx.profiler import benchmark

    return float(benchmark(lambda: start(), n_repeat=5, n_warmup=1).gpu_times.min())


def speed(kernel: EmittedKernel, contents: Contents, **values: int) -> float:
    start, _ = engine.prepared(kernel.ptx(), kernel.contract.launch(**values), contents)
    return seconds(start)


def states(generator: Generator, streams: int) -> Contents:
    first, _ = generator.kernels
    launch = first.contract.launch(streams=streams, seed=1)
    before = {"state": generator.before(1, streams)}
    return {"state": engine.run(first.ptx(), launch, before)["state"]}


def numbers() -> None:
    for generator in GENERATORS:
        streams = min(STREAMS, generator.max_streams) // generator.group * generator.group
        count = min(COUNT, generator.max_count)
        best = speed(generator.kernels[1], states(generator, streams), streams=streams, count=count)
        print(f"{generator.name:20}{streams * count / best / 1e9:8.1f} thousand million/s")


def of_curand() -> None:
    import cupy

    curand = import_module("cupy_backends.cuda.libs.curand")
    room = cupy.empty(STREAMS * COUNT, cupy.uint32)
    for name, kind in CURAND.items():
        made = curand.createGenerator(kind)
        best = seconds(lambda made=made: curand.generate(made, room.data.ptr, room.size))
        print(f"cuRAND {name:13}{room.size / best / 1e9:8.1f} thousand million/s")


def prices() -> None:
    market = Market(100.0, 0.03, 0.3)
    option = european.European(market, 105.0, 1.0, True, 2**26)
    ptx, launch = european.kernel().ptx(), european.launch(option, 256, 2**12)
    best = seconds(engine.prepared(ptx, launch)[0])
    results = engine.run(ptx, launch)
    found = european.estimate(results["sums"], results["squares"], option.paths)
    exact = black_scholes(market, 105.0, 1.0, True)
    print(f"European, 2^26 paths: {1e3 * best:.2f} ms, {found.price:.5f} +- {found.stderr:.5f},"
          f" exactly {exact:.5f}")  # fmt: skip


def estimates() -> None:
    points = 10**9 // STREAMS + 1
    for generator in FOR_PI:
        kernel, state = pi.kernel(generator), states(generator, STREAMS)
        launch = kernel.contract.launch(streams=STREAMS, points=points)
        value, stderr = pi.estimate(engine.run(kernel.ptx(), launch, state)["hits"], points)
        best = speed(kernel, state, streams=STREAMS, points=points)
        off = (value - math.pi) / stderr
        print(
            f"pi by {generator.name}: {value:.6f}, {off:+.2f} standard errors, {1e3 * best:.1f} ms"
        )


if __name__ == "__main__":
    for part in (numbers, of_curand, prices, estimates):
        part()
