"""The module level of PTX in pyparsing: headers, directives, declarations, sections.

The grammar is a constant: whatever belongs to one reading is in the ModuleText. After a word that
decides what an item is, ``-`` forbids turning back, so an error points at its cause. What may stand
in a body as well (declarations, parameters, pragmas) is written once, as recursive descent, and is
an element here through Descent; a body is one element, see ``body``. PTX ISA 9.4, "Directives".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace
from pyparsing import (
    DelimitedList,
    Empty,
    FollowedBy,
    Opt,
    ParseBaseException,
    ParseElementEnhance,
    ParseException,
    ParserElement,
    ParseResults,
    ParseSyntaxException,
    Regex,
    StringEnd,
    Token,
    ZeroOrMore,
)

from ptxlint.syntax import ast, lexical
from ptxlint.syntax.body import read_body, resume
from ptxlint.syntax.declarations import SPACES, attribute, parameters
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.items import (
    ITEM_WORDS,
    file_of,
    function,
    header_directive,
    linkages_of,
    module_variable,
    section,
)
from ptxlint.syntax.reader import Reader
from ptxlint.syntax.statements import pragma
from ptxlint.syntax.text import ModuleText


class Descent(Token):
    """A rule of the recursive descent as an element of the grammar; fails for good unless the text
    opens as it should."""

    def __init__(self, rule: Callable[[Reader], object], name: str, opens: str = "") -> None:
        super().__init__()
        self.rule = rule
        self.opens = opens
        self.set_name(name)

    def parseImpl(  # noqa: N802 (pyparsing's name)
        self, instring: str, loc: int, do_actions: bool = True
    ) -> tuple[int, Any]:
        if not instring.startswith(self.opens, loc):
            raise ParseException(instring, loc, self.errmsg, self)
        reader = Reader(instring, loc)
        try:
            value = self.rule(reader)
        except ParseError as failure:
            raise ParseSyntaxException(instring, failure.offset, failure.message, self) from None
        return reader.at, ParseResults([value])


class Body(Token):
    """``{ statements }``; yields a Scope. Its errors are recorded in the text."""

    def __init__(self) -> None:
        super().__init__()
        self.set_name("'{'")

    def parseImpl(  # noqa: N802 (pyparsing's name)
        self, instring: str, loc: int, do_actions: bool = True
    ) -> tuple[int, Any]:
        if not instring.startswith("{", loc):
            raise ParseException(instring, loc, self.errmsg, self)
        assert isinstance(instring, ModuleText)
        scope = read_body(instring, loc)
        return scope.end, ParseResults([scope])


class Recovering(ParseElementEnhance):
    """An item; or, if it fails, nothing, with the error recorded and the text up to the next item
    skipped."""

    def parseImpl(  # noqa: N802 (pyparsing's name)
        self, instring: str, loc: int, do_actions: bool = True
    ) -> tuple[int, Any]:
        loc = Reader(instring, loc).skip()
        if loc == len(instring):
            raise ParseException(instring, loc, "an item", self)
        assert isinstance(instring, ModuleText)
        try:
            return self.expr._parse(instring, loc, do_actions, callPreParse=False)
        except ParseBaseException as error:
            failure = _failure(instring, error)
        end = _after_item(instring, loc, failure.offset)
        if name := _function_name.search(instring, loc, end):
            instring.broken.add(name[1] or name[2])
        instring.record(failure)
        return end, ParseResults([])


_function_name = re.compile(
    rf"\.entry[ \t\r\n]++({lexical.NAME})"
    rf"|\.func[ \t\r\n]++(?:\([^()]*+\){lexical.SPACE})?({lexical.NAME})"
)


_closing = re.compile(rf"(?:\}}(?:{lexical.SPACE}\}})*+)?")


def _failure(text: str, error: ParseBaseException) -> ParseError:
    message = str(error.msg)
    if message.startswith("Expected "):
        return Reader(text, error.loc).failure(message.removeprefix("Expected "))
    return ParseError(error.loc, message)


def _after_item(text: str, start: int, failed: int) -> int:
    """Behind the semicolon or the block that ends a broken item, before the next function. Of
    braces in a row that close nothing, the first one is an error: the others follow from it."""
    found = _closing.match(text, resume(text, start, failed))
    assert found is not None
    return found.end()


def _dot(word: str) -> ParserElement:
    return Regex(rf"\.{word}\b").suppress().set_name(f"'.{word}'")


_raw_or_brace = re.compile(r"[{}]|\.source_begin\b(?s:.*?)(?:\.source_end\b|\Z)|\"[^\"\n]*+\"?")


def _intermediate(reader: Reader) -> ast.Section:
    """The 9.4 section of sources: braces count, but not in its raw text."""
    opened = reader.skip()
    reader.expect("{")
    depth = 1
    for mark in _raw_or_brace.finditer(reader.text, reader.at):
        depth += {"{": 1, "}": -1}.get(mark.group(), 0)
        if depth == 0:
            start, reader.at = reader.at, mark.end()
            text = reader.text[start : mark.start()].strip()
            return ast.Section(".nv_intermediate_source_section", text)
    raise ParseError(opened, "the '{' of .nv_intermediate_source_section is never closed")


def _placed(text: str, at: int, tokens: ParseResults) -> Any:
    return replace(tokens[0], offset=at)


def _directive(name: str, values: ParserElement) -> ParserElement:
    """A directive of the module whose values are the tokens of an element."""
    element = _dot(name) - values
    element.add_parse_action(lambda s, at, t: ast.Directive(name, tuple(t), at))
    return element


def _one(rule: Callable[[Reader], object], word: str, name: str) -> ParserElement:
    """``.word`` and a rule that yields a node without its place."""
    element = _dot(word) - Descent(rule, name)
    element.add_parse_action(_placed)
    return element


def _module() -> ParserElement:
    """Any number of items; yields the nodes of those without errors."""
    version = Regex(r"([0-9]+)\.([0-9]+)").set_name("a version such as 9.0")
    version.add_parse_action(lambda t: [int(number) for number in t[0].split(".")])
    target = Regex(r"[A-Za-z][A-Za-z0-9_]*").set_name("a target such as sm_90")
    size = Regex(r"32|64").set_name("32 or 64").add_parse_action(lambda t: int(t[0]))
    dwarf = Regex(r"@@DWARF(?P<line>[^\n]*+)")
    dwarf.add_parse_action(lambda s, at, t: ast.Section("@@DWARF", t["line"].strip(), at))
    name = Regex(lexical.NAME).set_name("a name")
    comma, semicolon = Regex(",").suppress(), Regex(";").suppress()
    alias = _dot("alias") - name - comma.set_name("','") - name - semicolon.set_name("';'")
    alias.add_parse_action(lambda s, at, t: ast.Alias(t[0], t[1], at))
    item = (
        FollowedBy(Regex(rf"\.(?:{'|'.join(sorted(SPACES))})\b"))
        + Descent(module_variable, "a directive")
        | _function()
        | _directive("version", version)
        | _directive("target", DelimitedList(target))
        | _directive("address_size", size)
        | _one(file_of, "file", "a file number")
        | _one(lambda reader: pragma(reader, 0), "pragma", "a string")
        | _one(section, "section", "the name of a section")
        | _one(_intermediate, "nv_intermediate_source_section", "'{'")
        | alias
        | dwarf
        | Descent(module_variable, "a directive")
    )
    return ZeroOrMore(Recovering(item)).parse_with_tabs().streamline()


def _function() -> ParserElement:
    attribute_list = _dot("attribute") + Descent(attribute, "'('")
    linkages = Descent(linkages_of, "a linkage")
    attributes = Opt(attribute_list, default=())
    name = Regex(lexical.NAME).set_name("the name of a function")
    formal = Opt(Descent(parameters, "parameters", opens="("), default=())
    item = Regex(ITEM_WORDS)
    directives = ZeroOrMore(~item + Descent(header_directive, "a directive", opens="."))
    directives.add_parse_action(_joined)
    declared = Regex(";") | FollowedBy(item | StringEnd())
    ending = Body() | declared.add_parse_action(lambda: [None])
    ending.set_name("'{' or ';'")
    none = Empty().add_parse_action(lambda: [()])
    entry = Regex(r"\.entry\b") - attributes - none - name - formal - directives - ending
    func = Regex(r"\.func\b") - attributes - formal - name - formal - directives - ending
    whole: ParserElement = linkages + (entry | func)
    return whole.add_parse_action(_function_node)


def _joined(tokens: ParseResults) -> list[tuple[Any, ...]]:
    return [tuple(tokens)]


def _function_node(text: str, at: int, tokens: ParseResults) -> ast.Function:
    assert isinstance(text, ModuleText)
    (linkage, before), kind, attributes, returns, name, formal, directives, body = tokens
    known = (*before, *attributes)
    return function(text, at, kind, name, formal, returns, linkage, directives, known, body)


module = _module()
