"""Which lanes touch which sectors or banks, drawn with characters: a row for each lane.

The columns are the 32-byte sectors that a warp touches, or the banks; a mark stands where the lane
touches one. Below a map of banks stands how many distinct words each must give, or of an atomic how
many lanes it must serve: the greatest number is the degree of the conflict. A map shows one warp,
with its base at the start of a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyses.hardware import BANK, BANKS, SECTOR
from analyses.traffic.costs import Lanes, phases, touched

MARK, NOTHING = "#", "."
MAX_COLUMNS = 64  # sectors; a row with more shows how many are left out


def lane_map(offsets: Lanes, space: str, size: int, kind: str = "store") -> list[str]:
    """The lines of the map of one warp: banks for shared memory, else sectors. ``size`` in
    bytes."""
    return list(_banks(offsets, size, kind) if space == "shared" else _sectors(offsets, size))


def _sectors(offsets: Lanes, size: int) -> Iterator[str]:
    columns = sorted(touched(offsets, size, SECTOR))
    shown = columns[:MAX_COLUMNS]
    rest = len(columns) - len(shown)
    yield f"lane   {len(columns)} sectors of {SECTOR} bytes, the first at {columns[0] * SECTOR:+d}"
    for lane, offset in enumerate(offsets):
        mine = touched([offset], size, SECTOR)
        row = marks([MARK if column in mine else NOTHING for column in shown], SECTOR // 4)
        yield f"{lane:4}   {row}{f' and {rest} more' if rest else ''}"


def _banks(offsets: Lanes, size: int, kind: str) -> Iterator[str]:
    groups = phases(offsets, size, kind == "load")
    yield f"lane   {BANKS} banks of {BANK} bytes" + (
        f", {len(groups)} phases of {len(groups[0])} lanes" if len(groups) > 1 else ""
    )
    lane, alone = 0, kind not in ("load", "store", "matrix")
    for group in groups:
        for offset in group:
            mine = {word % BANKS for word in touched([offset], size, BANK)}
            yield f"{lane:4}   {marks([MARK if b in mine else NOTHING for b in range(BANKS)], 8)}"
            lane += 1
        words = [0] * BANKS
        for part in [[offset] for offset in group] if alone else [group]:
            for word in touched(part, size, BANK):
                words[word % BANKS] += 1
        row = marks([digit(n) for n in words], 8)
        yield f"{'lanes' if alone else 'words'}  {row}   {max(words)} wavefronts"


def marks(row: Sequence[str], every: int) -> str:
    """The characters, with a gap after so many."""
    return " ".join("".join(row[i : i + every]) for i in range(0, len(row), every))


def digit(number: int) -> str:
    """One character: 0 to 9, then letters, which reach 32."""
    return NOTHING if not number else "0123456789abcdefghijklmnopqrstuvwxyz"[number]
