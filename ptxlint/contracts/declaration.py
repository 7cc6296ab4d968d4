"""Launch options as text: ``--block 32x8``, ``--arg n=1..4096``, ``--buffer in=4*n@16``,
``--buffer "start=4*rows+4 holds 0..entries"``.

Each function reads the value of one option and says in one line what is wrong with it, beginning
with the option as the user wrote it. What the values mean for a kernel is for ``contract``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ptxlint.contracts.expression import (
    Condition,
    Expression,
    ExpressionError,
    conditions,
    interval,
    parse,
    value,
)

Triple = tuple[int, int, int]


class ContractError(ValueError):
    """What was declared cannot be, or does not fit the kernel."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a buffer holds from the launch on: integers of ``bits``, none of them less than ``low``
    or greater than ``high``."""

    bits: int
    signed: bool
    low: Expression
    high: Expression
    text: str

    def of(self, value_of: Callable[[str], int]) -> tuple[int, int]:
        """The least and the greatest, for one launch."""
        return value(self.low, value_of), value(self.high, value_of)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Any two of these buffers do not overlap, unless they begin at one address, may be the
    ``same``, and ``when`` holds."""

    names: tuple[str, ...]
    same: bool
    when: tuple[Condition, ...]
    text: str


FLOAT = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?|[-+]?(inf|nan)")
TYPE = re.compile(r"[usbf](8|16|32|64)")
NAME = re.compile(r"[A-Za-z_$%][\w$]*(\.\d+)?")
POSITION = re.compile(r"\d+(\.\d+)?")


def shown(block: Triple | None) -> str:
    """``32x8``: no trailing ones."""
    x, y, z = block or (1, 1, 1)
    return f"{x}x{y}x{z}" if z != 1 else f"{x}x{y}" if y != 1 else f"{x}"


def shape(option: str, text: str, most: Triple, together: int | None = None) -> Triple:
    """``32x8``, ``32,8`` or ``(32, 8)``: at most ``most`` by axis, and ``together`` in all."""
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


def argument(name: str, text: str) -> tuple[int, int] | float:
    """``1000``, ``1..4096`` or ``2.5``: the least and the greatest integer, or a float."""
    option = f"--arg {name}={text}"
    if FLOAT.fullmatch(text):
        return float(text)
    low, dots, high = text.partition("..")
    first = constant(option, low)
    last = constant(option, high) if dots else first
    if last < first:
        raise ContractError(f"{option}: the range is empty")
    return first, last


def extent(option: str, text: str) -> tuple[Expression, int]:
    """``4*n`` or ``4*n@16``: bytes, and the alignment of the first."""
    option = f"{option} {text}" if not option.endswith("=") else option + text
    size_text, at, alignment = text.partition("@")
    if at and option.startswith("--shared"):
        raise ContractError(f"{option}: where dynamic shared memory begins is not declared")
    align = constant(option, alignment) if at else 256
    if align < 1 or align & (align - 1):
        raise ContractError(f"{option}: the alignment {align} is no power of two")
    try:
        return parse(size_text), align
    except ExpressionError as error:
        raise ContractError(f"{option}: {error}") from None


HELD = re.compile(r"(.+?)\.\.(.+?)(?:\s*:\s*([us])(32|64))?")


def held(option: str, text: str) -> Held:
    """``0..n-1`` or ``0..n-1:u64``: the least and the greatest integer; ``s32`` unless said."""
    found = HELD.fullmatch(text.strip())
    if found is None:
        raise ContractError(f"{option} holds {text}: expected a range, like 0..n-1 or 1..7:u64")
    sign, bits = found[3] or "s", int(found[4] or 32)
    try:
        return Held(bits, sign == "s", parse(found[1]), parse(found[2]), text.strip())
    except ExpressionError as error:
        raise ContractError(f"{option} holds {text}: {error}") from None


def needed(text: str) -> tuple[Condition, ...]:
    """``ntid.x <= 256 and n % 4 == 0``"""
    try:
        return conditions(text)
    except ExpressionError as error:
        raise ContractError(f"--need {text}: {error}") from None


def buffer_names(text: str) -> tuple[str, ...]:
    """``out,sums``, or nothing at all."""
    return tuple(word.strip() for word in text.split(",")) if text.strip() else ()


SAME = re.compile(r"(.*?)\s+or\s+same(?:\s+when\s+(.+))?")


def separated(text: str) -> Distinct:
    """``in, out``, ``x, y or same`` or ``x, y or same when ntid.y == 1``."""
    option, found = f"--distinct {text}", SAME.fullmatch(text.strip())
    names = buffer_names(found[1] if found else text)
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
    return Distinct(names, found is not None, when, text.strip())


def parameter_names(text: str) -> tuple[tuple[str, str], ...]:
    """``in,out,n`` or ``in: u64, out: u64, n: s32``: names, and types where they are given."""
    found: list[tuple[str, str]] = []
    for word in text.split(","):
        name, colon, kind = (part.strip().lstrip(".") for part in word.partition(":"))
        if not NAME.fullmatch(name):
            raise ContractError(f"--params {text}: {name!r} is no name, expected like in,out,n")
        if any(name == other for other, _ in found):
            raise ContractError(f"--params {text}: {name} stands twice")
        if colon and not TYPE.fullmatch(kind):
            raise ContractError(f"--params {text}: {kind!r} is no type, expected like s32")
        found.append((name, kind))
    return tuple(found)
