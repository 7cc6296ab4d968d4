"""Random launches of a kernel: those that meet its inferred contract, and those that break one
bound of it by as little as can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random

import numpy as np

from ptxlint.expression import Condition, Expression, conditions, parse, value
from ptxlint.guard import Actual, violations
from ptxlint.inference import SHARED
from ptxlint.launch import SHAPE
from ptxlint.simt import Argument, Buffer, Fault, Setup, run

from .kernels import Subject

FAULTS = frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"})
MAX_LANES = 8192
MAX_STEPS, MAX_SECONDS = 20_000, 3.0
TRIES = 200  # to meet the needs
NUMBERS = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 60, 64, 100, 128, 255, 256, 1000, -1, -5)
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64, 65, 96, 128, 256, 512, 1024)
MOST_BYTES = 1 << 40  # of one buffer


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

    def but(self, name: str, number: int) -> Draw:
        return Draw({**self.values, name: number})


class Launches:
    """Launches of one subject."""

    def __init__(self, subject: Subject, random: Random) -> None:
        self.subject, self.random = subject, random
        inferred = subject.contract
        self.declared = inferred.contract()
        self.extents = {name: (parse(text), align)
                        for name, (text, align) in inferred.extents().items()}  # fmt: skip
        self.needs = [conditions(need.condition) for need in inferred.needs]
        self.scalars = {
            name: int(kind[1:])
            for (name, kind), parameter in zip(
                inferred.params, subject.kernel.parameters, strict=True
            )
            if kind[0] == "s" and parameter.size <= 8
        }
        self.named = {n for need in self.needs for c in need for n in c.names}
        for tree, _ in self.extents.values():
            self.named |= names_of(tree)

    # --- draws

    def draw(self) -> Draw:
        """Small numbers; block and grid as the text asks for them."""
        pick = self.random.choice
        values = dict.fromkeys(SHAPE, 1)
        shape = {axis for axis in SHAPE if uses(self.subject, axis)} | {"ntid.x", "nctaid.x"}
        for axis in sorted(shape):
            values[axis] = pick(EXTENTS) if axis.startswith("nt") else pick((1, 1, 2, 3, 4))
        if self.subject.contract.block is not None:
            for axis, extent in zip("xyz", self.subject.contract.block, strict=True):
                values[f"ntid.{axis}"] = extent
        for name in self.scalars:
            values[name] = pick(NUMBERS) if pick((0, 1)) else self.random.randrange(200)
        return Draw(values)

    def legal(self, draw: Draw) -> bool:
        most = prod(self.subject.kernel.max_threads or (1024,))
        return (
            prod(draw.block) <= min(1024, most)
            and all(low <= draw.values[name] <= high for name, (low, high) in SHAPE.items())
            and (self.subject.contract.block in (None, draw.block))
        )

    def meets(self, draw: Draw, but: int | None = None) -> bool:
        """Whether the needs hold, those of one aside."""
        of = draw.values.__getitem__
        return self.legal(draw) and all(
            c.holds(of) for i, need in enumerate(self.needs) if i != but for c in need
        )

    def meeting(self) -> Iterator[Draw]:
        """Draws that meet all needs, and that are no larger than can be run."""
        for _ in range(TRIES):
            draw = self.draw()
            if self.meets(draw) and prod(draw.block) * prod(draw.grid) <= MAX_LANES:
                yield draw

    # --- runs

    def sizes(self, draw: Draw) -> dict[str, int]:
        of = draw.values.__getitem__
        return {name: max(0, value(tree, of)) for name, (tree, _) in self.extents.items()}

    def setup(self, draw: Draw, sizes: dict[str, int]) -> Setup | None:
        """The launch with buffers of these sizes; None where one is larger than any memory."""
        if any(size > MOST_BYTES for size in sizes.values()):
            return None
        arguments = [
            self.argument(index, draw, sizes) for index in range(len(self.subject.contract.params))
        ]
        few = prod(draw.grid) * prod(draw.block) <= MAX_LANES
        axes = [sorted({0, min(1, n - 1), n // 2, n - 1}) for n in draw.grid]
        blocks = None if few else [(x, y, z) for z, y, x in product(axes[2], axes[1], axes[0])]
        return Setup(
            draw.grid,
            draw.block,
            sizes.get(SHARED, 0),
            tuple(arguments),
            blocks=blocks,
            max_steps=MAX_STEPS,
            max_seconds=MAX_SECONDS,
        )

    def argument(self, index: int, draw: Draw, sizes: dict[str, int]) -> Argument:
        name, kind = self.subject.contract.params[index]
        if name in self.scalars:
            return draw.values[name]
        if kind[0] == "f":
            return self.random.choice((0.0, 1.0, -2.5, 100.0))
        if self.subject.kernel.parameters[index].size != 8:
            return 0
        if name in sizes:
            align = self.extents[name][1]
            data = self.random.randbytes(min(sizes[name], 1 << 16))
            return Buffer(np.frombuffer(data, np.uint8), sizes[name], align=align, name=name)
        if any(unknown.name in (name, None) for unknown in self.subject.contract.unknown):
            return Buffer.undeclared()
        return Buffer.zeros(0)

    def faults(self, setup: Setup) -> list[Fault]:
        """What happens at accesses of which the contract says something."""
        unknown = {id(u.instr) for u in self.subject.contract.unknown}
        outcome = run(self.subject.kernel, setup)
        return [f for f in outcome.faults if f.kind in FAULTS and id(f.instr) not in unknown]

    def refusals(self, draw: Draw, sizes: dict[str, int]) -> list[str]:
        """What the guard says of the launch."""
        buffers = {
            name: (size, self.extents[name][1]) for name, size in sizes.items() if name != SHARED
        }
        numbers = {name: draw.values[name] for name in self.scalars}
        shared = sizes.get(SHARED, 0)
        return violations(self.declared, Actual(draw.block, draw.grid, shared, numbers, buffers))


def names_of(tree: Expression) -> frozenset[str]:
    return Condition(tree, "<", tree).names


def uses(subject: Subject, axis: str) -> bool:
    """Whether the kernel looks at that axis of the launch."""
    words = {axis, axis[1:]}
    return any(
        getattr(use, "name", "") in words
        for instr in subject.kernel.instructions
        for use in instr.uses
    )


# --- bounds that are broken


@dataclass(frozen=True)
class Bound:
    """A need (``name`` None), or one end of what is touched of a buffer."""

    label: str
    need: int | None = None
    name: str = ""
    end: str = ""


def bounds(launches: Launches) -> list[Bound]:
    inferred = launches.subject.contract
    found = [Bound(need.condition, index) for index, need in enumerate(inferred.needs)]
    for name in launches.extents:
        ends = dict.fromkeys(e for part in inferred.bytes if part.name == name for e in part.ends)
        found += [Bound(f"{name}[{end})", None, name, end) for end in ends]
    return found


def breaking(launches: Launches, bound: Bound, tries: int) -> Iterator[Setup]:
    """Launches that break this bound by one and no other."""
    for _ in range(tries):
        setup = _shrunk(launches, bound) if bound.need is None else _pushed(launches, bound.need)
        if setup is not None:
            yield setup


def _shrunk(launches: Launches, bound: Bound) -> Setup | None:
    """A buffer that is one element smaller than it has to be because of this end."""
    draw = next(launches.meeting(), None)
    if draw is None:
        return None
    sizes = launches.sizes(draw)
    size = sizes[bound.name]
    if size <= 0 or value(parse(bound.end), draw.values.__getitem__) < size:
        return None
    element = min(
        instr.access.bytes
        for instr in launches.subject.kernel.instructions
        if instr.access is not None and instr.access.space not in ("param", "local")
    )
    return launches.setup(draw, {**sizes, bound.name: max(0, size - element)})


def _pushed(launches: Launches, index: int) -> Setup | None:
    """A launch that meets all needs, with one name moved to where this need just stops to hold, and
    others made large where nothing else forbids it."""
    draw = next(launches.meeting(), None)
    if draw is None:
        return None
    need, random = launches.needs[index], launches.random
    names = sorted({name for condition in need for name in condition.names})
    random.shuffle(names)
    for name in sorted({*launches.scalars, *names}):
        most = SHAPE[name][1] if name in SHAPE else (1 << (launches.scalars[name] - 1)) - 1
        large = draw.but(name, random.choice((most, most // 2, most // 4, most // 64)))
        draw = large if random.random() < 0.4 and launches.meets(large) else draw
    for name in names:
        for end in SHAPE.get(name) or span(launches.scalars[name]):
            broken = nearest(need, draw, name, end)
            if broken is not None and launches.meets(broken, but=index):
                return launches.setup(broken, launches.sizes(broken))
    return None


def span(bits: int) -> tuple[int, int]:
    half = 1 << (bits - 1)
    return -half, half - 1


def nearest(need: tuple[Condition, ...], draw: Draw, name: str, end: int) -> Draw | None:
    """The draw with a name changed, towards ``end``, as little as breaks the need."""

    def holds(number: int) -> bool:
        of = draw.but(name, number).values.__getitem__
        return all(condition.holds(of) for condition in need)

    good = draw.values[name]
    step = 1 if end > good else -1
    if not holds(good + step):
        return draw.but(name, good + step)
    bad = end
    if holds(bad):
        return None
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return draw.but(name, bad)
