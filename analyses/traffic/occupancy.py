"""Occupancy: the resident blocks of a multiprocessor, and the resource that limits them.

A block needs warps, registers and shared memory for as long as it runs. Registers and shared memory
are allocated in granules; since 2.x the registers of a warp come from one sub-partition of the
multiprocessor, and since 8.0 the driver keeps 1 KiB of shared memory a block for itself. On 1.x a
block gets its registers as a whole, for an even number of warps.

Sources: the tables of technical specifications in the CUDA C Programming Guide, release 4.2 for 1.x
and 2.x, 8.0 for 3.x to 6.x, 13.0 for the rest; the granules are those of NVIDIA's occupancy
calculator (the spreadsheet for 1.x and 2.x, cuda_occupancy.h of CUDA 13.0 for the rest). Not
counted: shared memory for parameters on 1.x, and barriers.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analyses.hardware import MAX_THREADS, WARP

MOST_REGISTERS: Final = 255  # of a thread
KIB: Final = 1024


class Multiprocessor(NamedTuple):
    """The resources from compute capability ``since`` on, up to the next row: resident warps and
    blocks, registers, bytes of shared memory and the limit for one block; the granules of registers
    and of shared memory, the sub-partitions of the registers (0: a block gets them as a whole), the
    registers of one block, and the bytes kept by the driver."""

    since: tuple[int, int]
    warps: int
    blocks: int
    registers: int
    shared: int
    shared_of_block: int
    register_granule: int
    shared_granule: int
    parts: int
    registers_of_block: int = 64 * KIB
    kept: int = 0


MULTIPROCESSORS: Final = (
    Multiprocessor((1, 0), 24, 8, 8 * KIB, 16 * KIB, 16 * KIB, 256, 512, 0),
    Multiprocessor((1, 2), 32, 8, 16 * KIB, 16 * KIB, 16 * KIB, 512, 512, 0),
    Multiprocessor((2, 0), 48, 8, 32 * KIB, 48 * KIB, 48 * KIB, 64, 128, 2),
    Multiprocessor((3, 0), 64, 16, 64 * KIB, 48 * KIB, 48 * KIB, 256, 256, 4),
    Multiprocessor((3, 7), 64, 16, 128 * KIB, 112 * KIB, 48 * KIB, 256, 256, 4),
    Multiprocessor((5, 0), 64, 32, 64 * KIB, 64 * KIB, 48 * KIB, 256, 256, 4),
    Multiprocessor((5, 2), 64, 32, 64 * KIB, 96 * KIB, 48 * KIB, 256, 256, 4),
    Multiprocessor((5, 3), 64, 32, 64 * KIB, 64 * KIB, 48 * KIB, 256, 256, 4, 32 * KIB),
    Multiprocessor((6, 0), 64, 32, 64 * KIB, 64 * KIB, 48 * KIB, 256, 256, 2),
    Multiprocessor((6, 1), 64, 32, 64 * KIB, 96 * KIB, 48 * KIB, 256, 256, 4),
    Multiprocessor((6, 2), 64, 32, 64 * KIB, 64 * KIB, 48 * KIB, 256, 256, 4, 32 * KIB),
    Multiprocessor((7, 0), 64, 32, 64 * KIB, 96 * KIB, 96 * KIB, 256, 256, 4),
    Multiprocessor((7, 5), 32, 16, 64 * KIB, 64 * KIB, 64 * KIB, 256, 256, 4),
    Multiprocessor((8, 0), 64, 32, 64 * KIB, 164 * KIB, 163 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((8, 6), 48, 16, 64 * KIB, 100 * KIB, 99 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((8, 7), 48, 16, 64 * KIB, 164 * KIB, 163 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((8, 8), 48, 16, 64 * KIB, 100 * KIB, 99 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((8, 9), 48, 24, 64 * KIB, 100 * KIB, 99 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((9, 0), 64, 32, 64 * KIB, 228 * KIB, 227 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((11, 0), 48, 24, 64 * KIB, 228 * KIB, 227 * KIB, 256, 128, 4, kept=KIB),
    Multiprocessor((12, 0), 48, 24, 64 * KIB, 100 * KIB, 99 * KIB, 256, 128, 4, kept=KIB),
)


def most_shared(capability: tuple[int, int], or_later: bool = False) -> int:
    """The most bytes of shared memory of a block; ``or_later``, on any device since. Raises
    ValueError for an unknown capability."""
    there = multiprocessor(capability)
    later = [row for row in MULTIPROCESSORS if row.since > there.since] if or_later else []
    return max(row.shared_of_block for row in (there, *later))


class Occupancy(NamedTuple):
    """Resident blocks and warps, the maximum of resident warps, and the limiting resources."""

    blocks: int
    warps: int
    most: int
    limits: tuple[str, ...]

    def __str__(self) -> str:
        blocks = f"{self.blocks} block{'s' * (self.blocks != 1)}"
        return f"{blocks}, {self.warps} of {self.most} warps ({', '.join(self.limits)})"


def multiprocessor(capability: tuple[int, int]) -> Multiprocessor:
    """The row of a compute capability. Raises ValueError for an unknown one."""
    rows = [row for row in MULTIPROCESSORS if row.since <= capability]
    if not rows or capability[0] > MULTIPROCESSORS[-1].since[0]:
        first, last = MULTIPROCESSORS[0].since[0], MULTIPROCESSORS[-1].since[0]
        major, minor = capability
        raise ValueError(f"compute capability {major}.{minor}, known are {first}.x to {last}.x")
    return rows[-1]


def occupancy(
    capability: tuple[int, int], threads: int, registers: int = 0, shared: int = 0
) -> Occupancy:
    """The occupancy of blocks of so many threads, with registers a thread (0: unknown, no limit)
    and bytes of shared memory a block. Raises ValueError for what no launch may request."""
    for name, value, least, most in (
        ("threads", threads, 1, MAX_THREADS),
        ("registers", registers, 0, MOST_REGISTERS),
    ):
        if not least <= value <= most:
            raise ValueError(f"{name} {value}, expected {least} to {most}")
    there = multiprocessor(capability)
    if not 0 <= shared <= there.shared_of_block:
        raise ValueError(f"shared {shared} bytes, expected 0 to {there.shared_of_block}")
    warps = -(-threads // WARP)
    fit = {"warps": there.warps // warps, "blocks": there.blocks}
    if registers:
        fit["registers"] = by_registers(there, warps, registers)
    if shared:
        fit["shared memory"] = there.shared // up(shared + there.kept, there.shared_granule)
    blocks = min(fit.values())
    limits = tuple(name for name, most in fit.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, there.warps, limits)


def most_registers(capability: tuple[int, int], threads: int, shared: int = 0) -> int:
    """The registers that a thread may have before fewer blocks are resident; 0 if none are."""
    blocks = occupancy(capability, threads, 0, shared).blocks
    there, warps = multiprocessor(capability), -(-threads // WARP)
    fitting = range(MOST_REGISTERS, 0, -1)
    return next((n for n in fitting if by_registers(there, warps, n) >= blocks > 0), 0)


def by_registers(there: Multiprocessor, warps: int, registers: int) -> int:
    """The blocks that the registers allow."""
    if not there.parts:
        needed = up(up(warps, 2) * WARP * registers, there.register_granule)
        return there.registers // needed
    of_warp = up(WARP * registers, there.register_granule)
    if of_warp * up(warps, there.parts) > there.registers_of_block:
        return 0
    if there.since == (6, 0) and not by_registers(multiprocessor((6, 1)), warps, registers):
        return 0  # the limit of 6.1 applies to 6.0 too
    return there.registers // there.parts // of_warp * there.parts // warps


def up(number: int, granule: int) -> int:
    return -(-number // granule) * granule
