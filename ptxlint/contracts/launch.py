"""The launches of one kernel: what they have in common (``Launch``), and a single one of them with
every number decided (``ConcreteLaunch``).

Parameters go by their position, members of structures by one behind those; sizes and conditions use
them by their names in the PTX (``k_param_0+8`` of a member), and of the launch's shape:
``ntid.x`` (threads of a block along x), ``nctaid.x`` (blocks of the grid). Extents are in bytes,
ranges include both ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from analyses.hardware import MAX_THREADS
from analyses.traffic.layouts import ArrayOfStructures
from ptxlint.contracts.declaration import (
    ALLOCATION_ALIGN,
    FLOAT_FORMATS,
    Distinct,
    Range,
    Requirement,
    Triple,
    ValueRange,
)
from ptxlint.contracts.expression import (
    Condition,
    DivisorError,
    Expression,
    ExpressionError,
    Identifier,
    names,
    value,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ptxlint.ir import Kernel, KernelParameter

    Bytes = NDArray[np.uint8]

MAX_BLOCK: Triple = (1024, 1024, 64)
MAX_GRID: Triple = (2**31 - 1, 65535, 65535)
MAX_BUFFER = 2**63 - 1
MAX_SHARED = 2**32 - 1  # its addresses have 32 bits
SHAPE: Mapping[str, tuple[int, int]] = {
    **{f"ntid.{axis}": (1, most) for axis, most in zip("xyz", MAX_BLOCK, strict=True)},
    **{f"nctaid.{axis}": (1, most) for axis, most in zip("xyz", MAX_GRID, strict=True)},
}
"""The launch's own symbols, with their legal ranges."""
EXTENTS = ("nctaid.x", "nctaid.y", "nctaid.z")


@dataclass(frozen=True, slots=True)
class Extent:
    """A whole allocation: its size in bytes and the alignment of its first byte.

    ``size``, where it depends on the launch, speaks of parameters by their names in the PTX: it
    ties the extent to the values that index the buffer. ``text`` is what the user wrote.
    ``value_range`` is that of the words in it, by names of the PTX too; ``layout`` how it is made
    of structures, where that is declared. The pointer to an ``optional`` one may be null."""

    bytes: Range
    align: int = ALLOCATION_ALIGN
    size: Expression | None = None
    text: str = field(default="", compare=False)
    value_range: ValueRange | None = None
    layout: ArrayOfStructures | None = None
    optional: bool = False

    @property
    def aligned_range(self) -> ValueRange | None:
        """The value range of its words, if it begins at a multiple of their size."""
        held = self.value_range
        return held if held is not None and 8 * self.align % held.bits == 0 else None

    def of(self, value_of: Callable[[str], int]) -> int:
        """Bytes, for one launch; none where a divisor is not positive, as no launch that meets the
        contract has it."""
        try:
            return self.bytes.high if self.size is None else value(self.size, value_of)
        except DivisorError:
            return 0


class Interior(Struct, frozen=True):
    """A pointer into a buffer: the position of the buffer's parameter, and the bytes from its
    start."""

    base: int
    offset: Extent


class ViolatedRequirement(Struct, frozen=True):
    """A requirement that no launch meets together with what others declare. ``origin`` says who
    declares it, and on which line of a file."""

    text: str
    origin: str


class Launch(Struct, frozen=True):
    """The launches of one kernel that its contracts allow. ``values`` and ``buffers`` are by the
    position of the parameter; ``shared`` is dynamic shared memory; parameters in ``counts`` are not
    negative, those that are ``unsigned`` are read as such; those in ``interior`` point into the
    buffer of another one. ``requires`` has parameters by their
    names in the PTX; a requirement that another contract violates is in ``violated``. Where
    ``written`` is given, no other buffers are written, and where ``distinct`` is, by names of the
    PTX, no others are kept from overlapping. ``contents`` are the value ranges of buffers of
    undeclared size, of which every load is assumed to be in bounds; a block has at most the extents
    ``largest``. Requirements that are ``assumed`` and not declared are printed by reports. If
    ``tables``, arrays of the module hold the values that the module gives them."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: Extent | None = None
    values: Mapping[int, Range | float] = {}
    buffers: Mapping[int, Extent] = {}
    interior: Mapping[int, Interior] = {}
    names: tuple[str, ...] = ()
    origin: str = "unspecified (every grid and block)"
    max_threads: int = MAX_THREADS
    requires: tuple[Requirement, ...] = ()
    counts: frozenset[int] = frozenset()
    unsigned: frozenset[int] = frozenset()
    violated: tuple[ViolatedRequirement, ...] = ()
    written: frozenset[int] | None = None
    distinct: tuple[Distinct, ...] | None = None
    contents: Mapping[int, ValueRange] = {}
    tables: bool = False
    largest: Triple = MAX_BLOCK
    assumed: tuple[Requirement, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the launch, declared and assumed, by names of the PTX."""
        return tuple(each for one in (*self.requires, *self.assumed) for each in one.conditions)

    @property
    def formulas(self) -> Mapping[str, Expression]:
        """What extents of the grid are declared to be equal to, by names of the PTX and of the
        block."""
        equations = (
            pair
            for one in self.conditions
            if one.relation == "=="
            for pair in ((one.left, one.right), (one.right, one.left))
        )
        return {
            extent.text: size
            for extent, size in equations
            if isinstance(extent, Identifier) and extent.text in EXTENTS
            if names(size).isdisjoint(EXTENTS)
        }

    @property
    def has_grid(self) -> bool:
        """True if the grid is declared along all axes, by numbers or by formulas."""
        return self.grid is not None or self.formulas.keys() == {*EXTENTS}

    def grid_of(
        self, kernel: Kernel, block: Triple, values: Mapping[int, int | float]
    ) -> Triple | None:
        """The grid of a launch with these numbers; None if it is not declared, or if no launch has
        them."""
        if self.grid is not None or not self.has_grid:
            return self.grid
        named = numbers(kernel, values, (1, 1, 1), block)
        try:
            x, y, z = (value(self.formulas[extent], named) for extent in EXTENTS)
        except ExpressionError:
            return None
        return x, y, z

    def decided(self, kernel: Kernel) -> bool:
        """True if the block and every integer parameter that matters are declared."""
        return self.block is not None and not any(self.open_integers(kernel))

    def open_integers(self, kernel: Kernel) -> Iterator[KernelParameter]:
        """The integer parameters of less than 64 bits that matter and are not declared."""
        for parameter in kernel.arguments:
            short = parameter.size < 8 and not parameter.type.startswith("f")
            if short and parameter.index not in self.values and self.uses(kernel, parameter):
                yield parameter

    def uses(self, kernel: Kernel, parameter: KernelParameter) -> bool:
        """True if a parameter matters to where and when the kernel accesses memory, or to what is
        declared. Whatever another one is, every thread makes the same accesses."""
        return parameter.index in kernel.deciding or self.is_spoken_of(parameter)

    def is_spoken_of(self, parameter: KernelParameter) -> bool:
        """True if a size or a condition speaks of a parameter without a declared number."""
        said = (condition.names for condition in self.conditions)
        return parameter.index in self.counts or any(parameter.name in names for names in said)

    def most(self, parameter: KernelParameter) -> int:
        """The greatest value of an integer parameter that is not declared."""
        return int(2 ** (8 * parameter.size - (parameter.index not in self.unsigned)) - 1)

    def is_pointer(self, parameter: KernelParameter) -> bool:
        """True if it is declared as a buffer or by ``.ptr``, or has 64 bits of no float type; and
        neither the launch nor the kernel makes it a number."""
        if parameter.index in self.values or parameter.index in self.counts:
            return False
        if parameter.number and parameter.index not in self.buffers:
            return False
        if parameter.declared_pointer or parameter.index in self.buffers:
            return True
        return parameter.size == 8 and parameter.type[0] in "usb"

    @property
    def greatest(self) -> dict[int, int | float]:
        """The greatest number that is declared, by the position of the parameter."""
        return {
            index: value.high if isinstance(value, Range) else value
            for index, value in self.values.items()
        }

    def extremes(
        self, kernel: Kernel, contents: Mapping[int, NDArray[Any]]
    ) -> Iterator[tuple[str, int]]:
        """The least and the greatest integer of buffers with a value range, by the names that sizes
        and conditions use."""
        for i, array in contents.items():
            held = self.buffers[i].value_range if i in self.buffers else None
            if held is not None:
                least, greatest = extremes(Allocation.of(array), held)
                name = kernel.arguments[i].name
                yield from ((f"{name}.min", least), (f"{name}.max", greatest))

    def concrete(
        self,
        kernel: Kernel,
        contents: Mapping[int, NDArray[Any]] | None = None,
        *,
        grid: Triple | None = None,
        block: Triple | None = None,
        values: Mapping[int, int | float] | None = None,
    ) -> ConcreteLaunch:
        """One of these launches: by default with the greatest number of each range, one block or
        one thread where the shape is not declared, and 0 for a number that is not declared.
        ``contents`` fills buffers, by the position of the parameter; others hold zeros, or the
        number next to 0 in the range of their values."""
        grid, block = grid or self.grid or (1, 1, 1), block or self.block or (1, 1, 1)
        values, contents = self.greatest if values is None else values, contents or {}
        named = numbers(kernel, values, grid, block, self.extremes(kernel, contents))
        given = ((p.region, values.get(p.index)) for p in kernel.parameters if p.structure)
        structures = {region: whole for region, whole in given if isinstance(whole, int)}

        def argument(formal: KernelParameter) -> Argument:
            i = formal.index
            if i in self.interior:
                into = self.interior[i]
                return PointerArgument(into.base, into.offset.of(named))
            if i in self.buffers:
                extent = self.buffers[i]
                if extent.optional and values.get(i) == 0:
                    return 0
                if i in contents or extent.value_range is None:
                    data = bytes_of(contents[i]) if i in contents else None
                    return Allocation(extent.of(named), data, extent.align)
                words = WordRange(extent.value_range.bits, *extent.value_range.of(named))
                data = first_words(words, extent.of(named))
                return Allocation(extent.of(named), data, extent.align, range=words)
            if self.is_pointer(formal):
                return Allocation(None, bytes_of(contents[i]) if i in contents else None)
            if i in values:
                return float(values[i]) if formal.type.startswith("f") else values[i]
            return member(structures[formal.region], formal) if formal.region in structures else 0

        shared = self.shared.of(named) if self.shared is not None else 0
        return ConcreteLaunch(
            grid, block, shared, tuple(map(argument, kernel.arguments)), self.names
        )


class WordRange(Struct, frozen=True):
    """The range of the words of ``bits`` in a buffer, for one launch."""

    bits: int
    low: int
    high: int


class Allocation(Struct, frozen=True, eq=False):
    """Global memory behind a pointer argument: its size in bytes (None where it is not known), its
    first bytes (the rest is 0), the alignment of its start, which is not aligned any better, its
    address where that is known, and the declared range of words that are not given."""

    size: int | None
    data: Bytes | None = None
    align: int = ALLOCATION_ALIGN
    address: int | None = None
    range: WordRange | None = None

    @staticmethod
    def of(array: NDArray[Any]) -> Allocation:
        """Memory that holds exactly this array."""
        data = bytes_of(array)
        return Allocation(data.size, data)


NULL = Allocation(0, address=0)
"""What a null pointer points to."""


class PointerArgument(Struct, frozen=True):
    """The address so many bytes behind the start of the memory of another argument."""

    base: int
    offset: int

    def __str__(self) -> str:
        return f"address {self.offset} of argument {self.base}"


Argument = int | float | Allocation | PointerArgument


class ConcreteLaunch(Struct, frozen=True):
    """One launch with every number decided. ``arguments`` are by position, those of members behind
    those of parameters, and so are their ``names``, for reports and launch checks; ``shared`` is
    dynamic shared memory in bytes."""

    grid: Triple
    block: Triple
    shared: int = 0
    arguments: tuple[Argument, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        block: Triple,
        grid: Triple = (1, 1, 1),
        shared: int = 0,
        arguments: Mapping[str, Argument] | None = None,
    ) -> ConcreteLaunch:
        """The launch whose arguments, in the order of the parameters, have these names."""
        named = arguments or {}
        return cls(grid, block, shared, tuple(named.values()), tuple(named))

    @property
    def allocated(self) -> list[int]:
        """The positions of the arguments that are memory."""
        return [i for i, each in enumerate(self.arguments) if isinstance(each, Allocation)]

    @property
    def allocations(self) -> dict[str, Allocation]:
        """The arguments that are memory, by name."""
        pairs = zip(self.names, self.arguments, strict=False)
        return {name: value for name, value in pairs if isinstance(value, Allocation)}

    @property
    def pointers(self) -> dict[str, str]:
        """The arguments that point into memory of others, as they are declared."""
        pairs = zip(self.names, self.arguments, strict=False)
        return {
            name: f"{self.names[value.base]}+{value.offset}"
            for name, value in pairs
            if isinstance(value, PointerArgument)
        }

    @property
    def numbers(self) -> dict[str, int | float]:
        """The arguments that are numbers, by name; instead of a structure, its members."""
        structures = {name.rpartition(".")[0] for name in self.names}
        return {
            name: value
            for name, value in zip(self.names, self.arguments, strict=False)
            if isinstance(value, int | float) and name not in structures
        }


def numbers(
    kernel: Kernel,
    values: Mapping[int, int | float],
    grid: Triple,
    block: Triple,
    contents: Iterable[tuple[str, int]] = (),
) -> Callable[[str], int]:
    """The value of a name in a size or a condition, for one launch; 0 for a parameter that has
    none, and for the integers in a buffer without ``contents``."""
    known = {p.name: int(values.get(p.index, 0)) for p in kernel.arguments if p.type[0] != "f"}
    known |= {f"{name}.{end}": 0 for name in known for end in ("min", "max")}
    return (known | dict(contents) | shape_names(block, grid)).__getitem__


def shape_names(block: Triple, grid: Triple) -> dict[str, int]:
    """The values of the names in SHAPE."""
    return dict(zip(SHAPE, (*block, *grid), strict=True))


def read_as(kind: str, number: int) -> int:
    """The integer that a word stands for in a type: 2**32 - 1 is -1 as ``s32``."""
    size = 1 << int(kind[1:])
    low = 0 if kind[0] == "u" else -size // 2
    return (number - low) % size + low


def member(whole: int, formal: KernelParameter) -> int | float:
    """A word of a structure, of which the bytes are given as one great number."""
    import struct

    word = (whole >> 8 * formal.offset) % (1 << 8 * formal.size)
    if not formal.type.startswith("f"):
        return word
    (value,) = struct.unpack(FLOAT_FORMATS[formal.size], word.to_bytes(formal.size, "little"))
    assert isinstance(value, float)
    return value


def bytes_of(array: NDArray[Any]) -> Bytes:
    import numpy as np

    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def extremes(memory: Allocation, held: ValueRange, used: int | None = None) -> tuple[int, int]:
    """The least and the greatest integer in the first ``used`` bytes of given memory, or in all of
    it; 0 for memory without an integer."""

    whole, width = memory.size if memory.size is not None else 0, held.bits // 8
    assert memory.data is not None
    data = memory.data[: whole if used is None else max(0, used)]
    words = data[: data.size // width * width].view(f"{'i' if held.signed else 'u'}{width}")
    rest = [0] if words.size == 0 or memory.data.size < whole else []  # it is 0 behind the data
    ends = [int(words.min()), int(words.max())] if words.size else []
    return min([*ends, *rest], default=0), max([*ends, *rest], default=0)


def first_words(words: WordRange, size: int) -> Bytes:
    """What a buffer begins with that is not filled: the number nearest to 0; one word where that
    is 0."""
    import numpy as np

    number, width = min(max(words.low, 0), words.high), words.bits // 8
    word = (number % (1 << words.bits)).to_bytes(width, "little")
    return np.tile(np.frombuffer(word, np.uint8), size // width if number else 1)
