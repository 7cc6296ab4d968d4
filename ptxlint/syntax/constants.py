"""Constant expressions, folded while they are read.

Integers are 64 bits wide and signed unless a literal has a U or does not fit; an operation is
unsigned when one of its operands is, and wraps. Operators and precedences are C's, with ``?:`` and
the casts ``(.s64)`` and ``(.u64)``. PTX ISA 9.4, "Constants". Floats of 64 bits take part in
arithmetic; an exact ``0f`` or ``0d`` constant only takes a sign, which ptxas would refuse.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable

from ptxlint.syntax import lexical
from ptxlint.syntax.ast import Float, Integer
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.lexical import double
from ptxlint.syntax.reader import Reader

Constant = Integer | Float

WARP_SIZE = 32
_LEVELS = ("?", "||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs.split()}
MULTIPLICATIVE = PRECEDENCE["*"]

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> min(b % 2**64, 64),
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
}
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def constant(reader: Reader, lowest: int = 0) -> Constant:
    """An expression of operators that bind at least as tightly as ``lowest``."""
    alone = lexical.literal(reader.text, reader.skip())
    if alone is not None and reader.text[alone[1] : alone[1] + 1] in ",;]})":  # nearly always
        value, reader.at = alone
        return value
    reader.deeper()
    value = _unary(reader)
    while True:
        start = reader.skip()
        sign = reader.match(lexical.operator)
        if sign is None or PRECEDENCE[sign] < lowest:
            reader.at = start
            break
        if sign == "?":
            chosen = constant(reader)
            reader.expect(":")
            otherwise = constant(reader)
            value = chosen if _truth(value) else otherwise
        else:
            value = _binary(sign, value, constant(reader, PRECEDENCE[sign] + 1), start)
    reader.depth -= 1
    return value


def integer(reader: Reader, lowest: int = 0) -> int:
    """A constant expression that has to be an integer."""
    start = reader.skip()
    value = constant(reader, lowest)
    if isinstance(value, Float):
        raise ParseError(start, "found a floating-point constant, expected an integer")
    return value.value


def _unary(reader: Reader) -> Constant:
    start = reader.skip()
    sign = reader.peek()
    if sign in ("-", "+", "!", "~") and sign:
        reader.at += 1
        reader.deeper()
        value = _unary(reader)
        reader.depth -= 1
        return _signed(sign, value, start)
    if reader.accept("("):
        if cast := reader.directive():
            if cast not in (".s64", ".u64"):
                raise reader.failure("'.s64' or '.u64'")
            reader.at += len(cast)
            reader.expect(")")
            reader.deeper()
            value = _unary(reader)
            reader.depth -= 1
            return _cast(value, cast == ".u64", start)
        value = constant(reader)
        reader.expect(")")
        return value
    if (literal := lexical.literal(reader.text, start)) is not None:
        value, reader.at = literal
        return value
    if reader.match(lexical.name) == "WARP_SZ":
        return Integer(WARP_SIZE)
    reader.at = start
    raise reader.failure("a constant")


def _signed(sign: str, value: Constant, at: int) -> Constant:
    if sign == "!":
        return Integer(int(not _truth(value)))
    if isinstance(value, Float):
        if sign == "~":
            raise ParseError(at, "'~' of a floating-point constant")
        return Float(value.bits ^ (1 << (value.width - 1)), value.width) if sign == "-" else value
    result = {"-": -value.value, "+": value.value, "~": ~value.value}[sign]
    # -9223372036854775808 is a signed constant although its digits alone are not.
    return _wrapped(result, value.unsigned or (sign == "~" and unsigned(value)))


def _binary(sign: str, left: Constant, right: Constant, at: int) -> Constant:
    if sign in ("&&", "||"):
        both = _truth(left), _truth(right)
        return Integer(int(all(both) if sign == "&&" else any(both)))
    if isinstance(left, Float) or isinstance(right, Float):
        return _float_binary(sign, _real(left, at), _real(right, at), at)
    if sign in _COMPARISONS:
        joint = unsigned(left) or unsigned(right)
        a, b = _wrapped(left.value, joint).value, _wrapped(right.value, joint).value
        return Integer(int(_COMPARISONS[sign](a, b)))
    if sign in "/%" and right.value == 0:
        raise ParseError(at, "division by zero in a constant expression")
    joint = unsigned(left) or (unsigned(right) and sign not in ("<<", ">>"))
    a, b = _wrapped(left.value, joint).value, right.value
    if sign not in ("<<", ">>"):
        b = _wrapped(b, joint).value
    return _wrapped(_INTEGER[sign](a, b), joint)


def _float_binary(sign: str, left: float, right: float, at: int) -> Constant:
    if sign in _COMPARISONS:
        return Integer(int(_COMPARISONS[sign](left, right)))
    if sign not in _FLOAT:
        raise ParseError(at, f"{sign!r} of floating-point constants")
    if sign == "/" and right == 0:
        raise ParseError(at, "division by zero in a constant expression")
    try:
        return double(_FLOAT[sign](left, right))
    except OverflowError:
        raise ParseError(at, "floating-point overflow in a constant expression") from None


def unsigned(value: Integer) -> bool:
    """True if PTX types this constant as .u64."""
    return value.unsigned or value.value >= 2**63


def _wrapped(value: int, unsigned: bool) -> Integer:
    value %= 2**64
    return Integer(value if unsigned or value < 2**63 else value - 2**64, unsigned)


def _cast(value: Constant, unsigned: bool, at: int) -> Integer:
    if isinstance(value, Integer):
        return _wrapped(value.value, unsigned)
    real = _real(value, at)
    if real != real or real in (float("inf"), float("-inf")):
        raise ParseError(at, "a constant that is no number cannot become an integer")
    return _wrapped(int(real), unsigned)


def _truth(value: Constant) -> bool:
    """True unless it is 0, or -0.0."""
    if isinstance(value, Integer):
        return value.value != 0
    return value.bits % (1 << value.width - 1) != 0


def _real(value: Constant, at: int) -> float:
    if isinstance(value, Integer):
        return float(value.value)
    if value.width == 32:
        raise ParseError(at, "an exact single-precision constant has no place in an expression")
    real: float = struct.unpack(">d", value.bits.to_bytes(8, "big"))[0]
    return real
