"""Random kernels under launches that are declared in part, or not at all, held against runs.

What is not declared stays a symbol; each run gives it one number that the declaration allows, often
one at an end of its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel

from .claims import Observation
from .launches import noise
from .observe import observe_integers
from .randomly import Family, aligned
from .rounds import HEAD, TAIL, generate

BLOCKS = ("32", "48", "8x4", "1", "64", "7x3")
GRIDS = ("1", "3", "2x2")
LAUNCHES: dict[str, tuple[int, ...]] = {
    "n": (0, 1, 2, 5, 8, 17, 64, 100, 129, 2**30 + 3, 2**31 - 1, 2**31, 2**32 - 1),
    "m": (0, 1, 3, 8, 60, 100, -1, -7, 2**31 - 1, -(2**31)),
    "w": (0, 1, 16, 100, -1, 2**32 + 1, 2**63 - 1, -(2**63)),
}
SMALL = {"n": (1, 200), "m": (0, 100), "w": (1, 300)}
EXTENTS = (("4*n", 4), ("4*n+4", 4), ("512", 0), ("4*n*m", 0), ("8*n", 0))
MAX_STEPS = 200
RUNS = 2  # of each declaration


def declarations(random: Random) -> Iterator[tuple[dict[str, str], dict[str, tuple[int, int]]]]:
    """Options of a contract, and the ranges of parameters that it declares."""
    yield {}, {}
    yield {"block": random.choice(BLOCKS)}, {}
    ranges = {"n": random.choice((SMALL["n"], (0, 2**31 - 1), (1, 2**30)))}
    yield {"buffer": "x"}, ranges
    both = {"block": random.choice(BLOCKS), "grid": random.choice(GRIDS), "buffer": "x y"}
    yield both, ranges | {"m": SMALL["m"]}


def launches(
    random: Random, options: dict[str, str], ranges: dict[str, tuple[int, int]]
) -> Iterator[tuple[Contract, Contract]]:
    """What is said, and single launches that it allows."""
    extents = {name: random.choice(EXTENTS)[0] for name in options.get("buffer", "").split()}
    if "m" not in ranges:
        extents = {name: text for name, text in extents.items() if "m" not in text}
    buffers = [f"{name}={text}" for name, text in extents.items()]
    arguments = [f"{name}={low}..{high}" for name, (low, high) in ranges.items()]
    place = {key: options.get(key) for key in ("block", "grid")}
    said = Contract.of(**place, arg=arguments, buffer=buffers)
    for _ in range(RUNS):
        numbers = [f"{name}={number(random, name, ranges)}" for name in LAUNCHES]
        yield (
            said,
            Contract.of(
                block=place["block"] or random.choice(BLOCKS),
                grid=place["grid"] or random.choice(GRIDS),
                arg=numbers,
                buffer=buffers,
            ),
        )


def number(random: Random, name: str, ranges: dict[str, tuple[int, int]]) -> int:
    if name in ranges:
        low, high = ranges[name]
        fitting = [n for n in LAUNCHES[name] if low <= n <= high]
        return random.choice([low, high, random.randint(low, high), *fitting])
    if random.random() < 0.5:
        return random.randint(*SMALL[name])
    return random.choice(LAUNCHES[name])


def observations(kernel: Kernel, seed: int) -> Iterator[Observation]:
    random = Random(seed)
    for options, ranges in declarations(random):
        facts = None
        for said, single in launches(random, options, ranges):
            facts = facts or Facts(kernel, resolved([said], kernel), "sm_80")
            launch = resolved([single], kernel)
            contents = dict(noise(launch, seed, random.choice((4, 64, 2000))))
            concrete = aligned(launch.concrete(kernel, contents), facts)
            yield observe_integers(kernel, concrete, facts, MAX_STEPS)


PARTLY = Family(generate, HEAD, TAIL, observations)
"""Kernels of loops and guards."""
