"""The normal numbers of simulated paths, counted: the same in every kernel, block and grid.

A path's numbers are a pure function of the seed, the path (two words: its number, and that of a
stream), the row and the place in the row. Philox gives four words for each counter, and Box and
Muller make four normal numbers of them, so a kernel keeps what it does not need at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import normal
from pricing_kernels.link import Fragment
from pricing_kernels.rng import philox

_TEXT: Final = """\
struct Normals {
    float z[4 * DRAWS];  // the row's numbers come first
};

// The numbers of a path at a row, after those at the row before: path.y is the stream.
__device__ __forceinline__ void draw(
    Normals& n, uint2 path, unsigned row, unsigned long long seed)
{
    uint2 key = make_uint2(seed, seed >> 32);
    if (row % ROWS_A_DRAW == 0)
        for (unsigned k = 0; k < DRAWS; k++) {
            uint4 r = P::philox(make_uint4(path.x, row / ROWS_A_DRAW, k, path.y), key);
            float2 a = N::normals(r.x, r.y), b = N::normals(r.z, r.w);
            n.z[4 * k] = a.x;
            n.z[4 * k + 1] = a.y;
            n.z[4 * k + 2] = b.x;
            n.z[4 * k + 3] = b.y;
        }
    else
        for (unsigned k = 0; k + NORMALS < 4; k++)
            n.z[k] = n.z[k + NORMALS];
}
"""


@dataclass(frozen=True)
class Draws:
    """How so many normal numbers a row come from Philox: ``a_row`` results for a row, or one result
    for ``rows`` rows. ``size`` is the number that a kernel has at hand each row."""

    normals: int

    @property
    def size(self) -> int:
        return self.normals if self.normals < 3 else 4 * self.a_row

    @property
    def a_row(self) -> int:
        return -(-self.normals // 4)

    @property
    def rows(self) -> int:
        return 4 // self.normals if self.normals < 3 else 1

    @property
    def fragment(self) -> Fragment:
        """``Normals``, and ``draw``, which is called at every row from 0 on."""
        imports = {"P": philox.ROUND, "N": normal.BOX_MULLER}
        constants = {"DRAWS": self.a_row, "ROWS_A_DRAW": self.rows, "NORMALS": self.size}
        return Fragment("draws", __file__, _TEXT, imports, constants)


def normal_numbers(
    seed: int, paths: NDArray[np.uint32], rows: int, normals: int, stream: int = 0
) -> NDArray[np.float32]:
    """The normal numbers of some paths, by row, number and path, as the kernels have them."""
    draws = Draws(normals)
    found = np.empty((rows, draws.size, len(paths)), np.float32)
    counter = np.zeros((len(paths), 4), np.uint32)
    counter[:, 0], counter[:, 3] = paths, stream
    key = (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF)
    for row in range(0, rows, draws.rows):
        counter[:, 1] = row // draws.rows
        for draw in range(draws.a_row):
            counter[:, 2] = draw
            z = normal.normals(philox.philox(counter, key)).T
            if draws.rows == 1:
                found[row, 4 * draw : 4 * draw + 4] = z
            else:
                many = z.reshape(draws.rows, draws.size, -1)[: rows - row]
                found[row : row + draws.rows] = many
    return found[:, :normals]
