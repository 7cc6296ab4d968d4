"""How a launch is run, and how its threads stand in the lanes of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import gcd, prod

import numpy as np
from msgspec import Struct

from analyses.concrete.bitvectors import Array, constant
from analyses.concrete.machine import BitVector
from analyses.hardware import WARP
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import Allocation, ConcreteLaunch
from ptxlint.ir import Kernel

BATCH = 32768
"""Lanes that run together: enough to pay for Python, few enough to stay in the cache."""

CLOCKS = 1 << 24
"""Clocks of a race check, which keeps one of each thread for each other of its block."""

AXES = "xyz"


class RunOptions(Struct, frozen=True):
    """How a launch is run. ``blocks`` limits the run to some blocks of the grid; a step is one
    instruction issued to a batch, a lane instruction is one executed by one lane. A run with a
    fault ends after ``stray_steps`` in which no other instruction is executed or fails, unless its
    observer awaits another fault.

    ``schedule`` is the seed of an order in which threads run independently of each other; None
    lets them keep step. ``checks`` holds what else to look for, at some cost: ``race``, ``init``
    (reads of memory that nothing has written) and ``sync`` (lanes wait for those that a mask
    names); with ``words`` stores race even if they store the same word, and a barrier orders
    nothing once a thread that it would order has exited. Without ``data`` only what decides
    branches, accesses, barriers and faults is computed: others store 0."""

    blocks: Sequence[Triple] | None = None
    max_steps: int = 1_000_000
    max_lane_instructions: int | None = None
    stray_steps: int | None = None
    schedule: int | None = None
    checks: frozenset[str] = frozenset()
    data: bool = True

    @property
    def gathers(self) -> bool:
        """True if lanes wait for those that a mask names; else all are taken to be there."""
        return self.schedule is not None or bool(self.checks & {"sync", "race"})

    def batch(self, block: Triple) -> int:
        """Lanes that run together."""
        return min(BATCH, CLOCKS // padded(block)) if "race" in self.checks else BATCH

    def batches(self, launch: ConcreteLaunch) -> Iterator[Layout]:
        """The blocks in grid order, x fastest, as many at a time as fit in a batch."""
        across, down, deep = (range(extent) for extent in launch.grid)
        whole = ((x, y, z) for z in deep for y in down for x in across)
        blocks = whole if self.blocks is None else iter(self.blocks)
        together = max(self.batch(launch.block) // padded(launch.block), 1)
        while batch := list(islice(blocks, together)):
            yield Layout.of(launch.block, batch)


class Layout(Struct, frozen=True, eq=False):
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

    def specials(self, launch: ConcreteLaunch, static_shared: int) -> dict[str, BitVector]:
        """The special registers that do not change while a thread runs."""
        lane = (np.arange(self.live.size) % WARP).astype(np.uint32)
        bit = np.uint32(1) << lane
        words = {f"tid.{axis}": index for axis, index in zip(AXES, self.tid, strict=True)}
        words |= {f"ctaid.{axis}": index for axis, index in zip(AXES, self.ctaid, strict=True)}
        words |= {"laneid": lane, "warpid": self.warp, "lanemask_eq": bit, "lanemask_lt": bit - 1}
        words |= {"lanemask_le": bit | (bit - 1), "lanemask_ge": ~(bit - 1)}
        words |= {"lanemask_gt": ~(bit | (bit - 1))}
        same = {f"ntid.{axis}": extent for axis, extent in zip(AXES, launch.block, strict=True)}
        same |= {f"nctaid.{axis}": n for axis, n in zip(AXES, launch.grid, strict=True)}
        same |= {"nwarpid": padded(launch.block) // WARP, "smid": 0, "nsmid": 1, "gridid": 1}
        same |= {"dynamic_smem_size": launch.shared}
        same |= {"total_smem_size": launch.shared + static_shared}
        return {name: BitVector(32, bits.astype(np.uint32)) for name, bits in words.items()} | {
            name: constant(32, number) for name, number in same.items()
        }


def padded(block: Triple) -> int:
    """Lanes of a block: its threads, rounded up to whole warps."""
    x, y, z = block
    return -(-x * y * z // WARP) * WARP


SHADOW = 48
"""Bytes that a race check keeps for each grain of memory."""


def grain(kernel: Kernel) -> int:
    """The bytes that no access to shared or global memory tells apart."""
    spaces = ("shared", "global", "generic")
    accesses = [instr.access for instr in kernel.instructions if instr.access is not None]
    return (
        gcd(*(gcd(access.bytes, access.least) for access in accesses if access.space in spaces))
        or 1
    )


def estimate(kernel: Kernel, launch: ConcreteLaunch, options: RunOptions) -> int:
    """About how many bytes a run takes: buffers (and their first contents), one word of each value
    in every lane of a batch, and shared and local memory."""
    block = padded(launch.block)
    blocks = min(max(options.batch(launch.block) // block, 1), prod(launch.grid))
    sizes = {"shared": launch.shared, "local": 0}
    for region in kernel.regions:
        if region.space in sizes:
            sizes[region.space] += region.size or 0
    memory = [argument for argument in launch.arguments if isinstance(argument, Allocation)]
    buffers = sum(each.size or 0 for each in memory)
    first = sum(each.data.size for each in memory if each.data is not None)
    shared = blocks * sizes["shared"]
    values = sum(value.width for instr in kernel.instructions for value in instr.defs) // 8
    needed = buffers + first + shared + blocks * block * (sizes["local"] + values)
    if "race" in options.checks:
        needed += (buffers + shared) * SHADOW // grain(kernel) + blocks * block * block * 4
    return needed
