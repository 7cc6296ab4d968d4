"""What the analyses may take for granted of a launch: it becomes ranges of special registers, and
parameters become numbers or pointers to regions.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.domains.strided_interval import StridedInterval, constant, interval
from analyses.domains.uniformity import Level
from analyses.hardware import WARP
from analyses.program import Region
from ptxlint.contracts.contract import MAX_BLOCK, MAX_GRID, Launch, Range
from ptxlint.ir import Kernel, KernelParameter


def pointers(kernel: Kernel, launch: Launch) -> Iterator[tuple[str, Region]]:
    """What pointer parameters point to, under the names that the user gave them."""
    for parameter in kernel.words:
        if launch.is_pointer(parameter):
            yield parameter.word, target(parameter, launch)


def target(parameter: KernelParameter, launch: Launch) -> Region:
    name = parameter.name
    if parameter.index < len(launch.names):
        name = launch.names[parameter.index]
    space = parameter.pointer_space or "global"
    extent = launch.buffers.get(parameter.index)
    if extent is None:
        return Region(space, name, None, parameter.pointer_align or 1)
    return Region(space, name, extent.bytes.low, extent.align)


def specials(kernel: Kernel, launch: Launch) -> Iterator[tuple[str, StridedInterval]]:
    """Ranges of special registers and integer parameters."""
    for axis, most, limit in zip("xyz", MAX_BLOCK, MAX_GRID, strict=True):
        at = "xyz".index(axis)
        threads = min(most, launch.max_threads)
        if launch.block is not None:
            yield f"ntid.{axis}", constant(32, launch.block[at])
            yield f"tid.{axis}", interval(32, 0, launch.block[at] - 1)
        else:
            yield f"ntid.{axis}", interval(32, 1, threads)
            yield f"tid.{axis}", interval(32, 0, threads - 1)
        if launch.grid is not None:
            yield f"nctaid.{axis}", constant(32, launch.grid[at])
            yield f"ctaid.{axis}", interval(32, 0, launch.grid[at] - 1)
        else:
            yield f"nctaid.{axis}", interval(32, 1, limit)
            yield f"ctaid.{axis}", interval(32, 0, limit - 1)
    yield "laneid", interval(32, 0, WARP - 1)
    yield "warpid", interval(32, 0, launch.max_threads // WARP)
    for parameter in kernel.words:
        value = launch.values.get(parameter.index)
        if parameter.index in launch.counts:
            value = Range(0, launch.most(parameter))
        if isinstance(value, Range) and parameter.size in (1, 2, 4, 8):
            width = 8 * parameter.size
            if value.high - value.low + 1 == 1 << width:
                continue  # declares nothing
            yield parameter.word, interval(width, value.low, value.high)


def levels(launch: Launch) -> Iterator[tuple[str, Level]]:
    """Thread coordinates that a known block fixes, or that a warp shares."""
    if launch.block is None:
        return
    x, y, z = launch.block
    rows = x % WARP == 0
    for axis, extent, shared in (
        ("x", x, False),
        ("y", y, rows),
        ("z", z, rows or x * y % WARP == 0),
    ):
        if extent == 1:
            yield f"tid.{axis}", Level.GRID
        elif shared:
            yield f"tid.{axis}", Level.WARP
    if x * y * z <= WARP:
        yield "warpid", Level.GRID
