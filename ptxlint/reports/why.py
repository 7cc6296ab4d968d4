"""The report of ``ptxlint why``: the instructions of one line, each with its account.

A line is one of the PTX, or of the source that ``.loc`` names; code that was inlined belongs to the
line it was written at and to those of its calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analyses.program import Block
from ptxlint.checker import Analysis
from ptxlint.ir import Kernel, PtxInstr, is_written
from ptxlint.mangling import demangled
from ptxlint.places import Locations, base_name
from ptxlint.plain import finding_of
from ptxlint.reports.colour import Palette
from ptxlint.reports.explanation import Explanation, Note, labelled
from ptxlint.reports.terminal import excerpt, witness
from ptxlint.results.finding import Finding
from ptxlint.source import harmless


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the PTX, or of the source of this name."""

    name: str
    number: int
    in_source: bool


@dataclass(frozen=True, slots=True)
class Found:
    """An instruction of the given line."""

    analysis: Analysis
    block: Block
    instr: PtxInstr


def instructions(kernel: Kernel) -> Iterator[tuple[Block, PtxInstr]]:
    """The instructions in the source, branches too."""
    for block in kernel.blocks:
        for instr in (*block.instrs, block.terminator.instr):
            if is_written(instr):
                yield block, instr


def found(analyses: Iterable[Analysis], line: SourceLine, places: Locations) -> list[Found]:
    """The instructions of a line, in the order of the text."""
    hits = [
        Found(analysis, block, instr)
        for analysis in analyses
        for block, instr in instructions(analysis.kernel)
        if line.number in lines(instr, line, places)
    ]
    return sorted(hits, key=lambda hit: hit.instr.offset)


def near(analyses: Iterable[Analysis], line: SourceLine, places: Locations) -> list[int]:
    """The lines with instructions, the nearest first."""
    every = {
        number
        for analysis in analyses
        for _, instr in instructions(analysis.kernel)
        for number in lines(instr, line, places)
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


def render(hits: list[Found], places: Locations, palette: Palette) -> str:
    """The explanation of each instruction, under the source line that it belongs to."""
    explanations: dict[Kernel, Explanation] = {}
    parts: list[str] = []
    sources = [places.primary(hit.instr) for hit in hits]
    ptx = [places.ptx(hit.instr) for hit in hits]
    width = max(len(str(place.line)) for place in (*sources, *ptx))
    last = None
    for hit, source, line in zip(hits, sources, ptx, strict=True):
        kernel, facts = hit.analysis.kernel, hit.analysis.facts
        if facts is None:  # they could not be computed
            continue
        explanation = explanations.setdefault(kernel, Explanation(facts, places))
        here = (source.path, source.line, kernel.name)
        if here != last:
            title = palette.paint(harmless(source.short), "path")
            parts += [""] * bool(parts)
            parts.append(f"{title}: in {harmless(demangled(kernel.name))}")
            if source != line:
                parts += excerpt(source, places.files.line(source), width, "note", palette)
        last = here
        parts += excerpt(line, places.files.line(line), width, "faint", palette, underline=False)
        parts += body(hit, explanation, places, width, palette)
    return "\n".join(parts) + "\n"


def body(
    hit: Found, explanation: Explanation, places: Locations, width: int, palette: Palette
) -> Iterator[str]:
    said = [*reported(hit, places), *explanation.notes(hit.instr, hit.block)]
    longest = max((len(label) for label, _ in said), default=0)
    for label, text in said:
        mark = f"{label}:" if label else ""
        start = palette.paint("=" if label else " ", "gutter")
        begin = f"{start} {palette.paint(mark.ljust(longest + 1), 'label')}"
        yield f"{' ' * width} {begin} {harmless(text)}".rstrip()


def reported(hit: Found, places: Locations) -> Iterator[Note]:
    """The findings about the instruction."""
    analysis = hit.analysis
    for claim in analysis.claims:
        if claim.instr is hit.instr:
            finding = finding_of(claim, analysis.kernel, analysis.launch, places)
            yield from labelled("reported", said(finding))


def said(finding: Finding) -> Iterator[str]:
    yield f"{finding.severity.value}[{finding.rule}] {finding.message}: {finding.certainty.value}"
    if finding.witness is not None:
        yield witness(finding.witness, finding.access)
    if finding.reason is not None:
        yield finding.reason
