"""The Jacobi relaxation of a grid, on one engine or divided by rows among several.

Each part of a division keeps its rows where they are computed, with the row above and the row
below, which a neighbour owns. One step of a part is three launches at most: first the rows that a
neighbour needs, then, while those are exchanged, all others. A part is an engine, or ``host``: the
same sums in numpy, in the place of the coprocessor of the paper.

Every division gives the same bits as one part: a point is computed by the same operations in the
same order, wherever it is.

Source: S. Contassot-Vivier and S. Vialle, ParCo 2015 (see ``tiles``), figures 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.stencil.tiles import TILES, Grid, Tile

HOST: Final = "host"
Division = Sequence[tuple[str, int]]
"""From the top of the grid on: an engine, or ``host``, and how many rows it computes."""


class DivisionError(ValueError):
    """A division that is none of this grid."""


def relax(grid: Grid, steps: int, parts: Division = (), tile: str = "walk") -> Grid:
    """The grid after so many steps: rows by columns with a frame, which is kept. Without ``parts``
    the interpreter computes all rows. Raises DivisionError, ContractError, EngineError."""
    whole = np.array(grid, np.float64)
    if whole.ndim != 2 or min(whole.shape) < 3:
        shape = "x".join(map(str, whole.shape))
        raise DivisionError(f"a grid of {shape} points, expected 3x3 or more: its frame is kept")
    if steps < 0:
        raise DivisionError(f"{steps} steps, expected 0 or more")
    if tile not in TILES:
        raise DivisionError(f"no tile {tile!r}; there are: {', '.join(TILES)}")
    rows = len(whole) - 2
    parts = checked(parts or [("simt", rows)], rows)
    with ExitStack() as sessions:
        strips, first = [], 0
        for number, (name, count) in enumerate(parts):
            device = sessions.enter_context(engines.session("simt" if name == HOST else name))
            kind = HostStrip if name == HOST else Strip
            inner = (number > 0, number + 1 < len(parts))
            strips.append(kind.of(device, TILES[tile], whole[first : first + count + 2], inner))
            first += count
        for _ in range(steps):
            step(strips)
        for first, strip in zip(np.cumsum([0] + [s.rows for s in strips]), strips, strict=False):
            whole[first + 1 : first + 1 + strip.rows] = strip.grid()[1:-1]
    return whole


def checked(parts: Division, rows: int) -> Division:
    """The division of so many rows. Raises DivisionError."""
    for name, count in parts:
        if name not in (HOST, *engines.NAMES):
            known = ", ".join((HOST, *engines.NAMES))
            raise DivisionError(f"no engine {name!r}; there are: {known}")
        if count < 1:
            raise DivisionError(f"{name} has {count} of {rows} rows, expected 1 or more")
    if (total := sum(count for _, count in parts)) != rows:
        raise DivisionError(f"the parts have {total} rows, the grid has {rows}")
    return parts


@dataclass
class Strip:
    """Rows of a grid on an engine: ``before`` and ``after`` a step, as the tile stores them.
    ``edges`` are the rows that neighbours need, counted from 1; ``body`` are the others."""

    device: engines.Session
    tile: Tile
    ptx: str
    rows: int
    columns: int
    before: Any
    after: Any
    edges: tuple[int, ...]
    body: range

    @classmethod
    def of(cls, device: engines.Session, tile: Tile, grid: Grid, inner: tuple[bool, bool]) -> Strip:
        """The strip of a part of the grid with a frame; ``inner`` says whether a neighbour is above
        and below."""
        rows, columns = len(grid) - 2, grid.shape[1] - 2
        stored = tile.stored(grid)
        ends = zip((1, rows), inner, strict=True)
        edges = tuple(sorted({row for row, shared in ends if shared}))
        others = [row for row in range(1, rows + 1) if row not in edges]
        body = range(others[0], others[-1] + 1) if others else range(0)
        before, after = device.array(stored), device.array(stored)
        return cls(device, tile, tile.kernel.ptx(), rows, columns, before, after, edges, body)

    def part(self, first: int, rows: int) -> slice:
        """Where rows are in the flat arrays."""
        pitch = self.tile.pitch(self.columns)
        return slice(first * pitch, (first + rows) * pitch)

    def update(self, first: int, rows: int) -> None:
        """Computes so many rows of ``after``, from a ``first`` one on."""
        part = self.part(first - 1, rows + 2)
        launch = self.tile.kernel.contract.launch(rows=rows, columns=self.columns)
        arrays = {"after": self.after[part], "before": self.before[part]}
        self.device.run(self.ptx, launch, arrays)

    def computed(self, row: int) -> NDArray[np.float64]:
        """A row after the step, as it is stored."""
        return self.device.host(self.after[self.part(row, 1)])

    def receive(self, row: int, points: NDArray[np.float64]) -> None:
        """Takes a row after the step from a neighbour."""
        self.after[self.part(row, 1)] = self.device.array(points)

    def grid(self) -> Grid:
        """The rows, with a frame."""
        stored = self.device.host(self.before).reshape(self.rows + 2, -1)
        return self.tile.framed(stored, self.columns)


class HostStrip(Strip):
    """Rows of a grid that numpy computes: the order of the sum is that of the kernels."""

    def update(self, first: int, rows: int) -> None:
        part = self.part(first - 1, rows + 2)
        stored = (held[part].reshape(rows + 2, -1) for held in (self.before, self.after))
        before, after = (self.tile.framed(each, self.columns) for each in stored)
        after[1:-1, 1:-1] = 0.2 * (
            before[:-2, 1:-1] + before[1:-1, :-2] + before[1:-1, 1:-1]
            + before[1:-1, 2:] + before[2:, 1:-1]
        )  # fmt: skip


def step(strips: Sequence[Strip]) -> None:
    """One step of all strips, from the top of the grid on."""
    for strip in strips:
        for row in strip.edges:
            strip.update(row, 1)
    exchanged = [(a.computed(a.rows), b.computed(1)) for a, b in pairwise(strips)]
    for strip in strips:
        if strip.body:
            strip.update(strip.body.start, len(strip.body))
    for (above, below), (last, first) in zip(pairwise(strips), exchanged, strict=True):
        above.receive(above.rows + 1, first)
        below.receive(0, last)
    for strip in strips:
        strip.before, strip.after = strip.after, strip.before
