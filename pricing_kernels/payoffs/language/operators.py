"""The operators of the language: one row each, one PTX instruction each.

A row has the types it takes, the text in messages, and its meaning three times: an opcode of PTX by
type, an expression of CUDA C by type, a function of numpy. Reals are float32 and every operation is
rounded once; integers have 32 bits and wrap. A NaN makes every result a NaN, also of a minimum, so
a path without a value is not taken for one. ``exp2`` and ``log2`` are the hardware's approximate
functions, which the interpreter and numpy round correctly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np


class ValueType(Enum):
    """The type of a value: a 32-bit integer, a float32, or a truth value."""

    INTEGER = "integer"
    REAL = "real"
    BOOLEAN = "boolean"


INTEGER, REAL, BOOLEAN = ValueType
NUMBERS: Final = (INTEGER, REAL)


@dataclass(frozen=True)
class Operator:
    """An operator. ``ptx`` and ``c`` are by the type of the first operand; ``result`` is None where
    it is that type. Operands are in PTX's order: of a ``select``, the condition is the last."""

    name: str
    shown: str
    ptx: Mapping[ValueType, str]
    c: Mapping[ValueType, str]
    numpy: Callable[..., Any]
    result: ValueType | None = None

    @property
    def takes(self) -> tuple[ValueType, ...]:
        """The types of operands."""
        return tuple(self.ptx)


def _rounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A float64 function, rounded to float32 at the end."""
    return lambda a: function(a.astype(np.float64)).astype(np.float32)


def _numeric(name: str, shown: str, ptx: str, real: str, integer: str, numpy: Any) -> Operator:
    opcodes = {
        INTEGER: f"{ptx.format(lo='.lo', rn='', NaN='')}.s32",
        REAL: f"{ptx.format(lo='', rn='.rn', NaN='.NaN')}.f32",
    }
    return Operator(name, shown, opcodes, {INTEGER: integer, REAL: real}, numpy)


_ABS: Final = "int({0} < 0 ? 0u - unsigned({0}) : unsigned({0}))"  # of the least integer, itself


def _wrapping(symbol: str) -> str:
    return f"int(unsigned({{0}}) {symbol} unsigned({{1}}))"


def _comparison(name: str, symbol: str, numpy: Any) -> Operator:
    ptx = {INTEGER: f"setp.{name}.s32", REAL: f"setp.{name}.f32"}
    if name == "ne":
        ptx[REAL] = "setp.neu.f32"  # a NaN differs from every number
    text = f"({{0}} {symbol} {{1}})"
    return Operator(
        name, f"{{0}} {symbol} {{1}}", ptx, dict.fromkeys(NUMBERS, text), numpy, BOOLEAN
    )


def _real(name: str, shown: str, ptx: str, c: str, numpy: Any) -> Operator:
    return Operator(name, shown, {REAL: ptx}, {REAL: c}, numpy)


def _logic(name: str, shown: str, ptx: str, c: str, numpy: Any) -> Operator:
    return Operator(name, shown, {BOOLEAN: ptx}, {BOOLEAN: c}, numpy)


_ROWS = (
    _numeric("add", "{0} + {1}", "add{rn}", "({0} + {1})", _wrapping("+"), np.add),
    _numeric("sub", "{0} - {1}", "sub{rn}", "({0} - {1})", _wrapping("-"), np.subtract),
    _numeric("mul", "{0} * {1}", "mul{lo}{rn}", "({0} * {1})", _wrapping("*"), np.multiply),
    _numeric(
        "min", "minimum({0}, {1})", "min{NaN}", "least({0}, {1})", "min({0}, {1})", np.minimum
    ),
    _numeric("max", "maximum({0}, {1})", "max{NaN}", "most({0}, {1})", "max({0}, {1})", np.maximum),
    _numeric("neg", "-{0}", "neg", "(-{0})", "int(0u - unsigned({0}))", np.negative),
    _numeric("abs", "abs({0})", "abs", "fabsf({0})", _ABS, np.abs),
    _real("div", "{0} / {1}", "div.rn.f32", "({0} / {1})", np.divide),
    _real("sqrt", "sqrt({0})", "sqrt.rn.f32", "sqrtf({0})", np.sqrt),
    _real("exp2", "exp2({0})", "ex2.approx.f32", "exp2_approximate({0})", _rounded(np.exp2)),
    _real("log2", "log2({0})", "lg2.approx.f32", "log2_approximate({0})", _rounded(np.log2)),
    _comparison("lt", "<", np.less),
    _comparison("le", "<=", np.less_equal),
    _comparison("gt", ">", np.greater),
    _comparison("ge", ">=", np.greater_equal),
    _comparison("eq", "==", np.equal),
    _comparison("ne", "!=", np.not_equal),
    _logic("and", "({0} & {1})", "and.pred", "({0} && {1})", np.logical_and),
    _logic("or", "({0} | {1})", "or.pred", "({0} || {1})", np.logical_or),
    _logic("not", "~{0}", "not.pred", "(!{0})", np.logical_not),
    Operator(
        "select",
        "where({2}, {0}, {1})",
        {INTEGER: "selp.s32", REAL: "selp.f32"},
        dict.fromkeys(NUMBERS, "({2} ? {0} : {1})"),
        lambda yes, no, condition: np.where(condition, yes, no),
    ),
    Operator(
        "real",
        "real({0})",
        {INTEGER: "cvt.rn.f32.s32"},
        {INTEGER: "float({0})"},
        lambda a: a.astype(np.float32),
        REAL,
    ),
)

OPERATORS: Final = {row.name: row for row in _ROWS}
