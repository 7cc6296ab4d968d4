"""The two texts of a page, linked both ways, with heat, arrows and what is known of registers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from markupsafe import Markup
from msgspec import Struct

from ptxlint.results.finding import Span
from ptxlint.results.kernel_view import KernelView, RegisterFacts
from ptxlint.source import Source, harmless
from ptxlint.source_files import SourceFiles
from ptxlint.viewer.arrows import Arrow, arrows, drawing
from ptxlint.viewer.cards import Card, worst_launches
from ptxlint.viewer.listing import Listing, Mark, ptx_lines

HEAT = (5, 15, 40, 70)  # percent of the kernel's traffic, from which a line is hotter
SYMBOLS = {"error": "✕", "warning": "!", "note": "i"}
SHORT = {
    "uniform": "grid",
    "uniform in a block": "block",
    "uniform in a warp": "warp",
    "divergent": "divergent",
    "never computed": "never computed",
}


class KernelSection(Struct, frozen=True):
    """The registers of a kernel: a row each where more is known than how uniform they are."""

    name: str
    id: str
    first: int
    last: int
    facts: tuple[RegisterFacts, ...]
    others: tuple[tuple[str, str], ...]


class SourceText(Struct, frozen=True):
    """A source that is shown: its lines by their number, and what the ids of these begin with."""

    prefix: str
    lines: list[tuple[int, str]]

    @classmethod
    def of(cls, source: Source, prefix: str) -> SourceText:
        lines = list(enumerate(source.text.split("\n"), source.first))
        lines = [(number, text.rstrip("\r").expandtabs(4)) for number, text in lines]
        while len(lines) > 1 and not lines[-1][1]:
            lines.pop()
        return cls(prefix, lines)

    def id(self, line: int) -> str:
        """The id of a line; empty if there is none, as of line 0, which a compiler writes for code
        of its own, or of one behind the end of an older text."""
        return f"{self.prefix}{line}" if self.lines[0][0] <= line <= self.lines[-1][0] else ""


class SourcePane(Struct, frozen=True):
    name: str
    prefix: str
    html: Markup


class Listings(Struct):
    """Both texts, ready for the template."""

    ptx: Markup
    arrows: Markup
    lines: int
    sources: list[SourcePane] = []
    missing: list[str] = []
    kernels: list[KernelSection] = []
    ids: dict[str, str] = {}
    texts: dict[str, SourceText] = {}

    def href(self, span: Span) -> str:
        """The id of a line of a source; empty if its text is not shown."""
        text = self.texts.get(PurePath(span.path).name)
        return text.id(span.line) if text is not None else ""

    @staticmethod
    def level(facts: RegisterFacts) -> str:
        """The threads that agree on a word."""
        return SHORT.get(facts.uniformity, facts.uniformity)


def code(
    source: Source, views: Sequence[KernelView], cards: Iterable[Card], texts: SourceFiles
) -> Listings:
    lines, kernels = list(ptx_lines(source)), list(worst_launches(views))
    chains = {line: chain for view in kernels for line, chain in view.sources}
    names = dict.fromkeys(name for chain in chains.values() for name, _ in chain)
    found = {name: text for name in names if (text := texts.find(source.path, name)) is not None}
    sources = {
        name: SourceText.of(text, f"s{number}-")
        for number, (name, text) in enumerate(found.items(), 1)
    }
    listed = list(cards)
    drawn = [arrow for view in kernels for arrow in arrows(view, lines)]
    ptx = Listing(
        lines,
        "p",
        marks={line: mark for card in reversed(listed) for line, mark in ptx_marks(card)},
        links=dict(ptx_links(lines, chains, sources)),
        remarks=dict(remarks(kernels, drawn)),
        ptx=True,
    )
    rows = {number: row for row, (number, _) in enumerate(lines)}
    return Listings(
        ptx=ptx.html(),
        arrows=drawing(drawn, rows) if drawn else Markup(),
        lines=len(lines),
        sources=[pane(name, text, chains, listed) for name, text in sources.items()],
        missing=[harmless(name) for name in names if name not in found and name],
        kernels=[registers(view) for view in kernels],
        ids={view.result.name: f"p{view.first}" for view in kernels},
        texts=sources,
    )


# --- the PTX


def ptx_marks(card: Card) -> Iterator[tuple[int, Mark]]:
    for line, share in card.lines:
        yield line, mark(card, share)


def mark(card: Card, share: int | None) -> Mark:
    """The word before a line: the share of the traffic, or how severe the finding is."""
    symbol = SYMBOLS.get(card.severity, "")
    percent = "" if share is None else f"{share}%"
    text = " ".join(filter(None, (symbol, percent))) or ("?" if card.status == "open" else "·")
    title = "; ".join(filter(None, (card.claim, card.cost, shares(share))))
    style = card.severity if card.severity in SYMBOLS else card.status
    return Mark(card.id, text, title, style, heat(share))


def shares(percent: int | None) -> str:
    return "" if percent is None else f"{percent} % of the kernel's traffic in this space"


def heat(percent: int | None) -> int:
    return sum((percent or 0) >= limit for limit in HEAT)


def ptx_links(
    lines: Iterable[tuple[int, str]],
    chains: Mapping[int, tuple[tuple[str, int], ...]],
    sources: Mapping[str, SourceText],
) -> Iterator[tuple[int, tuple[str, str]]]:
    """The source of each line at which it changes: its innermost place, which leads to the first
    one of the inlining chain that is shown."""
    before: tuple[tuple[str, int], ...] = ()
    for number, _ in lines:
        chain = chains.get(number, before)
        if chain != before:
            name, line = chain[0]
            ids = (sources[name].id(at) for name, at in chain if name in sources)
            href = next(filter(None, ids), "")
            yield number, (href, harmless(f"{name}:{line}" if line else name))
        before = chain


def remarks(views: Iterable[KernelView], drawn: Iterable[Arrow]) -> Iterator[tuple[int, str]]:
    """What stands behind a line: that a branch diverges, that a loop begins."""
    for arrow in drawn:
        if arrow.divergent:
            yield arrow.line, "divergent"
    for view in views:
        for loop in view.loops:
            trips = ", divergent trip count" if loop.divergent else ""
            yield loop.first, f"loop, lines {loop.first} to {loop.last}{trips}"


# --- the source


def pane(
    name: str,
    source: SourceText,
    chains: Mapping[int, tuple[tuple[str, int], ...]],
    cards: Sequence[Card],
) -> SourcePane:
    """A source: each line leads to its first line of PTX."""
    there = defaultdict[int, list[int]](list)
    for number, chain in chains.items():
        for line in {at for file, at in chain if file == name}:
            there[line].append(number)
    links = {}
    for line, numbers in there.items():
        more = f" +{len(numbers) - 1}" if len(numbers) > 1 else ""
        links[line] = f"p{min(numbers)}", f"{min(numbers)}{more}"
    marks = source_marks(name, cards)
    html = Listing(source.lines, source.prefix, marks=marks, links=links).html()
    return SourcePane(harmless(name), source.prefix, html)


def source_marks(name: str, cards: Sequence[Card]) -> dict[int, Mark]:
    """The worst card of each line, with the traffic of all its accesses in that space."""
    lines = defaultdict[int, list[Card]](list)
    for card in cards:
        if PurePath(card.place.span.path).name == name and card.place.span != card.ptx.span:
            lines[card.place.span.line].append(card)
    found = {}
    for line, members in lines.items():
        worst = max(members, key=lambda card: (card.severity != "access", card.share or 0))
        found[line] = mark(worst, worst.share)
    return found


# --- registers


def registers(view: KernelView) -> KernelSection:
    """Rows for those of which more is known than how uniform they are; the others by uniformity."""
    facts, others = [], defaultdict[str, dict[str, None]](dict)
    for one in view.registers:
        if one.formula or one.range or one.bits or one.because:
            facts.append(one)
        elif not one.how:
            others[SHORT.get(one.uniformity, one.uniformity)][one.register] = None
    return KernelSection(
        harmless(view.result.demangled),
        f"p{view.first}",
        view.first,
        view.last,
        tuple(facts),
        tuple((level, " ".join(names)) for level, names in sorted(others.items())),
    )
