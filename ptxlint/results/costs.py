"""What each access of a kernel costs, as plain data."""

from __future__ import annotations

from msgspec import Struct

from ptxlint.results.finding import MemoryAccess, Span

METRICS = {
    ("global", "sectors"): "memory_l2_theoretical_sectors_global",
    ("local", "sectors"): "memory_l2_theoretical_sectors_local",
    ("shared", "wavefronts"): "memory_l1_wavefronts_shared",
}
"""Nsight Compute's counters on the page of sources, by space and unit. All but that of local memory
have an ``_ideal``; that of wavefronts counts bytes alone."""


class AccessCost(Struct, frozen=True, kw_only=True):
    """The cost of one request of a warp, from ``best`` to ``worst``, and what as many bytes cost
    at least. ``share`` is the percentage of the kernel's traffic in this space; ``accesses`` counts
    accesses of the line with the same cost, to the same array. Without ``worst``, ``reason`` says
    why the cost is unknown. ``metric`` is the name of Nsight Compute's counter, per executed
    instruction."""

    location: Span
    ptx: Span
    kernel: str
    demangled: str
    access: MemoryAccess
    unit: str | None = None
    worst: int | None = None
    best: int | None = None
    ideal: int | None = None
    share: int | None = None
    accesses: int = 1
    metric: str | None = None
    reason: str | None = None

    @property
    def excess(self) -> int:
        """The cost above the ideal, of all the accesses."""
        return self.accesses * ((self.worst or 0) - (self.ideal or 0))
