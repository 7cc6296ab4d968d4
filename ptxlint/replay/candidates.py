"""Candidate launches: what a contract declares and, for the rest, a few choices.

The *family* of a choice of declared numbers has the launches that could be meant with them: one
for each block that kernels are written for, and for small, uneven and round numbers. A grid has
more threads than any scalar, along every axis that the kernel reads: in a smaller one a guard
against superfluous threads may never be false. Or it has one block: some kernels have no guard
against blocks without data.

Costs and races are looked for in whole warps, and with round numbers: rows of a power of two cause
conflicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import BLOCK_ENDS, RANGE_ENDS, RANGE_VALUES, REPLAY_LANES, REPLAY_STEPS
from analyses.hardware import WARP
from analyses.program import Constant
from analyses.typical_launch import (
    BLOCK_WARPS,
    OTHER_PARAMETERS,
    ROUND_PARAMETER,
    SHAPES,
    UNEVEN_PARAMETER,
    WIDTHS,
)
from ptxlint.contracts.declaration import Range, Triple
from ptxlint.contracts.expression import ExpressionError
from ptxlint.contracts.launch import SHAPE, ConcreteLaunch, Launch, numbers
from ptxlint.ir import Kernel
from ptxlint.replay.contents import Contents
from ptxlint.replay.contents import filled as refilled
from ptxlint.simt import RunOptions

Key = int | str
"""A parameter by its position, or an extent of the launch by its name: ``ntid.x``."""

Numbers = Mapping[int, int | float]
"""Scalars, by the positions of their parameters."""

Candidate = tuple[ConcreteLaunch, RunOptions]


class CandidateLaunch(Struct, frozen=True, eq=False):
    """One launch, by all the numbers that decide it. ``at`` is a block to run, in a grid of any
    size; ``contents`` are those of buffers whose range is declared, or is not if they are
    ``FAR``."""

    numbers: Mapping[Key, int | float]
    at: Triple | None = None
    contents: Contents | None = None

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

    @property
    def size(self) -> tuple[int | float, ...]:
        """The greatest number, and all."""
        numbers = tuple(self.numbers.values())
        return max(numbers), *numbers

    def concrete(self, kernel: Kernel, launch: Launch) -> ConcreteLaunch | None:
        """The launch to run; None if the contract or the hardware does not allow it."""
        grid, block = self.shape
        legal = all(low <= self.numbers[name] <= high for name, (low, high) in SHAPE.items())
        if not legal or prod(block) > launch.max_threads:
            return None
        values = {p.index: self.numbers[p.index] for p in kernel.arguments}
        named = numbers(kernel, values, grid, block)
        if not met(launch, named) or sizes(launch, named) < 0:
            return None
        found = launch.concrete(kernel, grid=grid, block=block, values=values)
        return found if self.contents is None else refilled(found, self.contents)

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


def launches(kernel: Kernel, launch: Launch, inside: bool = False) -> Iterator[Candidate]:
    """One block shape, round numbers for undeclared ones, and declared numbers at the ends of their
    ranges, or ``inside``."""
    for chosen in declared(kernel, launch, inside):
        found = round_launch(kernel, launch, chosen)
        concrete = found.concrete(kernel, launch)
        if concrete is not None:
            yield concrete, found.options


def round_launch(kernel: Kernel, launch: Launch, chosen: Numbers) -> CandidateLaunch:
    values, block = filled(kernel, chosen, ROUND_PARAMETER), next(blocks(kernel, launch))
    grid = launch.grid_of(kernel, block, values) or (2, 1, 1)
    return CandidateLaunch.of(grid, block, values)


def family(kernel: Kernel, launch: Launch, chosen: Numbers) -> Iterator[CandidateLaunch]:
    """The launches that could be meant with these declared numbers, typical blocks first. If the
    contract leaves nothing open, there is one."""
    numbers = (1, UNEVEN_PARAMETER, ROUND_PARAMETER) if open_numbers(kernel, launch) else (1,)
    for block in blocks(kernel, launch, [*chosen.values()]):
        for other in numbers:
            values = filled(kernel, chosen, other)
            said = launch.grid_of(kernel, block, values)
            cover = said or covering(kernel, block, values)
            for grid in dict.fromkeys((cover, said or (1, 1, 1))):
                yield CandidateLaunch.of(grid, block, values)


def fitted(kernel: Kernel, launch: Launch, candidate: CandidateLaunch) -> CandidateLaunch:
    """The candidate with the grid that its other numbers decide, if it is declared so."""
    (_, block), scalars = candidate.shape, {p.index for p in kernel.arguments}
    values = {key: n for key, n in candidate.numbers.items() if isinstance(key, int)}
    grid = launch.grid_of(kernel, block, {i: values[i] for i in scalars & values.keys()})
    if launch.grid is not None or grid is None:
        return candidate
    x, y, z = grid
    extents = {"nctaid.x": x, "nctaid.y": y, "nctaid.z": z}
    return replace(candidate, numbers={**candidate.numbers, **extents})


def others(
    kernel: Kernel, launch: Launch, candidate: CandidateLaunch, sizes: Sequence[int]
) -> Iterator[CandidateLaunch]:
    """The launches with other blocks of whole warps, and those with one undeclared parameter that
    is one of these ``sizes``, for costs."""
    numbers = candidate.numbers
    if launch.block is None:
        for block in blocks(kernel, launch):
            changed: dict[Key, int] = dict(zip(SHAPE, block, strict=False))
            if prod(block) % WARP == 0 and block != candidate.shape[1]:
                other = replace(candidate, numbers={**numbers, **changed})
                yield fitted(kernel, launch, other)
    for key in open_numbers(kernel, launch):
        for size in sizes:
            yield fitted(kernel, launch, replace(candidate, numbers={**numbers, key: size}))


def blocks(kernel: Kernel, launch: Launch, sizes: Sequence[int | float] = ()) -> Iterator[Triple]:
    """The declared block; else the shapes that kernels are written for, the most typical first: the
    greatest that the kernel says it was compiled for, a few warps, and more and fewer threads. Of a
    kernel that reads more than x, rows of a warp and squares. ``sizes`` are numbers that blocks may
    be made for: of elements, or of pairs."""
    if launch.block is not None:
        yield launch.block
        return
    most = launch.max_threads
    bounded = (most,) if kernel.max_threads else ()
    if looks_at(kernel, "tid.y", "ntid.y"):
        rows: list[Triple] = [(WARP, max(threads // WARP, 1), 1) for threads in bounded]
        rows += [(WARP, max(min(most, BLOCK_WARPS * WARP) // WARP, 1), 1)]
        tried = [*rows, *SHAPES]
    else:
        made = [int(size) // part for size in sizes for part in (1, 2)]
        tried = [(x, 1, 1) for x in (*bounded, min(most, BLOCK_WARPS * WARP), *WIDTHS, *made, 1)]
    if kernel.max_threads and len([extent for extent in kernel.max_threads if extent > 1]) > 1:
        x, y, z = (*kernel.max_threads, 1, 1)[:3]
        tried = [(x, y, z), *tried]
    yield from (block for block in dict.fromkeys(tried) if 1 <= prod(block) <= most)


def looks_at(kernel: Kernel, *names: str) -> bool:
    """True if it reads one of these special registers."""
    return not kernel.specials.isdisjoint(names)


# --- numbers


def met(launch: Launch, named: Callable[[str], int]) -> bool:
    """True if the launch meets all conditions; a divisor that is not positive meets none."""
    try:
        return all(need.holds(named) for need in launch.conditions)
    except ExpressionError:
        return False


def sizes(launch: Launch, named: Callable[[str], int]) -> int:
    """The least size in a launch."""
    extents = (*launch.buffers.values(), launch.shared)
    return min((extent.of(named) for extent in extents if extent is not None), default=0)


def declared(kernel: Kernel, launch: Launch, inside: bool = False) -> Iterator[Numbers]:
    """The declared scalars: their values, the bounds of their ranges; or, one at a time, numbers
    ``inside`` of a range. The number 0 is a null pointer of an optional buffer."""
    choices: list[list[tuple[int, int | float]]] = []
    for parameter in kernel.arguments:
        index, said = parameter.index, launch.values.get(parameter.index)
        if isinstance(said, Range):
            choices.append([(index, value) for value in dict.fromkeys((said.high, said.low))])
        elif said is not None:
            choices.append([(index, said)])
        elif index in launch.buffers and launch.buffers[index].optional:
            choices.append([(index, 1), (index, 0)])
    if not inside:
        yield from map(dict, islice(product(*choices), RANGE_ENDS))
        return
    first = {index: value for (index, value), *_ in choices}
    for index, said in launch.values.items():
        if isinstance(said, Range):
            yield from ({**first, index: value} for value in between(kernel, said))


def filled(kernel: Kernel, chosen: Numbers, other: int) -> dict[int, int | float]:
    """All scalars, with the ``other`` number for undeclared ones."""
    return {p.index: chosen.get(p.index, other) for p in kernel.arguments}


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
    said = {"ntid": launch.block is not None, "nctaid": launch.has_grid}
    shape = [name for name in SHAPE if not said[name.partition(".")[0]]]
    found: list[Key] = [name for name in shape if looks_at(kernel, name, name[1:])]
    return [*found, *open_numbers(kernel, launch)]


def open_numbers(kernel: Kernel, launch: Launch) -> list[int]:
    """The undeclared integers among the parameters that matter."""
    return [
        p.index
        for p in kernel.arguments
        if p.index not in launch.values
        and p.index not in launch.buffers
        and not p.type.startswith("f")
        and not launch.is_pointer(p)
        and launch.uses(kernel, p)
    ]


def covers(kernel: Kernel, candidate: CandidateLaunch) -> bool:
    """True if there are more threads than any scalar, along each axis that the kernel reads."""
    grid, block = candidate.shape
    most = greatest({k: v for k, v in candidate.numbers.items() if k not in SHAPE})
    return all(
        blocks * threads > most
        for axis, blocks, threads in zip("xyz", grid, block, strict=True)
        if looks_at(kernel, f"tid.{axis}", f"ctaid.{axis}")
    )


def greatest(values: Mapping[Any, int | float]) -> int:
    return max((v for v in values.values() if isinstance(v, int)), default=0)


def suggested(kernel: Kernel, launch: Launch, breach: Mapping[str, int]) -> CandidateLaunch:
    """The launch of a counterexample, which is given by the names of parameters and special
    registers; other values are the least that include its thread."""
    chosen = filled(kernel, next(declared(kernel, launch)), 1)
    chosen |= {p.index: breach[p.word] for p in kernel.arguments if p.word in breach}

    def extents(name: str, least: Triple) -> Triple:
        there = (breach.get(f"{name}.{axis}", 0) + 1 for axis in "xyz")
        said = (breach.get(f"n{name}.{axis}", 1) for axis in "xyz")
        x, y, z = map(max, there, said, least)
        return x, y, z

    block = launch.block or extents("tid", (1, 1, 1))
    said = launch.grid_of(kernel, block, chosen)
    grid = said or extents("ctaid", covering(kernel, block, chosen))
    x, y, z = (breach.get(f"ctaid.{axis}", 0) for axis in "xyz")
    return replace(CandidateLaunch.of(grid, block, chosen), at=(x, y, z))


def covering(kernel: Kernel, block: Triple, chosen: Mapping[int, int | float]) -> Triple:
    """A grid with more threads, along each axis that the kernel reads, than any scalar."""
    most = greatest(chosen)
    x, y, z = (
        min(most // threads + 2, SHAPE[f"nctaid.{axis}"][1])
        if looks_at(kernel, f"ctaid.{axis}", f"nctaid.{axis}")
        else 1
        for axis, threads in zip("xyz", block, strict=True)
    )
    return x, y, z


def changed(
    kernel: Kernel, launch: Launch, candidate: CandidateLaunch
) -> Iterator[tuple[int, CandidateLaunch]]:
    """The launches with one undeclared number changed: it is doubled (1), or blocks are halved and
    twice as many along an axis (-1), or a parameter is a round number or a small one (0)."""
    open_ = undeclared(kernel, launch)
    for key in open_:
        number = int(candidate.numbers[key])
        changes: list[tuple[int, dict[Key, int]]] = [(1, {key: 2 * number})]
        if key not in SHAPE:
            changes += [(0, {key: other}) for other in OTHER_PARAMETERS if other != number]
        if isinstance(key, str) and key.startswith("ntid") and number > 1:
            blocks = key.replace("ntid", "nctaid")
            more = -(-number // (number // 2)) if blocks in open_ else 1
            many = more * int(candidate.numbers[blocks])
            changes.append((-1, {key: number // 2, blocks: many}))
        for by, change in changes:
            other = replace(candidate, numbers={**candidate.numbers, **change})
            yield by, fitted(kernel, launch, other)
