"""The PTX and the source as lists of lines: a list item a line, marked up by words.

``.loc`` directives and debug sections are left out: each line links to its source instead. Ids are
``p57`` for a line of the PTX and ``s1-10`` for one of the first source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from markupsafe import Markup
from msgspec import Struct

from ptxlint.source import Source, harmless

CHUNK = 50  # lines that a browser lays out together
LONGEST = 400  # characters of a line

_LOC = re.compile(r"\s*\.loc\b")
_SECTION = re.compile(r"\s*\.section\b")
_HEAD = re.compile(r"(\s*(?:\{\s*)?(?:@!?%[\w$]+\s+)?)([a-z]\w*(?:\.[\w:]+)*|\.[a-z]\w*)(?=[\s;])")
_LABEL = re.compile(r"(\s*)([\w$]+)(:\s*)$")
_REGISTER = re.compile(r"%[a-zA-Z_$][\w$]*")
_SPECIAL = re.compile(
    r"%(?:n?tid|n?ctaid|laneid|lanemask\w*|n?warpid|n?smid|clock\w*|globaltimer\w*|gridid|pm\d+\w*|"
    r"envreg\d+|dynamic_smem_size|total_smem_size|\w*cluster\w*|aggr_smem_size)\Z"
)


class Mark(Struct, frozen=True):
    """What stands before a line: a word that leads to a card, with its ``title``; ``heat`` from 0
    to 4 is the share of the traffic, ``style`` a class."""

    href: str
    text: str
    title: str
    style: str = ""
    heat: int = 0


class Listing(Struct):
    """The lines that are shown, by their number, and what is known of them: a mark, a link to
    the other text (an address, or nothing, and a text), and a remark behind it."""

    lines: Sequence[tuple[int, str]]
    prefix: str
    marks: Mapping[int, Mark] = {}
    links: Mapping[int, tuple[str, str]] = {}
    remarks: Mapping[int, str] = {}
    ptx: bool = False

    def html(self) -> Markup:
        """Lists of CHUNK lines."""
        return Markup("".join(self._lists()))

    def _lists(self) -> Iterator[str]:
        for start in range(0, len(self.lines), CHUNK):
            part = self.lines[start : start + CHUNK]
            expected = (
                0  # the first line of a list names its number: browsers lay out each by itself
            )
            yield "<ol>"
            for number, text in part:
                value = "" if number == expected else f" value={number}"
                expected = number + 1
                yield f"<li id={self.prefix}{number}{value}>{self._line(number, text)}\n"
            yield "</ol>"

    def _line(self, number: int, text: str) -> str:
        mark, link = self.marks.get(number), self.links.get(number)
        text = harmless(text)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters)"
        parts = [_marked(mark)] if mark is not None else []
        parts.append(words(text) if self.ptx else escape(text, quote=False))
        if number in self.remarks:
            parts.append(f"<em>{escape(self.remarks[number])}</em>")
        if link is not None:
            href, label = link
            name = escape(label)
            parts.append(f'<a href="#{escape(href)}">{name}</a>' if href else f"<s>{name}</s>")
        return "".join(parts)


def _marked(mark: Mark) -> str:
    style = f"h{mark.heat} {mark.style}".strip()
    href, title, text = escape(mark.href), escape(mark.title), escape(mark.text)
    return f'<a class="{style}" href="#{href}" title="{title}">{text}</a>'


def ptx_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a module without ``.loc`` and debug sections, and without blank lines at the
    end of what is left."""
    blank: list[tuple[int, str]] = []
    inside = False
    for number, text in enumerate(source.text.split("\n"), source.first):
        if inside or _LOC.match(text):
            inside = inside and not text.startswith("}") and text.strip() != "}"
            continue
        if _SECTION.match(text):
            inside = "}" not in text
            continue
        if not text.strip():
            blank.append((number, ""))
            continue
        yield from blank[:1]
        blank = []
        yield number, text.rstrip("\r")


def words(text: str) -> str:
    """A line of PTX: opcode and directive in ``b``, registers in ``var``, comments in ``i``."""
    code, slashes, comment = text.partition("//")
    if label := _LABEL.match(code):
        found = f"{label[1]}<b>{escape(label[2])}</b>{label[3]}"
    elif head := _HEAD.match(code):
        rest = code[head.end() :]
        found = f"{registers(head[1])}<b>{escape(head[2])}</b>{registers(rest)}"
    else:
        found = registers(code)
    return found + (f"<i>//{escape(comment, quote=False)}</i>" if slashes else "")


def registers(text: str) -> str:
    return (
        _REGISTER.sub(_register, escape(text, quote=False))
        if "%" in text
        else escape(text, quote=False)
    )


def _register(found: re.Match[str]) -> str:
    return found[0] if _SPECIAL.match(found[0]) else f"<var>{found[0]}</var>"


def targets(lines: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The lines of labels, by name; labels of two kernels may have one name, the last counts."""
    return {found[2]: number for number, text in lines if (found := _LABEL.match(text))}
