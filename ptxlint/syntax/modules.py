"""The modules of a text. A file has one, as a rule; the output of ``cuobjdump -ptx`` has one for
each object and architecture, under lines that describe it.

A module begins with the line of its ``.version`` directive (PTX ISA 9.4, "PTX Module Directives")
and ends before the next one, or before the description of the next.
"""

from __future__ import annotations

import re

from ptxlint.source import Source
from ptxlint.syntax.cleaning import RAW, SKIPPED

_VERSION = re.compile(rf"(?P<version>^[ \t]*\.version\b)|{RAW}|{SKIPPED}", re.M)
_DESCRIBED = re.compile(r"^(?:member .+:|Fatbin (?:elf|ptx) code:)[ \t\r]*$", re.M)
_DESCRIPTION = re.compile(
    r"(?:[ \t\r]*(?:|member .+:|Fatbin (?:elf|ptx) code:|=+|compressed|[A-Za-z_]\w*(?: \w+)* =.*)"
    r"[ \t\r]*(?:\n|\Z))*+"
)


def modules(source: Source) -> list[Source]:
    """The modules, each a text of its own that knows its first line; the source itself if it is
    one module, or none."""
    text = source.text
    described = "Fatbin " in text
    if not described and text.count(".version") < 2:
        return [source]
    starts = [found.start() for found in _VERSION.finditer(text) if found["version"]]
    if not starts or (len(starts) == 1 and not described):
        return [source]
    if _DESCRIPTION.match(text).end() < starts[0]:  # type: ignore[union-attr]
        starts[0] = 0
    pieces: list[Source] = []
    line, last = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        following = _DESCRIBED.search(text, start, end) if described else None
        line, last = line + text.count("\n", last, start), start
        pieces.append(
            Source(
                source.path,
                text[start : following.start() if following else end],
                line,
                source.launch,
            )
        )
    return pieces
