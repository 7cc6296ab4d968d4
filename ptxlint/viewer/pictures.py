"""Pictures of one request of a warp: lanes and banks, or sectors; each with a table that says the
same.

A picture shows the costliest warp, with its base at the start of a line of 128 bytes. A request to
shared memory is made in phases: lanes are served together as far as they ask 128 bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from analyses.hardware import BANK, BANKS, LINE, SECTOR
from analyses.traffic.costs import phases, touched
from ptxlint.results.kernel_view import Offsets
from ptxlint.source import plural

CELL, TALL, MARGIN = 10, 6, 44  # pixels: of a cell, and left of the grid
BOX, HIGH = 38, 14  # of a sector
SHOWN = 32  # sectors; the others are counted
Row = tuple[str, ...]


class Picture(Struct, frozen=True):
    """A drawing, its title, and the table that says the same."""

    title: str
    svg: Markup
    head: Row
    rows: tuple[Row, ...]


def pictures(offsets: Offsets, space: str, size: int, load: bool = False) -> list[Picture]:
    """The pictures of one request: of each phase in shared memory, else of the sectors."""
    if not any(offset is not None for offset in offsets):
        return []
    if space == "shared":
        groups = phases(offsets, size, load)
        firsts = [sum(map(len, groups[:i])) for i in range(len(groups))]
        found = [
            banks(group, first, size, f"phase {number} of {len(groups)}")
            for number, (first, group) in enumerate(zip(firsts, groups, strict=True), 1)
            if any(offset is not None for offset in group)
        ]
        return list({one.svg: one for one in found}.values())
    return [sectors(offsets, size)] if space in ("global", "generic") else []


# --- banks


def banks(group: Sequence[int | None], first: int, size: int, phase: str) -> Picture:
    """A row for each lane, a column for each bank, and below how many words each bank gives."""
    words = defaultdict[int, dict[int, list[int]]](dict)
    for lane, offset in enumerate(group, first):
        for word in touched([offset], size, BANK):
            words[word % BANKS].setdefault(word, []).append(lane)
    most = max(len(each) for each in words.values())
    busy = {bank for bank, each in words.items() if most > 1 and len(each) == most}
    cells = [
        (bank, f"M{MARGIN + CELL * bank} {TALL * row + TALL // 2}h{CELL - 1}")
        for row, offset in enumerate(group)
        for bank in sorted({word % BANKS for word in touched([offset], size, BANK)})
    ]
    bottom = TALL * len(group)
    title = f"{phase}: {plural(most, 'wavefront', 'wavefronts')}, the most words of one bank"
    width, height = MARGIN + CELL * BANKS + 2, bottom + 26
    svg = (
        f'<svg class=pic width={width} height={height} viewBox="0 0 {width} {height}" role=img '
        f'aria-label="{title}">'
        f"<rect class=grid x={MARGIN - 1} y=-1 width={CELL * BANKS + 1} height={bottom + 1} />"
        f"<path class=rule d='{rules(bottom)}'/>"
        f"<path class=lane d='{''.join(path for bank, path in cells if bank not in busy)}'/>"
        f"<path class='lane hot' d='{''.join(path for bank, path in cells if bank in busy)}'/>"
        f"{''.join(counts(words, busy, bottom))}"
        f"<text class=s x={MARGIN - 5} y=6>{first}</text>"
        f"<text class=s x={MARGIN - 5} y={bottom}>lane {first + len(group) - 1}</text>"
        f"<text class=m x={MARGIN} y={bottom + 24}>bank 0</text>"
        f"<text class=s x={width - 2} y={bottom + 24}>bank {BANKS - 1}</text></svg>"
    )
    return Picture(title, Markup(svg), ("banks", "words", "lanes"), tuple(bank_rows(words)))


def counts(
    words: Mapping[int, Mapping[int, object]], busy: Collection[int], bottom: int
) -> Iterator[str]:
    """The number of words below each bank, where a bank gives several."""
    if busy:
        yield f"<text class=s x={MARGIN - 5} y={bottom + 12}>words</text>"
        for bank in sorted(words):
            style = " class=busy" if bank in busy else ""
            at = MARGIN + CELL * bank + CELL // 2
            yield f"<text{style} x={at} y={bottom + 12}>{len(words[bank])}</text>"


def rules(bottom: int) -> str:
    """A line before every eighth bank and lane."""
    columns = (f"M{MARGIN + CELL * bank} 0v{bottom}" for bank in range(8, BANKS, 8))
    rows = (f"M{MARGIN} {row}h{CELL * BANKS}" for row in range(8 * TALL, bottom, 8 * TALL))
    return "".join((*columns, *rows))


def bank_rows(words: dict[int, dict[int, list[int]]]) -> Iterator[Row]:
    """Banks with as many words and lanes are one row."""
    alike = defaultdict[tuple[int, int], list[int]](list)
    for bank, each in sorted(words.items()):
        alike[len(each), sum(map(len, each.values()))].append(bank)
    for (count, lanes), members in sorted(alike.items(), reverse=True):
        yield spans(members), f"{count} each", f"{lanes} each"


# --- sectors


def sectors(offsets: Offsets, size: int) -> Picture:
    """A box for each sector of 32 bytes that the warp touches, filled where bytes are used; four to
    a line of 128 bytes."""
    used, lanes = defaultdict[int, set[int]](set), defaultdict[int, list[int]](list)
    for lane, offset in enumerate(offsets):
        if offset is not None:
            for byte in range(offset, offset + size):
                used[byte // SECTOR].add(byte % SECTOR)
            for sector in touched([offset], size, SECTOR):
                lanes[sector].append(lane)
    found = sorted(used)
    shown = found[:SHOWN]
    bytes_ = sum(map(len, used.values()))
    share = 100 * bytes_ // (SECTOR * len(found))
    title = (
        f"{plural(len(found), 'sector', 'sectors')} of {SECTOR} bytes,"
        f" {share} % of their bytes are used"
    )
    lines = sorted({sector * SECTOR // LINE for sector in shown})
    across = min(len(lines), 2)
    step, width_of = BOX * (LINE // SECTOR) + 10, BOX - 2
    there, absent, fill = list[str](), list[str](), list[str]()
    for place, line in enumerate(lines):
        x0, y = step * (place % across), (HIGH + 6) * (place // across)
        for quarter in range(LINE // SECTOR):
            sector, x = line * LINE // SECTOR + quarter, x0 + BOX * quarter
            box = f"M{x} {y}h{width_of}v{HIGH}h-{width_of}z"
            (there if sector in used else absent).append(box)
            for low, high in runs(used.get(sector, ())):
                left, wide = (f"{width_of * n / SECTOR:.3g}" for n in (low, high - low))
                fill.append(f"M{x} {y}m{left} 0h{wide}v{HIGH}h-{wide}z")
    width, height = step * across, (HIGH + 6) * -(-len(lines) // across)
    svg = (
        f'<svg class=pic width={width} height={height} viewBox="-1 -1 {width + 2} {height + 2}" '
        f'role=img aria-label="{title}">'
        f"<path class='box none' d='{''.join(absent)}'/><path class=box d='{''.join(there)}'/>"
        f"<path class={'on' if share > 50 else 'hot'} d='{''.join(fill)}'/></svg>"
    )
    rows = tuple(sector_rows(found, used, lanes))
    return Picture(title, Markup(svg), ("sectors", "bytes used", "lanes"), rows)


def sector_rows(
    found: Sequence[int], used: dict[int, set[int]], lanes: dict[int, list[int]]
) -> Iterator[Row]:
    """Sectors with as many used bytes and lanes are one row; the base is sector 0."""
    alike = defaultdict[tuple[int, int], list[int]](list)
    for sector in found:
        alike[len(used[sector]), len(lanes[sector])].append(sector - found[0])
    for (bytes_, count), members in alike.items():
        yield spans(members), f"{bytes_} of {SECTOR} each", f"{count} each"


# --- numbers


def runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Half-open spans of neighbours."""
    start = end = None
    for number in sorted(numbers):
        if end != number:
            if start is not None and end is not None:
                yield start, end
            start = number
        end = number + 1
    if start is not None and end is not None:
        yield start, end


def spans(numbers: Iterable[int], most: int = 6) -> str:
    """``0-3, 8``: of many, the first ones."""
    found = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in runs(numbers)]
    rest = len(found) - most
    return ", ".join(found[:most]) + (f" and {rest} more" if rest > 0 else "")
