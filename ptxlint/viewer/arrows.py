"""Branches as arrows beside the PTX: the shortest next to the code, divergent ones dashed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup
from msgspec import Struct

from ptxlint.results.kernel_view import KernelView
from ptxlint.viewer.listing import targets

ROW = 18  # pixels of a line, as in style.css
COLUMNS, STEP = 7, 6  # columns of arrows, and the pixels between them
WIDTH = COLUMNS * STEP + 10
SHORT = 12  # pixels of an arrow for which no column is left

_BRANCH = re.compile(r"^\s*(?:\{\s*)?(?:@!?%[\w$]+\s+)?bra(?:\.uni)?\s+([\w$]+)\s*;")


class Arrow(Struct, frozen=True):
    """A branch from a line to a line."""

    line: int
    target: int
    divergent: bool
    conditional: bool


def arrows(view: KernelView, lines: Sequence[tuple[int, str]]) -> Iterator[Arrow]:
    """The branches of one kernel."""
    own = [(number, text) for number, text in lines if view.first <= number <= view.last]
    known, places = {branch.line: branch for branch in view.branches}, targets(own)
    for number, text in own:
        found = _BRANCH.match(text)
        if found and found[1] in places:
            branch = known.get(number)
            divergent = branch is not None and branch.divergent
            yield Arrow(number, places[found[1]], divergent, "@" in text)


def drawing(found: Sequence[Arrow], rows: Mapping[int, int]) -> Markup:
    """One image for all lines; ``rows`` are the places of lines in the list."""
    height = ROW * len(rows)
    parts = [
        f'<svg class=arrows width={WIDTH} height={height} viewBox="0 0 {WIDTH} {height}" '
        f'role=img aria-label="branches"><title>branches, divergent ones dashed</title>'
    ]
    for arrow, column in laid_out(found):
        start, end = (ROW * rows[line] + ROW // 2 for line in (arrow.line, arrow.target))
        style = "d" * arrow.divergent + "u" * (not arrow.conditional)
        style += "k" * (arrow.target <= arrow.line)
        kind = f" class={style}" if style else ""
        if column is None:
            parts.append(f"<path{kind} d='M{WIDTH} {start}h-{SHORT}'/>")
            parts.append(f"<path{kind} d='M{WIDTH - SHORT} {end}h{SHORT}l-4-3v6l4-3'/>")
        else:
            left = WIDTH - 8 - STEP * (column + 1)
            parts.append(f"<path{kind} d='M{WIDTH} {start}H{left}V{end}H{WIDTH}l-4-3v6l4-3'/>")
    return Markup("".join([*parts, "</svg>"]))


def laid_out(found: Sequence[Arrow]) -> Iterator[tuple[Arrow, int | None]]:
    """Each arrow with its column, the shortest first; None where all are taken."""
    taken: list[list[tuple[int, int]]] = [[] for _ in range(COLUMNS)]
    for arrow in sorted(found, key=lambda a: (abs(a.target - a.line), a.line, a.target)):
        low, high = sorted((arrow.line, arrow.target))
        column = next(
            (
                index
                for index, spans in enumerate(taken)
                if all(high < start or end < low for start, end in spans)
            ),
            None,
        )
        if column is not None:
            taken[column].append((low, high))
        yield arrow, column
