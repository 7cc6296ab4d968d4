"""Pi by hit or miss: of the points of a square, pi / 4 lie in the quarter of a circle.

Two successive numbers of a stream are a point. Only integers are compared, the 31 high bits of a
number with 32, so that kernel and numpy count the very same hits. With n points the estimate has
the standard error 4 sqrt(p (1 - p) / n), p = pi / 4: 5.19e-5 for n = 10^9.

The second paper estimates pi 500 times from 10^9 points (its table 2; it writes of numbers, but the
deviations are those of 10^9 points, which take 2 * 10^9 numbers).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import BLOCK, Generator, Words

PAPER: Final = {
    "drand48": (3.141590, 5.2585e-5),
    "mrg32k3a": (3.141594, 5.20932e-5),
    "xorwow": (3.141592, 5.03272e-5),
}
"""Mean and standard deviation of 500 estimates from 10^9 points each: table 2."""


class Estimate(NamedTuple):
    """A value and its standard error."""

    value: float
    stderr: float


def kernel(generator: Generator) -> EmittedKernel:
    """The kernel in which each stream counts the hits among its next `points` points."""
    contract = KernelContract(
        f"{generator.name}_pi",
        {
            "state": generator.state,
            "hits": GlobalArray(np.uint32, "streams"),
            "points": Scalar(np.uint32, 1, generator.max_count // 2),
            "streams": generator.streams,
        },
        (BLOCK,),
        ("streams",),
    )
    imports = {"G": generator.fragment, "M": memory.FRAGMENT}
    body = Fragment("pi", __file__, _CUDA, imports, {"RADIUS": radius(generator)})
    return EmittedKernel(body, contract, f"Points in a quarter of a circle, by {generator.name}.")


def radius(generator: Generator) -> int:
    """The radius of the circle in units of the coordinates, which are numbers without a bit."""
    return (generator.values + 1) // 2


def hits(generator: Generator, numbers: Words) -> Words:
    """How many points of each stream are hits; numbers of the shape (2 points, streams)."""
    halves = (numbers >> np.uint32(1)).astype(np.uint64)
    squares = halves * halves
    inside = squares[0::2] + squares[1::2] < radius(generator) ** 2
    counts: Words = inside.sum(axis=0, dtype=np.uint32)
    return counts


def estimate(hits: Words, points: int) -> Estimate:
    """Pi from the hits of each stream among so many points."""
    n = points * hits.size
    p = int(hits.sum(dtype=np.uint64)) / n
    return Estimate(4 * p, 4 * math.sqrt(p * (1 - p) / n))


def deviation(points: int) -> float:
    """The standard deviation of an estimate from so many points in all."""
    return math.sqrt(math.pi * (4 - math.pi) / points)


_CUDA: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    unsigned inside = 0;
    for (unsigned i = 0; i < points; i++) {
        unsigned long long x = G::generate(local) >> 1;
        unsigned long long y = G::generate(local) >> 1;
        inside += x * x + y * y < (unsigned long long)RADIUS * RADIUS;
    }
    hits[stream] = inside;
    G::save(local, mine);
}
"""
