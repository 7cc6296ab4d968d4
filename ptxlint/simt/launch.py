"""A launch, and how its threads stand in the lanes of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from analyses.concrete.bitvectors import Array, constant
from analyses.concrete.machine import WARP, BitVector
from ptxlint.contracts.contract import Extent, Launch, Range, Triple
from ptxlint.ir import Kernel, KernelParameter
from ptxlint.simt.memory import Argument, Buffer, Bytes, Memory

BATCH = 32768
"""Lanes that run together: enough to pay for Python, few enough to stay in the cache."""

CLOCKS = 1 << 24
"""Clocks of a race check, which keeps one of each thread for each other of its block."""

AXES = "xyz"


@dataclass(frozen=True, slots=True)
class Setup:
    """One launch. ``shared`` is dynamic shared memory in bytes; ``blocks`` limits the run to some
    blocks of the grid; a step is one instruction issued to a batch.

    ``schedule`` is the seed of an order in which threads run independently of each other; None
    lets them keep step. ``checks`` holds what else to look for, at some cost: ``race``, ``init``
    (reads of memory that nothing has written) and ``sync`` (lanes wait for those that a mask
    names)."""

    grid: Triple
    block: Triple
    shared: int = 0
    arguments: tuple[Argument, ...] = ()
    blocks: Sequence[Triple] | None = None
    max_steps: int = 1_000_000
    max_seconds: float = 60.0
    schedule: int | None = None
    checks: frozenset[str] = frozenset()

    @staticmethod
    def of(kernel: Kernel, launch: Launch, contents: Mapping[int, Array] | None = None) -> Setup:
        """The greatest launch that a contract allows: ranges at their upper end, one block where
        it names none, and 0 for a number that nobody gives. ``contents`` fills buffers, by the
        position of the parameter; others hold zeros, or the number next to 0 that they may hold."""
        values = Setup.values(launch)
        grid, block = launch.grid or (1, 1, 1), launch.block or (1, 1, 1)
        named = numbers(kernel, values, grid, block)

        given = ((p.region, values.get(p.index)) for p in kernel.parameters if p.structure)
        structures = {region: whole for region, whole in given if isinstance(whole, int)}

        def argument(formal: KernelParameter) -> Argument:
            i = formal.index
            if i in values:
                return values[i]
            if formal.region in structures and i not in launch.buffers:
                return member(structures[formal.region], formal)
            name = launch.names[i] if i < len(launch.names) else formal.name
            data = np.ascontiguousarray((contents or {}).get(i, np.zeros(0, np.uint8)))
            data = data.reshape(-1).view(np.uint8)
            if i in launch.buffers:
                extent = launch.buffers[i]
                if i not in (contents or {}):
                    data = first_words(extent, named)
                return Buffer(data, extent.of(named), True, extent.align, name)
            if formal.size != 8 or formal.type.startswith("f") or formal.number:
                return 0
            return Buffer(data, 0, False, name=name)

        arguments = tuple(map(argument, kernel.arguments))
        shared = launch.shared.of(named) if launch.shared is not None else 0
        return Setup(grid, block, shared, arguments)

    @staticmethod
    def values(launch: Launch) -> dict[int, int | float]:
        """The greatest number that is declared, by the position of the parameter."""
        return {
            index: value.high if isinstance(value, Range) else value
            for index, value in launch.values.items()
        }

    def numbers(self, names: Sequence[str]) -> dict[str, int | float]:
        """The arguments that are numbers, by name; instead of a structure, its members."""
        structures = {name.rpartition(".")[0] for name in names}
        return {
            name: value
            for name, value in zip(names, self.arguments, strict=False)
            if not isinstance(value, Buffer) and name not in structures
        }

    @property
    def gathers(self) -> bool:
        """Whether lanes wait for those that a mask names; else all take it that they are there."""
        return self.schedule is not None or bool(self.checks & {"sync", "race"})

    @property
    def batch(self) -> int:
        """Lanes that run together."""
        return min(BATCH, CLOCKS // padded(self.block)) if "race" in self.checks else BATCH

    def overlapping(self, kernel: Kernel, one: int, other: int, shift: int = 0) -> Setup:
        """The launch in which the buffer of the second parameter begins ``shift`` bytes into that
        of the first one."""
        arguments = list(self.arguments)
        arguments[other] = 0
        place = sum(isinstance(argument, Buffer) for argument in arguments[:one])
        arguments[other] = Memory(kernel, arguments, self.shared).buffers[place].base + shift
        return replace(self, arguments=tuple(arguments))

    def batches(self) -> Iterator[Layout]:
        """The blocks in grid order, x fastest, as many at a time as fit in a batch."""
        blocks = self.blocks
        if blocks is None:
            across, down, deep = (range(extent) for extent in self.grid)
            blocks = [(x, y, z) for z, y, x in product(deep, down, across)]
        together = max(self.batch // padded(self.block), 1)
        for first in range(0, len(blocks), together):
            yield Layout.of(self.block, blocks[first : first + together])


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Who stands where: for each lane its CTA (numbered in the batch, and by its place in the
    grid), its thread, its warp in the CTA, and whether there is a thread at all."""

    cta: Array
    ctaid: tuple[Array, Array, Array]
    tid: tuple[Array, Array, Array]
    warp: Array
    live: Array

    @staticmethod
    def of(block: Triple, ctas: Sequence[Triple]) -> Layout:
        thread = np.arange(padded(block), dtype=np.uint32)
        wide, high, deep = (np.uint32(extent) for extent in block)
        tid = (thread % wide, thread // wide % high, thread // (wide * high))
        places = np.array(ctas, np.uint32)
        return Layout(
            np.repeat(np.arange(len(ctas)), thread.size),
            tuple(np.repeat(places[:, axis], thread.size) for axis in range(3)),  # type: ignore[arg-type]
            tuple(np.tile(index, len(ctas)) for index in tid),  # type: ignore[arg-type]
            np.tile(thread // WARP, len(ctas)),
            np.tile(thread < wide * high * deep, len(ctas)),
        )

    def thread(self, lane: int) -> tuple[Triple, Triple]:
        """The block and the thread of a lane."""
        x, y, z = (int(index[lane]) for index in self.ctaid)
        a, b, c = (int(index[lane]) for index in self.tid)
        return (x, y, z), (a, b, c)

    def specials(self, setup: Setup, static_shared: int) -> dict[str, BitVector]:
        """The special registers that do not change while a thread runs."""
        lane = (np.arange(self.live.size) % WARP).astype(np.uint32)
        bit = np.uint32(1) << lane
        words = {f"tid.{axis}": index for axis, index in zip(AXES, self.tid, strict=True)}
        words |= {f"ctaid.{axis}": index for axis, index in zip(AXES, self.ctaid, strict=True)}
        words |= {"laneid": lane, "warpid": self.warp, "lanemask_eq": bit, "lanemask_lt": bit - 1}
        words |= {"lanemask_le": bit | (bit - 1), "lanemask_ge": ~(bit - 1)}
        words |= {"lanemask_gt": ~(bit | (bit - 1))}
        same = {f"ntid.{axis}": extent for axis, extent in zip(AXES, setup.block, strict=True)}
        same |= {f"nctaid.{axis}": n for axis, n in zip(AXES, setup.grid, strict=True)}
        same |= {"nwarpid": padded(setup.block) // WARP, "smid": 0, "nsmid": 1, "gridid": 1}
        same |= {"dynamic_smem_size": setup.shared}
        same |= {"total_smem_size": setup.shared + static_shared}
        return {name: BitVector(32, bits.astype(np.uint32)) for name, bits in words.items()} | {
            name: constant(32, number) for name, number in same.items()
        }


def numbers(
    kernel: Kernel, values: Mapping[int, int | float], grid: Triple, block: Triple
) -> Callable[[str], int]:
    """What the names that sizes and needs speak of stand for in one launch; 0 for a parameter that
    has no value."""
    known = {p.name: int(values.get(p.index, 0)) for p in kernel.arguments if p.type[0] != "f"}
    for axis, threads, blocks in zip(AXES, block, grid, strict=True):
        known |= {f"ntid.{axis}": threads, f"nctaid.{axis}": blocks}
    return known.__getitem__


def member(whole: int, formal: KernelParameter) -> int | float:
    """A word of a structure, of which the bytes are given as one great number."""
    word = (whole >> 8 * formal.offset) % (1 << 8 * formal.size)
    if not formal.type.startswith("f"):
        return word
    return float(np.frombuffer(word.to_bytes(formal.size, "little"), f"<f{formal.size}")[0])


def first_words(extent: Extent, named: Callable[[str], int]) -> Bytes:
    """What a buffer begins with that nobody fills: nothing where zeros will do, and one word where
    zeros have to do."""
    if extent.holds is None:
        return np.zeros(0, np.uint8)
    low, high = extent.holds.of(named)
    number, size = min(max(low, 0), high), extent.holds.bits // 8
    count = extent.of(named) // size if number else 1
    word = (number % (1 << extent.holds.bits)).to_bytes(size, "little")
    return np.tile(np.frombuffer(word, np.uint8), count)


def padded(block: Triple) -> int:
    """Lanes of a block: its threads, rounded up to whole warps."""
    x, y, z = block
    return -(-x * y * z // WARP) * WARP


SHADOW = 36
"""Bytes that a race check keeps for each grain of memory."""


def grain(kernel: Kernel) -> int:
    """The bytes that no access to shared or global memory tells apart: those of the least one."""
    spaces = ("shared", "global", "generic")
    accesses = [instr.access for instr in kernel.instructions if instr.access is not None]
    return min((access.bytes for access in accesses if access.space in spaces), default=1)


def estimate(kernel: Kernel, setup: Setup) -> int:
    """About how many bytes a run takes: buffers (and their first contents), one word of each value
    in every lane of a batch, and shared and local memory."""
    block = padded(setup.block)
    blocks = min(max(setup.batch // block, 1), prod(setup.grid))
    sizes = {"shared": setup.shared, "local": 0}
    for region in kernel.regions:
        if region.space in sizes:
            sizes[region.space] += region.size or 0
    buffers = sum(a.extent for a in setup.arguments if isinstance(a, Buffer))
    first = sum(a.data.size for a in setup.arguments if isinstance(a, Buffer))
    shared = blocks * sizes["shared"]
    values = sum(value.width for instr in kernel.instructions for value in instr.defs) // 8
    needed = buffers + first + shared + blocks * block * (sizes["local"] + values)
    if "race" in setup.checks:
        needed += (buffers + shared) * SHADOW // grain(kernel) + blocks * block * block * 4
    return needed
