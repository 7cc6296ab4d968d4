"""What is shown of a kernel, taken from its analyses before these are freed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import VIEW_INSTRUCTION_STEPS, VIEW_STEPS
from analyses.domains.uniformity import Level
from analyses.domains.wrapped_interval import StridedInterval
from analyses.polynomials.formatting import number
from analyses.program import Block, Operand, Value
from analyses.traffic.patterns import Pattern
from ptxlint.analysis import Analysis
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.files import written
from ptxlint.facts.imprecision import imprecision
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import traffic_shares
from ptxlint.facts.wording import region_name, register
from ptxlint.inference.inferred_contract import Inferred
from ptxlint.ir import PtxInstr, is_written, written_in
from ptxlint.places import Locations
from ptxlint.plain import contract_result, finding_of
from ptxlint.reports.explanation import AGREE, Explanation, labelled
from ptxlint.reports.formulas import LOST
from ptxlint.reports.why import instructions
from ptxlint.results.finding import Finding, Span
from ptxlint.results.kernel_view import (
    AccessView,
    BranchView,
    KernelView,
    LoopView,
    Note,
    Offsets,
    RegisterFacts,
)
from ptxlint.results.report import AccessResult
from ptxlint.results.verdict import Unproved
from ptxlint.source_files import base_name
from ptxlint.viewer.reproduction import command
from ptxlint.viewer.unordered import unordered_paths

LONGEST = 100  # characters of a formula or a condition
PARTS = 8  # symbols in a formula that is written out
LINES = 4  # under one label
MANY = 8  # leading bits that are written out


class Views(Struct):
    """Collects the views of the kernels of one file while its results are made."""

    places: Locations
    kernels: list[KernelView] = []

    def of(self, analyses: Iterable[Analysis]) -> Iterator[Analysis]:
        """The analyses as they come; the view of each is kept."""
        for analysis in analyses:
            yield analysis
            self.kernels.append(view(analysis, self.places))
            del analysis


def view(analysis: Analysis, places: Locations) -> KernelView:
    """The view of one kernel under one launch."""
    result = analysis.result(places)
    first = result.location.line
    written_lines = [places.ptx(i).line for _, i in instructions(analysis.kernel)]
    findings = tuple(
        finding_of(claim, analysis.kernel, analysis.launch, places) for claim in analysis.claims
    )
    found = KernelView(
        result=result,
        first=first,
        last=max(written_lines, default=first),
        findings=findings,
        sources=tuple(dict(sources(analysis, places)).items()),
        reproduce=tuple(command(analysis, finding, places) for finding in findings),
    )
    facts = analysis.facts
    if facts is None:  # it crashed
        return found
    contract = analysis.judgement.contract if analysis.judgement is not None else None
    shown = _View(facts, places)
    return replace(
        found,
        accesses=tuple(shown.accesses(result.accesses, result.unproved, findings)),
        registers=tuple(shown.registers()),
        branches=tuple(shown.branches()),
        loops=tuple(shown.loops()),
        paths=tuple(unordered_paths(analysis, places)),
        required=None if contract is None else required(contract, places),
    )


def sources(
    analysis: Analysis, places: Locations
) -> Iterator[tuple[int, tuple[tuple[str, int], ...]]]:
    """The chain of source places of each line of PTX, innermost first, as base names and lines."""
    known: dict[object, tuple[tuple[str, int], ...]] = {}
    for _, instr in instructions(analysis.kernel):
        loc = instr.loc
        if loc is None:
            continue
        if loc.offset not in known:
            spans = [places.place(loc.file, loc.line, loc.column)]
            spans += [call.location for call in places.calls(instr)]
            known[loc.offset] = tuple((base_name(span.path), span.line) for span in spans)
        yield places.ptx(instr).line, known[loc.offset]


def required(contract: Inferred, places: Locations) -> str | None:
    """The table of TOML that declares what the conditional accesses need."""
    plain = contract_result(contract, places)
    if not (plain.needs or plain.buffers or plain.shared):
        return None
    declared = Contract(
        plain.kernel,
        shared=plain.shared,
        buffers=plain.buffers,
        params=plain.params,
        requires=plain.needs,
    )
    return "\n".join(written(declared, {r.need: r.reason for r in plain.reasons if r.need}))


class _View:
    """The parts of a view that come from the facts. ``budget`` bounds the steps of their proofs."""

    def __init__(self, facts: Facts, places: Locations) -> None:
        self.facts, self.places = facts, places
        self.explanation = Explanation(facts, places)
        self.budget = facts.footprints.proofs.conditions.budget
        self.budget.left = VIEW_STEPS + VIEW_INSTRUCTION_STEPS * len(facts.kernel.instructions)

    def line(self, instr: PtxInstr) -> int:
        return self.places.ptx(instr).line

    # --- accesses

    def accesses(
        self,
        results: Iterable[AccessResult],
        unproved: Iterable[Unproved],
        findings: Iterable[Finding],
    ) -> Iterator[AccessView]:
        """In the order of the text; proofs are spelt out first where something was found, then
        where something is open, as long as steps are left."""
        shares = {a.instr: share for a, share in traffic_shares(self.facts)}
        open_ = defaultdict[Span, list[Unproved]](list)
        for one in unproved:
            open_[one.ptx].append(one)
        reported = {finding.ptx for finding in findings}
        pairs = list(zip(self.facts.accesses, results, strict=True))
        ranked = sorted(
            range(len(pairs)),
            key=lambda i: (pairs[i][1].ptx not in reported, not open_[pairs[i][1].ptx], i),
        )
        notes = {i: self.notes(pairs[i][0]) for i in ranked}
        for i, (access, result) in enumerate(pairs):
            share = shares.get(access.instr)
            yield AccessView(
                result=result,
                notes=notes[i],
                unproved=tuple(dict.fromkeys(open_[result.ptx])),
                offsets=costliest(self.facts, access),
                share=None if share is None else share.percent,
            )

    def notes(self, access: AccessFacts) -> tuple[Note, ...]:
        """What is known of an access, proofs of its bounds as long as steps are left."""
        block = self.facts.kernel.blocks[access.place.block]
        bounds = self.budget.left > 0
        said = list(labels(self.explanation.notes(access.instr, block, bounds)))
        # the lanes are drawn; without steps left, what is not proved may well be provable
        left_out = ("lanes", "lower", "upper") if self.budget.left < 0 else ("lanes",)
        said = [note for note in said if note[0] not in left_out]
        return tuple((label, shortened(text)) for label, text in fewer(said))

    # --- control

    def branches(self) -> Iterator[BranchView]:
        for block in self.facts.kernel.blocks:
            end = block.terminator
            if end.condition is None or not is_written(end.instr):
                continue
            level = self.facts.divergence.branches.get(block.index, Level.GRID)
            yield BranchView(self.line(end.instr), AGREE[level], level > Level.WARP)

    def loops(self) -> Iterator[LoopView]:
        for loop in self.facts.flow.loops.values():
            lines = [
                self.line(instr)
                for index in loop.nodes
                for instr in written_in(self.facts.kernel.blocks[index])
            ]
            level = self.facts.divergence.exit_levels.get(loop.head, Level.GRID)
            if lines:
                yield LoopView(min(lines), max(lines), level > Level.WARP)

    # --- registers

    def registers(self) -> Iterator[RegisterFacts]:
        """What is known of each word of the control and address slice, and how uniform the others
        are."""
        for block in self.facts.kernel.blocks:
            written_here = [self.line(instr) for instr in written_in(block)]
            if not written_here:
                continue
            for phi in block.phis:
                yield from self.register(phi.target, block, min(written_here), "merged")
            for node in block.assumes:
                yield from self.register(node.target, block, min(written_here), "narrowed")
            for instr in block.instrs:
                if is_written(instr):
                    for value in instr.defs:
                        yield from self.register(value, block, self.line(instr), "")

    def register(self, value: Value, block: Block, line: int, how: str) -> Iterator[RegisterFacts]:
        """Nothing for a word that was narrowed to no more than it was."""
        level = self.facts.divergence.use(value, block.index)
        word = self.facts.symbolic.words.get(value)
        found = RegisterFacts(register=register(value), line=line, uniformity=AGREE[level], how=how)
        if word is None or value.width == 1:
            if not how:
                yield found
            return
        polynomial = word.offset.polynomial
        values, known = self.facts.values, self.facts.values.number(value)
        if values.numbers.is_bottom(known):
            return
        region = f"{region_name(known.origin.region)} + " if known.origin is not None else ""
        formula, because = None, None
        if polynomial is not None and sum(len(s.parts) for s in polynomial.symbols) <= PARTS:
            alone = polynomial.alone
            if alone is None or alone not in self.facts.symbolic.opaque:
                formula = shortened(region + self.explanation.formulas.sum(polynomial))
        if formula is None and not how:
            because = self.because(value)
        _, bits = known.offset
        yield replace(
            found,
            formula=formula,
            range=range_text(values.interval(known), value.width) if not region else None,
            bits=bits_text(str(bits)) if not region else None,
            because=because,
        )

    def because(self, value: Operand) -> str:
        reason = imprecision(self.facts, value)
        return LOST.get(reason, LOST["nonlinear"])


# --- texts


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def range_text(words: StridedInterval, width: int) -> str | None:
    """``[0, 124], a multiple of 4``; None if it is every word."""
    low, high = words.signed_bounds()
    if high - low >= (1 << width) - 1:
        return None
    if low == high:
        return number(low)
    text = f"[{number(low)}, {number(high)}]"
    if words.stride < 2:
        return text
    return f"{text}, {'a multiple of' if low % words.stride == 0 else 'in steps of'} {words.stride}"


def bits_text(bits: str) -> str | None:
    """``0…??00000``: known bits below the highest that may be set; None if there are none."""
    rest = bits.lstrip("0")
    if not {"0", "1"} & set(rest) or "?" not in rest:
        return None
    known = rest.lstrip("?")
    rest = rest if len(rest) - len(known) < MANY else f"?…?{known}"
    return rest if len(rest) == len(bits) else f"0…{rest}"


def fewer(notes: Iterable[Note]) -> Iterator[Note]:
    """At most LINES lines under each label, and how many there are more."""
    for label, group in groupby(labels(notes), lambda note: note[0]):
        texts = [text for _, text in group]
        rest = len(texts) - LINES
        yield from labelled(label, texts[:LINES] + [f"and {rest} more"] * (rest > 0))


def labels(notes: Iterable[Note]) -> Iterator[Note]:
    """Each note with its label."""
    current = ""
    for label, text in notes:
        current = label or current
        yield current, text


def costliest(facts: Facts, access: AccessFacts) -> Offsets | None:
    """The lane offsets of the warp that the cost is about."""
    found, by = access.pattern, metric(facts, access)
    if not isinstance(found, Pattern) or by is None or not found.warps:
        return None
    size = access.place.access.bytes
    return max(found.warps, key=lambda lanes: by.least(lanes, size) - by.would_do(lanes, size))
