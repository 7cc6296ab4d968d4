"""The text of one module and its parsing state.

pyparsing passes each element the text and nothing else, so the state travels with the text: errors,
and the cache of operands, opcodes and guards. Half of a module's operands occur before; caching
makes parsing a third faster and the tree smaller.
"""

from __future__ import annotations

import re

from ptxlint.syntax.ast import GuardPredicate, InlinedAt, Operand
from ptxlint.syntax.errors import ParseError
from ptxlint.syntax.lexical import NAME, SPACE
from ptxlint.syntax.operands import whole

GIVE_UP_AFTER = 1000
"""Errors after which reading stops: what has so many is not PTX."""


class GaveUpError(Exception):
    """Too many errors."""


_ATOM = rf"!?(?:{NAME}(?:\.[A-Za-z0-9_]++)?(?:\|{NAME})?|-?[0-9][0-9A-Za-z]*+)"
_OPERAND = (
    rf"(?:{_ATOM}"
    rf"|\[[ ]*+{NAME}(?:[ ]*+\+[ ]*+-?[0-9][0-9A-Za-z]*+)?[ ]*+\]"
    rf"|\{{[ ]*+{_ATOM}(?:[ ]*+,{SPACE}{_ATOM})*[ ]*+\}})"
)
_operand = re.compile(_OPERAND)
_operands = re.compile(rf"{_OPERAND}(?:{SPACE},{SPACE}{_OPERAND})*{SPACE}")


class OperandCache(dict[str, Operand]):
    """Operands by their text, with the white space around it: to strip it costs more."""

    def __missing__(self, text: str) -> Operand:
        bare = text.strip()
        self[text] = found = whole(text) if bare == text else self[bare]
        return found

    def listed(self, text: str) -> tuple[Operand, ...]:
        """The operands of a list, with a vector only if it is a plain one. Raises ParseError for
        any other text."""
        if "{" in text:
            if _operands.fullmatch(text) is None:
                raise ParseError(0, "not a list of plain operands")
            return tuple(map(self.__getitem__, _operand.findall(text)))
        try:  # as compilers write it
            return tuple(map(self.__getitem__, text.split(", ")))
        except ParseError:
            return tuple(map(self.__getitem__, text.split(",")))


class Opcodes(dict[str, tuple[str, tuple[str, ...]]]):
    """Base word and modifiers by the text of an opcode without white space."""

    def __missing__(self, text: str) -> tuple[str, tuple[str, ...]]:
        base, *modifiers = text.split(".")
        self[text] = found = base, tuple(modifiers)
        return found


class Guards(dict[str, GuardPredicate]):
    """Guards by their text, ``@!p``."""

    def __missing__(self, text: str) -> GuardPredicate:
        self[text] = found = GuardPredicate(text.lstrip("@!").rstrip(), text[1] == "!")
        return found


Place = tuple[int, int, int, InlinedAt | None]


class Places(dict[str, Place]):
    """File, line, column and call by the text of a ``.loc``: unrolled code repeats them, and code
    that is inlined has one for almost every instruction."""

    def __missing__(self, text: str) -> Place:
        own, _, call = text.partition(",")
        _, file, line, column = own.split()
        inlined_at = None
        if call:
            names, _, place = call.partition(",")
            at = map(int, place.split()[1:])
            inlined_at = InlinedAt(next(at), next(at), next(at), names.split()[1])
        self[text] = found = int(file), int(line), int(column), inlined_at
        return found


class ModuleText(str):
    """A module's text without comments, on its way through the grammar."""

    def __init__(self, _: str) -> None:
        self.failures: list[ParseError] = []
        self.broken: set[str] = set()
        self.definitions: list[tuple[str, int]] = []
        self.operands = OperandCache()
        self.opcodes = Opcodes()
        self.guards = Guards()
        self.places = Places()

    def record(self, failure: ParseError) -> None:
        self.failures.append(failure)
        if len(self.failures) >= GIVE_UP_AFTER:
            raise GaveUpError
