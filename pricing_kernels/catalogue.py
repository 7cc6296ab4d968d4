"""The kernels that this package emits, each with its contract."""

from __future__ import annotations

from pricing_kernels import european
from pricing_kernels.kernel import Kernel
from pricing_kernels.rng import (
    drand48,
    lcg32,
    lcg_mersenne,
    lfg,
    mrg32k3a,
    philox,
    sobol,
    stored,
    xorwow,
)
from pricing_kernels.rng.generator import Generator

GENERATORS: tuple[Generator, ...] = (
    drand48.GENERATOR,
    lcg32.GENERATOR,
    lcg_mersenne.GENERATOR,
    lfg.GENERATOR,
    lfg.COMBINED_GENERATOR,
    mrg32k3a.GENERATOR,
    philox.GENERATOR,
    sobol.GENERATOR,
    stored.GENERATOR,
    xorwow.GENERATOR,
)


def kernels() -> dict[str, Kernel]:
    """Every kernel of the package by name."""
    of_generators = (kernel for generator in GENERATORS for kernel in generator.kernels)
    return {kernel.name: kernel for kernel in (european.kernel(), *of_generators)}
