"""Statements of a function body by recursive descent: the whole grammar, and all error messages.

``body`` reads most statements by one regular expression each and comes here with the rest; both
give the same tree. A block is not a statement here, ``body`` opens and closes those. PTX ISA 9.4,
"Statements" and "Directives"; which spellings ptxas takes was tried on ptxas 13.0.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlint.syntax import lexical
from ptxlint.syntax.ast import (
    CallPrototype,
    Directive,
    GuardPredicate,
    InlinedAt,
    Instruction,
    Label,
    Loc,
    Operand,
    Pragma,
    Statement,
    Targets,
)
from ptxlint.syntax.declarations import LINKAGES, SPACES, parameters, variable
from ptxlint.syntax.operands import operands
from ptxlint.syntax.reader import Reader


def statement(reader: Reader) -> Statement:
    """The statement that comes next; not a block."""
    start = reader.skip()
    word = reader.directive()
    if word:
        return _directive(reader, word)
    if reader.accept("@"):
        negated = reader.accept("!")
        return instruction(reader, GuardPredicate(reader.name("a predicate"), negated), start)
    name = reader.match(lexical.name)
    if name is None:
        raise reader.failure("a statement")
    if not reader.accept(":"):
        reader.at = start
        return instruction(reader, None, start)
    tail = _LABELLED.get(reader.directive())
    return Label(name, offset=start) if tail is None else tail(reader, name, start)


def instruction(reader: Reader, guard: GuardPredicate | None, start: int) -> Instruction:
    """Opcode, modifiers, operands and semicolon."""
    opcode = reader.match(lexical.opcode)
    if opcode is None:
        raise reader.failure("an instruction")
    modifiers = []
    while reader.peek() == "." and (word := reader.match(lexical.modifier)):
        modifiers.append(word[1:])
    found: tuple[Operand, ...] = ()
    if not reader.accept(";"):
        found = operands(reader, opcode == "call", ";")
        reader.expect(";")
    return Instruction(opcode, tuple(modifiers), found, guard, start)


def _directive(reader: Reader, word: str) -> Statement:
    start = reader.at
    read = _DIRECTIVES.get(word)
    if read is not None:
        reader.at += len(word)
        return read(reader, start)
    if word[1:] in SPACES or word[1:] in LINKAGES or word in (".align", ".attribute"):
        return variable(reader)
    if word in _LABELLED:
        raise reader.failure(f"a label before {word}")
    raise reader.failure("a statement")


def pragma(reader: Reader, start: int) -> Pragma:
    """The rest of a ``.pragma``, with its semicolon."""
    strings = reader.listed(Reader.string)
    reader.expect(";", "',' or ';'")
    return Pragma(strings, offset=start)


def _loc(reader: Reader, start: int) -> Loc:
    place = _place(reader)
    inlined_at = None
    if reader.accept(","):
        reader.keyword("function_name")
        function = reader.name() if reader.peek() != "." else _section_name(reader)
        if reader.accept("+"):
            function += f"+{reader.natural()}"
        reader.expect(",")
        reader.keyword("inlined_at")
        inlined_at = InlinedAt(*_place(reader), function)
    return Loc(*place, inlined_at, offset=start)


def _intermediate_loc(reader: Reader, start: int) -> Loc:
    return Loc(*_place(reader), intermediate=True, offset=start)


def _place(reader: Reader) -> tuple[int, int, int]:
    file = reader.natural("a file number")
    return file, reader.natural("a line number"), reader.natural("a column number")


def _section_name(reader: Reader) -> str:
    word = reader.directive()
    reader.at += len(word)
    return word


def _targets(kind: str) -> Callable[[Reader, str, int], Targets]:
    def read(reader: Reader, label: str, start: int) -> Targets:
        reader.accept_directive(f".{kind}")
        names = reader.listed(Reader.name)
        reader.expect(";", "',' or ';'")
        return Targets(label, kind, names, offset=start)

    return read


def _call_prototype(reader: Reader, label: str, start: int) -> CallPrototype:
    reader.accept_directive(".callprototype")
    returns = parameters(reader) if reader.peek() == "(" else ()
    reader.keyword("_")
    formal = parameters(reader) if reader.peek() == "(" else ()
    directives = []
    while word := reader.directive():
        at = reader.at
        reader.at += len(word)
        values = (reader.natural(),) if reader.peek().isdigit() else ()
        directives.append(Directive(word[1:], values, offset=at))
    reader.expect(";")
    return CallPrototype(label, returns, formal, tuple(directives), offset=start)


_DIRECTIVES: dict[str, Callable[[Reader, int], Statement]] = {
    ".loc": _loc,
    ".loc_intermediate": _intermediate_loc,
    ".pragma": pragma,
}
_LABELLED: dict[str, Callable[[Reader, str, int], Statement]] = {
    ".branchtargets": _targets("branchtargets"),
    ".calltargets": _targets("calltargets"),
    ".callprototype": _call_prototype,
}
