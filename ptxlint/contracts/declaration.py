"""What a declaration says, value by value: ``32x8``, ``1..4096``, ``4*n@16``, ``0..n-1:s32``.

Each function reads one value, as text or as Python has it, and raises ContractError with one line
that begins with the option as the user wrote it. What the values mean for a kernel is for
``contract`` and ``resolution``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from analyses.traffic.layouts import ArrayOfStructures
from ptxlint.contracts.expression import (
    Condition,
    Expression,
    ExpressionError,
    conditions,
    interval,
    parse,
    value,
)
from ptxlint.errors import Error

Triple = tuple[int, int, int]

ALLOCATION_ALIGN = 256
"""Bytes that the start of an allocation is a multiple of."""


OR_NULL = " or null"


class ContractError(Error, ValueError):
    """An impossible declaration, or one that does not fit the kernel or the launch."""


class Range(Struct, frozen=True, tag=True):
    """The integers from ``low`` to ``high``."""

    low: int
    high: int

    @property
    def single(self) -> bool:
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.low}" if self.single else f"{self.low}..{self.high}"


NULL_POINTER = Range(0, 0)
FLOAT_FORMATS = {2: "<e", 4: "<f", 8: "<d"}  # of so many bytes, for ``struct``


class ValueRange(Struct, frozen=True):
    """The value range of a buffer: integers of ``bits`` in [``low``, ``high``] when the launch
    begins."""

    bits: int
    signed: bool
    low: Expression
    high: Expression
    text: str

    def of(self, value_of: Callable[[str], int]) -> tuple[int, int]:
        """The least and the greatest, for one launch."""
        return value(self.low, value_of), value(self.high, value_of)


def extreme(word: str) -> tuple[str, str] | None:
    """``("at", "max")`` of ``at.max``, the greatest integer in the buffer ``at``; of ``at.min``
    likewise. None for another name."""
    owner, _, end = word.rpartition(".")
    return (owner, end) if owner and end in ("min", "max") else None


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer as declared: its size in bytes, an expression over arguments; the alignment of its
    first byte; the range of the integers in it, like ``0..n-1`` or ``0..n-1:u64``; its layout,
    where that is an array of structures: ``aos:4,4,8``; and if its pointer may be null."""

    size: str | int = field(compare=False)
    align: int = ALLOCATION_ALIGN
    values: str | ValueRange | None = field(default=None, compare=False)
    layout: str | ArrayOfStructures | None = field(default=None, compare=False)
    optional: bool = False
    extent: Expression = field(init=False)
    value_range: ValueRange | None = field(init=False)
    structures: ArrayOfStructures | None = field(init=False)

    def __post_init__(self) -> None:
        if self.align < 1 or self.align & (self.align - 1):
            raise ContractError(f"{self.text}: the alignment {self.align} is no power of two")
        try:
            object.__setattr__(self, "extent", parse(str(self.size)))
        except ExpressionError as error:
            raise ContractError(f"{self.text}: {error}") from None
        held = self.values
        if isinstance(held, str):
            held = value_range(f"{self.text} holds {held}", held)
        object.__setattr__(self, "value_range", held)
        laid = self.layout
        if isinstance(laid, str):
            laid = structures(f"{self.text} is {laid}", laid)
        object.__setattr__(self, "structures", laid)

    @property
    def text(self) -> str:
        """``4*n``, ``4*n@16`` or ``4*n@16 or null``."""
        align = "" if self.align == ALLOCATION_ALIGN else f"@{self.align}"
        return f"{self.size}{align}{OR_NULL if self.optional else ''}"

    @classmethod
    def of(cls, option: str, said: int | str | Buffer) -> Buffer:
        """``4*n``, ``4*n@16``, ``4*n or null``, ``4*n holds 0..7``, a number, or a Buffer."""
        if isinstance(said, Buffer):
            return said
        if isinstance(said, bool) or not isinstance(said, int | str):
            raise ContractError(f"{option}{said!r}: expected a size in bytes, like '4*n' or 4096")
        text, held, inside = str(said).partition(" holds ")
        optional = re.search(r"\s+or\s+null\s*$", text)
        size, at, alignment = text[: optional.start() if optional else None].partition("@")
        if (at or optional) and option.startswith("--shared"):
            raise ContractError(
                f"{option}{text}: where dynamic shared memory begins is not declared"
            )
        align = constant(f"{option}{text}", alignment) if at else 256
        try:
            return cls(size.strip(), align, inside if held else None, None, optional is not None)
        except ContractError as error:
            raise ContractError(f"{option}{error}") from None


class PointerInto(Struct, frozen=True, tag=True):
    """A pointer as declared: so many bytes, an expression, behind the start of a buffer."""

    base: str
    offset: Buffer

    def __str__(self) -> str:
        return f"{self.base}+{self.offset.size}"


class Requirement(Struct, frozen=True):
    """Conditions that every launch meets, as declared. ``option`` is what the user wrote instead,
    if that is no condition: ``--grid (n+255)/256``."""

    text: str
    conditions: tuple[Condition, ...]
    option: str = ""

    @classmethod
    def of(cls, said: str | Requirement, option: str = "") -> Requirement:
        """``ntid.x <= 256 and n % 4 == 0``"""
        if isinstance(said, Requirement):
            return said
        if not isinstance(said, str):
            raise ContractError(f"--assume {said!r}: expected a condition, like 'n % 4 == 0'")
        try:
            return cls(said, conditions(said), option)
        except ExpressionError as error:
            raise ContractError(f"{option or f'--assume {said}'}: {error}") from None

    @property
    def declared(self) -> str:
        """The option that declares it."""
        return self.option or f"--assume {self.text}"


class Distinct(Struct, frozen=True):
    """Any two of these buffers do not overlap, unless they begin at one address, may be the
    ``same``, and ``when`` holds."""

    names: tuple[str, ...]
    same: bool
    when: tuple[Condition, ...]
    text: str

    @classmethod
    def of(cls, said: str | Sequence[str] | Distinct) -> Distinct:
        """``in, out``, ``x, y or same`` or ``x, y or same when ntid.y == 1``."""
        if isinstance(said, Distinct):
            return said
        text = said.strip() if isinstance(said, str) else ", ".join(words_of("distinct", said))
        option, found = f"--distinct {text}", SAME.fullmatch(text)
        names = listed("distinct", found[1] if found else text)
        for name in names:
            if not (NAME.fullmatch(name) or POSITION.fullmatch(name)):
                expected = "expected like 'in, out' or 'in, out or same'"
                raise ContractError(f"{option}: {name!r} is no name, {expected}")
            if names.count(name) > 1:
                raise ContractError(f"{option}: {name} stands twice")
        if len(names) < 2:
            raise ContractError(f"{option}: expected two buffers or more, like 'in, out'")
        try:
            when = conditions(found[2]) if found and found[2] else ()
        except ExpressionError as error:
            raise ContractError(f"{option}: after 'when': {error}") from None
        return cls(names, found is not None, when, text)


FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?|[-+]?(inf|nan)")
TYPE = re.compile(r"[usbf](8|16|32|64)")
NAME = re.compile(r"[A-Za-z_$%][\w$]*(\.\d+)?")
POSITION = re.compile(r"\d+(\.\d+)?")
SAME = re.compile(r"(.*?)\s+or\s+same(?:\s+when\s+(.+))?")
POINTER = re.compile(r"([A-Za-z_$%][\w$]*(?:\.\d+)?)\s*\+\s*(.+)")
LAYOUT = re.compile(r"aos\s*:\s*(\d{1,2}(?:\s*,\s*\d{1,2})*)")
WIDTHS = (1, 2, 4, 8, 16)  # of a field, in bytes
HELD = re.compile(r"(.+?)\.\.(.+?)(?:\s*:\s*([us])(8|16|32|64))?")


def shown(block: Triple | None) -> str:
    """``32x8``: no trailing ones."""
    x, y, z = block or (1, 1, 1)
    return f"{x}x{y}x{z}" if z != 1 else f"{x}x{y}" if y != 1 else f"{x}"


def shape(
    option: str, said: int | str | Sequence[int], most: Triple, together: int | None = None
) -> Triple:
    """256, ``32x8``, ``32,8`` or (32, 8): at most ``most`` by axis, and ``together`` in all."""
    text = said if isinstance(said, str) else "x".join(map(str, numbers(said)))
    words = text.strip().removeprefix("(").removesuffix(")").rstrip(", ")
    axes = re.split(r"\s*[x,]\s*", words.strip())
    if len(axes) > 3 or not all(re.fullmatch(r"[0-9]{1,18}", axis) for axis in axes):
        raise ContractError(f"{option} {text}: expected one to three sizes, like 256 or 32x8")
    x, y, z = [int(axis) for axis in axes] + [1] * (3 - len(axes))
    if together is not None and x * y * z > together:
        raise ContractError(f"{option} {text}: {x * y * z} threads, a block has at most {together}")
    for name, number, bound in zip("xyz", (x, y, z), most, strict=True):
        if not 1 <= number <= bound:
            raise ContractError(f"{option} {text}: {name} is {number}, expected 1 to {bound}")
    return x, y, z


def numbers(said: Any) -> list[Any]:
    """A number or several."""
    return list(said) if isinstance(said, Sequence) else [said]


def named(option: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """``name=value``, each name once."""
    seen: set[str] = set()
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or not (NAME.fullmatch(name) or POSITION.fullmatch(name)):
            raise ContractError(f"{option} {text}: expected NAME=VALUE, like n=1000")
        if name in seen:
            raise ContractError(f"{option} {text}: {name} is declared twice")
        seen.add(name)
        yield name, value


def constant(option: str, text: str) -> int:
    def no_names(word: str) -> tuple[int, int]:
        raise ExpressionError(f"{word} is a name, expected a number")

    try:
        return interval(parse(text), no_names)[0]
    except ExpressionError as error:
        raise ContractError(f"{option}: {error}") from None


def argument(name: str, said: object) -> Range | float | PointerInto:
    """1000, 2.5, ``1..4096``, (1, 4096) or a Range: the integers from the least to the greatest,
    or a float; or ``x+4*n``: the pointer so many bytes behind the start of the buffer x."""
    option = f"--arg {name}={said}"
    if isinstance(said, Range | float | PointerInto):
        return said
    if isinstance(said, str):
        if FLOAT.fullmatch(said):
            return float(said)
        if pointer := POINTER.fullmatch(said.strip()):
            return PointerInto(pointer[1], Buffer.of(f"--arg {name}={pointer[1]}+", pointer[2]))
        low, dots, high = said.partition("..")
        first = constant(option, low)
        found = Range(first, constant(option, high) if dots else first)
    else:
        ends = numbers(said)
        whole = [hasattr(end, "__index__") and not isinstance(end, bool) for end in ends]
        if not all(whole) or len(ends) not in (1, 2):
            expected = "expected a number, or a range like (1, 4096) or '1..4096'"
            raise ContractError(f"{option}: {expected}")
        found = Range(operator.index(ends[0]), operator.index(ends[-1]))
    if found.high < found.low:
        raise ContractError(f"{option}: the range is empty")
    return found


def value_range(option: str, text: str) -> ValueRange:
    """``0..n-1`` or ``0..n-1:u64``: the least and the greatest integer; ``s32`` unless said."""
    found = HELD.fullmatch(text.strip())
    if found is None or ":" in found[2]:
        types = "s8 to s64 and u8 to u64"
        raise ContractError(
            f"{option}: expected a range, like 0..n-1 or 1..7:u64; types are {types}"
        )
    sign, bits = found[3] or "s", int(found[4] or 32)
    try:
        return ValueRange(bits, sign == "s", parse(found[1]), parse(found[2]), text.strip())
    except ExpressionError as error:
        raise ContractError(f"{option}: {error}") from None


def structures(option: str, text: str) -> ArrayOfStructures:
    """``aos:4,4,8``: an array of structures with fields of so many bytes, placed as C does."""
    found = LAYOUT.fullmatch(text.strip())
    sizes = [int(size) for size in found[1].split(",")] if found else []
    if not sizes or not {*sizes} <= {*WIDTHS}:
        fields = "fields of 1, 2, 4, 8 or 16 bytes"
        raise ContractError(f"{option}: expected an array of structures, like aos:4,4,8: {fields}")
    return ArrayOfStructures.of_sizes(sizes)


def listed(option: str, said: str | Sequence[str]) -> tuple[str, ...]:
    """``out,sums`` or ["out", "sums"], or nothing at all."""
    words = words_of(option, said)
    return tuple(word.strip() for word in words) if said and said != " " else ()


def words_of(option: str, said: object) -> Sequence[str]:
    """The parts of ``in,out,n``, or of a list of such texts. Raises ContractError."""
    texts = [said] if isinstance(said, str) else said
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise ContractError(f"--{option}: expected names, like 'in, out' or ['in', 'out']")
    return ",".join(texts).split(",")


def parameter_names(said: str | Sequence[str]) -> Iterator[tuple[str, str]]:
    """``in,out,n`` or ``in: u64, out: u64, n: s32``: names, and types where they are given."""
    words, seen = words_of("params", said), set[str]()
    text = ",".join(words)
    for word in words:
        name, colon, kind = (part.strip().lstrip(".") for part in word.partition(":"))
        if not NAME.fullmatch(name):
            raise ContractError(f"--params {text}: {name!r} is no name, expected like in,out,n")
        if name in seen:
            raise ContractError(f"--params {text}: {name} stands twice")
        if colon and not TYPE.fullmatch(kind):
            raise ContractError(f"--params {text}: {kind!r} is no type, expected like s32")
        seen.add(name)
        yield name, kind
