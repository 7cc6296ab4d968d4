"""Operands: registers, symbols, constants, vectors, addresses, pairs, arguments of calls.

What an operand may be depends on its first character only, except that ``(`` opens arguments in a
call and a constant expression elsewhere. PTX ISA 9.4, "Instruction operands".
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from ptxlint.syntax import lexical
from ptxlint.syntax.ast import (
    Address,
    Arguments,
    Element,
    Float,
    Minus,
    Name,
    Negated,
    Operand,
    Pair,
    SymbolOffset,
    Vector,
)
from ptxlint.syntax.constants import MULTIPLICATIVE, constant, integer
from ptxlint.syntax.reader import Reader


def operand(reader: Reader, call: bool = False) -> Operand:
    """One operand; ``call`` says that a parenthesis opens arguments."""
    match reader.peek():
        case "[":
            return _address(reader)
        case "{":
            return _paired(reader, Vector(_listed(reader, "{", "}")))
        case "(" if call:
            return Arguments(_listed(reader, "(", ")"))
        case "!" | "-":
            return _negated(reader)
    start = reader.at
    word = reader.match(lexical.name)
    if word is None:
        if reader.text[start : start + 1] not in tuple("0123456789.-+~("):
            raise reader.failure("an operand")
        return constant(reader)
    if word == "WARP_SZ":
        reader.at = start
        return constant(reader)
    return _named(reader, word)


def operands(reader: Reader, call: bool, closing: str) -> tuple[Operand, ...]:
    """A list of operands; does not take the closing mark."""
    found = [operand(reader, call)]
    while reader.accept(","):
        found.append(operand(reader, call))
    if reader.peek() != closing:
        raise reader.failure(f"',' or {closing!r}")
    return tuple(found)


def symbol(reader: Reader, word: str) -> Name | SymbolOffset:
    """``sym``, ``sym+4``, ``generic(sym)+4`` once its first word is read."""
    generic = word == "generic" and reader.accept("(")
    if generic:
        word = reader.name()
        reader.expect(")")
    offset = _offset(reader)
    if generic or offset is not None:
        return SymbolOffset(word, offset or 0, generic)
    return Name(word)


def _offset(reader: Reader) -> int | None:
    """``+4-8*2``: the sum of the constants behind a base; None when there are none."""
    total = None
    while (sign := reader.peek()) in ("+", "-") and sign:
        reader.at += 1
        word = lexical.name.match(reader.text, reader.skip())
        if word is not None and word.group() != "WARP_SZ":
            raise reader.failure("a constant offset")
        term = integer(reader, MULTIPLICATIVE)
        total = (total or 0) + (term if sign == "+" else -term)
    return total


def _named(reader: Reader, word: str) -> Operand:
    after = reader.peek()
    if after == "." and (tail := reader.match(lexical.member)):
        word += tail
        after = reader.peek()
    if after == "[":
        return Element(word, _index(reader))
    if after == "|":
        return _paired(reader, Name(word))
    return symbol(reader, word) if after in ("+", "-", "(") and after else Name(word)


def _index(reader: Reader) -> Operand:
    reader.expect("[")
    reader.deeper()
    index = operand(reader)
    reader.depth -= 1
    reader.expect("]")
    return index


def _paired(reader: Reader, first: Operand) -> Operand:
    if not reader.accept("|"):
        return first
    word = reader.name("a predicate")
    return Pair(first, Name(word))


def _negated(reader: Reader) -> Operand:
    """``!p``, ``-r`` or a constant with a sign."""
    start = reader.at
    minus = reader.text.startswith("-", start)
    reader.at += 1
    word = reader.match(lexical.name)
    if word is None or word == "WARP_SZ":
        reader.at = start
        return constant(reader)
    if not minus:
        return Negated(Name(word))
    tail = reader.match(lexical.member) if reader.peek() == "." else None
    return Minus(Name(word + (tail or "")))


def _listed(reader: Reader, opening: str, closing: str) -> tuple[Operand, ...]:
    reader.expect(opening)
    if reader.accept(closing):
        return ()
    reader.deeper()
    found = operands(reader, False, closing)
    reader.depth -= 1
    reader.expect(closing)
    return found


def _address(reader: Reader) -> Address:
    reader.expect("[")
    reader.deeper()
    base = operand(reader)
    offset = 0
    if isinstance(base, Pair | Negated | Minus | Vector | Float | Arguments):
        raise reader.failure("an address of one register, symbol or constant")
    match base:
        case SymbolOffset(name, offset, False):
            base = Name(name)
        case SymbolOffset():
            offset, base = base.offset, replace(base, offset=0)
        case Element():
            offset = _offset(reader) or 0
    rest: tuple[Operand, ...] = ()
    if reader.accept(","):
        rest = operands(reader, False, "]")
    reader.expect("]", "'+', ',' or ']'" if not rest else "']'")
    reader.depth -= 1
    if reader.peek() == "." and reader.accept_directive(".unified"):
        return Address(base, offset, rest, unified=True)
    return Address(base, offset, rest)


_plain = re.compile(rf"({lexical.NAME})|\[({lexical.NAME})(?:\+(-?(?:0|[1-9][0-9]{{0,17}})))?\]")


def whole(text: str) -> Operand:
    """The operand that a piece of text is."""
    plain = _plain.fullmatch(text)
    if plain is not None and "WARP_SZ" not in text:  # nearly always, and ten times as fast
        word, base, offset = plain.groups()
        return Name(word) if word else Address(Name(base), int(offset or 0))
    reader = Reader(text)
    result = operand(reader)
    if reader.skip() != len(text):
        raise reader.failure("one operand")
    return result
