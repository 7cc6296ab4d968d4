"""Who agrees on a word: all threads of the grid, of a CTA, of a warp, or nobody.

A word is uniform if the threads that compute it together compute the same (LLVM's terms:
"Convergence and Uniformity"). An operator without memory of its own gives the same result for the
same operands, so its result is as uniform as the least uniform operand. Control is not seen here:
``analyses.divergence`` raises phis and words that leave a loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from analyses.algebra import MatrixProduct
from analyses.lattice import Domain


class Level(IntEnum):
    """The larger, the fewer threads agree."""

    NEVER = -1  # bottom
    GRID = 0
    CTA = 1
    WARP = 2
    DIVERGENT = 3


CTA_SPECIALS = frozenset({"ctaid", "clusterid", "cluster_ctaid", "cluster_ctarank", "smid"})
GRID_SPECIALS = frozenset({
    "ntid", "nctaid", "nwarpid", "nsmid", "gridid", "nclusterid", "cluster_nctaid",
    "cluster_nctarank", "dynamic_smem_size", "total_smem_size", "is_explicit_cluster",
    "aggr_smem_size", "reserved_smem_offset_begin", "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
})  # fmt: skip
WARP_SPECIALS = frozenset({"warpid"})


class Uniformities(Domain[Level]):
    """``specials`` overrides the level of special registers, e.g. of ``tid.y`` for known blocks."""

    def __init__(self, specials: Mapping[str, Level] | None = None) -> None:
        self.specials = specials or {}

    def width(self, a: Level) -> int:
        return 64  # a level is the same at every width

    def unknown(self, width: int, *operands: Level) -> Level:
        return max(operands, default=Level.GRID)

    def top(self, width: int) -> Level:
        return Level.DIVERGENT

    def havoc(self, width: int) -> Level:
        return Level.DIVERGENT

    def bottom(self, width: int) -> Level:
        return Level.NEVER

    def is_bottom(self, a: Level) -> bool:
        return a is Level.NEVER

    def leq(self, a: Level, b: Level) -> bool:
        return a <= b

    def join(self, a: Level, b: Level) -> Level:
        return max(a, b)

    def meet(self, a: Level, b: Level) -> Level:
        return min(a, b)

    def special(self, name: str, width: int) -> Level:
        if name in self.specials:
            return self.specials[name]
        register = name.partition(".")[0]
        if register in CTA_SPECIALS:
            return Level.CTA
        if register in GRID_SPECIALS or register.startswith(("code ", "envreg")):
            return Level.GRID
        if register in WARP_SPECIALS:
            return Level.WARP
        return Level.GRID if "+" in name else Level.DIVERGENT  # a parameter is the same for all

    def address(self, region: object, width: int) -> Level:
        """Every thread has its own local memory, at the same address in its space."""
        return Level.GRID

    def convert_address(self, space: str, to_generic: bool, a: Level) -> Level:
        return a

    def loaded(self, width: int, space: str, address: Level) -> Level:
        """One load of one address gives a warp one word. Two warps may load at different times,
        between which somebody stores, except where nobody can."""
        if space in ("param", "const"):
            return address
        if space in ("local", "generic"):
            return Level.DIVERGENT
        return max(address, Level.WARP)

    def shuffle(
        self, mode: str, a: Level, lane: Level, clamp: Level, members: Level
    ) -> tuple[Level, Level]:
        return Level.DIVERGENT, Level.DIVERGENT

    def vote(self, mode: str, p: Level, members: Level) -> Level:
        """The members agree; a warp may be split into several groups of members."""
        return max(Level.WARP, members)

    def match(self, a: Level, members: Level) -> Level:
        return max(Level.WARP, a, members)

    def reduce(self, function: str, a: Level, members: Level) -> Level:
        return max(Level.WARP, members)

    def barrier_vote(self, mode: str, p: Level, barrier: Level) -> Level:
        """Those who meet at one barrier agree; a CTA may meet at several."""
        return max(Level.CTA, barrier)

    def matrix_product(
        self,
        product: MatrixProduct,
        a: Sequence[Level],
        b: Sequence[Level],
        c: Sequence[Level],
    ) -> Sequence[Level]:
        return [Level.DIVERGENT] * len(c)

    def active_mask(self) -> Level:
        return Level.WARP

    def admits(self, fact: Level, words: Any) -> Any:
        """``words`` hold threads that compute together, grouped as the level says."""
        same = words.bits == words.bits.reshape(-1)[0]
        return same | (fact is Level.DIVERGENT)
