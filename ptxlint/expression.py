"""Sizes as a user writes them: ``4*n``, ``48KiB``, ``4*(rows + 2)*min(pitch, 4096)``.

A recursive descent parser, and two readings of its trees: in interval arithmetic, over the ranges
that the names have, and as a polynomial, which keeps what intervals forget: that the extent and the
index it bounds speak of the same ``n``. All numbers are integers; there is no rounding.

    sum     = product {("+" | "-") product}
    product = sign {("*" | "//" | "%") sign}
    sign    = ["-" | "+"] sign | power
    power   = atom ["**" sign]
    atom    = number [unit] | name | ("min" | "max") "(" sum {"," sum} ")" | "(" sum ")"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
FUNCTIONS = {"min": min, "max": max}
DEEPEST = 50  # levels of brackets
LONGEST = 400  # characters
LONGEST_NUMBER = 30
LARGEST = 2**64
TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|[0-9]+(?:\s*(?:[KMG]iB|[kMG]?B)\b)?|[A-Za-z_$][\w$.]*"
    r"|\*\*|//|[-+*%(),]|$)"
)

Interval = tuple[int, int]
Polynomial = dict[tuple[str, ...], int]


class ExpressionError(ValueError):
    """What was found, where (columns count from 1), and what was expected."""


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Name:
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    symbol: str
    operands: tuple[Expression, ...]


Expression = Number | Name | Operation


# --- reading text


def parse(text: str) -> Expression:
    """The tree of an expression. Raises ExpressionError."""
    reader = _Reader(text)
    tree = reader.sum()
    if reader.token:
        raise reader.error("an operator or the end")
    return tree


class _Reader:
    """The text, and the token that is next."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise ExpressionError(f"longer than {LONGEST} characters")
        self.text = text
        self.token = ""
        self.at = self.end = self.depth = 0
        self.advance()

    def advance(self) -> str:
        """Steps to the next token and returns the one that was current."""
        token = self.token
        found = TOKEN.match(self.text, self.end)
        if found is None:
            rest = self.text[self.end :].lstrip()
            at = len(self.text) - len(rest) + 1
            instead = ", expected //" if rest[0] == "/" else " has no meaning here"
            raise ExpressionError(f"column {at}: {rest[0]!r}{instead}")
        self.token, self.at, self.end = found[1], found.start(1), found.end()
        return token

    def error(self, expected: str) -> ExpressionError:
        found = f"found {self.token!r}" if self.token else "the text ends"
        return ExpressionError(f"column {self.at + 1}: expected {expected}, {found}")

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.error(repr(token))
        self.advance()

    def sum(self) -> Expression:
        tree = self.product()
        while self.token in ("+", "-"):
            tree = Operation(self.advance(), (tree, self.product()))
        return tree

    def product(self) -> Expression:
        tree = self.sign()
        while self.token in ("*", "//", "%"):
            tree = Operation(self.advance(), (tree, self.sign()))
        return tree

    def sign(self) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f"column {self.at + 1}: nested more than {DEEPEST} deep")
        if self.token in ("+", "-"):
            symbol = self.advance()
            tree: Expression = Operation(symbol, (Number(0), self.sign()))
        else:
            tree = self.power()
        self.depth -= 1
        return tree

    def power(self) -> Expression:
        tree = self.atom()
        if self.token == "**":
            return Operation(self.advance(), (tree, self.sign()))
        return tree

    def atom(self) -> Expression:
        if self.token[:1].isdigit():
            if len(self.token) > LONGEST_NUMBER:
                raise ExpressionError(f"column {self.at + 1}: the number is too large")
            return Number(number(self.advance()))
        if self.token in FUNCTIONS:
            return self.function()
        if self.token == "(":
            self.advance()
            tree = self.sum()
            self.expect(")")
            return tree
        if self.token[:1].isalpha() or self.token[:1] in ("_", "$"):
            return Name(self.advance())
        raise self.error("a number, a name or '('")

    def function(self) -> Expression:
        name = self.advance()
        self.expect("(")
        operands = [self.sum()]
        while self.token == ",":
            self.advance()
            operands.append(self.sum())
        self.expect(")")
        return Operation(name, tuple(operands))


def number(token: str) -> int:
    """The value of a number with its unit, if it has one: ``0x40``, ``12``, ``48KiB``."""
    if token[:2].lower() == "0x":
        return int(token, 16)
    digits = token.rstrip("BGKMik ")
    return int(digits) * UNITS[token[len(digits) :].strip() or "B"]


# --- reading trees


def interval(tree: Expression, ranges: Callable[[str], Interval]) -> Interval:
    """The least and the greatest value, where ``ranges`` gives those of a name."""
    match tree:
        case Number(value):
            return value, value
        case Name(text):
            return ranges(text)
    low, high = combine(tree.symbol, [interval(operand, ranges) for operand in tree.operands])
    if max(-low, high) > LARGEST:
        raise ExpressionError("the value does not fit in 64 bits")
    return low, high


def combine(symbol: str, operands: list[Interval]) -> Interval:
    """One operation on intervals, by its corners: each is monotone where it is allowed."""
    if symbol in FUNCTIONS:
        function = FUNCTIONS[symbol]
        return function(low for low, _ in operands), function(high for _, high in operands)
    (a, b), (c, d) = operands
    if symbol == "+":
        return a + c, b + d
    if symbol == "-":
        return a - d, b - c
    if symbol == "*":
        corners = [x * y for x, y in product((a, b), (c, d))]
        return min(corners), max(corners)
    if symbol == "**":
        return power((a, b), (c, d))
    if c <= 0:
        raise ExpressionError(f"the right side of {symbol} must be positive, it may be {c}")
    if symbol == "//":
        quotients = [x // y for x, y in product((a, b), (c, d))]
        return min(quotients), max(quotients)
    if c == d and a // c == b // c:
        return a % c, b % c
    return 0, min(d - 1, b) if a >= 0 else d - 1


def power(base: Interval, exponent: Interval) -> Interval:
    (a, b), (c, d) = base, exponent
    if c != d or not 0 <= c <= 64:
        raise ExpressionError("the right side of ** must be one number from 0 to 64")
    corners = [a**c, b**c] + ([0] if a < 0 < b and c else [])
    return min(corners), max(corners)


def polynomial(tree: Expression) -> Polynomial | None:
    """Coefficients by the names they multiply, in order: ``4*n*n + 8`` is {(n, n): 4, (): 8}. None
    where the expression is no polynomial."""
    match tree:
        case Number(value):
            return {(): value} if value else {}
        case Name(text):
            return {(text,): 1}
    parts = [polynomial(operand) for operand in tree.operands]
    if tree.symbol not in ("+", "-", "*", "**") or None in parts:
        return None
    left, right = (part or {} for part in parts)
    if tree.symbol == "*":
        return times(left, right)
    if tree.symbol == "**":
        exponent = right.get((), 0)
        if not right.keys() <= {()} or not 0 <= exponent <= (64 if left.keys() <= {()} else 8):
            return None
        result: Polynomial = {(): 1}
        for _ in range(exponent):
            result = times(result, left)
        return result
    return plus(left, right, 1 if tree.symbol == "+" else -1)


def plus(left: Polynomial, right: Polynomial, sign: int = 1) -> Polynomial:
    result = Counter(left)
    for names, coefficient in right.items():
        result[names] += sign * coefficient
    return {names: c for names, c in result.items() if c}


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Counter[tuple[str, ...]] = Counter()
    for (a, x), (b, y) in product(left.items(), right.items()):
        result[tuple(sorted(a + b))] += x * y
    return {names: c for names, c in result.items() if c}
