"""A case of the table: an opcode, how it is called, and what it should give by plain arithmetic.

The expectation gets numbers, one for each argument by its type: integers with their sign, floats as
``formats`` has them, truth values. It gives the number of the result; packed words are taken apart
and it is asked for each element. With ``raw`` it gets and gives bit patterns instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from analyses.concrete.machine import BitVector, Lanes
from ptxlint.isa.row import TYPES, Form, Role, Type
from ptxlint.isa.table import decode
from tests.isa.formats import FORMATS, encoded, nan_of, value

LANES = Lanes()
MOST = 400  # rows of operands


@dataclass(frozen=True)
class Error:
    """What an approximation is off by is at most one of these; ``steps`` count numbers of the
    format."""

    absolute: float = 0.0
    relative: float = 0.0
    steps: int = 0

    def admits(self, kind: str, exact: Any, bits: int) -> bool:
        """True if the approximation ``bits`` is as the exact result says."""
        nearest = encoded(kind, exact)
        if bits == nearest:
            return True
        if not (math.isfinite(exact) and math.isfinite(value(kind, bits))):
            return False
        if (bits ^ nearest) < FORMATS[kind].sign and abs(bits - nearest) <= self.steps:
            return True
        gap = abs(Fraction(value(kind, bits)) - Fraction(exact))
        return gap <= max(Fraction(self.absolute), Fraction(self.relative) * abs(Fraction(exact)))


@dataclass(frozen=True)
class Case:
    opcode: str
    expect: Callable[..., Any]
    raw: bool = False
    given: int = 0  # how many optional operands are written
    literals: tuple[int, ...] = ()
    selectors: tuple[str, ...] = ()
    negated: str = ""
    parts: int = 1
    samples: tuple[int, ...] = ()  # for every argument, in place of the edges of its type
    error: Error | None = None  # what the manual says of an approximation

    @property
    def form(self) -> Form:
        name, *modifiers = self.opcode.split(".")
        form = decode(name, tuple(modifiers))
        assert form is not None, f"{self.opcode} has no row"
        selectors, negated = self.selectors or form.selectors, frozenset(self.negated)
        return replace(form, parts=self.parts, selectors=selectors, negated=negated)

    @property
    def roles(self) -> list[Role]:
        """The operands that are written."""
        given, chosen = self.given, []
        for role in self.form.row.roles:
            if role.optional:
                given -= 1
                if given < 0:
                    continue
            chosen.append(role)
        return chosen

    def __str__(self) -> str:
        signs = [f"-{name}" for name in self.negated]
        return " ".join([self.opcode, *filter(None, self.selectors), *signs])


def integers(bits: int) -> list[int]:
    middle = 0x5A3C96F00F1E2D4B & ((1 << bits) - 1)
    top = 1 << (bits - 1)
    found = [
        0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        0xFF,
        top - 1,
        top,
        top + 1,
        2 * top - 2,
        2 * top - 1,
        middle,
    ]
    return list(dict.fromkeys(x % (1 << bits) for x in found))


def floats(name: str) -> list[int]:
    form = FORMATS[name]
    one = encoded(name, Fraction(1))
    least = 1 << form.fraction
    found = [
        0,
        1,
        least // 2,
        least - 1,
        least,
        one,
        one + 1,
        one + least // 2 + 1,
        one - 5 * least,
    ]
    nan = None if form.nan is None else form.nan & ~form.sign
    found += [form.top, form.top - least, form.top >> 1, nan, form.infinity, 3 * least + 5]
    if form.infinity is not None:  # NaNs with a fraction of their own, the second one signaling
        found += [form.infinity | least // 2 | 1, form.infinity | 1, form.infinity | least - 3]
    positive = [x for x in found if x is not None and x > -1]
    return list(dict.fromkeys(x | sign for x in positive for sign in (0, form.sign)))


def edges(kind: Type) -> list[int]:
    if kind.kind == "p":
        return [0, 1]
    element = kind.element
    if element is not None:
        own = edges(element)
        shifted = [own[i:] + own[:i] for i in range(kind.parts)]
        return [
            sum(x << (i * element.bits) for i, x in enumerate(column))
            for column in zip(*shifted, strict=True)
        ]
    return floats(kind.name) if kind.name in FORMATS and kind.floating else integers(kind.bits)


def arguments(case: Case) -> tuple[list[Type], list[tuple[int, ...]]]:
    """The types of the arguments, and rows of operands."""
    form = case.form
    kinds = [form.role_type(role) for role in case.roles if not role.result and role.type != "int"]
    kinds += [TYPES["pred"]] * form.row.carry_in
    columns = [list(case.samples) or edges(kind) for kind in kinds]
    rows = list(itertools.product(*columns))
    step = max(1, len(rows) // MOST) | 1
    return kinds, rows[::step]


def number(kind: Type, bits: int) -> Any:
    if kind.kind == "p":
        return bool(bits)
    if kind.floating:
        return value(kind.name, bits)
    return bits - (1 << kind.bits) if kind.signed and bits >> (kind.bits - 1) else bits


def pattern(kind: Type, result: Any, rounding: str) -> int:
    if kind.floating and not isinstance(result, bool | int):
        return encoded(kind.name, result, rounding)
    return int(result) % (1 << kind.bits)


def expected(case: Case, kinds: list[Type], row: tuple[int, ...], results: list[Type]) -> list[int]:
    """The bit patterns of the results."""
    if case.raw:
        found = case.expect(*row)
        values = found if isinstance(found, tuple) else (found,)
        return [int(v) % (1 << kind.bits) for v, kind in zip(values, results, strict=True)]
    rounding = case.form.mode.rounding
    first = results[0]
    if first.element is not None:
        return [packed(case, kinds, row, first, rounding)]
    found = case.expect(*map(number, kinds, row))
    values = found if isinstance(found, tuple) else (found,)
    if isinstance(found, float) and math.isnan(found) and (nan := nan_of_64(case, kinds, row)):
        return [nan]
    return [pattern(kind, v, rounding) for v, kind in zip(values, results, strict=True)]


def nan_of_64(case: Case, kinds: list[Type], row: tuple[int, ...]) -> int | None:
    """Where a side has 64 bits, an operand that is NaN is the result: of a division the first, else
    the last one."""
    operands = [(kind.name, bits) for kind, bits in zip(kinds, row, strict=True) if kind.floating]
    nans = [(name, bits) for name, bits in operands if math.isnan(value(name, bits))]
    to = case.form.type.name
    if not nans or "f64" not in (to, *(name for name, _ in operands)):
        return None
    return nan_of(to, *nans[0 if case.form.row.opcode == "div" else -1])


def packed(case: Case, kinds: list[Type], row: tuple[int, ...], result: Type, rounding: str) -> int:
    word = 0
    assert result.element is not None
    for i in range(result.parts):
        elements = []
        for kind, bits in zip(kinds, row, strict=True):
            own = kind.element or kind
            elements.append(number(own, (bits >> (i * own.bits)) % (1 << own.bits)))
        word |= pattern(result.element, case.expect(*elements), rounding) << (
            i * result.element.bits
        )
    return word


def approximates(case: Case, kinds: list[Type], row: tuple[int, ...], result: int) -> bool:
    """True if the result of an approximation is within the error that the manual admits."""
    assert case.error is not None
    kind = case.form.type.element or case.form.type
    for low in range(0, case.form.type.bits, kind.bits):
        elements = [(bits >> low) % (1 << kind.bits) for bits in row]
        exact = case.expect(*(number(kind, bits) for bits in elements))
        if not case.error.admits(kind.name, exact, (result >> low) % (1 << kind.bits)):
            return False
    return True


def result_types(case: Case) -> list[Type]:
    form = case.form
    kinds = [form.role_type(role) for role in case.roles if role.result]
    if case.parts > 1 and form.row.opcode == "mov":
        kinds = [TYPES[f"b{kinds[0].bits // case.parts}"]] * case.parts
    kinds += [TYPES["pred"]] * (case.parts - len(kinds))
    return kinds + [TYPES["pred"]] * form.row.carry_out


def differences(case: Case) -> Iterator[str]:
    """What the row gives on lanes, where it is not what is expected."""
    form, (kinds, rows) = case.form, arguments(case)
    words = [
        BitVector.of(kind.bits, column)
        for kind, column in zip(kinds, zip(*rows, strict=True), strict=True)
    ]
    assert form.row.sem is not None
    given = form.row.sem(LANES, form, *words, *case.literals)
    given = given if isinstance(given, tuple) else (given,)
    results = result_types(case)
    assert [word.width for word in given] == [kind.bits for kind in results]
    columns = [list(map(int, word.bits.tolist())) * (len(rows) // word.bits.size) for word in given]
    for row, *got in zip(rows, *columns, strict=True):
        want = expected(case, kinds, row, results)
        if got != want:
            given = [[hex(x) for x in words] for words in (row, got, want)]
            yield "{} {}: {}, not {}".format(case, *given)
