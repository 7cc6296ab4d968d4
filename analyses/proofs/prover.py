"""Proofs at a place of a program, and the needs of those that hold for some launches only.

A goal ``polynomial >= 0`` is tried as it stands; then with every reading written as its polynomial
where that is shown to fit into the type; then by cases of a choice. For an index that changes in a
loop, fitting is an induction: the first one fits, and the last step before the next iteration stays
inside the type.

Where the launch must help, ``bounds`` says how: lower bounds of the goal over what the launch
decides, and the needs under which they hold ("ntid.x*nctaid.x <= 2**31: the index does not wrap").
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from analyses.graph import Loop
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Case, Choice, Interpretation, deep, type_range
from analyses.proofs.inequalities import Bound, kept, quotient, times_monomial
from analyses.proofs.loop_invariants import iteration_bounds
from analyses.proofs.no_wrap import Fits, NoWrap
from analyses.proofs.path_conditions import (
    ASSUMED_NONNEGATIVE,
    NOTHING,
    PathCondition,
    PathConditions,
    choices,
)
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    Preference,
    asked,
    by_a_crowd,
    coarse,
    not_less,
    sensible,
    unique,
    weakest,
)
from analyses.scalar_evolution import SymbolicValues

MAX_ASKED = 6  # readings of which each waits for the next one
MAX_CASES = 5  # choices that one goal is split by
LARGE = 2**30  # a bound of this size is the end of a type and says nothing


@dataclass(frozen=True, slots=True)
class Aim:
    """A goal at a place."""

    premises: PathCondition
    goal: Polynomial


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a goal is not negative: the inequalities that were ``used`` besides the ranges of
    symbols, the readings shown to be their polynomials, and a proof for each case of a choice."""

    used: tuple[Inequality, ...] = ()
    opened: tuple[Interpretation, ...] = ()
    cases: tuple[Proof, ...] = ()


class Proofs:
    """Of one function; ``general`` is known of every launch. Answers are kept by what the premises
    say. A no that was given while another question was open may rest on that question, so it is
    kept only until none is."""

    def __init__(self, symbolic: SymbolicValues, general: PathCondition = NOTHING) -> None:
        self.symbolic = symbolic
        self.places = PathConditions(symbolic, general, self.proves, iteration_bounds)
        self._proofs: dict[Hashable, Proof | None] = {}
        self._fitting: dict[Hashable, Fits | None] = {}
        self._not_yet: dict[Hashable, Proof | None] = {}  # a no to ``proof``, for now
        self._for_now: dict[Hashable, Fits | None] = {}  # a no to ``fitting``
        self._asked: list[Hashable] = []  # and not yet answered
        self._in_circles = False  # whether an answer since rests on a question in there

    # --- without needs

    def proves(self, premises: PathCondition, goal: Polynomial, cases: int = MAX_CASES) -> bool:
        """Whether the goal is not negative whenever a thread is there, in every launch."""
        return self.proof(premises, goal, cases) is not None

    def proof(
        self, premises: PathCondition, goal: Polynomial, cases: int = MAX_CASES
    ) -> Proof | None:
        """Why the goal is not negative whenever a thread is there, in every launch."""
        return self._from(self.places.relevant(premises, goal), goal, cases)

    def _from(self, premises: PathCondition, goal: Polynomial, cases: int) -> Proof | None:
        """Of premises that are all worth looking at."""
        if goal.range()[0] >= 0:
            return Proof()
        key = (premises.key, goal, cases)
        for known in (self._proofs, self._not_yet):
            if key in known:
                return known[key]
        found = self._proof(premises, goal, cases)
        (self._not_yet if found is None and self._asked else self._proofs)[key] = found
        return found

    def _proof(self, premises: PathCondition, goal: Polynomial, cases: int) -> Proof | None:
        premises += self.places.joined((goal, *premises.polynomials))
        bound = self.places.entails(premises, goal)
        if bound is not None:
            return Proof(bound.used)
        opened = self.opened(premises, goal, needed=False)
        premises, goal = replaced(self.symbolic.integers, premises, goal, opened.by)
        if opened.by and (bound := self.places.entails(premises, goal)) is not None:
            return Proof(bound.used, tuple(opened.fits))
        choice = self._choice(premises, goal) if cases else None
        if choice is None:
            return None
        parts = []
        for case in choice.cases:
            part = self._from(*self._case(premises, goal, choice, case, cases - 1), cases - 1)
            if part is None:
                return None
            parts.append(part)
        return Proof((), tuple(opened.fits), tuple(parts))

    def _choice(self, premises: PathCondition, goal: Polynomial) -> Choice | None:
        """The choice to split by: the last that the goal, or else a premise, speaks of."""
        found = choices((goal,)) or choices(premises.polynomials)
        return max(found, key=order, default=None)

    def _case(
        self, premises: PathCondition, goal: Polynomial, choice: Choice, case: Case, cases: int
    ) -> tuple[PathCondition, Polynomial]:
        integers = self.symbolic.integers
        premises, goal = replaced(integers, premises, goal, {choice: case.polynomial})
        if case.condition is not None:
            return premises + self._sided(premises, case, choice, cases), goal
        if case.origin is not None:
            return premises + self.places.at(case.origin), goal
        others = [other.polynomial for other in choice.cases if other is not case]
        return premises + PathCondition(
            tuple(Inequality(case.polynomial - other, choice) for other in others)
        ), goal

    def _sided(
        self, premises: PathCondition, case: Case, choice: Choice, cases: int
    ) -> PathCondition:
        """What the condition of a case says; of what is not 0 also the side, if that takes
        another case."""
        assert case.condition is not None
        said = self.places.said(case.condition, case.truth, choice)
        sides = [
            Inequality(polynomial - 1, choice)
            for fact in said.apart
            for polynomial in (fact.polynomial, -fact.polynomial)
            if cases and self.proves(premises, polynomial, cases)
        ]
        return said + PathCondition(tuple(sides))

    def missing(self, premises: PathCondition, wanted: Iterable[Polynomial]) -> list[Polynomial]:
        """Those that are not shown to be not negative, each with the help of those before."""
        found = []
        for polynomial in wanted:
            if not self.proves(premises, polynomial):
                premises += PathCondition((Inequality(polynomial),))
                found.append(polynomial)
        return found

    # --- readings that are their polynomials

    def opened(self, premises: PathCondition, goal: Polynomial, needed: bool) -> NoWrap:
        """Every reading that is shown to be its polynomial; with ``needed`` also those for which
        the launch can see to it."""
        readings = {
            symbol
            for polynomial in (goal, *premises.polynomials)
            for symbol in deep(polynomial)
            if isinstance(symbol, Interpretation)
        }
        fits = {
            reading: fit
            for reading in sorted(readings, key=order)
            if (fit := self.fitting(reading, premises, needed)) is not None
        }
        return NoWrap.of(fits, self.symbolic.integers)

    def fitting(
        self, reading: Interpretation, premises: PathCondition, needed: bool
    ) -> Fits | None:
        """The polynomial that the reading is, and what that needs; None if nobody can say."""
        premises = self.places.relevant(premises, Polynomial.of(reading))
        key = (reading, premises.key, needed)
        for answers in (self._fitting, self._for_now):
            if key in answers:
                self._in_circles |= answers is self._for_now
                return answers[key]
        if key in self._asked or len(self._asked) >= MAX_ASKED:
            self._in_circles = True
            return None
        before, self._in_circles = self._in_circles, False
        self._asked.append(key)
        found = self._fits(reading, premises, needed)
        self._asked.pop()
        resting = found is None and self._in_circles and bool(self._asked)
        (self._for_now if resting else self._fitting)[key] = found
        self._in_circles |= before
        if not self._asked:
            self._not_yet.clear()
            self._for_now.clear()  # what rested on a question still open may be had now
            self._in_circles = False
        return found

    def _fits(self, reading: Interpretation, premises: PathCondition, needed: bool) -> Fits | None:
        best: Fits | None = None
        for polynomial, aims in self._ways(reading, premises, needed):
            needs = self._met(reading, aims, needed and polynomial == reading.polynomial)
            if needs is not None and (best is None or asked(needs) < asked(best.needs)):
                best = Fits(polynomial, needs)
            if best is not None and not best.needs:
                break
        return best

    def _met(
        self, reading: Interpretation, aims: Iterable[Aim], needed: bool
    ) -> list[Precondition] | None:
        needs: list[Precondition] = []
        for aim in aims:
            if self.proves(aim.premises, aim.goal, cases=0):
                continue
            if not needed:
                return None
            attempts = (self._plainly, self._opened, self._with_needs)
            tried = [attempt(aim.premises, aim.goal, weakest) for attempt in attempts]
            known = [under for under in tried if under is not None]
            found = min(known, key=weakest, default=None)
            if found is None or any(weakest(found)[:2]) or coarse(found.enough):
                return None  # hardly any launch would do, or none of every day
            if not by_a_crowd(found.enough):
                return None
            needs += found.needs
            if found.enough.range()[0] < 0:
                needs.append(Precondition(found.enough.primitive(), reading))
        return list(unique(needs))

    def _ways(
        self, reading: Interpretation, premises: PathCondition, needed: bool
    ) -> Iterator[tuple[Polynomial, list[Aim]]]:
        """What shows that a reading is a polynomial which it equals modulo 2**width: it lies in the
        type; or, in a loop, that of the first iteration does and so does the reading after one more
        step; or, where something is known of the reading itself, the two lie nearer together than
        2**width. The polynomial is the word's, or that with other readings in it."""
        low, high = type_range(reading.width, reading.signed)
        polynomial, symbolic = reading.polynomial, self.symbolic
        counters = [
            (counter, symbolic.loops[head])
            for head, counter in symbolic.counters.items()
            if counter in polynomial.symbols
        ]
        if counters:
            counter, loop = max(counters, key=lambda item: item[0].rank)
            lasting = premises.where(lambda polynomial: symbolic.outside(polynomial, loop))
            for aims in self._inductive(reading, counter, loop, lasting, needed):
                yield polynomial, aims
        said = any(reading in known.symbols for known in premises.polynomials)
        for equal in dict.fromkeys((polynomial, self.by_readings(reading, premises))):
            yield equal, [Aim(premises, equal - low), Aim(premises, -equal + high)]
            if said:
                apart, most = equal - Polynomial.of(reading), (1 << reading.width) - 1
                yield equal, [Aim(premises, apart + most), Aim(premises, -apart + most)]

    def by_readings(self, reading: Interpretation, premises: PathCondition) -> Polynomial:
        """What a reading's word is modulo 2**width, with the readings that the premises compare in
        the place of the polynomials that these are modulo 2**width."""
        result = reading.polynomial
        compared = {
            symbol
            for known in premises.polynomials
            for symbol in known.symbols
            if isinstance(symbol, Interpretation) and symbol.width >= reading.width
        }
        for other in sorted(compared, key=order):
            if simpler(other) >= simpler(reading):
                continue  # or one would be written by the other, and that by it
            found = substituted(result, other)
            if len(found.terms) < len(result.terms):
                result = found
        return result

    def _inductive(
        self,
        reading: Interpretation,
        counter: Symbol,
        loop: Loop,
        lasting: PathCondition,
        needed: bool,
    ) -> Iterator[list[Aim]]:
        """By induction over the iterations of a loop that adds the same in each of them: where the
        reading fits in one that goes on to the next, and one more step stays inside the type, it
        fits there too. What is ``lasting`` speaks of words that were made before the loop: it
        holds where the reading is looked at, so it did in all iterations that led there."""
        low, high = type_range(reading.width, reading.signed)
        polynomial, integers = reading.polynomial, self.symbolic.integers
        following = integers.rewritten(polynomial, {counter: Polynomial.of(counter) + 1})
        start = integers.rewritten(polynomial, {counter: Polynomial.of(0)})
        if following is None or start is None or counter in deep(following - polynomial):
            return
        (latch,) = loop.latches
        before, after = self.places.entry(loop) + lasting, self.places.at(latch) + lasting
        last = Polynomial.of(reading) + (following - polynomial)
        aims = [Aim(after, last - low), Aim(after, -last + high)]
        first = integers.read(reading.width, reading.signed, start)
        if first != start:
            inner = first.alone
            fit = self.fitting(inner, before, needed) if isinstance(inner, Interpretation) else None
            if fit is None:
                return
            if fit.needs:
                aims = [Aim(before, start - low), Aim(before, -start + high), *aims]
        yield aims

    # --- with needs

    def bounds(
        self, premises: PathCondition, goal: Polynomial, by: Preference, cases: int = MAX_CASES
    ) -> list[ConditionalBound]:
        """The goal is not less than the least of these; empty where nothing is known. A bound that
        no launch makes 0 or more, or that is made of the ends of types, is only given where there
        is no other, nor one that an everyday launch breaks where the ``weakest`` is sought; of the
        rest it is the first ``by`` preference."""
        if self.places.effort.left < 0:
            return []
        premises = self.places.relevant(premises, goal)
        choice = self._choice(premises, goal) if cases else None
        direct = self._direct(premises, goal, by)
        met = bool(direct) and sensible(direct[0], by)
        if met and (choice not in deep(goal) or by is weakest or single(direct[0])):
            return direct
        if choice is not None:
            parts = [
                self.bounds(*self._case(premises, goal, choice, case, cases - 1), by, cases - 1)
                for case in choice.cases
            ]
            split = [under for part in parts for under in part]
            if all(parts) and not (met and by(direct[0]) <= max(map(by, split))):
                return split
        if met:
            return direct
        signs = self._signs(premises, goal)
        return (self.bounds(premises + signs, goal, by, cases) if signs.known else []) or direct

    def _direct(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> list[ConditionalBound]:
        """One bound without going by cases, a sensible one if there is any."""
        poor: list[ConditionalBound] = []
        for attempts in ((self._plainly, self._opened), (self._with_needs,)):
            tried = [attempt(premises, goal, by) for attempt in attempts]
            found = [under for under in tried if under is not None]
            if good := [under for under in found if sensible(under, by)]:
                return [min(good, key=by)]
            poor = poor or sorted(found, key=by)[:1]
        return poor

    def _plainly(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        leaf = self._leaf(premises, goal, by)
        if leaf is None:
            return None
        signs = [
            Precondition(fact.polynomial)
            for fact in premises.known
            if fact.what is ASSUMED_NONNEGATIVE
        ]
        return ConditionalBound(leaf.least, tuple(signs), leaf)

    def _opened(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        opened = self.opened(premises, goal, needed=False)
        if not opened.by:
            return None
        return self._plainly(*replaced(self.symbolic.integers, premises, goal, opened.by), by)

    def _with_needs(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        """With the readings of the goal as their polynomials; if that is not enough, with those
        of the premises too. Those that need something of the launch are as few as will do."""
        opened = self.opened(premises, goal, needed=True)
        own = deep(goal)
        chosen = {r for r, fit in opened.fits.items() if r in own or not fit.needs}
        found = self._with(premises, goal, opened.only(chosen, self.symbolic.integers), by)
        if opened.fits.keys() > chosen:
            more = self._with(premises, goal, opened, by)
            if more is not None and (found is None or by(more) < by(found)):
                chosen, found = set(opened.fits), more
        for reading in sorted(chosen, key=order):
            if found is not None and opened.fits[reading].needs:
                rest = opened.only(chosen - {reading}, self.symbolic.integers)
                fewer = self._with(premises, goal, rest, by)
                if fewer is not None and (by(fewer) < by(found) or not_less(fewer, found)):
                    chosen, found = chosen - {reading}, fewer
        return found

    def _with(
        self, premises: PathCondition, goal: Polynomial, opened: NoWrap, by: Preference
    ) -> ConditionalBound | None:
        found = self._plainly(*replaced(self.symbolic.integers, premises, goal, opened.by), by)
        if found is None:
            return None
        return replace(found, needs=tuple(unique((*found.needs, *opened.needs))))

    def _signs(self, premises: PathCondition, goal: Polynomial) -> PathCondition:
        """The parameters that the goal speaks of, taken not to be negative."""
        said, _ = premises.key
        found = {symbol for symbol in deep(goal) if kept(symbol) and symbol.low < 0}
        symbols = (Polynomial.of(symbol) for symbol in sorted(found, key=order))
        return PathCondition(
            tuple(Inequality(s, ASSUMED_NONNEGATIVE) for s in symbols if s not in said)
        )

    def _leaf(self, premises: PathCondition, goal: Polynomial, by: Preference) -> Bound | None:
        """The simplest lower bound over the launch's symbols that is not the end of a type."""
        if not self.places.may_ask():
            return None
        size = max(abs(goal.terms.get((), 0)), LARGE)
        sizes = (
            bound
            for bound in self.places.facts(premises, goal).least(goal)
            if all(abs(c) < 2 * size * bound.scale for c in bound.least.terms.values())
        )
        return min(sizes, key=lambda b: (by(b), -b.step, len(b.used)), default=None)


def simpler(reading: Interpretation) -> tuple[object, ...]:
    """A key: those that others may be written by come first."""
    return len(reading.polynomial.terms), order(reading)


def substituted(polynomial: Polynomial, reading: Interpretation) -> Polynomial:
    """With the reading for the last monomial of the polynomial that it is modulo 2**width."""
    last = max(reading.polynomial.terms, key=lambda m: (len(m), [order(s) for s in reversed(m)]))
    factor = reading.polynomial.terms[last]
    gap = reading.polynomial - Polynomial.of(reading)
    if abs(factor) != 1 or not last:
        return polynomial
    for monomial, coefficient in polynomial.terms.items():
        rest = quotient(monomial, last)
        if rest is not None:
            polynomial = polynomial.plus(times_monomial(gap, rest), -coefficient * factor)
    return polynomial


def single(under: ConditionalBound) -> bool:
    """Whether the bound is a product and a number, which is as plain as bounds are."""
    return sum(bool(monomial) for monomial in under.least.terms) <= 1


def replaced(
    integers: ModularPolynomials,
    premises: PathCondition,
    goal: Polynomial,
    by: Mapping[Symbol, Polynomial],
) -> tuple[PathCondition, Polynomial]:
    """With polynomials for symbols that they equal."""
    if not by:
        return premises, goal
    return premises.mapped(lambda polynomial: integers.respelt(polynomial, by)), (
        integers.respelt(goal, by)
    )
