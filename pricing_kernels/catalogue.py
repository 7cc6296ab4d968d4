"""The kernels that this package emits, each with its contract."""

from __future__ import annotations

from pricing_kernels import european, portfolio
from pricing_kernels.estimators import frequencies, pi
from pricing_kernels.exercise import lsmc, quantization
from pricing_kernels.exercise.pso import kernels as swarm
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.normal import INVERSE, METHODS, SINGLE
from pricing_kernels.payoffs.simulation import skeletons
from pricing_kernels.rng import (
    drand48,
    lcg32,
    lcg_mersenne,
    lfg,
    mrg32k3a,
    mt607,
    mt19937,
    mt19937_warp,
    philox,
    sobol,
    stored,
    xorwow,
)
from pricing_kernels.rng.generator import Generator
from pricing_kernels.stencil import tiles

GENERATORS: tuple[Generator, ...] = (
    drand48.GENERATOR,
    lcg32.GENERATOR,
    lcg_mersenne.GENERATOR,
    lfg.GENERATOR,
    lfg.COMBINED_GENERATOR,
    mrg32k3a.GENERATOR,
    mt19937.GENERATOR,
    *mt19937_warp.GENERATORS,
    *mt607.GENERATORS,
    philox.GENERATOR,
    sobol.GENERATOR,
    stored.GENERATOR,
    xorwow.GENERATOR,
)


FOR_PI = (drand48.GENERATOR, mrg32k3a.GENERATOR, xorwow.GENERATOR)
"""The generators with which the second paper estimates pi."""

NORMALS = (
    *((generator, method) for generator in (philox, xorwow) for method in METHODS),
    (lcg_mersenne, SINGLE),
    (sobol, INVERSE),
)


def kernels() -> dict[str, EmittedKernel]:
    """Every kernel of the package by name."""
    uniform = (kernel for generator in GENERATORS for kernel in generator.kernels)
    normal = (method.kernel(module.GENERATOR) for module, method in NORMALS)
    counts = (*map(pi.kernel, FOR_PI), frequencies.kernel(xorwow.GENERATOR))
    early = (*lsmc.kernels(), *quantization.kernels(), *swarm.kernels())
    stencils = (tile.kernel for tile in tiles.TILES.values())
    others = (european.kernel(), *portfolio.kernels(), *stencils)
    every = (*others, *uniform, *normal, *counts, *early)
    return {kernel.name: kernel for kernel in every}


def shipped() -> dict[str, EmittedKernel]:
    """Every kernel that is installed with its PTX: those above, and the skeletons of payoffs."""
    return kernels() | {skeleton.name: skeleton for skeleton in skeletons()}
