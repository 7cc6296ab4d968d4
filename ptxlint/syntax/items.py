"""The items of a module by recursive descent: what the grammar is made of, and modules as compilers
write them.

``items`` reads a text without errors whose items are the common ones; ``grammar`` reads all texts
and has all messages. Both give the same tree, which a test checks. Importing pyparsing and building
the grammar takes more time than a small kernel does otherwise. PTX ISA 9.4, "Directives".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from ptxlint.syntax import ast, lexical
from ptxlint.syntax.body import read_body
from ptxlint.syntax.declarations import LINKAGES, SPACES, attribute, parameters, variable
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.reader import Reader
from ptxlint.syntax.statements import pragma
from ptxlint.syntax.text import GaveUpError, ModuleText

_ITEMS = "entry func version target address_size file section alias nv_intermediate_source_section"
ITEM_WORDS = rf"\.(?:{'|'.join(sorted({*_ITEMS.split(), *LINKAGES, *SPACES}))})\b"
"""The words that an item of a module begins with."""
_item = re.compile(ITEM_WORDS)
_version = re.compile(r"[0-9]+\.[0-9]+")
_target = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_size = re.compile(r"32|64")


def items(text: ModuleText) -> list[ast.Item] | None:
    """The items of a module; None if the grammar must read it."""
    reader = Reader(text)
    found: list[ast.Item] = []
    try:
        while reader.skip() < len(text):
            found.append(_read_item(reader, text))
    except (ParseError, GaveUpError):
        return None
    return None if text.failures else found


def _read_item(reader: Reader, text: ModuleText) -> ast.Item:
    start, word = reader.at, reader.directive()
    rule = _RULES.get(word)
    if rule is not None:
        reader.at += len(word)
        return replace(rule(reader), offset=start)
    linkage, before = linkages_of(reader) if word[1:] not in SPACES else ((), ())
    kind = reader.directive()
    if kind not in (".entry", ".func"):
        reader.at = start
        return module_variable(reader)
    reader.at += len(kind)
    attributes = attribute(reader) if reader.accept_directive(".attribute") else ()
    returns = _formal(reader) if kind == ".func" else ()
    name, formal = reader.name(), _formal(reader)
    directives = []
    while reader.peek() == "." and not _item.match(text, reader.at):
        directives.append(header_directive(reader))
    body = None
    if reader.peek() == "{":
        body = read_body(text, reader.at)
        reader.at = body.end
    elif not reader.accept(";") and reader.at < len(text) and not _item.match(text, reader.at):
        raise reader.failure("'{' or ';'")
    known = (*before, *attributes)
    return function(
        text, start, kind, name, formal, returns, linkage, tuple(directives), known, body
    )


def _formal(reader: Reader) -> tuple[ast.Parameter, ...]:
    return parameters(reader) if reader.peek() == "(" else ()


def function(
    text: ModuleText,
    at: int,
    kind: str,
    name: str,
    formal: tuple[ast.Parameter, ...],
    returns: tuple[ast.Parameter, ...],
    linkage: tuple[str, ...],
    directives: tuple[ast.Directive, ...],
    attributes: tuple[str, ...],
    body: ast.Scope | None,
) -> ast.Function:
    """The function; a declaration if its body has an error."""
    if body is not None:
        text.definitions.append((name, at))
        if text.failures and text.failures[-1].offset > at:
            text.broken.add(name)
            body = None
    return ast.Function(
        kind == ".entry", name, formal, returns, linkage, directives, attributes, body, at
    )


def _directive(name: str, pattern: re.Pattern[str]) -> Callable[[Reader], ast.Directive]:
    """The rule of a directive of the module with one value."""

    def read(reader: Reader) -> ast.Directive:
        word = reader.match(pattern)
        if word is None:
            raise reader.failure("a value")
        return ast.Directive(name, tuple([int(number) for number in word.split(".")]))

    return read


def _targets(reader: Reader) -> ast.Directive:
    found: list[str] = []
    while not found or reader.accept(","):
        word = reader.match(_target)
        if word is None:
            raise reader.failure("a target")
        found.append(word)
    return ast.Directive("target", tuple(found))


# --- parts of the grammar


def linkages_of(reader: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """``.visible .attribute(.managed)``: linkages and attributes, often none."""
    linkages: list[str] = []
    attributes: list[str] = []
    while (word := reader.directive()[1:]) in LINKAGES or word == "attribute":
        reader.at += len(word) + 1
        if word == "attribute":
            attributes += attribute(reader)
        else:
            linkages.append(word)
    return tuple(linkages), tuple(attributes)


def header_directive(reader: Reader) -> ast.Directive:
    """A directive of a function header with its values."""
    start, word = reader.skip(), reader.directive()
    if not word:  # .0 is none, and to take nothing is to be asked for ever
        raise reader.failure("a directive")
    reader.at += len(word)
    values = () if reader.peek() in ("", "{", ";", ".", "(") else reader.listed(_value)
    if word == ".pragma":
        reader.accept(";")
    return ast.Directive(word[1:], values, offset=start)


def _value(reader: Reader) -> int | str:
    if reader.peek().isdigit():
        return reader.natural()
    return reader.match(lexical.string) or reader.name("an integer, '{' or ';'")


def file_of(reader: Reader) -> ast.File:
    index = reader.natural("a file number")
    names = [reader.string()]
    while reader.peek() == '"':
        names.append(reader.string())
    stamp = reader.listed(Reader.natural) if reader.accept(",") else ()
    return ast.File(index, tuple(names), stamp)


def section(reader: Reader) -> ast.Section:
    name = reader.directive() or reader.name("the name of a section")
    if name[0] == ".":
        reader.at += len(name)
    opened = reader.skip()
    reader.expect("{")
    end = reader.text.find("}", reader.at)
    if end < 0:
        raise ParseError(opened, f"the '{{' of section {name} is never closed")
    start, reader.at = reader.at, end + 1
    return ast.Section(name, reader.text[start:end].strip())


def module_variable(reader: Reader) -> ast.Variable:
    return variable(reader, "a directive such as .entry, .func or .global")


_RULES: dict[str, Callable[[Reader], ast.Directive | ast.File | ast.Pragma | ast.Section]] = {
    ".version": _directive("version", _version),
    ".target": _targets,
    ".address_size": _directive("address_size", _size),
    ".file": file_of,
    ".pragma": lambda reader: pragma(reader, 0),
    ".section": section,
}
