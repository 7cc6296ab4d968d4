"""Claims about words as integer polynomials, and about what is known of them at a place.

Premises hold in every lane that is there. A proof is judged by goals that a run has refuted: each
is less by one than what a lane had, and may be proved by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from analyses.addresses import ResolvedAccess
from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.program import Value
from analyses.proofs.definitions import defining
from analyses.proofs.inequalities import InequalitySystem as Entailment
from analyses.proofs.path_condition import Disequality, PathCondition
from analyses.proofs.preconditions import ConditionalBound, cost
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.ir import PtxInstr
from ptxlint.simt import Fault

from .claims import Cause, Claim, Observation
from .meanings import Meanings, UnsettledError, unsigned, unsigned_of

GOALS = 3  # tried on entry of each block
MAX_GOALS = 12  # of one run


class Words(Claim):
    """Every word is its polynomial modulo 2**width, from where its region begins."""

    name = "integer word"
    settled = True

    def __init__(self, facts: Facts, seen: Observation, meanings: Meanings) -> None:
        super().__init__(facts, seen)
        self._meanings = meanings
        self._claimed = {
            value: (word.origin, word.offset.polynomial)
            for value, word in meanings.symbolic.words.items()
            if 1 < value.width <= 64 and word.offset.polynomial is not None
        }

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        origin, polynomial = self._claimed.get(value, (None, None))
        if polynomial is None:
            return
        if polynomial.alone is not None and polynomial.alone.label == value.name:
            self.seen.skipped["opaque word"] += 1
            return
        meanings, lanes = self._meanings, self._meanings.among(active)
        for lane, there in zip(lanes, unsigned_of(word, lanes), strict=True):
            try:
                number = meanings.base(origin) + meanings.value(polynomial, lane)
            except UnsettledError:
                self.seen.skipped["unsettled word"] += 1
                continue
            self.seen.count(self.name, 1)
            if (number - there) % (1 << value.width):
                fact = f"{origin or ''} {polynomial}".strip()
                self.broken(value, fact, hex(there), lane, cause)


class Premise(Claim):
    """What holds at a place, and what the symbols there are defined by."""

    name = "premise"

    def __init__(self, facts: Facts, seen: Observation, meanings: Meanings) -> None:
        super().__init__(facts, seen)
        self._meanings = meanings
        self._symbolic = meanings.symbolic
        self._places = facts.footprints.proofs.conditions
        self._said: dict[tuple[Value, bool], PathCondition] = {}
        self._all: dict[int, tuple[Entailment, frozenset[Symbol]]] = {}

    def entered(self, block: int, active: Array) -> None:
        lanes = self._meanings.among(active)
        if not lanes:
            return
        premises = self._places.at(block)
        self._hold(f"block {block}", premises, lanes)
        facts, symbols = self._closure(block, premises)
        if facts.contradictory:
            self.broken(f"block {block}", "contradictory", "entered", lanes[0])
        launch = PathCondition(tuple(self._symbolic.launch))
        self._hold("launch", launch, lanes)
        for symbol in symbols:
            self._ranged(block, facts, symbol, lanes)
            self._hold(f"{symbol}", PathCondition(tuple(defining(symbol))), lanes)

    def _closure(self, block: int, premises: PathCondition) -> tuple[Entailment, frozenset[Symbol]]:
        if block not in self._all:
            facts = self._places.facts(premises, Polynomial.of(0))
            self._all[block] = facts, frozenset(premises.closed[1])
        return self._all[block]

    def _ranged(self, block: int, facts: Entailment, symbol: Symbol, lanes: list[int]) -> None:
        low, high = facts.ranges.get(symbol, (symbol.low, symbol.high))
        for lane in lanes:
            try:
                number = self._meanings.symbol(symbol, lane)
            except UnsettledError:
                continue
            self.seen.count(self.name, 1)
            if not low <= number <= high:
                said = f"{symbol} in [{low}, {high}]"
                self.broken(f"block {block}", said, number, lane)

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        """A predicate says something where it is true and where it is false."""
        if value.width != 1 or value not in self._symbolic.words:
            return
        for lane in self._meanings.among(active):
            truth = bool(unsigned(word, lane))
            key = (value, truth)
            if key not in self._said:
                self._said[key] = self._places.implied(value, truth, value)
            self._hold(f"{value} is {truth}", self._said[key], [lane], cause)

    def _hold(
        self, subject: str, premises: PathCondition, lanes: list[int], cause: object = None
    ) -> None:
        for lane in lanes:
            for fact in premises.known:
                if (number := self._number(fact, lane)) is not None and number < 0:
                    self.broken(subject, f"{fact.polynomial} >= 0", number, lane, cause)
            for fact in premises.apart:
                if (number := self._number(fact, lane)) == 0:
                    self.broken(subject, f"{fact.polynomial} != 0", number, lane, cause)
            for two in premises.distinct:
                number = self._number(two, lane)
                if number is not None and not number % (1 << two.width):
                    said = f"{two.polynomial} != 0 modulo 2**{two.width}"
                    self.broken(subject, said, number, lane, cause)

    def _number(self, fact: Inequality | Disequality, lane: int) -> int | None:
        try:
            number = self._meanings.value(fact.polynomial, lane)
        except UnsettledError:
            self.seen.skipped["unsettled premise"] += 1
            return None
        self.seen.count(self.name, 1)
        return number


@dataclass(eq=False)
class Goal:
    """A polynomial at a place, and the least that a lane had there."""

    premises: PathCondition
    polynomial: Polynomial
    least: int | None = None
    lane: int = 0


class Proved(Claim):
    """Nothing is proved that a run refutes, and accesses stay where they are said to stay."""

    name = "proof"

    def __init__(self, facts: Facts, seen: Observation, meanings: Meanings) -> None:
        super().__init__(facts, seen)
        self._meanings = meanings
        self._symbolic = meanings.symbolic
        self._accesses: dict[PtxInstr, AccessFacts] = {a.instr: a for a in facts.all_accesses}
        self._random = Random(len(facts.kernel.blocks))
        self._goals: dict[object, list[Goal]] = {}

    # --- goals

    def entered(self, block: int, active: Array) -> None:
        lanes = self._meanings.among(active)
        if not lanes:
            return
        if block not in self._goals:
            premises = self.facts.footprints.proofs.conditions.at(block)
            self._goals[block] = [Goal(premises, p) for p in self._some(block)]
        for goal in self._goals[block]:
            self._least(goal, lanes)

    def _some(self, block: int) -> Iterator[Polynomial]:
        """Integers of words that are defined before the block, and their differences."""
        home, tree = self.facts.values.home, self.facts.values.tree
        words = [
            value
            for value in self._symbolic.words
            if 8 <= value.width <= 64 and value in home and tree.dominates(home[value], block)
            and (home[value] != block or self.facts.values.definition.get(value) is None)
        ]  # fmt: skip
        for _ in range(GOALS if words else 0):
            a, b = self._random.choice(words), self._random.choice(words)
            kind = self._random.random() < 0.6
            p, q = self._symbolic.integer(a, kind), self._symbolic.integer(b, kind)
            if p is not None and q is not None:
                yield self._random.choice((p, -p, p - q, p - q, p * q))

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        access = self._accesses[instr]
        lanes = self._meanings.among(active)
        if instr not in self._goals:
            self._goals[instr] = list(self._bounds(access.place))
        for goal in self._goals[instr] if lanes else ():
            self._least(goal, lanes)

    def _bounds(self, place: ResolvedAccess) -> Iterator[Goal]:
        footprints = self.facts.footprints
        offset = footprints.offset(place)
        if offset is None:
            return
        premises, end = footprints.premises(place), offset + place.access.bytes
        yield Goal(premises, offset)
        yield Goal(premises, -end)
        size = footprints.size(place.region) if place.region is not None else None
        if size is not None and size.constant is None:
            yield Goal(premises, size - end)

    def _least(self, goal: Goal, lanes: list[int]) -> None:
        for lane in lanes:
            try:
                number = self._meanings.value(goal.polynomial, lane)
            except UnsettledError:
                self.seen.skipped["unsettled goal"] += 1
                continue
            if goal.least is None or number < goal.least:
                goal.least, goal.lane = number, lane

    # --- judging

    def judge(self, faults: tuple[Fault, ...]) -> None:
        """Asks for what the run has refuted: goals of accesses first, then some of the others."""
        asked = [goal for key, goals in self._goals.items() for goal in goals]
        asked = [goal for goal in asked if goal.least is not None]
        accesses = {
            id(g) for key, gs in self._goals.items() if isinstance(key, PtxInstr) for g in gs
        }
        for goal in sorted(asked, key=lambda g: id(g) not in accesses)[:MAX_GOALS]:
            assert goal.least is not None
            self._refuted(goal, goal.least)
        for instr, access in self._accesses.items():
            wrong = [f for f in faults if f.instr is instr and f.kind == "out-of-bounds"]
            self.seen.count("in bounds", access.in_bounds)
            if access.in_bounds and wrong:
                self.broken(instr.text, "in bounds", wrong[0], 0, instr)

    def _refuted(self, goal: Goal, least: int) -> None:
        proofs = self.facts.footprints.proofs
        self.seen.count(self.name, 2)
        if proofs.proves(goal.premises, goal.polynomial - least - 1):
            self.broken("goal", f"{goal.polynomial} >= {least + 1}", least, goal.lane)
        found = proofs.bounds(goal.premises, goal.polynomial, cost)
        try:
            said = [self._bound(under) for under in found]
        except UnsettledError:
            self.seen.skipped["unsettled bound"] += 1
            return
        except KeyError as symbol:
            self.broken("bound", f"over the launch's symbols, but has {symbol}", found, goal.lane)
            return
        if not said or any(bound is None for bound in said):
            self.seen.skipped["no bound" if not said else "unmet needs"] += 1
            return
        self.seen.count("bound", 1)
        if all(bound is not None and bound > least for bound in said):
            shown = " or ".join(str(under.least) for under in found)
            self.broken("bound", f"{goal.polynomial} >= {shown} = {said}", least, goal.lane)

    def _bound(self, under: ConditionalBound) -> int | None:
        """The number in this launch; None where it does not meet the needs."""
        value, lane = self._meanings.value, self._meanings.lanes[0]
        for need in under.preconditions:
            if any(symbol.rank for symbol in need.polynomial.symbols):
                raise KeyError(need.polynomial)
            if value(need.polynomial, lane) < 0:
                return None
        if any(symbol.rank for symbol in under.least.symbols):
            raise KeyError(under.least)
        scale = under.bound.scale if under.bound is not None else 1
        return -(-value(under.least, lane) // scale)
