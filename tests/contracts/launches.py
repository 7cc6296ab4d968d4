"""Random launches of a kernel, and those that meet its inferred contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from analyses.polynomials.symbols import type_range
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.expression import (
    Condition,
    Expression,
    ExpressionError,
    conditions,
    names,
    parse,
    value,
)
from ptxlint.contracts.launch import SHAPE
from ptxlint.contracts.launch_check import check_launch
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from ptxlint.replay.candidates import Candidate
from ptxlint.results.contract import SHARED
from ptxlint.simt import Allocation, Argument, ConcreteLaunch, Fault, RunOptions, run
from tests.corpus import judging

from .kernels import Subject

FAULTS = frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"})
MAX_LANES = 8192
MAX_STEPS = 20_000
TRIES = 200  # to meet the needs
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 60, 64, 100, 128, 255, 256, 1000, -1, -5)
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64, 65, 96, 128, 256, 512, 1024)
BLOCKS = (1, 1, 2, 3, 4, 7)
MAX_SHARED = 2**20  # bytes: no device has as much
MOST_BYTES = 1 << 40  # of one buffer
MOST_FILLED = 1 << 20  # of one whose integers are drawn


@dataclass(frozen=True)
class Draw:
    """The names that sizes and needs speak of, and what they stand for."""

    values: dict[str, int]

    @property
    def block(self) -> tuple[int, int, int]:
        return tuple(self.values[f"ntid.{axis}"] for axis in "xyz")  # type: ignore[return-value]

    @property
    def grid(self) -> tuple[int, int, int]:
        return tuple(self.values[f"nctaid.{axis}"] for axis in "xyz")  # type: ignore[return-value]

    def null(self, name: str) -> bool:
        """Whether the pointer of an optional buffer is null."""
        return bool(self.values.get(f"{name}.null", 0))

    def but(self, name: str, number: int) -> Draw:
        return Draw({**self.values, name: number})


@dataclass(frozen=True)
class Integers:
    """The type of the integers in an index buffer: ``s32``."""

    bits: int
    signed: bool

    @classmethod
    def of(cls, text: str) -> Integers:
        return cls(int(text[1:]), text[0] == "s")

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def kind(self) -> str:
        """As numpy says it."""
        return f"{'i' if self.signed else 'u'}{self.bytes}"

    def nearest(self, number: int) -> int:
        """The integer of the type that is nearest to the number."""
        low, high = type_range(self.bits, self.signed)
        return min(max(number, low), high)


class Launches:
    """Launches of one subject."""

    def __init__(self, subject: Subject, random: Random) -> None:
        self.subject, self.random = subject, random
        inferred = subject.contract
        self.declared = subject.result.contract()
        self.extents = {name: (parse(text), align)
                        for name, (text, align) in inferred.extents().items()}  # fmt: skip
        self.needs = [conditions(need.condition) for need in inferred.needs]
        self.scalars = {
            name: type_range(int(kind[1:]), kind[0] == "s")
            for (name, kind), parameter in zip(
                inferred.params, subject.kernel.arguments, strict=True
            )
            if kind[0] in "su" and parameter.size <= 8 and not self.pointed(name, kind)
        }
        self.held = {
            name: Integers.of(text.rpartition(":")[2]) for name, text in inferred.contents.items()
        }
        self.ends = tuple(f"{name}.{end}" for name in self.held for end in ("min", "max"))
        self.ranges = {**SHAPE, **self.scalars, **dict.fromkeys(self.ends, type_range(64, True))}
        self.shape = sorted(
            {axis for axis in SHAPE if uses(subject, axis)} | {"ntid.x", "nctaid.x"}
        )

    def pointed(self, name: str, kind: str) -> bool:
        """Whether a parameter of 64 bits is followed."""
        unknown = {one.name for one in self.subject.contract.unknown}
        return kind == "u64" and (name in self.extents or name in unknown or None in unknown)

    @property
    def ambiguous(self) -> bool:
        """Whether a parameter sizes a buffer, or is limited, and may be followed too: nothing is
        known of the kernel's pointers then, and no launch has both."""
        sizing = frozenset[str]().union(*(names(tree) for tree, _ in self.extents.values()))
        limited = frozenset[str]().union(*(one.names for said in self.needs for one in said))
        return not sizing | limited <= self.ranges.keys() - self.kept

    @property
    def kept(self) -> frozenset[str]:
        """The parameters that may be pointers: the contract says that they are distinct."""
        distinct = self.subject.contract.distinct
        return frozenset[str]().union(*(said.names for said in distinct))

    # --- draws

    def draw(self) -> Draw:
        """Small numbers; block and grid as the text asks for them."""
        pick = self.random.choice
        values = dict.fromkeys(SHAPE, 1)
        threads = prod(self.subject.kernel.max_threads or (1024,))
        for axis in self.random.sample(self.shape, len(self.shape)):
            if axis.startswith("nt"):
                values[axis] = pick([e for e in EXTENTS if e <= max(1, threads)])
                threads //= values[axis]
            else:
                values[axis] = pick(BLOCKS)
        if self.subject.contract.block is not None:
            for axis, extent in zip("xyz", self.subject.contract.block, strict=True):
                values[f"ntid.{axis}"] = extent
        threads = [values[f"ntid.{axis}"] * values[f"nctaid.{axis}"] for axis in "xyz"]
        whole = (*threads, prod(threads))
        for name, (low, _) in self.scalars.items():
            small = self.random.randrange(9), self.random.randrange(200)
            number = pick((pick(NUMBERS), *small, pick(whole) + pick((0, 0, -1))))
            values[name] = max(low, number)
        for name in self.held:
            least = pick((0, 0, 0, 1, 5, -1, self.random.randrange(40)))
            low, high = sorted(map(self.held[name].nearest, (least, pick(NUMBERS))))
            values |= {f"{name}.min": low, f"{name}.max": high}
        values |= {
            f"{name}.null": pick((0, 0, 1)) for name in sorted(self.subject.contract.optional)
        }
        return Draw(values)

    def far(self) -> Draw:
        """A draw with some numbers large, most of them near a power of two."""
        draw = self.draw()
        for name in sorted({*self.scalars, *(a for a in self.shape if a.startswith("nc"))}):
            if self.random.random() < 0.5:
                low, high = self.ranges[name]
                exponent = self.random.randrange(high.bit_length() + 1)
                number = (1 << exponent) + self.random.choice((-1, 0, 0, 1, (1 << exponent) // 2))
                draw = draw.but(name, min(max(number, low), high))
        return self.covering(draw) if self.random.random() < 0.5 else draw

    def covering(self, draw: Draw, *more: int) -> Draw:
        """With a grid that has, along each axis, as many threads as some parameter says, or one
        of these numbers; or along all of them as many as the greatest."""
        numbers = [*more, *(draw.values[name] for name in sorted(self.scalars))]
        greatest = self.random.random() < 0.5
        for axis in "xyz" if numbers else "":
            wanted = max(numbers) if greatest else self.random.choice(numbers)
            blocks = -(-wanted // draw.values[f"ntid.{axis}"])
            if f"nctaid.{axis}" in self.shape:
                draw = draw.but(f"nctaid.{axis}", min(max(blocks, 1), SHAPE[f"nctaid.{axis}"][1]))
        return draw

    def legal(self, draw: Draw) -> bool:
        most = prod(self.subject.kernel.max_threads or (1024,))
        return (
            prod(draw.block) <= min(1024, most)
            and all(low <= draw.values[name] <= high for name, (low, high) in self.ranges.items())
            and (self.subject.contract.block in (None, draw.block))
        )

    def meets(self, draw: Draw, but: int | None = None) -> bool:
        """Whether the needs hold, those of one aside."""
        of = draw.values.__getitem__
        return self.legal(draw) and all(
            satisfied(c, of) for i, need in enumerate(self.needs) if i != but for c in need
        )

    def meeting(self) -> Iterator[Draw]:
        """Draws that meet all needs, and that are no larger than can be run."""
        for _ in range(TRIES):
            draw = self.draw()
            if self.meets(draw) and prod(draw.block) * prod(draw.grid) <= MAX_LANES:
                yield draw

    def vast(self) -> Iterator[Draw]:
        """Draws that meet all needs, most with grids near the limits of the hardware."""
        for _ in range(TRIES):
            draw = self.draw()
            for axis in self.shape:
                if axis.startswith("nc"):
                    most = SHAPE[axis][1]
                    draw = draw.but(axis, self.random.choice((most, most - 1, most // 2 + 1, 1)))
            if self.meets(draw):
                yield draw

    # --- runs

    def sizes(self, draw: Draw) -> dict[str, int]:
        """The bytes of buffers; none of one that a division by 0 sizes."""
        of = draw.values.__getitem__
        return {name: max(0, sized(tree, of)) for name, (tree, _) in self.extents.items()}

    def concrete(self, draw: Draw, sizes: dict[str, int]) -> Candidate | None:
        """The launch with buffers of these sizes; None where one is larger than any memory, has
        more integers than are drawn, or a least integer that is above its greatest."""
        if max(sizes.values(), default=0) > MOST_BYTES or sizes.get(SHARED, 0) > MAX_SHARED:
            return None
        if any(sizes.get(name, 0) > MOST_FILLED for name in self.held):
            return None
        if any(draw.values[f"{name}.min"] > draw.values[f"{name}.max"] for name in self.held):
            return None
        arguments = [
            self.argument(index, draw, sizes) for index in range(len(self.subject.contract.params))
        ]
        few = prod(draw.grid) * prod(draw.block) <= MAX_LANES
        names = tuple(name for name, _ in self.subject.contract.params)
        launch = ConcreteLaunch(
            draw.grid, draw.block, sizes.get(SHARED, 0), tuple(arguments), names
        )
        blocks = None if few else self.corners(draw)
        return launch, RunOptions(blocks, MAX_STEPS)

    def corners(self, draw: Draw) -> list[tuple[int, int, int]]:
        """Blocks of a large grid: where along every axis threads are as many as some parameter
        says, or the grid ends; and others at its ends and in its middle."""
        last, axes = [], []
        for blocks, threads in zip(draw.grid, draw.block, strict=True):
            ends = {(draw.values[name] - 1) // threads for name in self.scalars} | {blocks - 1}
            last.append(sorted(end for end in ends if 0 <= end < blocks))
            axes.append({0, min(1, blocks - 1), blocks // 2, *last[-1]})
        most = max(1, MAX_LANES // prod(draw.block))
        found = []
        for x, y, z in (last, axes):
            blocks = [(a, b, c) for c, b, a in product(z, y, x)]
            found += self.random.sample(blocks, len(blocks))
        return sorted(set(found[:most]))

    def argument(self, index: int, draw: Draw, sizes: dict[str, int]) -> Argument:
        name, kind = self.subject.contract.params[index]
        if name in self.scalars:
            return draw.values[name]
        if draw.null(name):
            return 0
        if kind[0] == "f":
            return self.random.choice((0.0, 1.0, -2.5, 100.0))
        if self.subject.kernel.arguments[index].size != 8:
            return 0
        if name in sizes:
            align = self.extents[name][1]
            few = min(sizes[name], 1 << 16)
            if name in self.held:
                whole = self.integers(name, sizes[name], draw)
                return Allocation(sizes[name], whole, align)
            data = self.random.choice((bytes(few), self.random.randbytes(few)))
            return Allocation(sizes[name], np.frombuffer(data, np.uint8), align)
        if any(unknown.name in (name, None) for unknown in self.subject.contract.unknown):
            return Allocation(None)
        return Allocation(0)

    def integers(self, name: str, size: int, draw: Draw) -> NDArray[np.uint8]:
        """Random integers from the least to the greatest."""
        low, high, of = draw.values[f"{name}.min"], draw.values[f"{name}.max"], self.held[name]
        words = [self.random.choice((low, high, self.random.randint(low, high)))
                 for _ in range(size // of.bytes)]  # fmt: skip
        data = np.array([of.nearest(word) for word in words], of.kind).view(np.uint8)
        return np.append(data, np.zeros(size - data.size, np.uint8))

    def faults(self, candidate: Candidate) -> list[Fault]:
        """What happens at accesses of which the contract says something."""
        unknown = {id(u.instr) for u in self.subject.contract.unknown}
        outcome = run(self.subject.kernel, *candidate)
        return [f for f in outcome.faults if f.kind in FAULTS and id(f.instr) not in unknown]

    def refusals(self, draw: Draw, sizes: dict[str, int]) -> list[str]:
        """What the guard says of the launch, with its buffers one behind the other."""
        given: dict[str, Argument] = {
            name: draw.values[name] for name in self.scalars.keys() - self.kept
        }
        given |= {name: 0 for name in self.subject.contract.optional if draw.null(name)}
        at = 256
        for name, _ in self.subject.contract.params:
            size, align = sizes.get(name, 0), self.extents.get(name, (None, 1))[1]
            at += -at % align
            given.setdefault(name, Allocation(size, address=at))
            at += size
        shared = sizes.get(SHARED, 0)
        return check_launch(self.declared, ConcreteLaunch.of(draw.block, draw.grid, shared, given))


def launches_of(program: str, *params: str) -> Launches:
    """Launches of the only kernel of a program, with these names of its parameters."""
    assembled = judging.assembled(program)
    assert assembled is not None
    (kernel,) = assembled.kernels
    launch = resolved([Contract(params=params)], kernel)
    return Launches(Subject(Path("k.ptx"), kernel, contract_of(kernel, launch)), Random(0))


def uses(subject: Subject, axis: str) -> bool:
    """Whether the kernel looks at that axis of the launch."""
    words = {axis, axis[1:]}
    return any(
        getattr(use, "name", "") in words
        for instr in subject.kernel.instructions
        for use in instr.uses
    )


def satisfied(condition: Condition, of: Callable[[str], int]) -> bool:
    """Whether the condition holds. One that divides by 0 does not."""
    try:
        return condition.holds(of)
    except ExpressionError:
        return False


def sized(tree: Expression, of: Callable[[str], int]) -> int:
    try:
        return value(tree, of)
    except ExpressionError:
        return 0
