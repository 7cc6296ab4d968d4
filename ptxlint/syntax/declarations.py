"""Declarations of variables and parameters: they occur in a module, a header, and a body.

A long flat initialiser (100 kB tables are common) is checked by one regular expression and kept as
text, which ``initial_values`` parses on demand. PTX ISA 9.4, "Variables".
"""

from __future__ import annotations

import re

from ptxlint.syntax import lexical
from ptxlint.syntax.ast import (
    Declarator,
    Initial,
    Integer,
    Name,
    Parameter,
    SymbolOffset,
    Variable,
)
from ptxlint.syntax.constants import PRECEDENCE, constant, integer
from ptxlint.syntax.operands import symbol
from ptxlint.syntax.reader import Reader

SPACES = frozenset(["reg", "sreg", "const", "global", "local", "param", "shared", "tex"])
LINKAGES = frozenset(["visible", "extern", "weak", "common"])
VECTORS = frozenset(["v2", "v4", "v8"])
KEPT_AS_TEXT = 1000
"""A flat initialiser of more characters than this, without spaces, is not taken apart."""

_VALUE = r"-?[0-9][0-9A-Za-z]*+"
_flat = re.compile(rf"\{{([ \t\r\n]*+{_VALUE}(?:{lexical.SPACE},{lexical.SPACE}{_VALUE})*)\s*+\}}")


def variable(reader: Reader, expected: str = "a state space such as .global") -> Variable:
    """A declaration with its semicolon."""
    start = reader.skip()
    linkage: list[str] = []
    attributes: list[str] = []
    space, align, vector = "", None, None
    while True:
        word = reader.directive()[1:]
        reader.at += len(word) + 1
        if word in LINKAGES:
            linkage.append(word)
        elif word == "attribute":
            attributes += attribute(reader)
        elif word == "align":
            align = reader.natural()
        elif word in VECTORS and space:
            vector = word
        elif word in SPACES and not space:
            space = word
        elif word and space:
            break
        else:
            reader.at -= len(word) + 1
            raise reader.failure("a type" if space else expected)
    declarators = reader.listed(declarator)
    reader.expect(";", "',' or ';'" if declarators[-1].initial is None else "';'")
    return Variable(
        space,
        word,
        declarators,
        align,
        vector,
        tuple(linkage),
        tuple(attributes),
        offset=start,
    )


def attribute(reader: Reader) -> tuple[str, ...]:
    """``(.managed)``, ``(.unified(1, 2))`` after ``.attribute``, without dots and spaces."""
    reader.expect("(")
    found = reader.listed(_attribute)
    reader.expect(")", "',' or ')'")
    return found


def _attribute(reader: Reader) -> str:
    word = reader.directive()
    if not word:
        raise reader.failure("an attribute such as .managed")
    reader.at += len(word)
    if reader.accept("("):
        word += f"({','.join(map(str, reader.listed(Reader.natural)))})"
        reader.expect(")")
    return word[1:]


def declarator(reader: Reader) -> Declarator:
    name = reader.name()
    count = None
    if reader.accept("<"):
        count = integer(reader, PRECEDENCE["+"])
        reader.expect(">")
    shape = _shape(reader)
    initial = initialiser(reader) if reader.accept("=") else None
    return Declarator(name, count, shape, initial)


def _shape(reader: Reader) -> tuple[int | None, ...]:
    shape: list[int | None] = []
    while reader.accept("["):
        shape.append(None if reader.peek() == "]" else integer(reader))
        reader.expect("]")
    return tuple(shape)


def initialiser(reader: Reader) -> Initial:
    """A constant, a symbol, or a list of them in braces."""
    if reader.peek() != "{":
        return _initial_value(reader)
    flat = _flat.match(reader.text, reader.at)
    if flat is not None and flat.end() - flat.start() > KEPT_AS_TEXT:
        text = "".join(flat[1].split())
        if len(text) > KEPT_AS_TEXT:
            reader.at = flat.end()
            return text
    reader.expect("{")
    reader.deeper()
    values = []
    if reader.peek() != "}":
        values.append(initialiser(reader))
        while reader.accept(","):
            values.append(initialiser(reader))
    reader.depth -= 1
    reader.expect("}", "',' or '}'")
    return tuple(values)


def _initial_value(reader: Reader) -> Initial:
    start = reader.skip()
    word = reader.match(lexical.name)
    if word is not None and word != "WARP_SZ":
        return symbol(reader, word)
    reader.at = start
    value = constant(reader)
    if not (isinstance(value, Integer) and value.value >= 0 and reader.accept("(")):
        return value
    if (word := reader.match(lexical.name)) is None:  # 0xFF(0x1234): a byte of a constant
        inner: Name | SymbolOffset = SymbolOffset("", integer(reader))
    else:
        inner = symbol(reader, word)
    reader.expect(")")
    if isinstance(inner, Name):
        return SymbolOffset(inner.text, mask=value.value)
    return SymbolOffset(inner.name, inner.offset, inner.generic, value.value)


def initial_values(declarator: Declarator) -> tuple[Initial, ...]:
    """The initial values of a variable, nested as they are written; empty when there are none."""
    initial = declarator.initial
    if initial is None:
        return ()
    if isinstance(initial, str):
        return tuple([constant(Reader(word)) for word in initial.split(",")])
    return initial if isinstance(initial, tuple) else (initial,)


def parameters(reader: Reader) -> tuple[Parameter, ...]:
    """A list of formal parameters in parentheses."""
    reader.expect("(")
    if reader.accept(")"):
        return ()
    found = reader.listed(parameter)
    reader.expect(")", "',' or ')'")
    return found


def parameter(reader: Reader) -> Parameter:
    start = reader.skip()
    space = reader.directive()[1:]
    if space not in ("param", "reg"):
        raise reader.failure("a parameter (.param or .reg)")
    reader.at += len(space) + 1
    align, vector, kind = None, None, ""
    while not kind:
        word = reader.directive()[1:]
        if not word:
            raise reader.failure("a type")
        reader.at += len(word) + 1
        if word == "align":
            align = reader.natural()
        elif word in VECTORS:
            vector = word
        else:
            kind = word
    pointer, pointer_space, pointer_align = _pointer(reader)
    return Parameter(
        space,
        kind,
        reader.name(),
        align,
        vector,
        pointer,
        pointer_space,
        pointer_align,
        _shape(reader),
        offset=start,
    )


def _pointer(reader: Reader) -> tuple[bool, str | None, int | None]:
    """``.ptr .global .align 16``: whether it is there, the space, the alignment."""
    if not reader.accept_directive(".ptr"):
        return False, None, None
    space = align = None
    while word := reader.directive():
        if word[1:] not in ("const", "global", "local", "shared", "param", "align"):
            raise reader.failure("a state space or .align")
        reader.at += len(word)
        if word == ".align":
            align = reader.natural()
        else:
            space = word[1:]
    return True, space, align
