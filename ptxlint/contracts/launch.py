"""The launches of one kernel: what they have in common, as numbers, ranges and sizes.

Parameters go by their position, members of structures by one behind those; sizes and needs speak of
them by their names in the PTX (``k_param_0+8`` of a member), and of the launch's shape:
``ntid.x`` (threads of a block along x), ``nctaid.x`` (blocks of the grid). Extents are in bytes,
ranges include both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxlint.contracts.declaration import Distinct, Held, Triple
from ptxlint.contracts.expression import Condition, Expression, value

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, KernelParameter

MAX_THREADS = 1024
MAX_BLOCK: Triple = (1024, 1024, 64)
MAX_GRID: Triple = (2**31 - 1, 65535, 65535)
MAX_SHARED = 2**20  # bytes: no device has as much
MAX_BUFFER = 2**63 - 1
SHAPE: Mapping[str, tuple[int, int]] = {
    **{f"ntid.{axis}": (1, most) for axis, most in zip("xyz", MAX_BLOCK, strict=True)},
    **{f"nctaid.{axis}": (1, most) for axis, most in zip("xyz", MAX_GRID, strict=True)},
}
"""What a launch decides besides its arguments, and the least and greatest that is legal."""


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
    """A whole allocation: its size in bytes and the alignment of its first byte.

    ``size``, where it depends on the launch, speaks of parameters by their names in the PTX: it
    ties the extent to the values that index the buffer. ``text`` is what the user wrote. ``holds``
    speaks of the words in it, by names of the PTX too."""

    bytes: Range
    align: int = 256
    size: Expression | None = None
    text: str = field(default="", compare=False)
    holds: Held | None = None

    def of(self, value_of: Callable[[str], int]) -> int:
        """Bytes, for one launch."""
        return self.bytes.high if self.size is None else value(self.size, value_of)


@dataclass(frozen=True, slots=True)
class Broken:
    """A need that no launch meets together with what others declare. ``origin`` says who declares
    it, and on which line of a file."""

    need: str
    origin: str


@dataclass(frozen=True, slots=True)
class Launch:
    """The launches of one kernel that its contracts allow. ``values`` and ``buffers`` are by the
    position of the parameter; ``shared`` is dynamic shared memory; parameters in ``counts`` are not
    negative, those that are ``unsigned`` are read as such. ``needs`` speak of parameters by their
    names in the PTX; a contract that another one breaks leaves its need in ``broken``. Where
    ``written`` is given, no other buffers are written, and where ``distinct`` is, by names of the
    PTX, no others are kept from overlapping."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: Extent | None = None
    values: Mapping[int, Range | float] = field(default_factory=dict)
    buffers: Mapping[int, Extent] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    origin: str = "any legal launch"
    max_threads: int = MAX_THREADS
    needs: tuple[Condition, ...] = ()
    counts: frozenset[int] = frozenset()
    unsigned: frozenset[int] = frozenset()
    needed: tuple[str, ...] = ()  # the needs as the user wrote them
    broken: tuple[Broken, ...] = ()
    written: frozenset[int] | None = None
    distinct: tuple[Distinct, ...] | None = None

    def concrete(self, kernel: Kernel) -> bool:
        """Whether the block and every integer parameter are declared."""
        return self.block is not None and all(
            parameter.index in self.values or parameter.size >= 8 or parameter.type.startswith("f")
            for parameter in kernel.arguments
        )

    def most(self, parameter: KernelParameter) -> int:
        """The greatest value of an integer parameter that nobody declares."""
        return int(2 ** (8 * parameter.size - (parameter.index not in self.unsigned)) - 1)
