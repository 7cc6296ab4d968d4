"""The first pass: comments and invalid characters.

Comments are overwritten with spaces, so offsets stay. This takes one pass in linear time, also over
a hundred thousand unterminated comments. Characters that ptxas refuses (all but printable ASCII,
tabs and line ends) get a warning and are blanked too, as are lines that start with ``#``. Binary
files are refused here with advice.

Text between ``.source_begin`` and ``.source_end`` (PTX ISA 9.4) is raw and stays as it is.
"""

from __future__ import annotations

import os
import re
from itertools import islice

from ptxlint.reading import read_bytes
from ptxlint.source import Source
from ptxlint.syntax.errors import ParseError

MOST_WARNINGS = 1000
REFUSED = "ptxas refuses this, even in a comment"
WIDE = re.compile(r"(?:\0[^\0]){6}|(?:[^\0]\0){6}")  # ASCII in UTF-16


def read_source(path: str | os.PathLike[str], data: bytes | None = None) -> Source:
    """The file at ``path``, or ``data`` under that name. Text that is not UTF-8 is decoded byte by
    byte; ``parse`` reports invalid bytes. The zero that ends the text of NVRTC is no part of it."""
    content = (read_bytes(path) if data is None else data).removesuffix(b"\0")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return Source(os.fspath(path), text)


SKIPPED = r'"[^"\n]*"?|//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)'
RAW = r"\.source_begin\b(?s:.*?)(?:\.source_end\b|\Z)"
_STRAY = r"[^\t\n\r -~]"
_HASH = r"^[ \t]*+\#[^\n]*+"

BEGIN, END = "// begin inline asm", "// end inline asm"
"""What LLVM writes around inline assembly."""

_loc = re.compile(r"^[ \t]*\.loc\b[^\n;]*", re.MULTILINE)
_comments = re.compile(SKIPPED)
_comments_and_raw = re.compile(f"{RAW}|{SKIPPED}")
_everything = re.compile(f"{RAW}|{SKIPPED}|{_STRAY}|{_HASH}", re.MULTILINE)
_stray = re.compile(f"{_STRAY}+")
_ORDINARY = bytes([*b"\t\n\r", *range(0x20, 0x7F)]).replace(b"#", b"")


def cleaned(source: Source) -> tuple[str, list[ParseError], list[ParseError]]:
    """The text without comments, with warnings and errors. Raises ParseError for binary data."""
    text = source.text
    refuse_binary(text)
    if text.isascii() and not text.encode().translate(None, _ORDINARY):
        pattern = _comments_and_raw if ".source_begin" in text else _comments
        strays = []
    else:
        pattern = _everything
        strays = [_stray_failure(match) for match in islice(_stray.finditer(text), MOST_WARNINGS)]
    errors: list[ParseError] = []

    def blank(match: re.Match[str]) -> str:
        word = match.group()
        if word[0] == '"' or word[0] == ".":
            return word
        if word[0] == "/":
            if word[1] == "*" and (len(word) < 4 or word[-2:] != "*/"):
                errors.append(ParseError(match.start(), "this comment has no closing '*/'"))
            return "\n".join([" " * len(line) for line in word.split("\n")])
        if "#" in word:
            at = match.start() + word.index("#")
            strays.append(ParseError(at, "a line with '#': ptxas refuses this"))
            return " " * len(word)
        return "_" if word.isalnum() else " "

    return pattern.sub(blank, without_inner_lines(text)), strays, errors


def without_inner_lines(text: str) -> str:
    """The text without ``.loc`` inside of inline assembly: a front end that writes the assembly
    counts its lines there, and not those of the source."""
    parts, at = [], 0
    while (begin := text.find(BEGIN, at)) >= 0 and (end := text.find(END, begin)) >= 0:
        inner = text[begin:end]
        if ".loc" in inner:
            inner = _loc.sub(lambda match: " " * len(match[0]), inner)
        parts += [text[at:begin], inner]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _stray_failure(match: re.Match[str]) -> ParseError:
    character = match.group()[0]
    if character == "\ufeff":
        what = "a byte order mark"
    elif ord(character) < 0x20 or ord(character) == 0x7F:
        what = f"control character 0x{ord(character):02X}"
    else:
        what = f"non-ASCII character U+{ord(character):04X}"
    return ParseError(match.start(), f"{what}: {REFUSED}")


def refuse_binary(text: str) -> None:
    """Raises ParseError with advice if the text is a binary file."""
    if text.startswith("\x7fELF"):
        raise ParseError(
            0,
            "this is a compiled binary (cubin or ELF), not PTX: get its PTX with"
            " 'cuobjdump -ptx FILE' or compile with 'nvcc -ptx'",
        )
    if text.startswith(("P\xedU\xba", "\xba\x55\xed\x50")):
        raise ParseError(0, "this is a fat binary, not PTX: get its PTX with 'cuobjdump -ptx FILE'")
    if text.startswith(("\xff\xfe", "\xfe\xff")) or WIDE.match(text):
        raise ParseError(0, "this is UTF-16, which ptxas refuses: save the file as ASCII")
    head = text[:4096]
    if len(re.findall(r"[\0-\x08\x0e-\x1f\x7f]", head)) * 20 > len(head):
        raise ParseError(0, "this is binary data, not PTX")
