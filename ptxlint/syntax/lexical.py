"""The words of PTX: white space, names, numbers, strings, and what a literal is worth.

Everything is a regular expression with possessive quantifiers, so that no word is ever given back
in part: ``mov`` cannot turn into ``mo`` and ``v``. Comments do not occur here, ``text`` has blanked
them. PTX ISA 9.4, "Lexical structure". Facts that are not in the manual were tried on ptxas 13.0:
a string has no escapes. A literal that its 64 bits cannot hold is refused; ptxas takes some of them
modulo 2**64.
"""

from __future__ import annotations

import re
import struct
from typing import Final

from ptxlint.syntax.ast import Float, Integer
from ptxlint.syntax.errors import ParseError

SPACE: Final = r"[ \t\r\n]*+"
NAME: Final = r"(?:[A-Za-z_][A-Za-z0-9_$]*+|[$%][A-Za-z0-9_$]++)"
MEMBER: Final = r"\.[A-Za-z0-9_]++"
RATIO: Final = r"(?::[0-9]++)?"  # .sp::2:4
MODIFIER: Final = rf"\.[A-Za-z0-9_]++(?:::[A-Za-z0-9_]++{RATIO})*"

space = re.compile(SPACE)
name = re.compile(NAME)
member = re.compile(MEMBER)
modifier = re.compile(MODIFIER)
opcode = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+(?![$%])")
directive = re.compile(r"\.[A-Za-z_][A-Za-z0-9_]*+")
string = re.compile(r'"[^"]*+"')  # a line may end in it, says ptxas
number = re.compile(
    r"""(?P<single>0[fF][0-9a-fA-F]{8})
    |   (?P<double>0[dD][0-9a-fA-F]{16})
    |   (?P<decimal>(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|[0-9]++[eE][+-]?[0-9]++)
    |   (?P<integer>0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9][0-9]*+)(?P<unsigned>U?)
    """,
    re.VERBOSE,
)
operator = re.compile(r"<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|?]")

_LEXEME = re.compile(rf'{NAME}|\.?[A-Za-z0-9_$]++|"[^"\n]*"?|.', re.DOTALL)
_MARK = re.compile(r"[A-Za-z0-9_$.]")


def found_at(text: str, offset: int) -> str:
    """The text at an offset, for error messages."""
    offset = _end(space, text, offset)
    lexeme = _LEXEME.match(text, offset)
    if lexeme is None:
        return "the end of the file"
    word = lexeme.group()
    if word[0] == '"' and (len(word) == 1 or word[-1] != '"'):
        return "a string without its closing quote"
    return repr(word if len(word) <= 40 else f"{word[:37]}...")


def _end(pattern: re.Pattern[str], text: str, offset: int) -> int:
    match = pattern.match(text, offset)
    return match.end() if match else offset


def literal(text: str, offset: int) -> tuple[Integer | Float, int] | None:
    """The number written at ``offset`` and the place after it; None when there is none. Raises
    ParseError for one that 64 bits cannot hold."""
    match = number.match(text, offset)
    if match is None or _MARK.match(text, match.end()):
        return None
    word = match.group()
    match match.lastgroup:
        case "single":
            return Float(int(word[2:], 16), 32), match.end()
        case "double":
            return Float(int(word[2:], 16), 64), match.end()
        case "decimal":
            return double(_finite(word, offset)), match.end()
        case _:
            return Integer(_whole(match["integer"], offset), bool(match["unsigned"])), match.end()


def double(value: float) -> Float:
    """A float constant of width 64 from its value."""
    return Float(int.from_bytes(struct.pack(">d", value), "big"), 64)


def _finite(word: str, offset: int) -> float:
    """The value of a decimal literal: neither infinite nor 0 without being written so."""
    value = float(word)
    zero = not value and re.search("[1-9]", re.split("[eE]", word)[0]) is not None
    if zero or value == float("inf"):
        raise ParseError(offset, "a constant that a double cannot hold")
    return value


def _whole(digits: str, offset: int) -> int:
    """The value of an integer literal, whatever its length (int() refuses 4,300 decimal digits; 64
    bits need 22 octal ones)."""
    prefix = digits[:2].lower()
    base = {"0x": 16, "0b": 2}.get(prefix, 8 if digits[0] == "0" else 10)
    words = (digits[2:] if base in (2, 16) else digits).lstrip("0") or "0"
    value = int(words, base) if len(words) <= 64 else 2**64
    if value >= 2**64:
        raise ParseError(offset, "a constant of more than 64 bits")
    return value
