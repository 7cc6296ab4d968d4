"""The explanation of an instruction for ``ptxlint why``: facts and proofs, line by line.

For a memory access: the address as a formula, its range, the guards, the proof of both bounds or
the step that failed, the active threads, and the cost. For a branch its condition, for any other
instruction its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from analyses.addresses import ResolvedAccess
from analyses.domains.uniformity import Level
from analyses.polynomials.formatting import number
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Choice, Interpretation, Quotient, Remainder, deep
from analyses.program import Block, Effect, Operand, Value
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound, cost
from analyses.proofs.proof import Proof
from analyses.traffic.cost_functions import CostFunction
from analyses.traffic.devices import RETRIED
from analyses.traffic.patterns import Offsets, Pattern
from analyses.traffic.share import Amount
from ptxlint.contracts.expression import Condition
from ptxlint.contracts.launch import Extent
from ptxlint.facts import metrics
from ptxlint.facts.imprecision import imprecision
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import cost_function, near_ideal, traffic_share
from ptxlint.facts.wording import doubt, opaque_text, region_name, register, stated
from ptxlint.inference.extents import UpperBound
from ptxlint.ir import PtxInstr
from ptxlint.places import Locations
from ptxlint.reports.formulas import WORD, FormulaText
from ptxlint.reports.lanes import lane_map
from ptxlint.results.finding import VERBS
from ptxlint.results.reasons import REASONS
from ptxlint.source import plural
from ptxlint.thresholds import TOLERATED

Note = tuple[str, str]  # a label and a line; a line without a label goes on with the last one

AGREE = {
    Level.NEVER: "never computed",
    Level.GRID: "uniform",
    Level.CTA: "uniform in a block",
    Level.WARP: "uniform in a warp",
    Level.DIVERGENT: "divergent",
}
TOGETHER = {
    Level.GRID: "executed by all threads or none",
    Level.CTA: "executed by all threads of a block or none",
    Level.WARP: "executed by all lanes of a warp or none",
}
APART = "divergent: lanes of a warp may execute it without the others"
MAPPED = ("sectors", "wavefronts")  # units shown by a map of lanes
CONTROLLED = Effect.BARRIER | Effect.ARRIVE | Effect.CONVERGENT | Effect.CALL


class Goal(Struct, frozen=True):
    """One bound of an access: in bounds if ``polynomial`` is non-negative. ``inside`` if its range
    proves that; ``beyond`` names the other side, ``imprecision`` the reason why no bound may be
    known."""

    polynomial: Polynomial
    claim: str
    inside: bool
    beyond: str
    imprecision: str


class Explanation:
    """The explanations for one kernel. ``places`` are the locations in its file."""

    def __init__(self, facts: Facts, places: Locations) -> None:
        self.facts, self.places = facts, places
        self.footprints, self.proofs = facts.footprints, facts.footprints.proofs
        self.formulas = FormulaText(facts, places)
        self.accesses = {access.instr: access for access in facts.all_accesses}

    def notes(self, instr: PtxInstr, block: Block, bounds: bool = True) -> Iterator[Note]:
        """The lines about an instruction of the block; with the proofs of ``bounds``, or without,
        which is faster."""
        if instr.opaque:
            yield "memory", opaque_text(instr)
        if not self.facts.values.reached(block.index):
            yield "control", "unreachable in the declared launches"
        elif instr in self.accesses:
            yield from self._access(self.accesses[instr], bounds)
        else:
            if instr is block.terminator.instr and block.terminator.condition is not None:
                yield from self._branch(block)
            yield from self._computed(instr, block)
            if instr is block.terminator.instr or instr.effects & CONTROLLED:
                yield from self._guards(self.proofs.conditions.at(block.index))
                yield from self._threads(block.index)

    # --- a memory access

    def _access(self, access: AccessFacts, bounds: bool) -> Iterator[Note]:
        place = access.place
        premises = self.footprints.premises(place)
        size = plural(place.access.bytes, "byte", "bytes")
        size = size if place.access.length is None else f"up to {size}"
        used = f", of which {place.access.used} are used" if place.access.used is not None else ""
        yield "access", f"{VERBS[place.access.kind]} {size} of {access.space} memory{used}"
        found = [(one, self.footprints.offset(one)) for one in place.each]
        known = [(one, offset) for one, offset in found if offset is not None]
        if not known:
            yield "address", f"unknown: {self._imprecision(place.access.base)}"
        else:
            offsets = [offset for _, offset in known]
            each = [f"{self._name(one)} + {self.formulas.sum(offset)}" for one, offset in known]
            yield "address", " or ".join(each)
            legend = list(self.formulas.legend(*offsets, *premises.polynomials))
            yield from labelled("where", legend)
        for one in place.each:
            yield "range", self._range(one)
        yield from self._guards(premises)
        for one, offset in known if bounds else ():
            yield from self._ends(one, self.footprints.premises(one), offset)
        residue, modulus = place.residue
        needed = "" if place.aligned else f", required is 0 modulo {place.access.align}"
        yield "aligned", f"the address is {residue} modulo {modulus}{needed}"
        level = self.facts.divergence.use(place.access.base, place.block)
        yield "uniform", f"the address is {AGREE[level]}"
        yield from self._threads(place.block)
        yield from self._cost(access)

    def _imprecision(self, base: Operand) -> str:
        reason = imprecision(self.facts, base)
        return f"{REASONS[reason]} ({reason})"

    def _name(self, place: ResolvedAccess) -> str:
        return region_name(place.region) if place.region is not None else "its region"

    def _range(self, place: ResolvedAccess) -> str:
        size = self.footprints.size(place.region) if place.region is not None else None
        name = f"`{self._name(place)}`"
        known = (
            f"the size of {name} is {'not declared' if size is None else self.formulas.sum(size)}"
        )
        if place.low is None or place.high is None or place.high - place.low >= WORD:
            return f"offset unbounded; {known}"
        return f"offsets [{place.low}, {place.high + place.access.bytes}); {known}"

    # --- guards

    def _guards(self, premises: PathCondition) -> Iterator[Note]:
        yield from labelled("guards", in_columns(self._said(premises)))

    def _said(self, premises: PathCondition) -> Iterator[tuple[str, str]]:
        """Each inequality that is neither trivial nor assumed of all launches, and its origin."""
        told = (fact for fact in premises.known if not self._assumed(fact))
        known = {fact.polynomial.primitive(): fact for fact in told}
        seen = set()
        for polynomial, fact in known.items():
            opposite = (-polynomial).primitive()
            if opposite in known and polynomial.constant is None:
                if opposite not in seen:
                    yield self.formulas.equal(polynomial), self._because(fact)
            elif polynomial.range()[0] < 0:
                yield self.formulas.at_least(polynomial), self._because(fact)
            seen.add(polynomial)
        for fact in premises.apart:
            low, high = fact.polynomial.range()
            if low <= 0 <= high:
                yield f"{self.formulas.sum(fact.polynomial)} != 0", self._because(fact)

    def _assumed(self, fact: Inequality) -> bool:
        return any(fact.origin in one.conditions for one in self.facts.launch.assumed)

    def _because(self, fact: Inequality) -> str:
        """The origin of an inequality."""
        what = fact.origin
        if isinstance(what, Value):
            what = self.facts.values.definition.get(what)
        if isinstance(what, PtxInstr):
            return self.places.primary(what).short
        if isinstance(what, (Quotient, Remainder)):
            return "rounds down"
        if isinstance(what, Choice):
            return f"a case of {self.formulas[what]}"
        if isinstance(what, str):
            return "the launch" if "<" in what else what
        if self._assumed(fact):
            return "assumed"
        return "declared" if isinstance(what, (Condition, Extent)) else "loop invariant"

    # --- bounds

    def _ends(
        self, place: ResolvedAccess, premises: PathCondition, offset: Polynomial
    ) -> Iterator[Note]:
        lost_by = self._imprecision(place.access.base)
        least = f"{self.formulas.sum(offset)} >= 0"
        inside = place.low is not None and place.low >= 0
        low = Goal(offset, least, inside, "before the start", lost_by)
        yield from labelled("lower", self._end(premises, low))
        size = self.footprints.size(place.region) if place.region is not None else None
        end = self.footprints.end(place)
        if size is None or end is None:
            yield from labelled("upper", self._open_end(place))
            return
        most = f"{self.formulas.sum(end)} <= {self.formulas.sum(size)}"
        room = size - end
        inside = None not in (place.size, place.high) and room_left(place) >= 0
        high = Goal(room, most, inside, "past the end", lost_by)
        yield from labelled("upper", self._end(premises, high))

    def _end(self, premises: PathCondition, goal: Goal) -> Iterator[str]:
        """The proof, or the step that failed and the missing condition."""
        proof = self.proofs.proof(premises, goal.polynomial)
        if proof is not None or goal.inside:
            yield f"proved: {self._rests(proof) if proof is not None else 'by its range'}"
            return
        yield f"not proved: {goal.claim}"
        no_wrap = self.proofs.no_wrap(premises, goal.polynomial, needed=False).by
        wraps = {
            s for s in deep(goal.polynomial) if isinstance(s, Interpretation) and s not in no_wrap
        }
        for interpretation in sorted(wraps, key=order):
            if wraps.isdisjoint(deep(interpretation.polynomial)):
                inner = self.formulas.sum(interpretation.polynomial)
                kind = f"{'u' * (not interpretation.signed)}int{interpretation.width}"
                yield f"{inner} may overflow {kind}"
        found = self.proofs.bounds(premises, goal.polynomial, cost)
        missing = (self._short(under, goal.beyond) for under in found)
        yield from together(text for text in missing if text)
        if not found:
            yield f"no bound is known: {goal.imprecision}"

    def _open_end(self, place: ResolvedAccess) -> Iterator[str]:
        """For a buffer of undeclared size: the sizes that suffice."""
        found = self.footprints.span(place).high
        extents = ((under, UpperBound.of(under).text(self.formulas)) for under in found)
        yield from together(
            f"in bounds if size >= {extent}{self._needs(under, ' and ')}"
            for under, extent in extents
        )
        if not found:
            yield f"no sufficient size is known: {self._imprecision(place.access.base)}"

    def _short(self, under: ConditionalBound, beyond: str) -> str:
        """What one of the cases still takes; empty for one that is proved."""
        by = under.least.constant
        if by is None:
            least = self.formulas.at_least(under.least)
            return f"holds if {least}{self._needs(under, ' and ')}"
        if by >= 0:
            return f"holds{needed}" if (needed := self._needs(under, " if ")) else ""
        scale = under.bound.scale if under.bound is not None else 1
        bytes_ = plural(-(by // scale), "byte", "bytes")
        return f"may access {bytes_} {beyond}{self._needs(under, ' if ')}"

    def _needs(self, under: ConditionalBound, word: str) -> str:
        needs = dict.fromkeys(
            self.formulas.at_least(need.polynomial) for need in under.preconditions
        )
        return f"{word}{' and '.join(needs)}" if needs else ""

    def _rests(self, proof: Proof) -> str:
        """The steps of a proof, in words."""
        used, no_wrap, cases = flat(proof)
        facts = dict.fromkeys(
            f"{self.formulas.at_least(fact.polynomial)} ({self._because(fact)})"
            for fact in used
            if fact.polynomial.range()[0] < 0
        )
        parts = [", ".join(facts) or "by the ranges of its symbols"]
        if no_wrap:
            names = (self.formulas.sum(interpretation.polynomial) for interpretation in no_wrap)
            parts.append(f"no wrap of {', '.join(names)}")
        if cases > 1:
            parts.append(f"in each of {cases} cases")
        return "; ".join(parts)

    # --- threads and cost

    def _threads(self, block: int) -> Iterator[Note]:
        divergence = self.facts.divergence
        left = (
            "of the threads that have not exited: " if block in divergence.partially_exited else ""
        )
        yield "control", left + TOGETHER.get(divergence.control[block], APART)
        ends = [self.facts.kernel.blocks[b].terminator.instr for b in divergence.controlling[block]]
        parts = (self.places.primary(i).short for i in ends if isinstance(i, PtxInstr))
        yield from (("", f"diverge at {place}") for place in dict.fromkeys(parts))

    def _cost(self, access: AccessFacts) -> Iterator[Note]:
        cost, found, law = access.cost, access.pattern, cost_function(self.facts, access)
        if cost is None or not isinstance(found, Pattern):
            yield "cost", f"unknown: {doubt(access)}" if law is None else said(law)
            return
        best = "" if cost.exact else f"{cost.best} to "
        unit = cost.unit.removesuffix("s") if cost.worst == 1 else cost.unit
        text = f"{best}{cost.worst} {unit} a warp, ideal {cost.ideal}"
        if found.stride is not None:
            apart = f"threads along x are {abs(found.stride)} bytes apart"
            text += f": {apart if found.stride else 'all lanes touch the same bytes'}"
        yield "cost", text
        if cost.unit == RETRIED.unit:
            yield "", "retried in a loop (compare-and-swap)"
        if law is not None:
            yield "", said(law)
        if found.assumptions:
            yield "", f"assuming that {doubt(access)}"
        needs = near_ideal(self.facts, access) if found.guarded else None
        if needs is not None:
            conditions = f" if {stated(needs)}" if needs else ""
            yield "", f"as near to its ideal for the lanes that the guards leave{conditions}"
        yield from labelled("share", self._share(access))
        by = metric(self.facts, access)
        if cost.unit in MAPPED and cost.worst > cost.ideal + TOLERATED[cost.unit] and by:
            size = access.place.access.bytes
            worst: Offsets = max(found.warps, key=lambda lanes: by.least(lanes, size))
            kind = metrics.kind(access.instr)
            yield from labelled("lanes", lane_map(worst, access.space, size, kind))

    def _share(self, access: AccessFacts) -> Iterator[str]:
        """The share of the kernel's traffic, if the access is not the only one."""
        share = traffic_share(self.facts, access)
        if share is None or (share.own == share.whole and not share.unknown):
            return
        of = f"{total(share.own)} of {total(share.whole)} {access.space} {share.unit} a warp"
        part = f"{share.percent} % of the kernel's: " if share.percent is not None else ""
        more = plural(share.unknown, "access", "accesses")
        yield f"{part}{of}{f'; {more} of unknown cost' if share.unknown else ''}"
        for head in sorted({head for rounds in share.whole for head in rounds}):
            yield f"t{head} is the trip count of the loop{self.formulas.at(head)}"

    # --- other instructions

    def _branch(self, block: Block) -> Iterator[Note]:
        condition = block.terminator.condition
        assert condition is not None
        taken = self.proofs.conditions.implied(condition, True, block.terminator.instr)
        legend = list(self.formulas.legend(*taken.polynomials))
        texts = [text for text, _ in self._said(taken)]
        yield "taken", f"where {' and '.join(texts)}" if texts else "by a condition of no formula"
        yield from labelled("where", legend)
        level = self.facts.divergence.branches.get(block.index, Level.GRID)
        yield "uniform", f"the condition is {AGREE[level]}"

    def _computed(self, instr: PtxInstr, block: Block) -> Iterator[Note]:
        words = self.footprints.symbolic.words
        formulas = [words[value].offset.polynomial for value in instr.defs if value in words]
        legend = list(self.formulas.legend(*(f for f in formulas if f is not None)))
        for value in instr.defs:
            level = self.facts.divergence.use(value, block.index)
            yield register(value), "; ".join([*self._word(value), AGREE[level]])
        yield from labelled("where", legend)

    def _word(self, value: Value) -> Iterator[str]:
        """The formula and the range of a name in the control and address slice."""
        word = self.footprints.symbolic.words.get(value)
        if word is None or word.offset.polynomial is None or value.width == 1:
            return
        region = f"{region_name(word.origin.region)} + " if word.origin is not None else ""
        yield f"{region}{self.formulas.sum(word.offset.polynomial)}"
        values, known = self.facts.values, self.facts.values.number(value)
        if known.origin is None and not values.numbers.is_bottom(known):
            low, high = values.interval(known).signed_bounds()
            if 0 < high - low < WORD:
                yield f"in [{number(low)}, {number(high)}]"


def total(amount: Amount) -> str:
    """``32*t3 + 4``: the longest products first."""
    parts = sorted(amount.items(), key=lambda part: (-len(part[0]), part))
    return " + ".join("*".join([str(n), *(f"t{head}" for head in loops)]) for loops, n in parts)


def said(law: CostFunction) -> str:
    """The cost function, and from where on it holds."""
    return f"{law}, if {law.subject} >= {law.least}" if law.least else str(law)


def room_left(place: ResolvedAccess) -> int:
    """The bytes between the last one accessed and the end of the region."""
    return int(place.size or 0) - int(place.high or 0) - place.access.bytes


def together(texts: Iterable[str]) -> Iterator[str]:
    """The conditions of all cases, each once: every one of them must be met."""
    seen = dict.fromkeys(texts)
    for start in ("holds if ", "in bounds if "):
        first = next((text for text in seen if text.startswith(start)), None)
        seen = dict.fromkeys(
            text if text == first else text.replace(start, "and if ", 1) for text in seen
        )
    yield from seen


def flat(proof: Proof) -> tuple[list[Inequality], list[Interpretation], int]:
    """The inequalities and no-wrap interpretations of all cases of a proof; the number of cases."""
    used, no_wrap, cases = list(proof.used), list(proof.no_wrap), 0 if proof.cases else 1
    for part in proof.cases:
        more, interpretations, count = flat(part)
        used += more
        no_wrap += interpretations
        cases += count
    return used, list(dict.fromkeys(no_wrap)), cases


def labelled(label: str, lines: Iterable[str]) -> Iterator[Note]:
    """The lines under one label."""
    for line in lines:
        yield label, line
        label = ""


def in_columns(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Each origin with its inequality, aligned; each row once."""
    rows = list(dict.fromkeys(rows))
    width = max((len(place) for _, place in rows), default=0)
    return [f"{place:{width}}  {text}" for text, place in rows]
