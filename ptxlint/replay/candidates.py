"""Candidate launches: what a contract declares and, for the rest, a few simple choices.

An undeclared choice must not cause an out-of-bounds access that a launch of the right size would
not have: for bounds, an undeclared block is one thread, an undeclared scalar 1. For all other rules
an undeclared block is a few whole warps.

*Ample* launches have more threads than any scalar. An access that is out of bounds in one counts if
no undeclared value causes it (``ptxlint.replay.attribution``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod

from analyses.budget import BLOCK_ENDS, RANGE_ENDS, RANGE_VALUES, REPLAY_LANES, REPLAY_STEPS
from analyses.hardware import WARP
from analyses.program import Constant
from analyses.typical_launch import BLOCK_WARPS, ROUND_PARAMETER, UNEVEN_PARAMETER
from ptxlint.contracts.declaration import Range, Triple
from ptxlint.contracts.launch import SHAPE, ConcreteLaunch, Launch, numbers
from ptxlint.ir import Kernel
from ptxlint.simt import RunOptions

Key = int | str
"""A parameter by its position, or an extent of the launch by its name: ``ntid.x``."""


Candidate = tuple[ConcreteLaunch, RunOptions]


@dataclass(frozen=True, slots=True)
class CandidateLaunch:
    """One launch, by all the numbers that decide it. ``at`` is a block to run, in a grid of any
    size."""

    numbers: Mapping[Key, int | float]
    at: Triple | None = None

    @classmethod
    def of(cls, grid: Triple, block: Triple, values: Mapping[int, int | float]) -> CandidateLaunch:
        numbers: dict[Key, int | float] = dict(zip(SHAPE, (*block, *grid), strict=True))
        numbers.update(values.items())
        return cls(numbers)

    @property
    def shape(self) -> tuple[Triple, Triple]:
        """Grid and block."""
        x, y, z, *grid = (int(self.numbers[name]) for name in SHAPE)
        return (grid[0], grid[1], grid[2]), (x, y, z)

    def concrete(self, kernel: Kernel, launch: Launch) -> ConcreteLaunch | None:
        """The launch to run; None if the contract or the hardware does not allow it."""
        grid, block = self.shape
        legal = all(low <= self.numbers[name] <= high for name, (low, high) in SHAPE.items())
        if not legal or prod(block) > launch.max_threads:
            return None
        values = {p.index: self.numbers[p.index] for p in kernel.arguments}
        named = numbers(kernel, values, grid, block)
        if not all(need.holds(named) for need in launch.conditions) or sizes(launch, named) < 0:
            return None
        return launch.concrete(kernel, grid=grid, block=block, values=values)

    @property
    def options(self) -> RunOptions:
        """The options of the run."""
        return RunOptions(self.places(), REPLAY_STEPS)

    def places(self) -> Sequence[Triple] | None:
        """All blocks of a small grid (None), else the first and last two along every axis, and
        those with a thread index equal to one of the scalars."""
        grid, block = self.shape
        if prod(grid) * prod(block) <= REPLAY_LANES:
            return None
        ends = sorted({v for k, v in self.numbers.items() if k not in SHAPE and v > 0})
        axes = [
            sorted({0, min(1, many - 1), max(many - 2, 0), many - 1, *near[:BLOCK_ENDS]})
            for many, threads in zip(grid, block, strict=True)
            for near in [[int(v) // threads for v in ends if v < many * threads]]
        ]
        places = [(x, y, z) for z, y, x in product(axes[2], axes[1], axes[0])]
        return places if self.at is None else [self.at, *places]


def launches(
    kernel: Kernel, launch: Launch, careful: bool, inside: bool = False
) -> Iterator[Candidate]:
    """With numbers at the ends of their ranges, or ``inside``."""
    plain = plain_block(kernel, launch)
    blocks = [launch.block] if launch.block else [(1, 1, 1), plain] if careful else [plain]
    grid = launch.grid or ((1, 1, 1) if careful else (2, 1, 1))
    for chosen in values(kernel, launch, 1 if careful else ROUND_PARAMETER, inside):
        candidates = (CandidateLaunch.of(grid, block, chosen) for block in blocks)
        found = (
            (candidate.concrete(kernel, launch), candidate.options) for candidate in candidates
        )
        yield from islice(((one, options) for one, options in found if one is not None), 1)


def plain_block(kernel: Kernel, launch: Launch) -> Triple:
    """Four warps, as rows of 32 if the kernel looks at more than x."""
    threads = min(launch.max_threads, BLOCK_WARPS * WARP)
    if looks_at(kernel, "tid.y", "ntid.y"):
        return (WARP, max(threads // WARP, 1), 1)
    return (threads, 1, 1)


def looks_at(kernel: Kernel, *names: str) -> bool:
    """True if it reads one of these special registers."""
    uses = (use for instr in kernel.instructions for use in instr.uses)
    return any(getattr(use, "name", "") in names for use in uses)


# --- numbers


def sizes(launch: Launch, named: Callable[[str], int]) -> int:
    """The least size in a launch."""
    extents = (*launch.buffers.values(), launch.shared)
    return min((extent.of(named) for extent in extents if extent is not None), default=0)


def values(
    kernel: Kernel, launch: Launch, other: int, inside: bool
) -> Iterator[dict[int, int | float]]:
    """The values of scalars: declared values, the bounds of declared ranges, or the ``other``
    number; or, one at a time, numbers ``inside`` of a range."""
    choices: list[list[tuple[int, int | float]]] = []
    for parameter in kernel.arguments:
        index, declared = parameter.index, launch.values.get(parameter.index)
        if isinstance(declared, Range):
            ends = dict.fromkeys((declared.high, declared.low))
            choices.append([(index, value) for value in ends])
        elif declared is not None:
            choices.append([(index, declared)])
    for chosen in islice(product(*choices), 0 if inside else RANGE_ENDS):
        known = dict(chosen)
        yield {p.index: known.get(p.index, other) for p in kernel.arguments}
    first = {index: value for (index, value), *_ in choices}
    for index, declared in launch.values.items() if inside else ():
        if isinstance(declared, Range):
            for value in between(kernel, declared):
                known = {**first, index: value}
                yield {p.index: known.get(p.index, other) for p in kernel.arguments}


def between(kernel: Kernel, declared: Range) -> Iterator[int]:
    """Numbers inside of a range where a kernel may behave differently: next to the bounds, in the
    middle, and around the constants in the kernel."""
    low, high = declared.low, declared.high
    uses = (use for instr in kernel.instructions for use in instr.uses)
    constants = dict.fromkeys(use.bits for use in uses if isinstance(use, Constant))
    near = [c + by for c in constants for by in (0, 1, -1)]
    inside = [low + 1, high - 1, (low + high) // 2, *near]
    yield from islice(dict.fromkeys(v for v in inside if low < v < high), RANGE_VALUES)


# --- where the contract leaves something open


def undeclared(kernel: Kernel, launch: Launch) -> list[Key]:
    """The undeclared integers; of the shape, along axes that the kernel reads."""
    declared = {"ntid": launch.block, "nctaid": launch.grid}
    shape = [name for name in SHAPE if declared[name.partition(".")[0]] is None]
    found: list[Key] = [name for name in shape if looks_at(kernel, name, name[1:])]
    found += [
        p.index
        for p in kernel.arguments
        if p.index not in launch.values
        and p.index not in launch.buffers
        and not p.type.startswith("f")
        and not launch.is_pointer(p)
    ]
    return found


def ample(kernel: Kernel, launch: Launch) -> Iterator[CandidateLaunch]:
    """Launches with enough threads, if something is undeclared."""
    if not undeclared(kernel, launch):
        return
    block = launch.block or plain_block(kernel, launch)
    for other, inside in product((1, UNEVEN_PARAMETER), (False, True)):
        for chosen in values(kernel, launch, other, inside):
            yield CandidateLaunch.of(launch.grid or covering(kernel, block, chosen), block, chosen)


def suggested(kernel: Kernel, launch: Launch, breach: Mapping[str, int]) -> CandidateLaunch:
    """The launch of a counterexample, which is given by the names of parameters and special
    registers; other values are the least that include its thread."""
    chosen = next(values(kernel, launch, 1, inside=False))
    chosen |= {p.index: breach[p.word] for p in kernel.arguments if p.word in breach}

    def extents(name: str, least: Triple) -> Triple:
        there = (breach.get(f"{name}.{axis}", 0) + 1 for axis in "xyz")
        said = (breach.get(f"n{name}.{axis}", 1) for axis in "xyz")
        x, y, z = map(max, there, said, least)
        return x, y, z

    block = launch.block or extents("tid", (1, 1, 1))
    grid = launch.grid or extents("ctaid", covering(kernel, block, chosen))
    x, y, z = (breach.get(f"ctaid.{axis}", 0) for axis in "xyz")
    return replace(CandidateLaunch.of(grid, block, chosen), at=(x, y, z))


def covering(kernel: Kernel, block: Triple, chosen: Mapping[int, int | float]) -> Triple:
    """A grid with more threads, along each axis that the kernel reads, than any scalar."""
    most = max((v for v in chosen.values() if isinstance(v, int)), default=0)
    x, y, z = (
        min(most // threads + 2, SHAPE[f"nctaid.{axis}"][1])
        if looks_at(kernel, f"ctaid.{axis}", f"nctaid.{axis}")
        else 1
        for axis, threads in zip("xyz", block, strict=True)
    )
    return x, y, z


def changed(
    kernel: Kernel, launch: Launch, candidate: CandidateLaunch
) -> Iterator[tuple[bool, Candidate]]:
    """The launches with one undeclared value doubled, and those with blocks halved along an axis
    and twice as many; and true for the first. Launches that the contract or the hardware does not
    allow are left out."""
    open_ = undeclared(kernel, launch)
    for key in open_:
        number = int(candidate.numbers[key])
        changes: list[tuple[bool, dict[Key, int]]] = [(True, {key: 2 * number})]
        if isinstance(key, str) and key.startswith("ntid") and number > 1:
            blocks = key.replace("ntid", "nctaid")
            more = -(-number // (number // 2)) if blocks in open_ else 1
            many = more * int(candidate.numbers[blocks])
            changes.append((False, {key: number // 2, blocks: many}))
        for larger, change in changes:
            other = replace(candidate, numbers={**candidate.numbers, **change})
            concrete = other.concrete(kernel, launch)
            if concrete is not None:
                yield larger, (concrete, other.options)
