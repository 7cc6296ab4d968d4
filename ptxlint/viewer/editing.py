"""What an editor shows of a file: problems at its lines, facts under the pointer, and the way from
the PTX to its source and back. Plain data: the language server hands it on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from ptxlint.analysis import analyses, module_outcome, read_file
from ptxlint.inputs import modules_in_text
from ptxlint.options import Options
from ptxlint.places import Locations
from ptxlint.results.finding import Finding, Span
from ptxlint.results.kernel_view import AccessView, KernelView, RegisterFacts
from ptxlint.results.outcome import Checked
from ptxlint.results.report import Report
from ptxlint.source_files import SourceFiles
from ptxlint.viewer.views import Views

REGISTER = re.compile(r"%[A-Za-z_$][\w$]*")


class Problem(Struct, frozen=True):
    """A finding, or an error of the file, at a place of one of the two texts."""

    span: Span
    severity: str
    rule: str
    message: str


class AnalysedFile(Struct, frozen=True):
    """A file of PTX with its report and views."""

    path: Path
    text: str
    report: Report
    views: tuple[KernelView, ...]

    @classmethod
    def of(cls, path: Path, text: str, options: Options) -> AnalysedFile:
        """Analyses the text of a file. Raises ContractError where a declaration fits no kernel."""
        sources = modules_in_text(str(path), text)
        texts, views = SourceFiles(sources), list[KernelView]()
        outcomes = []
        for file, found in analyses([read_file(s, options) for s in sources], options):
            own = Views(Locations(file.source, file.program, texts))
            outcomes.append(module_outcome(file, own.of(found), texts))
            views += own.kernels
        report = Checked(modules=tuple(outcomes), after=tuple(texts.problems)).report()
        return cls(path, text, report, tuple(views))

    # --- problems

    def problems(self) -> Iterator[Problem]:
        """Each finding at its line of the PTX and, if that is known, of the source."""
        for one in self.report.diagnostics:
            if one.severity == "error":
                span = Span(one.path, max(one.line, 1), max(one.column, 1), max(one.line, 1), 999)
                yield Problem(span, "error", "", one.message)
        for finding in self.report.findings:
            for span in dict.fromkeys((finding.ptx, finding.location)):
                yield Problem(span, finding.severity.value, finding.rule, said(finding))

    # --- under the pointer

    def hover(self, path: Path, line: int, column: int) -> str | None:
        """What is known at a place, as Markdown: of a register, else of the accesses of the line.
        Lines and columns count from 1."""
        if path == self.path:
            named = word_at(self.text.split("\n")[line - 1 : line], column)
            facts = [one for one in self.registers(line) if one.register == named]
            if facts:
                return "\n\n".join(map(described, facts))
        return "\n\n---\n\n".join(map(explained, self.accesses(path, line))) or None

    def registers(self, line: int) -> Iterator[RegisterFacts]:
        """Those of the kernel that has the line."""
        for view in self.views:
            if view.first <= line <= view.last:
                yield from view.registers

    def accesses(self, path: Path, line: int) -> Iterator[AccessView]:
        for view in self.views:
            for one in view.accesses:
                span = one.result.ptx if path == self.path else one.result.location
                if span.line == line and Path(span.path).name == path.name:
                    yield one

    # --- from one text to the other

    def partners(self, path: Path, line: int) -> list[tuple[Path, int]]:
        """The lines of the other text that belong to a line: of the source for one of the PTX, the
        innermost first, else of the PTX."""
        chains = {n: chain for view in self.views for n, chain in view.sources}
        if path != self.path:
            return [(self.path, n) for n, chain in sorted(chains.items())
                    if (path.name, line) in chain]  # fmt: skip
        places = ((self.path.parent / name, at) for name, at in chains.get(line, ()) if name)
        return [(file, at) for file, at in places if file.is_file()]


def said(finding: Finding) -> str:
    """The claim, with its condition and what helps."""
    parts = [finding.message]
    parts += [f"holds if {finding.condition}"] * (finding.condition is not None)
    parts += [str(finding.help)] * (finding.help is not None)
    return "\n".join(parts)


def word_at(lines: Iterable[str], column: int) -> str | None:
    """The register at a column of the one line."""
    for text in lines:
        for found in REGISTER.finditer(text):
            if found.start() < column <= found.end() + 1:
                return found[0]
    return None


def described(facts: RegisterFacts) -> str:
    """``%r4 = 32*ctaid.y``, its range, bits and uniformity."""
    parts = [f"in {facts.range}" if facts.range else "", f"bits {facts.bits}" if facts.bits else ""]
    parts += [facts.uniformity, facts.because or "", f"line {facts.line} {facts.how}".strip()]
    head = f"{facts.register} = {facts.formula}" if facts.formula else facts.register
    return f"`{head}`  \n{'; '.join(filter(None, parts))}"


def explained(access: AccessView) -> str:
    """The notes on an access as a list."""
    found, label = list[str](), ""
    for own, text in access.notes:
        label = own or label
        found.append(f"- **{label}** `{text}`" if label == "address" else f"- **{label}** {text}")
    open_ = (f"- **{one.property.value}** {one.status.value}: {one.reason}"
             for one in access.unproved)  # fmt: skip
    return "\n".join([*found, *open_])
