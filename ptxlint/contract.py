"""What is known about the launches of a kernel: declared by the user or by the PTX itself.

Everything is optional. What nobody declares may be anything that is legal on a GPU, and the answer
says so. Extents are in bytes, ranges include both ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Triple = tuple[int, int, int]

MAX_THREADS = 1024
MAX_BLOCK: Triple = (1024, 1024, 64)
MAX_GRID: Triple = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from ``low`` to ``high``."""

    low: int
    high: int

    @property
    def single(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Extent:
    """A whole allocation: its size in bytes and the alignment of its first byte."""

    bytes: Range
    align: int = 256


@dataclass(frozen=True, slots=True)
class Launch:
    """The launches of one kernel that its contract allows. ``values`` and ``buffers`` are by the
    position of the parameter; ``shared`` is dynamic shared memory in bytes."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: int | None = None
    values: Mapping[int, Range | float] = field(default_factory=dict)
    buffers: Mapping[int, Extent] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    origin: str = "any legal launch"
