"""A card for each finding and for each access: claim, address, witness, picture, fix.

A card of a finding has all that is known of its access, which then has none of its own. Of many
findings the first ones have full cards, the next ones a line each; the rest is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.reports.full import extent, triple
from ptxlint.reports.full import witness as witness_text
from ptxlint.results.finding import VERBS, Certainty, Finding, RequestCost, Severity, Span
from ptxlint.results.kernel_view import AccessView, KernelView, Note, UnorderedPath
from ptxlint.results.report import Report
from ptxlint.results.verdict import Status
from ptxlint.rule import load_rule
from ptxlint.source import harmless
from ptxlint.source_files import SourceFiles
from ptxlint.viewer.pictures import Picture, pictures

FULL = 300  # cards with everything
LISTED = 2_000  # cards
FEW = 40  # accesses of a file: then each has its picture
RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}
CONSTANT = re.compile(r" [+-] \d+$")
BRIEF = ("share", "cost")  # labels whose first line says most
PLAIN = ("aligned", "access")  # labels that are left out where they say nothing new
CERTAINTIES = {
    Certainty.PROVED: "proved: it happens in every launch that the contract allows",
    Certainty.WITNESS: "witness: it happens in one launch, replayed on the interpreter",
    Certainty.POSSIBLE: "possible: neither proved safe nor shown wrong",
}
OPEN = (Status.CONDITIONAL, Status.UNDECIDED)


class LabelledLines(Struct, frozen=True):
    """A label and its lines; ``copy`` is a text that a button copies."""

    label: str
    lines: tuple[str, ...]
    copy: str = ""


class Place(Struct, frozen=True):
    """A place in a text: what it is called, its span, the line itself."""

    text: str
    span: Span
    line: str


class FixView(Struct, frozen=True):
    """A change, and the cost of a request before and after."""

    place: str
    before: str
    after: str
    cost: str
    best: str


class RaceView(Struct, frozen=True):
    """The two threads of a race, and the lines on a path between their accesses."""

    threads: tuple[tuple[str, Span], ...]
    path: tuple[int, ...]


class Card(Struct, frozen=True, kw_only=True):
    """What is known of a place. ``lines`` are those of the PTX that it is about, each with its
    share of the traffic. ``weight`` orders accesses by traffic above the ideal."""

    id: str
    severity: str
    rules: tuple[str, ...] = ()
    certainty: str = ""
    properties: tuple[str, ...] = ()
    kernel: str
    kernel_id: str
    claim: str
    place: Place
    ptx: Place
    rows: tuple[LabelledLines, ...] = ()
    pictures: tuple[Picture, ...] = ()
    fix: FixView | None = None
    race: RaceView | None = None
    share: int | None = None
    excess: int = 0
    cost: str = ""
    status: str = ""
    lines: tuple[tuple[int, int | None], ...] = ()
    full: bool = True

    @property
    def weight(self) -> tuple[int, int]:
        return self.excess * (self.share or 1), self.share or 0


def cards(report: Report, views: Sequence[KernelView], texts: SourceFiles) -> Iterator[Card]:
    """Findings first, the severe ones in front; then accesses, the costliest in front. Findings
    that say the same of one line share a card, and so do accesses that cost the same."""
    known = {(view.result.name, one.result.ptx): one for view in views for one in view.accesses}
    commands = {
        (finding.kernel, finding.rule, finding.ptx): command
        for view in views
        for finding, command in zip(view.findings, view.reproduce, strict=True)
    }
    paths = {(v.result.name, p.first): p for v in views for p in v.paths}
    kernels = {view.result.name: f"p{view.first}" for view in views}
    make = _Cards(texts, known, commands, paths, kernels)
    groups = sorted(alike_findings(report.findings), key=lambda group: RANK[group[0].severity])
    for number, members in enumerate(groups[:LISTED]):
        yield make.finding(members, number < FULL)
    taken = {(finding.kernel, finding.ptx) for finding in report.findings}
    accesses = [
        make.access(view, members)
        for view in worst_launches(views)
        for members in alike_accesses(view)
        if (view.result.name, members[0].result.ptx) not in taken
    ]
    accesses.sort(key=lambda card: (card.status != "open", *(-w for w in card.weight)))
    left, few = max(FULL - len(groups), 0), len(accesses) <= FEW
    for number, card in enumerate(accesses[:LISTED]):
        drawn = card if few or card.excess > 0 else replace(card, pictures=())
        yield drawn if number < left else replace(card, rows=(), pictures=(), full=False)


def alike_findings(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings by line and claim, as ``Report.groups`` counts them."""
    groups: dict[object, list[Finding]] = {}
    for one in findings:
        place = (one.location.path, one.location.line, one.ptx.path, one.kernel)
        groups.setdefault((place, one.rule, one.severity, one.message), []).append(one)
    return list(groups.values())


def alike_accesses(view: KernelView) -> list[list[AccessView]]:
    """The accesses of each source line that agree, as those of an unrolled loop do; where the
    source is not known, those whose addresses differ by constants."""
    groups: dict[object, list[AccessView]] = {}
    reported = {finding.ptx for finding in view.findings}
    for one in view.accesses:
        result, fact = one.result, one.result.access
        what = fact.kind, fact.space, fact.region, fact.bytes, result.status, result.cost
        open_ = tuple((each.property, each.reason) for each in one.unproved)
        in_source = result.location != result.ptx
        place = result.location.short if in_source else CONSTANT.sub("", fact.offset or "?")
        groups.setdefault((place, what, open_, result.ptx in reported), []).append(one)
    return list(groups.values())


def worst_launches(views: Iterable[KernelView]) -> Iterator[KernelView]:
    """Each kernel in the launch in which the fewest accesses are proved."""
    found: dict[tuple[str, int], KernelView] = {}
    for view in views:
        key = view.result.name, view.first
        if key not in found or unsafe(view) > unsafe(found[key]):
            found[key] = view
    return iter(found.values())


def unsafe(view: KernelView) -> int:
    return sum(one.result.status is not Status.PROVED for one in view.accesses)


class _Cards(Struct, dict=True):
    texts: SourceFiles
    known: Mapping[tuple[str, Span], AccessView]
    commands: Mapping[tuple[str, str, Span], str | None]
    paths: Mapping[tuple[str, int], UnorderedPath]
    kernels: Mapping[str, str]

    def __post_init__(self) -> None:
        self.taken = Counter[str]()

    def named(self, wanted: str) -> str:
        """The id; a number behind it where it is taken."""
        self.taken[wanted] += 1
        count = self.taken[wanted]
        return wanted if count == 1 else f"{wanted}-{count}"

    def place(self, span: Span) -> Place:
        name = f"{PurePath(harmless(span.path)).name}:{span.line}"
        return Place(name, span, harmless(self.texts.line(span)).strip())

    # --- findings

    def finding(self, members: Sequence[Finding], full: bool) -> Card:
        found = members[0]
        accesses = [self.known.get((one.kernel, one.ptx)) for one in members]
        rule = load_rule(found.rule).rule
        excess = found.cost.actual - found.cost.ideal if found.cost else 0
        lines = tuple(
            (one.ptx.line, one.share if access is None else access.share)
            for one, access in zip(members, accesses, strict=True)
        )
        card = Card(
            id=self.named(f"f-{found.fingerprint[:10]}"),
            severity=found.severity.value,
            rules=(found.rule,),
            certainty=found.certainty.value,
            properties=() if rule.property is None else (rule.property.value,),
            kernel=harmless(found.demangled),
            kernel_id=self.kernels.get(found.kernel, ""),
            claim=harmless(found.message),
            place=self.place(found.location),
            ptx=self.place(found.ptx),
            share=whole(lines),
            excess=excess,
            cost=short_cost(found.cost) if excess else "",
            lines=lines,
            full=full,
        )
        if not full:
            return card
        return replace(
            card,
            rows=tuple(self.rows(found, accesses[0])),
            pictures=drawn(accesses[0]),
            fix=fix_view(found),
            race=self.race(found),
        )

    def rows(self, found: Finding, access: AccessView | None) -> Iterator[LabelledLines]:
        if found.condition is not None:
            yield LabelledLines("holds if", (harmless(found.condition),))
        if found.witness is not None:
            yield LabelledLines("witness", (harmless(witness_text(found.witness, found.access)),))
        command = self.commands.get((found.kernel, found.rule, found.ptx))
        if command is not None:
            yield LabelledLines("reproduce", (harmless(command),), harmless(command))
        yield LabelledLines("certainty", (CERTAINTIES[found.certainty],))
        if found.reason is not None:
            yield LabelledLines("unproved", (harmless(found.reason),))
        calls = [
            f"{call.inlined}, called at {PurePath(call.location.path).name}:{call.location.line}"
            for call in found.related
            if call.inlined is not None
        ]
        if calls:
            yield LabelledLines("inlined", tuple(map(harmless, calls)))
        if found.help is not None:
            yield LabelledLines("help", (harmless(found.help),))
        yield LabelledLines(
            "rule", (load_rule(found.rule).rule.summary,), f"ptxlint rule {found.rule}"
        )
        if access is not None:
            yield from rows_of(access.notes)

    def race(self, found: Finding) -> RaceView | None:
        """The witness and the other thread, with the path between their accesses."""
        other = next((r for r in found.related if r.message.startswith("against")), None)
        if other is None or found.witness is None:
            return None
        seen = found.witness
        first = f"block {triple(seen.ctaid)} thread {triple(seen.tid)}"
        if found.access is not None:
            verb = VERBS.get(found.access.kind or "", "touches")
            first += f" {verb} {extent(found.access)}"
            first += f", byte {seen.address}" if seen.address is not None else ""
        second = other.message.removeprefix("against ").removesuffix(" here")
        path = self.paths.get((found.kernel, found.ptx.line))
        lines = path.lines if path is not None else ()
        threads = ((harmless(first), found.location), (harmless(second), other.location))
        return RaceView(threads, lines)

    # --- accesses

    def access(self, view: KernelView, members: Sequence[AccessView]) -> Card:
        one = members[0]
        result, fact = one.result, one.result.access
        verb = VERBS.get(fact.kind or "", "touches")
        where = f"`{fact.region}`" if fact.region else f"{fact.space} memory"
        claim = f"{verb} {fact.bytes} bytes of {where}"
        open_ = [each for each in one.unproved if each.status in OPEN]
        asked = [
            LabelledLines(
                each.property.value, (f"{each.status.value}: {each.reason}",), each.option or ""
            )
            for each in open_
        ]
        settled = result.status is Status.PROVED
        excess = result.cost.actual - result.cost.ideal if result.cost else 0
        lines = tuple((each.result.ptx.line, each.share) for each in members)
        return Card(
            id=self.named(f"a{result.ptx.line}"),
            severity="access",
            certainty="",
            properties=tuple(dict.fromkeys(each.property.value for each in open_)),
            kernel=harmless(view.result.demangled),
            kernel_id=f"p{view.first}",
            claim=harmless(claim),
            place=self.place(result.location),
            ptx=self.place(result.ptx),
            rows=(
                *([] if asked else [LabelledLines("verdict", (said_of(result.status),))]),
                *(replace(row, lines=tuple(map(harmless, row.lines))) for row in asked),
                *rows_of(one.notes),
            ),
            pictures=drawn(one),
            share=whole(lines),
            excess=max(excess, 0),
            cost=short_cost(result.cost),
            status="good" if settled else "open",
            lines=lines,
        )


def whole(lines: Iterable[tuple[int, int | None]]) -> int | None:
    """The share of all of them, as far as it is known."""
    known = [share for _, share in lines if share is not None]
    return min(sum(known), 100) if known else None


def said_of(status: Status) -> str:
    return {
        Status.PROVED: "proved: in bounds, aligned, in its state space, in every allowed launch",
        Status.CONDITIONAL: "conditional: safe in launches that meet the required contract",
        Status.UNDECIDED: "undecided",
        Status.FLAGGED: "flagged: see the finding on this line",
        Status.NOT_CHECKED: "not checked",
    }[status]


def drawn(access: AccessView | None) -> tuple[Picture, ...]:
    if access is None or access.offsets is None:
        return ()
    fact = access.result.access
    return tuple(pictures(access.offsets, fact.space, fact.bytes, fact.kind == "load"))


def rows_of(notes: Iterable[Note]) -> list[LabelledLines]:
    """The notes under each label."""
    found: dict[str, list[str]] = {}
    label = ""
    for own, text in notes:
        label = own or label
        if label not in PLAIN or "required" in text:
            found.setdefault(label, []).append(harmless(text))
    return [
        LabelledLines(label, tuple(t[:1] if label in BRIEF else t)) for label, t in found.items()
    ]


def short_cost(cost: RequestCost | None) -> str:
    """``32 wavefronts, ideal 1``"""
    if cost is None or not cost.actual:
        return ""
    best = f"{cost.best} to " if cost.best not in (None, cost.actual) else ""
    return f"{best}{cost.actual} {cost.unit}, ideal {cost.ideal}"


def fix_view(found: Finding) -> FixView | None:
    fix, cost = found.fix, found.cost
    if fix is None:
        return None
    unit = cost.unit if cost is not None else ""
    best = f"{fix.cost} {unit.removesuffix('s') if fix.cost == 1 else unit}"
    place = PurePath(fix.location.path).name + f":{fix.location.line}" if fix.location else fix.what
    before = f"{cost.actual} {unit}" if cost is not None else "?"
    return FixView(*map(harmless, (place, fix.before, fix.after, before, best)))
