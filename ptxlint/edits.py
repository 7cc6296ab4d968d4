"""What a person changes in the source, for findings whose change was counted again.

Nothing is edited.
The rows of a shared array are as long as the last bound in its declaration. PTX does not say where
that stands: it is looked for in the file of the access, by name, and taken if it is the only one
and its bounds, numbers or named constants of that file, make up the bytes that the PTX reserves.
"""

from __future__ import annotations

import re
from math import prod

from ptxlint.claim import SourceChange
from ptxlint.finding import Fix, MemoryAccess, Span
from ptxlint.ir import Kernel
from ptxlint.mangling import demangled
from ptxlint.source import Source

DECLARED = r"__shared__[^;]*?\b(?P<text>{name}(?:\s*\[[^][]+\])+)"


def edited(
    source: Source, change: SourceChange, access: MemoryAccess | None, kernel: Kernel
) -> Fix | None:
    """The declaration with longer rows, where it is certain which one it is."""
    if change.row is None or access is None or not access.region:
        return None
    text = uncommented(source.text)
    hits = list(re.finditer(DECLARED.format(name=re.escape(access.region)), text))
    sizes = {demangled(r.name): r.size for r in kernel.regions if r.space == "shared"}
    if len(hits) != 1:
        return None
    before = hits[0]["text"]
    bounds = re.findall(r"\[([^][]+)\]", before)
    values = [value(bound.strip(), text) for bound in bounds]
    known = [v for v in values if v is not None]
    size = prod(known) * access.bytes
    if len(known) < len(values) or known[-1] != change.row[0] or size != sizes.get(access.region):
        return None
    last = bounds[-1].strip()
    longer = str(change.row[1]) if last.isdecimal() else f"{last} + {change.row[1] - change.row[0]}"
    after = f"{before[: before.rindex('[')]}[{longer}]"
    start, end = (source.line_column(at) for at in hits[0].span("text"))
    place = Span(source.path, *start, *end)
    return Fix(location=place, before=before, after=after, cost=change.cost)


def uncommented(text: str) -> str:
    """The text with blanks for its comments: offsets stay what they are."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda c: re.sub(r"[^\n]", " ", c[0]), text, flags=re.S)


def value(bound: str, text: str) -> int | None:
    """A number, or a constant that the text gives one number."""
    if bound.isdecimal():
        return int(bound)
    if not bound.isidentifier():
        return None
    given = set(re.findall(rf"(?:#define\s+{bound}|\bconst\w*\s+(?:\w+\s+)*{bound}\s*=)(.*)", text))
    numbers = {re.match(r"\s*(\d+)\s*(?:[;,]|$)", words) for words in given}
    found = next(iter(numbers)) if len(numbers) == 1 else None
    return int(found[1]) if found is not None else None
