"""Function bodies, each one token of the grammar.

pyparsing spends ten microseconds on every element it matches, ptxas forty on a whole instruction.
So the body is one element, and its statements are read by one regular expression each: instruction,
label, .loc, brace. Other statements go to ``statements``, which has the whole grammar and all error
messages. Both give the same tree, which a test checks.

After an error parsing resumes after the next ``;`` or before the ``}`` that closes the block, so
that all errors are reported; the body then counts as broken.
"""

from __future__ import annotations

import re

from ptxlint.syntax.ast import Instruction, Label, Loc, Scope, Statement
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.lexical import MODIFIER, NAME, SPACE
from ptxlint.syntax.reader import DEPTH, Reader
from ptxlint.syntax.statements import statement
from ptxlint.syntax.text import ModuleText

_PLAIN = r"[^;:{}(\"]*+"
"""Operands without parentheses and braces; the cache of operands refuses what is none."""

_DECIMAL = r"(?:0|[1-9][0-9]{0,17}+)(?![0-9A-Za-z_$.])[ \t]*+"

_statement = re.compile(
    rf"""{SPACE}(?:
    (@!?{NAME}[ \t]++)?
    ([a-z][a-z0-9_]*+(?![A-Z$%])(?:{MODIFIER})*)
    [ \t]*+ ({_PLAIN}(?:\{{{_PLAIN}\}}{_PLAIN})*+) ;
    | ({NAME})[ ]*+:(?!{SPACE}\.(?:call|branch))
    | (\.loc[ \t]++ {_DECIMAL}{_DECIMAL}{_DECIMAL} (?:(?!{SPACE},)
        | ,[ ]*+function_name[ ]++ {NAME}(?:\+(?:0|[1-9][0-9]*+)(?![0-9A-Za-z_$.]))?[ ]*+
          ,[ ]*+inlined_at[ ]++ {_DECIMAL}{_DECIMAL}{_DECIMAL}))
    | ([{{}}])
    )""",
    re.VERBOSE,
)
_INSTRUCTION, _LABEL, _LOC, _BRACE = 3, 4, 5, 6
_FUNCTION = r"\.(?:(?:visible|extern|weak|common)[ \t\r\n]++\.){0,4}(?:entry|func)\b"
_function = re.compile(_FUNCTION)
_stops = re.compile(rf'[;{{}}]|"[^"\n]*+"?|{_FUNCTION}')


def read_body(text: ModuleText, start: int) -> Scope:
    """The scope that opens at ``start``."""
    blocks: list[tuple[int, list[Statement]]] = []
    opened, statements = start, list[Statement]()
    at = start + 1
    next_statement, places = _statement.match, text.places
    opcodes, guards, listed = text.opcodes, text.guards, text.operands.listed
    while True:
        match = next_statement(text, at)
        kind = match.lastindex if match is not None else None
        if match is None or kind is None:
            if _ends_early(text, at, opened):
                break
            at = _read_slowly(text, at, statements)
            continue
        start_of_match, at = at, match.end()
        if kind == _INSTRUCTION:
            guard, opcode, operands = match.group(1, 2, 3)
            try:
                found = listed(operands) if operands else ()
            except ParseError:
                at = _read_slowly(text, start_of_match, statements)  # which knows the place
                continue
            by, first = (guards[guard], match.start(1)) if guard else (None, match.start(2))
            statements.append(Instruction(*opcodes[opcode], found, by, first))
        elif kind == _LOC:
            file, line, column, call = places[match.group(_LOC)]
            statements.append(Loc(file, line, column, call, False, match.start(_LOC)))
        elif kind == _LABEL:
            statements.append(Label(match.group(_LABEL), match.start(_LABEL)))
        elif match.group(_BRACE) == "{":
            blocks.append((opened, statements))
            opened, statements = match.start(_BRACE), []
            if len(blocks) >= DEPTH:
                at = _too_deep(text, opened)
        elif blocks:
            scope = Scope(tuple(statements), opened, at)
            opened, statements = blocks.pop()
            statements.append(scope)
        else:
            break
    return Scope(tuple(blocks[0][1] if blocks else statements), start, at)


def _read_slowly(text: ModuleText, at: int, statements: list[Statement]) -> int:
    """Parses one statement by recursive descent, or records the error; returns where to resume."""
    reader = Reader(text, at)
    start = reader.skip()
    try:
        statements.append(statement(reader))
    except ParseError as failure:
        text.record(failure)
        return resume(text, start, failure.offset)
    return reader.at


def _ends_early(text: ModuleText, at: int, opened: int) -> bool:
    """True, and recorded as an error, if the text or the function ends before the closing brace."""
    reader = Reader(text, at)
    start = reader.skip()
    if start < len(text) and not _function.match(text, start):
        return False
    if not text.failures or text.failures[-1].offset < start:
        failure = reader.failure("'}'")
        text.record(ParseError(start, failure.message, ("the block opens", opened)))
    return True


def _too_deep(text: ModuleText, brace: int) -> int:
    text.record(ParseError(brace, f"blocks nested more than {DEPTH} deep"))
    depth = 0
    for stop in _stops.finditer(text, brace):
        depth += {"{": 1, "}": -1}.get(stop.group(), 0)
        if depth == 0:
            return stop.start()
        if stop.group()[0] == ".":
            return stop.start()
    return len(text)


def resume(text: str, start: int, failed: int) -> int:
    """Where to resume after an error in the statement from ``start``: after its semicolon, before
    the brace that closes the block, or before the next function."""
    within = later = 0
    statement_inside = False
    for stop in _stops.finditer(text, start):
        mark, at = stop.group()[0], stop.start()
        if at < failed:
            within += (mark == "{") - (mark == "}")
        elif mark == "." and at > start:
            return at
        elif mark == "{":
            later += 1
        elif mark == ";":
            if later == 0:
                return stop.end()
            statement_inside = True
        elif mark == "}" and later:
            later -= 1
            if statement_inside and not later:
                return stop.end()
        elif mark == "}" and within:
            within -= 1
        elif mark == "}":
            return at
    return len(text)
