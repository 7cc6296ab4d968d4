"""Uniformity: the threads that agree on a word: the grid, a CTA, a warp, or none.

A word is uniform if the threads that compute it together compute the same (LLVM, "Convergence and
Uniformity"). A pure operator gives equal results for equal operands, so its result is as uniform as
the least uniform operand. Control flow is not considered here: ``analyses.divergence`` raises phis
and words that leave a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from analyses.algebra import MatrixProduct
from analyses.lattice import Domain


class Level(IntEnum):
    """Higher levels have fewer threads that agree."""

    NEVER = -1  # bottom
    GRID = 0
    CTA = 1
    WARP = 2
    DIVERGENT = 3


CTA_SPECIALS = frozenset({"ctaid", "clusterid", "cluster_ctaid", "cluster_ctarank"})
GRID_SPECIALS = frozenset({
    "ntid", "nctaid", "nwarpid", "nsmid", "gridid", "nclusterid", "cluster_nctaid",
    "cluster_nctarank", "dynamic_smem_size", "total_smem_size", "is_explicit_cluster",
    "aggr_smem_size",
})  # fmt: skip
GRID_NUMBERED = ("code ", "envreg", "reserved_smem_offset_")
WARP_SPECIALS = frozenset({"warpid", "smid"})


class Uniform(NamedTuple):
    """The level of a word of this width."""

    level: Level
    width: int


class Uniformities(Domain[Uniform]):
    """The domain. ``specials`` overrides the level of special registers, e.g. of ``tid.y`` for
    known blocks."""

    def __init__(self, specials: Mapping[str, Level] | None = None) -> None:
        self.specials = specials or {}

    def width(self, a: Uniform) -> int:
        return a.width

    def unknown(self, width: int, *operands: Uniform) -> Uniform:
        return Uniform(max((a.level for a in operands), default=Level.GRID), width)

    def among_warp(self, width: int, *operands: Uniform) -> Uniform:
        """The level of a result that the lanes of a warp compute together."""
        return Uniform(max(Level.WARP, *(a.level for a in operands)), width)

    def top(self, width: int) -> Uniform:
        return Uniform(Level.DIVERGENT, width)

    def havoc(self, width: int) -> Uniform:
        return Uniform(Level.DIVERGENT, width)

    def bottom(self, width: int) -> Uniform:
        return Uniform(Level.NEVER, width)

    def is_bottom(self, a: Uniform) -> bool:
        return a.level is Level.NEVER

    def leq(self, a: Uniform, b: Uniform) -> bool:
        return a.level <= b.level

    def join(self, a: Uniform, b: Uniform) -> Uniform:
        return max(a, b)

    def meet(self, a: Uniform, b: Uniform) -> Uniform:
        return min(a, b)

    def special(self, name: str, width: int) -> Uniform:
        return Uniform(self.level(name), width)

    def level(self, name: str) -> Level:
        """The level of a special register or a parameter."""
        if name in self.specials:
            return self.specials[name]
        register = name.partition(".")[0]
        if register in CTA_SPECIALS:
            return Level.CTA
        if register in GRID_SPECIALS or register.startswith(GRID_NUMBERED):
            return Level.GRID
        if register in WARP_SPECIALS:
            return Level.WARP
        return Level.GRID if "+" in name else Level.DIVERGENT  # a parameter is the same for all

    def address(self, region: object, width: int) -> Uniform:
        """Local memory is private to a thread, at the same address in its space."""
        return Uniform(Level.GRID, width)

    def loaded(self, width: int, space: str, address: Uniform) -> Uniform:
        """One load from one address is uniform in a warp. Two warps may load at different times,
        with a store between them, except from read-only memory."""
        if space in ("param", "const"):
            return Uniform(address.level, width)
        if space in ("local", "generic"):
            return self.havoc(width)
        return self.among_warp(width, address)

    def shuffle(
        self, mode: str, a: Uniform, lane: Uniform, clamp: Uniform, members: Uniform
    ) -> tuple[Uniform, Uniform]:
        return self.havoc(a.width), self.havoc(1)

    def vote(self, mode: str, p: Uniform, members: Uniform) -> Uniform:
        """The members agree; a warp may be split into several groups of members."""
        return self.among_warp(32 if mode == "ballot" else 1, members)

    def match(self, a: Uniform, members: Uniform) -> Uniform:
        return self.among_warp(32, a, members)

    def reduce(self, function: str, a: Uniform, members: Uniform) -> Uniform:
        return self.among_warp(a.width, members)

    def barrier_vote(self, mode: str, p: Uniform, barrier: Uniform) -> Uniform:
        """The threads at one barrier agree; a CTA may use several."""
        return Uniform(max(Level.CTA, barrier.level), 32 if mode == "popc" else 1)

    def matrix_product(self, product: MatrixProduct, *words: Uniform) -> tuple[Uniform, ...]:
        third = words[product.registers_a + product.registers_b :]
        return tuple(self.havoc(word.width) for word in third)

    def active_mask(self) -> Uniform:
        return Uniform(Level.WARP, 32)

    def admits(self, fact: Uniform, words: Any) -> Any:
        """``words`` hold threads that compute together, grouped by the level."""
        same = words.bits == words.bits.reshape(-1)[0]
        return (same | (fact.level is Level.DIVERGENT)) & (fact.level is not Level.NEVER)
