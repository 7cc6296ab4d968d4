"""The report of ``ptxlint why``: the instructions of one line, in ten lines or in full.

A line is one of the PTX, or of the source that ``.loc`` names; code that was inlined belongs to the
line it was written at and to those of its calls.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from msgspec import Struct

from analyses.program import Block
from ptxlint.analysis import Analysis
from ptxlint.ir import Kernel, PtxInstr, is_written
from ptxlint.mangling import signature
from ptxlint.places import Locations
from ptxlint.plain import finding_of
from ptxlint.reports.brief import COMPUTED, Entry, entry, shortened
from ptxlint.reports.colour import Palette
from ptxlint.reports.explanation import Explanation, Note, labelled
from ptxlint.reports.full import excerpt, witness
from ptxlint.results.finding import Finding
from ptxlint.source import harmless, plural
from ptxlint.source_files import base_name

LINES = 10  # of the short form


class SourceLine(Struct, frozen=True):
    """A line of the PTX, or of the source of this name."""

    name: str
    number: int
    in_source: bool


class Explained(Struct, frozen=True):
    """A module, and the analyses of its kernels."""

    places: Locations
    analyses: tuple[Analysis, ...]


class Found(Struct, frozen=True):
    """An instruction of the given line."""

    places: Locations
    analysis: Analysis
    block: Block
    instr: PtxInstr


def instructions(kernel: Kernel) -> Iterator[tuple[Block, PtxInstr]]:
    """The instructions in the source, branches too."""
    for block in kernel.blocks:
        for instr in (*block.instrs, block.terminator.instr):
            if is_written(instr):
                yield block, instr


def found(explained: Iterable[Explained], line: SourceLine) -> list[Found]:
    """The instructions of a line, in the order of the text."""
    hits = [
        Found(each.places, analysis, block, instr)
        for each in explained
        for analysis in each.analyses
        for block, instr in instructions(analysis.kernel)
        if line.number in lines(instr, line, each.places)
    ]
    return sorted(hits, key=lambda hit: (hit.places.source.first, hit.instr.offset))


def near(explained: Iterable[Explained], line: SourceLine) -> list[int]:
    """The lines with instructions, the nearest first."""
    every = {
        number
        for each in explained
        for analysis in each.analyses
        for _, instr in instructions(analysis.kernel)
        for number in lines(instr, line, each.places)
    }
    return sorted(every, key=lambda number: (abs(number - line.number), number))


def lines(instr: PtxInstr, line: SourceLine, places: Locations) -> list[int]:
    """The lines of the text that an instruction belongs to."""
    if not line.in_source:
        return [places.ptx(instr).line]
    loc = instr.loc
    if loc is None:
        return []
    steps = [places.place(loc.file, loc.line, loc.column)]
    steps += [call.location for call in places.calls(instr)]
    return [step.line for step in steps if base_name(step.path) == line.name]


class Why:
    """The explanations of the instructions of a line, each under the source line that it belongs
    to."""

    def __init__(self, hits: list[Found], palette: Palette) -> None:
        self.hits = [hit for hit in hits if hit.analysis.facts is not None]  # else it crashed
        self.palette = palette
        self.explanations: dict[Kernel, Explanation] = {}
        spans = [place(hit.instr) for hit in hits for place in (hit.places.primary, hit.places.ptx)]
        self.width = max((len(str(span.line)) for span in spans), default=0)
        self.here: tuple[str, int, str] | None = None

    def explanation(self, hit: Found) -> Explanation:
        kernel, facts = hit.analysis.kernel, hit.analysis.facts
        assert facts is not None
        if kernel not in self.explanations:
            self.explanations[kernel] = Explanation(facts, hit.places)
        return self.explanations[kernel]

    def full(self) -> Iterator[str]:
        """Everything about every instruction."""
        for hit in self.hits:
            yield from self.located(hit)
            yield from self.body(self.notes(hit))

    def brief(self) -> Iterator[str]:
        """About LINES lines: of instructions that are alike, one; and how many there are."""
        entries: dict[Hashable, list[tuple[Entry, Found]]] = {}
        for hit in self.hits:
            known = bool(list(reported(hit)))
            found = entry(self.explanation(hit), hit.instr, hit.block, known)
            entries.setdefault((hit.analysis.kernel, found.key), []).append((found, hit))
        ranked = sorted(entries.values(), key=lambda group: group[0][0].rank)
        shown, lines = 0, list[str]()
        for group in ranked:
            if lines and group[0][0].rank == COMPUTED:
                break
            hit = min(group, key=lambda pair: pair[0].room)[1]
            like = plural(len(group) - 1, "more access", "more accesses")
            others = [("and", f"{like} at other constant offsets")] if len(group) > 1 else []
            about = [*self.located(hit), *self.body([*shortened(self.notes(hit)), *others])]
            if lines and len(lines) + len(about) > LINES:
                break
            lines += about
            shown += len(group)
        yield from lines
        rest = plural(len(self.hits) - shown, "more instruction", "more instructions")
        left = f"{rest} of this line, " if shown < len(self.hits) else ""
        yield self.palette.paint(f"--full: {left}guards, proofs, patterns", "faint")

    def located(self, hit: Found) -> Iterator[str]:
        """The source line, if it is another one, and the PTX line."""
        places, palette = hit.places, self.palette
        source, line = places.primary(hit.instr), places.ptx(hit.instr)
        here = (source.path, source.line, hit.analysis.kernel.name)
        if here != self.here:
            if self.here is not None:
                yield ""
            title = palette.paint(harmless(source.short), "path")
            yield f"{title}: in {harmless(signature(hit.analysis.kernel.name))}"
            if source != line and (quoted := places.files.line(source)):
                yield from excerpt(source, quoted, self.width, "note", palette)
        self.here = here
        text = places.files.line(line)
        yield from excerpt(line, text, self.width, "faint", palette, underline=False)

    def notes(self, hit: Found) -> list[Note]:
        return [*reported(hit), *self.explanation(hit).notes(hit.instr, hit.block)]

    def body(self, notes: Iterable[Note]) -> Iterator[str]:
        said = list(notes)
        longest = max((len(label) for label, _ in said), default=0)
        for label, text in said:
            mark = f"{label}:" if label else ""
            start = self.palette.paint("=" if label else " ", "gutter")
            begin = f"{start} {self.palette.paint(mark.ljust(longest + 1), 'label')}"
            yield f"{' ' * self.width} {begin} {harmless(text)}".rstrip()


def render(hits: list[Found], palette: Palette, full: bool = False) -> str:
    why = Why(hits, palette)
    return "\n".join([*(why.full() if full else why.brief()), ""])


def reported(hit: Found) -> Iterator[Note]:
    """The findings about the instruction."""
    analysis = hit.analysis
    for claim in analysis.claims:
        if claim.instr is hit.instr:
            finding = finding_of(claim, analysis.kernel, analysis.launch, hit.places)
            yield from labelled("reported", said(finding))


def said(finding: Finding) -> Iterator[str]:
    yield f"{finding.severity.value}[{finding.rule}] {finding.message}: {finding.certainty.value}"
    if finding.witness is not None:
        yield witness(finding.witness, finding.access)
    if finding.reason is not None:
        yield finding.reason
