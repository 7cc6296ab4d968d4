"""How devices count: one row for each family of compute capabilities, with its source.

Sources are the sections "Compute Capability x.x" of NVIDIA's *CUDA C Programming Guide*, in the
version that is named. The units are what the profilers of their time count; from 5.0 on they are
Nsight Compute's ``memory_l2_theoretical_sectors_global`` and ``memory_l1_wavefronts_shared``.

Constant memory gives a warp one address after the other, local memory is interleaved by words (same
guide, "Device Memory Accesses").

Loads of shared memory of 8 and 16 bytes by pairs of lanes (``costs.paired``): NVIDIA's forum has it
for 7.x (https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228/2), the
device that was measured, of 9.0, does it, and the guide says that 8.x and later are as 7.x. Earlier
devices get a range.

Atomics of shared memory: devices before 5.0 lock a word, update and unlock it, at an undocumented
cost; from 5.0 on there are instructions for integers of 32 bits and for exchange and
compare-and-swap of 64 (*Maxwell Tuning Guide* 12.4, 4.3.3). On the device of 9.0 they serialise the
lanes of a bank, as do asynchronous copies (``copy``), and a compare-and-swap (``swap``) takes each
pass twice. An addition of 1 whose result is not used becomes another instruction
(``ATOMS.POPC.INC``), which costs what a store does; ``sum`` is an addition that may be one. Earlier
devices get a range.

All other atomics are ``retried``: the assembler writes a loop of a load and a compare-and-swap, in
which one lane of each bank and phase goes ahead. So the loop has at least as many tries as lanes of
a phase share a bank, or lanes an address; the first is the costliest.

What was measured: ``docs/measurements/device.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from analyses.hardware import BANK, LINE, SECTOR
from analyses.traffic.costs import (
    Lanes,
    Metric,
    addresses,
    busiest,
    collisions,
    ideal_lines,
    ideal_load_wavefronts,
    ideal_sectors,
    ideal_wavefronts,
    lines,
    load_wavefronts,
    local_ideal,
    local_sectors,
    one,
    phases,
    sectors,
    serialized_wavefronts,
    touched,
    wavefronts,
)

RequestKind = Literal["load", "store", "atomic", "sum", "swap", "retried", "copy", "matrix"]
"""What is counted apart: of atomics additions, compare-and-swaps and the loops that the assembler
writes; asynchronous copies; loads of matrices."""

HALF = 16  # lanes that a device of compute capability 1.x serves together
BANKS_OF_1 = 16


class Device(Struct, frozen=True):
    """Devices from compute capability ``since`` on, up to the next row."""

    since: tuple[int, int]
    source: str
    measures: Mapping[str, Metric | None]

    def measure(self, space: str, kind: RequestKind) -> Metric | None:
        """The metric of accesses of this kind to this space; None if the cost is undocumented."""
        return self.measures.get(f"{space} {kind}", self.measures.get(space))


# --- compute capability 1.x


def halves(offsets: Lanes) -> Iterator[Lanes]:
    """The half-warps with an active lane."""
    for first in (0, HALF):
        half = offsets[first : first + HALF]
        if any(offset is not None for offset in half):
            yield half


def strict_transactions(offsets: Lanes, size: int) -> int:
    """Devices 1.0 and 1.1 join the accesses of a half-warp only if lane k accesses word k of a
    segment that is aligned to 16 words; else each lane has a transaction of its own. Words of 16
    bytes take two, others (but of 4 and 8 bytes) are never joined."""
    total = 0
    for half in halves(offsets):
        there = [(k, offset) for k, offset in enumerate(half) if offset is not None]
        starts = {offset - k * size for k, offset in there}
        joined = size in (4, 8, 16) and len(starts) == 1 and starts.pop() % (HALF * size) == 0
        total += (2 if size == 16 else 1) if joined else len(there)
    return total


def strict_ideal(offsets: Lanes, size: int) -> int:
    return sum(2 if size == 16 else 1 for _ in halves(offsets))


def segments(offsets: Lanes, size: int) -> int:
    """Devices 1.2 and 1.3 serve a half-warp segment by segment: of 32 bytes for words of 1 byte, of
    64 for 2 bytes, else of 128. A segment that is used by half only is made smaller,
    which changes its size and not their number."""
    unit = {1: 32, 2: 64}.get(size, LINE)
    return sum(len(touched(half, size, unit)) for half in halves(offsets))


def segments_ideal(offsets: Lanes, size: int) -> int:
    unit = {1: 32, 2: 64}.get(size, LINE)
    counts = (len(set(half) - {None}) for half in halves(offsets))
    return max(1, sum(-(-count * size // unit) for count in counts))


def half_wavefronts(offsets: Lanes, size: int) -> int:
    """16 banks for each half-warp. In each pass one word, unspecified which, is broadcast to all
    lanes that request it, and every other bank serves one lane: at least as many passes as a bank
    has words, and as many as there are words requested by more lanes than there are passes
    (F.3.3.2)."""
    total = 0
    for words in requests(offsets, size):
        words_of_bank = Counter(words)
        passes = busiest(word % BANKS_OF_1 for word in words_of_bank)
        while sum(lanes > passes for lanes in words_of_bank.values()) > passes:
            passes += 1
        total += passes
    return total


def serialized_half_wavefronts(offsets: Lanes, size: int) -> int:
    """The upper bound: the most lanes in one bank; all lanes at one word are one pass."""
    total = 0
    for words in requests(offsets, size):
        total += 1 if len(set(words)) == 1 else busiest(word % BANKS_OF_1 for word in words)
    return total


def requests(offsets: Lanes, size: int) -> Iterator[list[int]]:
    """The words that the lanes of each half-warp request: wide ones part by part (F.3.3.4)."""
    for half in halves(offsets):
        for part in range(0, size, BANK):
            yield [(offset + part) // BANK for offset in half if offset is not None]


def half_ideal(offsets: Lanes, size: int) -> int:
    return max(1, sum(max(1, size // BANK) for _ in halves(offsets)))


# --- compute capability 3.x


def wide_wavefronts(offsets: Lanes, size: int) -> int:
    """Banks are 8 bytes wide: words i and i + 32 of 64 aligned words come together."""
    total = 0
    for group in phases(offsets, size):
        rows = {(word // 64, word % 32) for word in touched(group, size, BANK)}
        total += busiest(bank for _, bank in rows)
    return total


# --- compute capability 5.0 and later


def doubled(offsets: Lanes, size: int) -> int:
    """Passes of a compare-and-swap, which has two operands."""
    return 2 * serialized_wavefronts(offsets, size)


def doubled_ideal(offsets: Lanes, size: int) -> int:
    return 2 * ideal_wavefronts(offsets, size)


def first_try(offsets: Lanes, size: int) -> int:
    """Passes of the first try: of the load, and of a compare-and-swap two for each phase; one if
    its lanes find nothing but words that lanes before them have changed."""
    passes, seen = load_wavefronts(offsets, size), set[int | None]()
    for group in phases(offsets, size):
        if own := {*group} - {None}:
            passes += 2 if own.isdisjoint(seen) else 1
            seen |= own
    return passes


def whole_try(offsets: Lanes, size: int) -> int:
    """The same if no lane of a later phase finds its word changed."""
    return load_wavefronts(offsets, size) + 2 * ideal_wavefronts(offsets, size)


def ideal_try(offsets: Lanes, size: int) -> int:
    return ideal_load_wavefronts(offsets, size) + 2 * ideal_wavefronts(offsets, size)


# --- the table

SECTORS = Metric("sectors", sectors, sectors, ideal_sectors, SECTOR)
WAVEFRONTS = Metric("wavefronts", wavefronts, wavefronts, ideal_wavefronts, LINE)
LOADS = Metric("wavefronts", load_wavefronts, load_wavefronts, ideal_load_wavefronts, LINE)
OLD_LOADS = Metric("wavefronts", load_wavefronts, wavefronts, ideal_load_wavefronts, LINE)
ATOMICS = Metric("wavefronts", serialized_wavefronts, serialized_wavefronts, ideal_wavefronts, LINE)
SUMS = Metric("wavefronts", wavefronts, serialized_wavefronts, ideal_wavefronts, LINE)
SWAPS = Metric("wavefronts", doubled, doubled, doubled_ideal, LINE)
OLD_SWAPS = Metric("wavefronts", wavefronts, doubled, ideal_wavefronts, LINE)
RETRIED = Metric("wavefronts per try", first_try, whole_try, ideal_try, LINE)
LINES = Metric("lines", lines, lines, ideal_lines, LINE)
STRICT = Metric("transactions", strict_transactions, strict_transactions, strict_ideal, 256)
SEGMENTS = Metric("segments", segments, segments, segments_ideal, LINE)
HALVES = Metric(
    "half-warp wavefronts", half_wavefronts, serialized_half_wavefronts, half_ideal, LINE
)
WIDE = Metric("wide-bank wavefronts", wide_wavefronts, wide_wavefronts, ideal_wavefronts, 256)

COLLISIONS = Metric("updates of one address", collisions, collisions, one, 1)

EVERYWHERE = {
    "local": Metric("local sectors", local_sectors, local_sectors, local_ideal, BANK),
    "const": Metric("addresses", addresses, addresses, one, 1),
}
ATOMIC = ("atomic", "sum", "swap", "retried")
LOCKED = {**EVERYWHERE, **dict.fromkeys(f"shared {kind}" for kind in ATOMIC)}
OLD = {**LOCKED, "shared": HALVES}
FERMI = {**LOCKED, "global": LINES, "shared": WAVEFRONTS}
KEPLER = {**LOCKED, "global": SECTORS, "shared": WIDE}
MAXWELL = {
    **EVERYWHERE, "global": SECTORS, "shared": WAVEFRONTS, "shared load": OLD_LOADS,
    "shared atomic": SUMS, "shared sum": SUMS, "shared copy": SUMS, "shared swap": OLD_SWAPS,
    "shared retried": RETRIED,
}  # fmt: skip
VOLTA = {**MAXWELL, "shared load": LOADS}
HOPPER = {**VOLTA, "shared atomic": ATOMICS, "shared copy": ATOMICS, "shared swap": SWAPS}

DEVICES = (
    Device((1, 0), "4.2, 1.x: F.3.2.1, devices of 1.0 and 1.1; F.3.3", {**OLD, "global": STRICT}),
    Device((1, 2), "4.2, 1.x: F.3.2.2, devices of 1.2 and 1.3; F.3.3", {**OLD, "global": SEGMENTS}),
    Device((2, 0), "4.2, 2.x: F.4.2, lines of 128 bytes, cached in L1; F.4.3", FERMI),
    Device((3, 0), "8.0, 3.x: global loads are cached in L2, banks of 8 bytes in mode 4", KEPLER),
    Device((5, 0), "8.0, 5.x: banks of 4 bytes, words of a bank are broadcast", MAXWELL),
    Device((6, 0), "8.0, 6.x: as 5.x", MAXWELL),
    Device((7, 0), "13.0, 7.x: shared memory as 5.x; the forum", VOLTA),
    Device((8, 0), "13.0, 8.x: shared memory as 7.x", VOLTA),
    Device((9, 0), "13.0, 9.0: shared memory as 8.x; measured", HOPPER),
    Device((10, 0), "13.0, 10.x: shared memory as 9.0", HOPPER),
    Device((12, 0), "13.0, 12.x: shared memory as 9.0", HOPPER),
)  # fmt: skip


def device(capability: tuple[int, int]) -> Device:
    """The row of a compute capability. One before 1.0 is none of these devices: ValueError."""
    rows = [row for row in DEVICES if row.since <= capability]
    if not rows:
        raise ValueError(f"compute capability {capability[0]}.{capability[1]} is before 1.0")
    return rows[-1]


BY_UNIT = {
    COLLISIONS.unit: COLLISIONS,
    **{m.unit: m for row in DEVICES for m in row.measures.values() if m},
    WAVEFRONTS.unit: WAVEFRONTS,
}


def of_unit(unit: str, kind: str) -> Metric:
    """The metric to count a finding again from the addresses of an access of this kind."""
    return LOADS if (unit, kind) == (LOADS.unit, "load") else BY_UNIT[unit]
