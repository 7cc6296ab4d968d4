"""Sizes as a user writes them: ``4*n``, ``48KiB``, ``4*(rows + 2)*min(pitch, 4096)``.

A recursive descent parser, and three readings of its trees: as a number; in interval arithmetic,
over the ranges that the names have; and as a polynomial, which keeps what intervals forget: that
the extent and the index it bounds speak of the same ``n``. All numbers are integers; ``//`` rounds
down. Conditions compare expressions: ``0 < n <= 4096 and n % 4 == 0``.

    all     = chain {"and" chain}
    chain   = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum {... sum}
    sum     = product {("+" | "-") product}
    product = sign {("*" | "//" | "%") sign}
    sign    = ["-" | "+"] sign | power
    power   = atom ["**" sign]
    atom    = number [unit] | name | ("min" | "max") "(" sum {"," sum} ")" | "(" sum ")"
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import HIGHEST_EXPONENT

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}
UNIT_LIKE = re.compile(r"[KMGk]i?|[KMGkmg]i?[Bb]")
FUNCTIONS = {"min": min, "max": max}
DEEPEST = 50  # levels of brackets
LONGEST = 4000  # characters
TALLEST = 200  # operations, of which each is an operand of the next
LONGEST_NUMBER = 30
LARGEST = 2**64
HUGE = 2**4096  # beyond it numbers take long
HIGHEST_POWER = 8  # of a polynomial
TOKEN = re.compile(
    r"\s*(0[xX][0-9a-fA-F]+|[0-9]+(?:\s*(?:[KMG]iB|[kMG]?B)\b)?|[A-Za-z_$][\w$.]*"
    r"|\*\*|//|<=|>=|==|!=|[-+*%(),<>]|$)"
)
RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

Interval = tuple[int, int]


Named = Callable[[str], Polynomial | None]
Combined = Callable[[str, list[Polynomial]], Polynomial | None]


class ExpressionError(ValueError):
    """A syntax error: what was found, where (columns count from 1), and what was expected."""


class DivisorError(ExpressionError):
    """A divisor that may be zero or negative."""


class Number(Struct, frozen=True, tag=True):
    value: int


class Identifier(Struct, frozen=True, tag=True):
    text: str


class Operation(Struct, frozen=True, tag=True):
    symbol: str
    operands: tuple[Expression, ...]


Expression = Number | Identifier | Operation


class Condition(Struct, frozen=True):
    """``left <= right``, or with another of RELATIONS."""

    left: Expression
    relation: str
    right: Expression

    def holds(self, of: Callable[[str], int]) -> bool:
        """Raises ExpressionError where a side has no value."""
        return RELATIONS[self.relation](value(self.left, of), value(self.right, of))

    @property
    def names(self) -> frozenset[str]:
        return names(self.left) | names(self.right)

    def renamed(self, to: Callable[[str], str]) -> Condition:
        return Condition(renamed(self.left, to), self.relation, renamed(self.right, to))


# --- reading text


def parse(text: str) -> Expression:
    """The tree of an expression. Raises ExpressionError."""
    reader = _Reader(text)
    tree = reader.sum()
    if reader.token:
        raise reader.error("an operator or the end")
    low(tree)
    return tree


def conditions(text: str) -> tuple[Condition, ...]:
    """A conjunction of conditions. Raises ExpressionError."""
    reader = _Reader(text)
    found = reader.chain()
    while reader.token == "and":
        reader.advance()
        found += reader.chain()
    if reader.token:
        raise reader.error("an operator, 'and' or the end")
    for condition in found:
        for side in (condition.left, condition.right):
            low(side)
            has_value(side)
    return tuple(found)


def has_value(tree: Expression) -> bool:
    """True if it is made of numbers alone. Raises ExpressionError for a part that is, and has no
    value: a condition with it would be one that no launch meets."""
    match tree:
        case Number():
            return True
        case Identifier():
            return False
    alone = [has_value(operand) for operand in tree.operands]
    if all(alone):
        interval(tree, lambda word: (0, 0), HUGE)
    return all(alone)


def low(tree: Expression) -> None:
    """Raises ExpressionError for a tree that is too tall for the readings below, which recurse."""
    level, height = [tree], 0
    while level:
        height += 1
        level = [below for one in level if isinstance(one, Operation) for below in one.operands]
    if height > TALLEST:
        raise ExpressionError(f"more than {TALLEST} operations in a row")


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
            hint = {"/": ", expected //", "=": ", expected =="}
            instead = hint.get(rest[0], " has no meaning here")
            raise ExpressionError(f"column {at}: {rest[0]!r}{instead}")
        self.token, self.at, self.end = found[1], found.start(1), found.end()
        return token

    def error(self, expected: str) -> ExpressionError:
        found = f"found {self.token!r}" if self.token else "the text ends"
        if UNIT_LIKE.fullmatch(self.token):
            expected = f"a unit ({', '.join(UNITS)})"
        return ExpressionError(f"column {self.at + 1}: expected {expected}, {found}")

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.error(repr(token))
        self.advance()

    def chain(self) -> list[Condition]:
        sides, relations = [self.sum()], []
        while self.token in RELATIONS:
            relations.append(self.advance())
            sides.append(self.sum())
        if not relations:
            raise self.error(f"a comparison ({' '.join(RELATIONS)})")
        return [Condition(sides[i], relation, sides[i + 1]) for i, relation in enumerate(relations)]

    def sum(self) -> Expression:
        tree = self.product()
        while self.token in ("+", "-"):
            tree = Operation(self.advance(), (tree, self.product()))
        return tree

    def product(self) -> Expression:
        tree = self.sign()
        while self.token in ("*", "//", "%"):
            symbol, at = self.advance(), self.at
            tree = Operation(symbol, (tree, self.sign()))
            if symbol != "*" and tree.operands[1] == Number(0):
                raise ExpressionError(f"column {at + 1}: the right side of {symbol} is 0")
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
            return Identifier(self.advance())
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


def names(tree: Expression) -> frozenset[str]:
    match tree:
        case Number():
            return frozenset()
        case Identifier(text):
            return frozenset([text])
    return frozenset[str]().union(*map(names, tree.operands))


def renamed(tree: Expression, to: Callable[[str], str]) -> Expression:
    match tree:
        case Number():
            return tree
        case Identifier(text):
            return Identifier(to(text))
    return Operation(tree.symbol, tuple(renamed(operand, to) for operand in tree.operands))


def value(tree: Expression, of: Callable[[str], int]) -> int:
    """The number, where ``of`` gives that of a name. Raises ExpressionError."""
    match tree:
        case Number(number):
            return number
        case Identifier(text):
            return of(text)
    parts = [value(operand, of) for operand in tree.operands]
    if tree.symbol == "+":
        return parts[0] + parts[1]
    if tree.symbol == "*":
        return parts[0] * parts[1]
    return combine(tree.symbol, [(part, part) for part in parts])[0]


def interval(
    tree: Expression, ranges: Callable[[str], Interval], largest: float = LARGEST
) -> Interval:
    """The least and the greatest value, where ``ranges`` gives those of a name."""
    match tree:
        case Number(value):
            return value, value
        case Identifier(text):
            return ranges(text)
    low, high = combine(
        tree.symbol, [interval(operand, ranges, largest) for operand in tree.operands]
    )
    if max(-low, high) > largest:
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
        raise DivisorError(f"the right side of {symbol} must be positive, it may be {c}")
    if symbol == "//":
        quotients = [x // y for x, y in product((a, b), (c, d))]
        return min(quotients), max(quotients)
    if c == d and a // c == b // c:
        return a % c, b % c
    return 0, min(d - 1, b) if a >= 0 else d - 1


def power(base: Interval, exponent: Interval) -> Interval:
    (a, b), (c, d) = base, exponent
    if not 0 <= c <= d <= HIGHEST_EXPONENT or (c < d and a < 1):
        raise ExpressionError("the right side of ** must be a number from 0 to 64")
    corners = [a**c, b**d] + ([0] if a < 0 < b and c else [])
    return min(corners), max(corners)


def polynomial(tree: Expression, named: Named, combined: Combined) -> Polynomial | None:
    """What the tree is where ``named`` says what names are, and ``combined`` what becomes of parts
    under ``//``, ``**`` by no number, ``min`` and ``max``. None where either does not know."""
    match tree:
        case Number(number):
            return Polynomial.of(number)
        case Identifier(text):
            return named(text)
    parts = [p for o in tree.operands if (p := polynomial(o, named, combined)) is not None]
    if len(parts) < len(tree.operands):
        return None
    match tree.symbol:
        case "+":
            return parts[0] + parts[1]
        case "-":
            return parts[0] - parts[1]
        case "*":
            return parts[0] * parts[1]
        case "%":
            quotient = combined("//", parts)
            return None if quotient is None else parts[0] - parts[1] * quotient
        case "**":
            if parts[1].constant is None:
                return combined("**", parts)
            return powered(parts[0], parts[1].constant)
    return combined(tree.symbol, parts)


def powered(base: Polynomial, exponent: int | None) -> Polynomial | None:
    most = 64 if base.constant is not None else HIGHEST_POWER
    if exponent is None or not 0 <= exponent <= most:
        return None
    result = Polynomial.of(1)
    for _ in range(exponent):
        result = result * base
    return result


def known(condition: Condition, named: Named, combined: Combined) -> Iterator[Polynomial]:
    """Polynomials that are not negative where the condition holds."""
    left = polynomial(condition.left, named, combined)
    right = polynomial(condition.right, named, combined)
    if left is None or right is None:
        return
    if condition.relation in ("<=", "<", "=="):
        yield right - left - (condition.relation == "<")
    if condition.relation in (">=", ">", "=="):
        yield left - right - (condition.relation == ">")
