"""The reader of the recursive descent: a position in the text.

A rule is a function from a Reader to a node. It either moves the reader past its text or raises
ParseError with what was found and expected. Words are matched on demand, so a name like ``add`` is
an opcode or a register by position alone, as in ptxas.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ptxlint.syntax import lexical
from ptxlint.syntax.ast import Integer
from ptxlint.syntax.errors import ParseError

Node = TypeVar("Node")

DEPTH = 256
"""How deep brackets, braces and parentheses may nest."""


class Reader:
    """A text, a position in it, and the number of open brackets."""

    __slots__ = ("at", "depth", "text")

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at
        self.depth = 0

    def skip(self) -> int:
        """Moves past white space; the place of the next word."""
        if self.text[self.at : self.at + 1] <= " ":
            match = lexical.space.match(self.text, self.at)
            self.at = match.end() if match else self.at
        return self.at

    def peek(self) -> str:
        """The next character, empty at the end."""
        at = self.skip()
        return self.text[at : at + 1]

    def accept(self, mark: str) -> bool:
        if self.text.startswith(mark, self.skip()):
            self.at += len(mark)
            return True
        return False

    def expect(self, mark: str, expected: str = "") -> None:
        if not self.accept(mark):
            raise self.failure(expected or repr(mark))

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """The next word if it matches."""
        match = pattern.match(self.text, self.skip())
        if match is None:
            return None
        self.at = match.end()
        return match.group()

    def name(self, expected: str = "a name") -> str:
        word = self.match(lexical.name)
        if word is None:
            raise self.failure(expected)
        return word

    def keyword(self, word: str) -> None:
        start = self.skip()
        if self.match(lexical.name) != word:
            self.at = start
            raise self.failure(repr(word))

    def directive(self) -> str:
        """The next word if it is a dot and a name, without moving; empty if not."""
        match = lexical.directive.match(self.text, self.skip())
        return match.group() if match else ""

    def accept_directive(self, word: str) -> bool:
        if self.directive() == word:
            self.at += len(word)
            return True
        return False

    def natural(self, expected: str = "an integer") -> int:
        """A plain integer literal, as directives take them."""
        found = lexical.literal(self.text, self.skip())
        if found is None or not isinstance(found[0], Integer):
            raise self.failure(expected)
        self.at = found[1]
        return found[0].value

    def string(self) -> str:
        """A string without its quotes."""
        word = self.match(lexical.string)
        if word is None:
            raise self.failure("a string")
        return word[1:-1]

    def listed(self, rule: Callable[[Reader], Node]) -> tuple[Node, ...]:
        """One or more of a rule that does not nest, with commas between."""
        found = [rule(self)]
        while self.accept(","):
            found.append(rule(self))
        return tuple(found)

    def deeper(self) -> None:
        """One bracket more; the caller decrements ``depth`` afterwards."""
        self.depth += 1
        if self.depth > DEPTH:
            raise ParseError(self.at, f"nested more than {DEPTH} deep")

    def failure(self, expected: str) -> ParseError:
        at = self.skip()
        return ParseError(at, f"found {lexical.found_at(self.text, at)}, expected {expected}")
