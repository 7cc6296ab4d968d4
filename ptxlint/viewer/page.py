"""One page: what the templates are filled with.

Texts from files are escaped by the templates, and control characters in them replaced, those that
turn the direction of writing included: a name stays a name.
"""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape
from msgspec import Struct

from ptxlint.reports.colour import Palette
from ptxlint.reports.lines import assumptions, headline
from ptxlint.results.finding import Severity
from ptxlint.results.kernel_view import KernelView
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property, Status, Verdict
from ptxlint.source import Source, harmless
from ptxlint.version import VERSION
from ptxlint.viewer.cards import Card, cards
from ptxlint.viewer.code import Listings, code

if TYPE_CHECKING:
    from jinja2 import Environment

    from ptxlint.results.comparison import ReportComparison
    from ptxlint.source_files import SourceFiles

OPEN = (Status.CONDITIONAL, Status.UNDECIDED)
ASKED = 12  # options that are listed
CLASSES = {
    Status.PROVED: "good",
    Status.CONDITIONAL: "cond",
    Status.UNDECIDED: "open",
    Status.NOT_CHECKED: "none",
    Status.FLAGGED: "bad",
}


class CheckedModule(Struct, frozen=True):
    """A file as it was checked: its text, its report, and the views of its kernels; or the part of
    it that is about one ``kernel``."""

    source: Source
    report: Report
    views: tuple[KernelView, ...]
    texts: SourceFiles
    comparison: ReportComparison | None = None
    kernel: str | None = None

    @property
    def title(self) -> str:
        return harmless(PurePath(self.source.path).name)


class Cell(Struct, frozen=True):
    """The verdict on one property of a kernel, in a word and as parts of 100."""

    text: str
    style: str
    title: str
    parts: tuple[tuple[str, float, float], ...] = ()


class CoverageRow(Struct, frozen=True):
    name: str
    id: str
    cells: tuple[Cell, ...]


class Asked(Struct, frozen=True):
    """What is not decided: how many subjects, of which properties, where first, and the option that
    decides them."""

    count: int
    properties: str
    reason: str
    option: str | None
    places: tuple[tuple[str, str], ...]


class PageContent(Struct):
    """What the template of a page shows."""

    module: CheckedModule
    code: Listings
    cards: list[Card] = []

    @property
    def report(self) -> Report:
        return self.module.report

    @property
    def verdict(self) -> tuple[str, str]:
        """A class and a headline."""
        return verdict(self.report)

    @property
    def left_out(self) -> int:
        """The number of findings, those on one line counted once, that have no card."""
        shown = sum(card.severity != "access" for card in self.cards)
        return len(self.report.groups()) - shown

    @property
    def rules(self) -> list[str]:
        return sorted({rule for card in self.cards for rule in card.rules})

    @property
    def coverage(self) -> list[CoverageRow]:
        return coverage(self.report, self.code.ids)

    @property
    def properties(self) -> list[str]:
        return [one.value for one in Property]

    @property
    def asked(self) -> list[Asked]:
        return asked(self.report)

    @property
    def proved(self) -> list[str]:
        """Sentences on what is proved."""
        return list(proved(self.report))

    @property
    def launches(self) -> list[tuple[str, list[str]]]:
        """The launches, and the kernels that were checked for each."""
        found: dict[str, list[str]] = {}
        for kernel in self.report.kernels:
            found.setdefault(harmless(kernel.launch), []).append(harmless(kernel.demangled))
        return [(text, list(dict.fromkeys(names))) for text, names in found.items()]

    @property
    def assumptions(self) -> list[str]:
        return assumptions(self.report)

    @property
    def required(self) -> list[tuple[str, str]]:
        """What conditional accesses need, as TOML, by kernel."""
        return [
            (harmless(view.result.demangled), view.required)
            for view in self.module.views
            if view.required is not None
        ]

    @property
    def costliest(self) -> Card | None:
        costly = [card for card in self.cards if card.excess > 0]
        return max(costly, key=lambda card: card.weight, default=None)


def verdict(report: Report) -> tuple[str, str]:
    severities = {finding.severity for finding in report.findings}
    text = headline(report, Palette())
    if report.failed or Severity.ERROR in severities or not report.summary.analysed:
        return "bad", text
    if severities:
        return "warn", text
    if report.summary.incomplete():
        return "open", text
    return "good", "every property is proved"


def coverage(report: Report, ids: Mapping[str, str]) -> list[CoverageRow]:
    return [
        CoverageRow(
            harmless(one.kernel.demangled),
            ids.get(one.kernel.name, ""),
            tuple(cell(verdict) for verdict in one.verdicts),
        )
        for one in report.judged
        if one.verdicts
    ]


def cell(found: Verdict) -> Cell:
    if found.empty:
        return Cell("-", "void", f"{found.name.value}: nothing to prove")
    title = str(found)
    if not found.total:
        return Cell("not checked", "none", title)
    costs = found.name is Property.COSTS
    counts = {
        Status.PROVED: found.proved,
        Status.FLAGGED: found.flagged,
        Status.CONDITIONAL: found.conditional,
        Status.UNDECIDED: found.undecided,
    }
    words = {Status.FLAGGED: "flagged", Status.CONDITIONAL: "conditional",
             Status.UNDECIDED: "undecided"}  # fmt: skip
    if costs:
        words |= {Status.FLAGGED: "above ideal", Status.UNDECIDED: "unknown"}
    worst = next((s for s in words if counts[s]), Status.PROVED)
    text = ("ideal" if costs else "proved") if worst is Status.PROVED else words[worst]
    text = f"{counts[worst]} {text}"
    parts, start = [], 0.0
    for status, count in counts.items():
        width = round(100 * count / found.total, 1)
        if count:
            parts.append((CLASSES[status], round(start, 1), width))
        start += width
    return Cell(text, CLASSES[worst], title, tuple(parts))


def asked(report: Report) -> list[Asked]:
    """The options that decide most, first; then what no option decides."""
    groups: dict[tuple[str | None, str], list[tuple[str, tuple[str, str]]]] = defaultdict(list)
    for judged in report.judged:
        for one in judged.verdicts:
            if one.unchecked:
                span = judged.kernel.location
                place = (f"p{span.line}", f"line {span.line}")
                groups[one.option, one.reason or "not checked"].append((one.name.value, place))
        for subject in judged.unproved:
            if subject.status in OPEN and subject.property is not Property.COSTS:
                place = (f"p{subject.ptx.line}", harmless(subject.location.short))
                groups[subject.option, subject.reason].append((subject.property.value, place))
    found = [
        Asked(
            len({place for _, place in members}),
            ", ".join(dict.fromkeys(name for name, _ in members)),
            harmless(reason),
            None if option is None else harmless(option),
            tuple(dict.fromkeys((href, PurePath(name).name) for _, (href, name) in members))[:6],
        )
        for (option, reason), members in groups.items()
    ]
    return sorted(found, key=lambda one: (one.option is None, -one.count))


def proved(report: Report) -> Iterator[str]:
    """What is shown of every launch, in sentences."""
    claims = {
        Property.BOUNDS: "every access stays inside its array or buffer",
        Property.ALIGNMENT: "every address is aligned",
        Property.SPACES: "every address belongs to the state space of its instruction",
        Property.RACES: "no two threads make unordered conflicting accesses",
        Property.BARRIERS: "all threads of a block that have not exited reach each barrier",
        Property.UNIFORMITY: "all lanes that have not exited take part in warp-wide instructions",
        Property.INITIALISATION: "what is read has been written",
    }
    for one in report.summary.verdicts:
        if one.name in claims and not one.empty:
            if one.status is Status.PROVED:
                yield f"{claims[one.name]} ({one.total} of {one.total})"
            elif one.proved:
                yield f"{one.name.value}: {one.proved} of {one.total} proved"


# --- rendering


def content(module: CheckedModule) -> PageContent:
    found = list(cards(module.report, module.views, module.texts))
    return PageContent(module, code(module.source, module.views, found, module.texts), found)


def render(module: CheckedModule) -> str:
    """The page of a file. Raises Error without jinja2."""
    return str(template("page.html").render(page=content(module), **shared()))


def shared() -> dict[str, Any]:
    """What every template gets: style and script, and the policy that allows these alone."""
    style, script = text("style.css"), text("script.js")
    policy = (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def digest(of: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(of.encode()).digest()).decode()}"


@cache
def text(name: str) -> str:
    return (files("ptxlint.viewer") / name).read_text("utf-8").replace("\r\n", "\n")


def template(name: str) -> Any:
    return environment().get_template(name)


def environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("ptxlint.viewer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(plain=plain, harmless=harmless, version=VERSION)
    return made


def plain(text: str) -> Markup:
    """The text; isolated if its letters may run from right to left."""
    return escape(text) if text.isascii() else Markup("<bdi>{}</bdi>").format(text)
