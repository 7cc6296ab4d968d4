"""The expressions of a payoff: what one path pays, as a graph of nodes.

Python's operators build nodes, so a Python variable names a subexpression (the thesis's ``let``):
a node that is used twice is computed once. Types are checked when a node is made. A node knows the
line of the payoff that made it, and errors stand there.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import index
from pathlib import Path
from types import CodeType
from typing import Any, Final

from pricing_kernels.payoffs.language.operators import (
    BOOLEAN,
    INTEGER,
    NUMBERS,
    OPERATORS,
    REAL,
    Operator,
    ValueType,
)

_HERE = str(Path(__file__).parent)
MAX_INTEGER: Final = 2**31 - 1
MAX_REAL: Final = (2.0 - 2.0**-23) * 2.0**127
MAX_POWER: Final = 64
SAME_TIME: Final = 1e-9  # parts of the maturity


@dataclass(frozen=True)
class CodeLine:
    """A line of a Python file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class PayoffError(Exception):
    """A payoff that cannot be priced as it is written, and the line that says so."""

    def __init__(self, message: str, at: CodeLine | None = None) -> None:
        super().__init__(f"{at}: {message}" if at else message)
        self.message = message
        self.at = at


def here() -> CodeLine:
    """The line that called into the language."""
    return _outside(_HERE)


def caller() -> CodeLine:
    """The line that called into the package of payoffs."""
    return _outside(str(Path(_HERE).parent))


def _outside(folder: str) -> CodeLine:
    frame = sys._getframe(2)
    while frame.f_back is not None and _inside(folder, frame.f_code):
        frame = frame.f_back
    return CodeLine(frame.f_code.co_filename, frame.f_lineno)


def _inside(folder: str, code: CodeType) -> bool:
    """True if the code is of the folder, or a constructor that `dataclass` wrote for it."""
    made = code.co_filename == "<string>" and code.co_name == "__init__"
    return made or code.co_filename.startswith(folder)


def whole_number(value: Any) -> int | None:
    """The value as an integer, also one of numpy's; None for anything else."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Expression:
    """A value of one path. ``operands`` are the nodes that it is computed from."""

    type: ValueType
    operands: tuple[Expression, ...] = ()
    at: CodeLine = field(default_factory=here)

    __hash__ = object.__hash__

    def shown(self, depth: int = 4) -> str:
        """The expression as a payoff writes it, cut at a depth."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.shown()

    def __bool__(self) -> bool:
        raise PayoffError(
            f"{self.shown()} has no truth value while the payoff is written: "
            "use where(condition, a, b) for `if`, & | ~ for `and or not`, minimum and maximum",
            here(),
        )

    def __float__(self) -> float:
        raise PayoffError(
            f"{self.shown()} has no number while the payoff is written: use sqrt, exp, log, "
            "minimum and maximum of pricing_kernels.payoffs",
            here(),
        )

    def __iter__(self) -> Iterator[Expression]:
        raise PayoffError(f"{self.shown()} is one value: it cannot be iterated", here())

    def __add__(self, other: Any) -> Expression:
        return apply("add", self, other)

    def __radd__(self, other: Any) -> Expression:
        return apply("add", other, self)

    def __sub__(self, other: Any) -> Expression:
        return apply("sub", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return apply("sub", other, self)

    def __mul__(self, other: Any) -> Expression:
        return apply("mul", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return apply("mul", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return apply("div", other, self)

    def __neg__(self) -> Expression:
        return apply("neg", self)

    def __abs__(self) -> Expression:
        return apply("abs", self)

    def __lt__(self, other: Any) -> Expression:
        return apply("lt", self, other)

    def __le__(self, other: Any) -> Expression:
        return apply("le", self, other)

    def __gt__(self, other: Any) -> Expression:
        return apply("gt", self, other)

    def __ge__(self, other: Any) -> Expression:
        return apply("ge", self, other)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]
        return apply("eq", self, other)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]
        return apply("ne", self, other)

    def __and__(self, other: Any) -> Expression:
        return apply("and", self, other)

    def __rand__(self, other: Any) -> Expression:
        return apply("and", other, self)

    def __or__(self, other: Any) -> Expression:
        return apply("or", self, other)

    def __ror__(self, other: Any) -> Expression:
        return apply("or", other, self)

    def __invert__(self) -> Expression:
        return apply("not", self)

    def __rpow__(self, base: Any) -> Expression:
        if not isinstance(base, int | float) or not 0.0 < base < math.inf:
            raise PayoffError(f"the base {base!r} is no positive number", here())
        return apply("exp2", apply("mul", self, math.log2(base)))

    def __pow__(self, exponent: Any) -> Expression:
        power = whole_number(exponent)
        if power is None or not 1 <= power <= MAX_POWER:
            raise PayoffError(
                f"the exponent {exponent!r} is no integer from 1 to {MAX_POWER}; "
                "write exp(y * log(x)) for other powers",
                here(),
            )
        half = self ** (power // 2) if power > 1 else None
        if half is None:
            return self
        return half * half * self if power % 2 else half * half


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Literal(Expression):
    """A constant."""

    value: float

    def shown(self, depth: int = 4) -> str:
        return str(self.value)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Applied(Expression):
    """An operator applied to values of the types that it takes."""

    operator: Operator

    def shown(self, depth: int = 4) -> str:
        if depth == 0:
            return "..."
        return _applied(self.operator, self.operands, depth - 1)


def _applied(operator: Operator, operands: tuple[Expression, ...], depth: int) -> str:
    """An operator on operands as a payoff writes it: infix ones in parentheses inside of others."""
    function = operator.shown.endswith(")") and not operator.shown.startswith("(")
    parts = [operand.shown(depth) for operand in operands]
    for k, operand in enumerate(operands):
        infix = isinstance(operand, Applied) and operand.operator.shown.startswith("{0} ")
        parts[k] = f"({parts[k]})" if infix and not function else parts[k]
    return operator.shown.format(*parts)


@dataclass(frozen=True)
class DateIndex:
    """The loop variable of a fold: its number, which is its own, and the times that it takes."""

    number: int
    times: tuple[float, ...]

    def __str__(self) -> str:
        return f"t{self.number}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TimeNow(Expression):
    """The date of a fold, as a value: the part of the maturity that has passed."""

    type: ValueType = REAL
    index: DateIndex

    def shown(self, depth: int = 4) -> str:
        return str(self.index)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NumberAt(Expression):
    """A known number for each date of a fold; ``numbers`` are in the order of its times."""

    type: ValueType = REAL
    index: DateIndex
    numbers: tuple[float, ...]

    def shown(self, depth: int = 4) -> str:
        return f"by_date[{self.index}]"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spot(Expression):
    """The price of an asset: at a time of [0, 1], in parts of the maturity, or at the date of a
    fold less a ``lag``."""

    type: ValueType = REAL
    asset: int
    time: float | DateIndex
    lag: float = 0.0

    @property
    def times(self) -> tuple[float, ...]:
        """The times at which it is read; one that lags is a date where it is as good as one."""
        if isinstance(self.time, float):
            return (self.time,)
        if not self.lag:
            return self.time.times
        known = (0.0, *self.time.times)
        found = []
        for time in self.time.times:
            moved = time - self.lag
            near = known[max(bisect_right(known, moved + SAME_TIME) - 1, 0)]
            found.append(near if abs(near - moved) < SAME_TIME else moved)
        return tuple(found)

    def shown(self, depth: int = 4) -> str:
        time = f"{self.time:g}" if isinstance(self.time, float) else str(self.time)
        lag = f" {'-+'[self.lag < 0]} {abs(self.lag):g}" if self.lag else ""
        return f"S({self.asset}, {time}{lag})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Accumulator(Expression):
    """What a fold has accumulated so far under a name."""

    name: str
    index: DateIndex

    def shown(self, depth: int = 4) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Fold:
    """Accumulators that begin with ``initials`` and become ``updates`` at each time of an index, in
    the order of time, all at once."""

    index: DateIndex
    accumulators: tuple[Accumulator, ...]
    initials: tuple[Expression, ...]
    updates: tuple[Expression, ...]
    at: CodeLine


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Folded(Expression):
    """What a fold has accumulated at the end under a name."""

    fold: Fold
    position: int

    def shown(self, depth: int = 4) -> str:
        return f"fold({self.fold.index}).{self.fold.accumulators[self.position].name}"


def literal(value: Any) -> Expression:
    """A value of a payoff: an expression as it is, a number as a constant. Raises PayoffError."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool):
        return Literal(type=BOOLEAN, value=value)
    if isinstance(value, int) and abs(value) <= MAX_INTEGER:
        return Literal(type=INTEGER, value=value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise PayoffError(f"{value!r:.60} is no number and no expression", here()) from None
    if number != number:
        raise PayoffError("a constant is nan", here())
    if MAX_REAL < abs(number) < math.inf:
        raise PayoffError(f"the constant {number:g} is beyond float32", here())
    return Literal(type=REAL, value=number)


def apply(name: str, *values: Any) -> Expression:
    """The operator of that name on values, integers made real where a real is wanted. Raises
    PayoffError."""
    operator = OPERATORS[name]
    given = tuple(literal(value) for value in values)
    if name == "select":
        return _selected(*given)
    common = _common(operator, given)
    operands = tuple(_converted(each, common) for each in given)
    return Applied(type=operator.result or common, operands=operands, operator=operator)


def _selected(condition: Expression, yes: Expression, no: Expression) -> Expression:
    if condition.type is not BOOLEAN:
        raise PayoffError(
            f"the condition {condition.shown()} is {condition.type.value}, expected boolean", here()
        )
    if yes.type is no.type is BOOLEAN:
        return (condition & yes) | (~condition & no)
    if BOOLEAN in (yes.type, no.type):
        raise PayoffError(
            f"the alternatives {yes.shown()} and {no.shown()} have different types: "
            f"{yes.type.value} and {no.type.value}",
            here(),
        )
    common = REAL if REAL in (yes.type, no.type) else INTEGER
    operands = (_converted(yes, common), _converted(no, common), condition)
    return Applied(type=common, operands=operands, operator=OPERATORS["select"])


def _common(operator: Operator, operands: tuple[Expression, ...]) -> ValueType:
    """The type that an operator works in: the least that it takes and all operands fit."""
    types = {operand.type for operand in operands}
    least = max((NUMBERS.index(t) for t in types if t in NUMBERS), default=0)
    wanted = NUMBERS[least:] if BOOLEAN not in types else (BOOLEAN,)
    fitting = [t for t in wanted if t in operator.takes]
    if not fitting or (BOOLEAN in types and len(types) > 1):
        parts = ", ".join(f"{operand.shown()} is {operand.type.value}" for operand in operands)
        expected = " or ".join(t.value for t in operator.takes)
        shown = _applied(operator, operands, 2)
        raise PayoffError(f"in {shown}: {parts}, expected {expected}", here())
    return fitting[0]


def _converted(value: Expression, wanted: ValueType) -> Expression:
    if value.type is wanted:
        return value
    if isinstance(value, Literal):
        return Literal(type=wanted, value=float(value.value), at=value.at)
    return Applied(type=REAL, operands=(value,), operator=OPERATORS["real"], at=value.at)
