"""Kernels of one step of the Jacobi relaxation: each point becomes the mean of five points, itself
and its four neighbours. The frame of the grid is kept.

``walk`` is ours. The rows of its arrays are padded, so that the first column begins a line of 128
bytes. A block owns 128 columns and walks down 32 rows; each thread keeps three points of its column
in registers, and the row goes through shared memory, with one point of the neighbouring columns at
each end.

``paper`` is that of S. Contassot-Vivier and S. Vialle, "Algorithmic scheme for hybrid computing
with CPU, Xeon-Phi/MIC and GPU devices on a single machine", ParCo 2015, listing 3: 32 x 16 threads
load a tile, 30 x 14 of them compute. A row has ``columns + 2`` points, so tiles begin anywhere in a
sector. The barrier stands after the bounds test: as printed it stands inside, where the threads
beyond the grid would not reach it.

Both add in the same order, up, left, here, right, down, and multiply once: IEEE 754 gives the same
bits for both, and for numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment

WIDTH: Final = 128  # columns of a block
HEIGHT: Final = 32  # rows that it walks down
MARGIN: Final = 16  # points before the first column: one line of 128 bytes
ROW: Final = 32  # rows are multiples of so many points: a row begins where memory may be allocated
PITCH: Final = f"{ROW}*((columns + {MARGIN + ROW})//{ROW})"
TILE_X, TILE_Y = 32, 16
MOST: Final = 2**14  # rows, and columns

Grid = NDArray[np.float64]
"""Rows by columns, with a frame one point wide."""


@dataclass(frozen=True)
class Tile:
    """A kernel of one step, and where its arrays have the points of a grid."""

    kernel: EmittedKernel
    margin: int
    multiple: int

    def pitch(self, columns: int) -> int:
        """The points of a row in memory."""
        return -(-(self.margin + columns + 1) // self.multiple) * self.multiple

    def stored(self, grid: Grid) -> Grid:
        """The grid as the kernel reads it, rows by ``pitch``."""
        columns = grid.shape[1] - 2
        rows = np.zeros((len(grid), self.pitch(columns)))
        self.framed(rows, columns)[:] = grid
        return rows

    def framed(self, rows: Grid, columns: int) -> Grid:
        """The part of stored rows that is the grid."""
        return rows[:, self.margin - 1 : self.margin + columns + 1]


_WALK: Final = """\
{
    __shared__ double row[WIDTH + 2];
    unsigned x = threadIdx.x, column = blockIdx.x * WIDTH + x, first = blockIdx.y * HEIGHT;
    bool inside = column < columns, known = column <= columns;
    const double* from = before + first * pitch + MARGIN + column;
    double* to = after + first * pitch + MARGIN + column;
    double up = 0.0, here = 0.0, down = 0.0;
    if (known && first < rows) {
        up = from[0];
        here = from[pitch];
    }
#pragma unroll 1
    for (unsigned line = first; line < min(first + HEIGHT, rows); line++) {
        from += pitch;
        to += pitch;
        if (known) {
            down = from[pitch];
            row[x + 1] = here;
        }
        if (inside && x == 0)
            row[0] = from[-1];
        if (inside && x == WIDTH - 1)
            row[WIDTH + 1] = from[1];
        __syncthreads();
        if (inside)
            *to = 0.2 * (up + row[x] + here + row[x + 2] + down);
        __syncthreads();
        up = here;
        here = down;
    }
}
"""

_PAPER: Final = """\
{
    __shared__ double tile[TILE_Y][TILE_X];
    unsigned x = threadIdx.x, column = blockIdx.x * (TILE_X - 2) + x;
    unsigned y = threadIdx.y, line = blockIdx.y * (TILE_Y - 2) + y;
    unsigned pitch = columns + 2, at = line * pitch + column;
    if (column < columns + 2 && line < rows + 2)
        tile[y][x] = before[at];
    __syncthreads();
    if (x < TILE_X - 2 && y < TILE_Y - 2 && column < columns && line < rows)
        after[at + pitch + 1] = 0.2 * (tile[y][x + 1] + tile[y + 1][x] + tile[y + 1][x + 1]
                                       + tile[y + 1][x + 2] + tile[y + 2][x + 1]);
}
"""

_SIZE: Final = Scalar(np.uint32, 1, MOST)


def walk() -> Tile:
    """Aligned rows; a block walks down its columns."""
    points = "(rows + 2)*pitch"
    contract = KernelContract(
        "jacobi_walk",
        {
            "after": GlobalArray(np.float64, points),
            "before": GlobalArray(np.float64, points, const=True),
            "rows": _SIZE,
            "columns": _SIZE,
            "pitch": Scalar(np.uint32, ROW, MOST + 2 * ROW, equals=PITCH),
        },
        (WIDTH, 1),
        ("columns", f"(rows + {HEIGHT - 1})//{HEIGHT}"),
    )
    constants = {"WIDTH": WIDTH, "HEIGHT": HEIGHT, "MARGIN": MARGIN}
    body = Fragment("jacobi_walk", __file__, _WALK, {}, constants)
    return Tile(EmittedKernel(body, contract, "A step of Jacobi down aligned rows."), MARGIN, ROW)


def paper() -> Tile:
    """The tile of the paper."""
    points = "(rows + 2)*(columns + 2)"
    contract = KernelContract(
        "jacobi_paper",
        {
            "after": GlobalArray(np.float64, points, align=8),
            "before": GlobalArray(np.float64, points, const=True, align=8),
            "rows": _SIZE,
            "columns": _SIZE,
        },
        (TILE_X, TILE_Y),
        (
            f"{TILE_X}*((columns + {TILE_X - 3})//{TILE_X - 2})",
            f"{TILE_Y}*((rows + {TILE_Y - 3})//{TILE_Y - 2})",
        ),
    )
    constants = {"TILE_X": TILE_X, "TILE_Y": TILE_Y}
    body = Fragment("jacobi_paper", __file__, _PAPER, {}, constants)
    return Tile(EmittedKernel(body, contract, "A step of Jacobi by the tile of the paper."), 1, 1)


TILES: Final = {"walk": walk(), "paper": paper()}
