"""The prover: proofs at a program point, and preconditions under which a bound holds.

A goal ``polynomial >= 0`` is tried as it is; then with every interpretation replaced by its
polynomial where that is proved not to wrap (``no_wrap``); then by cases of a choice.

If the launch must help, ``bounds`` gives lower bounds of the goal over launch symbols, and the
preconditions under which they hold ("ntid.x*nctaid.x <= 2**31: no wrap").
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import takewhile

from msgspec.structs import replace

from analyses.budget import CASE_SPLITS, NESTED_QUERIES
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Case,
    Choice,
    Quotient,
    cases_of,
    choices,
    decisions,
    deep,
    selects,
    side_of,
    splits_left,
    to_split_by,
)
from analyses.proofs.assumed_signs import (
    differences,
    dividends,
    divisors,
    least_numbers,
    not_negative,
    signs,
    stated,
    with_scales,
)
from analyses.proofs.bounds_at_point import met_at_point, of_known_sign, possible_at_point
from analyses.proofs.choice_ranges import in_place_of_cases, with_least
from analyses.proofs.decided_symbols import DecidedChoices
from analyses.proofs.independent_parts import sums, with_choices
from analyses.proofs.loop_invariants import iteration_bounds
from analyses.proofs.lower_bounds import Bound, blocks_in
from analyses.proofs.margins import Margins
from analyses.proofs.mixed_radix import by_digits
from analyses.proofs.no_wrap import NoWrap, compared_unsigned
from analyses.proofs.no_wrap_search import Fitting
from analyses.proofs.path_condition import NOTHING, PathCondition, contradict, possible
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.powers import divided_by_power
from analyses.proofs.preconditions import (
    NOT_NEGATIVE,
    WEAK,
    ConditionalBound,
    Preference,
    SharedBounds,
    as_coarse,
    blocks_of,
    certain,
    cheaper,
    coarse,
    cost,
    has_size,
    is_end,
    met_by_sizes,
    not_less,
    preference,
    preferred,
    ranked,
    sensible,
    single,
    sized,
    tightest,
    typical_value,
    unique,
    weakest,
    weakest_for_sizes,
    with_parameters,
)
from analyses.proofs.proof import Proof
from analyses.proofs.query_cache import Answers
from analyses.scalar_evolution import SymbolicValues
from analyses.typical_launch import holds_in_a_small_launch
from analyses.ways import Way, with_values


class Proofs:
    """The prover of one function; ``general`` holds in every launch. Answers are cached by path
    condition and goal. Whether a word wraps may depend on whether others do, and on itself."""

    def __init__(self, symbolic: SymbolicValues, general: PathCondition = NOTHING) -> None:
        self.symbolic = symbolic
        self.conditions = PathConditions(symbolic, general, self.proves, iteration_bounds)
        self.decided = DecidedChoices(self.conditions)
        parameters = (symbol for symbol, name in symbolic.names.items() if "+" in name)
        self.margins = Margins(symbolic.integers, parameters)
        self._answers = Answers(NESTED_QUERIES)
        self._bounded = SharedBounds()
        self.fitting = Fitting(self, self._answers)
        self.counts_down = False
        self._rewritten: dict[Hashable, PathCondition] = {}

    @contextmanager
    def counting_down(self) -> Iterator[None]:
        """A precondition may limit the grid by parameters, where rows are counted down from the
        last one by blocks, ``rows - 1 - block``; and sizes are assumed to be positive."""
        self.counts_down = True
        try:
            yield
        finally:
            self.counts_down = False

    # --- for every launch

    def proves(self, premises: PathCondition, goal: Polynomial, cases: int = CASE_SPLITS) -> bool:
        """True if the goal is non-negative whenever a thread is at the point, in every launch."""
        return self.proof(premises, goal, cases) is not None

    def proof(
        self, premises: PathCondition, goal: Polynomial, cases: int = CASE_SPLITS
    ) -> Proof | None:
        """A proof that the goal is non-negative whenever a thread is at the point, in every
        launch."""
        premises, goal = self.decided.replaced(premises, goal)
        return self._from(self.conditions.relevant(premises, goal), goal, cases)

    def _from(self, premises: PathCondition, goal: Polynomial, cases: int) -> Proof | None:
        """The proof from relevant facts only."""
        if goal.range()[0] >= 0:
            return Proof()
        if self.conditions.budget.left < 0:
            return None
        key = (premises.key, goal, cases)
        found = self._answers.of(key, lambda: self._proof(premises, goal, cases))
        if found is None and self.conditions.budget.left < 0:
            self._answers.forget(key)  # with more steps it may be found
        return found

    def _proof(self, premises: PathCondition, goal: Polynomial, cases: int) -> Proof | None:
        premises += self.conditions.joined(premises.valued | with_values(goal.symbols))
        if (used := self.conditions.entails(premises, goal)) is not None:
            return Proof(used)
        if self.conditions.budget.left < 0:
            return None
        self.conditions.budget.left -= len(premises.known)  # each is rewritten below
        no_wrap = self.no_wrap(premises, goal, needed=False)
        premises, goal = self._replaced(premises, goal, no_wrap.by)
        if no_wrap.by and (used := self.conditions.entails(premises, goal)) is not None:
            return Proof(used, tuple(no_wrap.fits))
        least = with_least(goal) if cases == CASE_SPLITS else goal
        if least != goal and (found := self._from(premises, least, cases)) is not None:
            return Proof((), tuple(no_wrap.fits), (found,))
        if not cases or (choice := to_split_by(goal, premises.polynomials)) is None:
            return None
        parts, left = [], splits_left(choice, cases)
        for case in cases_of(choice):
            one = self._case(premises, goal, choice, case, left)
            part = self._from(*self.decided.replaced(*one), left)
            if part is None:
                return None
            parts.append(part)
        return Proof((), tuple(no_wrap.fits), tuple(parts))

    def _replaced(
        self,
        premises: PathCondition,
        goal: Polynomial,
        by: Mapping[Symbol, Polynomial],
        proves: Callable[[PathCondition, Polynomial], bool] | None = None,
    ) -> tuple[PathCondition, Polynomial]:
        """Both with equal polynomials for symbols; the path condition once for all goals. Signs of
        words that do not wrap are 0 also where that is to be proved, if it ``proves`` things."""
        if not by:
            return premises, goal
        by = self.decided.with_signs(premises, goal, by, proves)
        key = self.conditions.identity(premises), tuple(by.items())
        respelt = self.symbolic.integers.respelling(by)
        if key not in self._rewritten:
            self._rewritten[key] = premises.mapped(respelt)
        return self._rewritten[key], respelt(goal)

    def _case(
        self,
        premises: PathCondition,
        goal: Polynomial,
        choice: Choice | Quotient,
        case: Case,
        cases: int,
    ) -> tuple[PathCondition, Polynomial]:
        by = Way.of(case).decided(premises.parts | goal.parts) | {choice: case.polynomial}
        premises, goal = self._replaced(premises, goal, by)
        if isinstance(choice, Quotient):
            return premises + PathCondition((Inequality(side_of(choice, case), choice),)), goal
        if case.condition is not None:
            return premises + self._sided(premises, case, choice, cases), goal
        if case.edge is not None:
            return premises + self.conditions.along(*case.edge), goal
        others = [other.polynomial for other in choice.cases if other is not case]
        return premises + PathCondition(
            tuple(Inequality(case.polynomial - other, choice) for other in others)
        ), goal

    def split(
        self, premises: PathCondition, goal: Polynomial, choice: Choice | Quotient, left: int
    ) -> list[tuple[PathCondition, Polynomial]]:
        """Both in each case that a thread may be in; they may be split ``left`` times more."""
        each = [self._case(premises, goal, choice, case, left) for case in cases_of(choice)]
        return [case for case in each if not contradict(case[0], case[0])]

    def _sided(
        self, premises: PathCondition, case: Case, choice: Choice, cases: int
    ) -> PathCondition:
        """What the condition of a case implies; also the sign of a non-zero polynomial, if that
        needs another case."""
        assert case.condition is not None
        said = self.conditions.implied(case.condition, case.truth, choice)
        sides = [
            Inequality(polynomial - 1, choice)
            for fact in said.apart
            for polynomial in (fact.polynomial, -fact.polynomial)
            if cases and self.proves(premises, polynomial, cases)
        ]
        return said + PathCondition(tuple(sides))

    def missing(self, premises: PathCondition, wanted: Iterable[Polynomial]) -> list[Polynomial]:
        """The polynomials that are not proved to be non-negative, each assuming those before."""
        found = list[Polynomial]()
        for polynomial in wanted:
            if not self.proves(premises + PathCondition(tuple(map(Inequality, found))), polynomial):
                found.append(polynomial)
        return found

    def by_power(self, goal: Polynomial) -> bool:
        """True if it is divided by a power of two that the launch decides."""
        return divided_by_power(goal, self.symbolic.powers_of_two.includes)

    # --- no wrap

    def no_wrap(self, premises: PathCondition, goal: Polynomial, needed: bool) -> NoWrap:
        """The interpretations proved not to wrap; if ``needed``, also those for which a
        precondition suffices."""
        fits = self.fitting.of(premises, premises.parts | goal.parts, needed)
        return NoWrap.of(fits, self.symbolic.integers)

    # --- under preconditions

    def bounds(
        self, premises: PathCondition, goal: Polynomial, by: Preference, cases: int = CASE_SPLITS
    ) -> list[ConditionalBound]:
        """Lower bounds: the goal is at least the least of them; empty if nothing is known. A bound
        that is negative in every launch, or contains limits of types, is returned only if there is
        no other, and likewise one that a typical launch violates if the ``weakest`` is sought; of
        the rest the first ``by`` preference. Goals that differ by a constant share them."""
        if self.conditions.budget.left < 0:
            return []
        premises, goal = self.decided.replaced(premises, goal)
        premises = self.conditions.relevant(premises, goal)
        premises += self.conditions.joined(premises.valued | with_values(goal.symbols))
        key = premises.key, by, cases, self.counts_down
        found = self._bounded.of(key, goal, by)
        if found is None:
            each = with_scales(premises, goal, self.by_power(goal))
            ways = [way for here in each if (way := self._bounds(here, goal, by, cases))]
            usable = [way for way in ways if all(sensible(under, by, goal) for under in way)]
            found = min(usable or ways, key=partial(preference, by), default=[])
            if not found and (margin := self.margins.of(premises, goal)) is not None:
                changed = self.margins.changed(margin, premises, goal)
                found = self.bounds(*changed, by, cases) if changed[1] != goal else []
                found = self.margins.restored(margin, found)
            if self.conditions.budget.left >= 0:  # not cut
                self._bounded.add(key, goal, found)
        return found

    def _bounds(
        self, premises: PathCondition, goal: Polynomial, by: Preference, cases: int
    ) -> list[ConditionalBound]:
        choice = to_split_by(goal, premises.polynomials) if cases else None
        direct = self.direct(premises, goal, by)
        met = bool(direct) and sensible(direct[0], by, goal)
        plain = choice not in deep(goal) or by in WEAK or single(direct[0]) if met else False
        if plain and isinstance(choice, Choice) and blocks_of(direct[0]):
            plain = choice.greatest and not blocks_in(choice)  # a case may have a closer bound
        if (plain and not isinstance(choice, Quotient)) or certain(direct):
            return direct
        more = signs(premises, goal, positive=self.counts_down)
        several = not met and cases == CASE_SPLITS and decisions(goal) > 1
        if several:
            found = self._by_parts(premises, goal, by)
            if found := found or in_place_of_cases(self, premises, more, goal, by):
                return found
        if choice is not None:
            inner = by if by is not cost else tightest
            left = splits_left(choice, cases)
            each = self.split(premises, goal, choice, left)
            parts = [self.bounds(*case, inner, left) for case in each]
            split = [under for part in parts for under in part]
            if split and all(parts) and not (met and cheaper(direct[0], split, by)):
                return split
        if met:
            return direct
        found = self.bounds(premises + more, goal, by, cases) if more.known else []
        if not (found or direct) and cases == CASE_SPLITS:
            more += differences(premises, goal) if self.counts_down else NOTHING
            more += self._dividends(premises + more, goal)
            left = cases - 1 if choices((goal,)) else 0
            found = self.bounds(premises + more, goal, by, left) if more.known else []
        return found or direct

    def _by_parts(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> list[ConditionalBound]:
        """The bounds of its parts together, if several have choices; none if one has none."""
        inner = by if by is not cost else tightest
        each = [self.bounds(premises, part, inner) for part in with_choices(goal, premises)]
        found = sums(each) if each and all(each) else []
        return found if all(sensible(under, by, goal) for under in found) else []

    def _dividends(self, premises: PathCondition, goal: Polynomial) -> PathCondition:
        """That what is divided in the goal, or else in a guard, is not negative, where a launch can
        see to it: what ``(i - left + n) % n`` leaves is less than ``n`` if ``left <= n``, be i in
        a ring, ``i < n ? i : i - n``."""
        each = dividends(goal) or [one for p in premises.polynomials for one in dividends(p)]
        return PathCondition(
            tuple(fact for of in dict.fromkeys(each) for fact in self._as_dividend(premises, of))
        )

    def _as_dividend(self, premises: PathCondition, goal: Polynomial) -> tuple[Inequality, ...]:
        """That a dividend is not negative in either case of a select in it, or else anyhow."""
        choice = to_split_by(goal, ())
        each = self.split(premises, goal, choice, 0) if choice and selects(choice) else []
        parts = [self.bounds(*case, weakest, 0) for case in each]
        found = [under for part in parts for under in part]
        if not parts or not all(parts) or not all(holds_in_a_small_launch(u.enough) for u in found):
            under = self.with_needs(premises, goal, weakest)
            found = [under] if under is not None else []
        return not_negative(found).known

    def direct(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> list[ConditionalBound]:
        """One bound without a case split, a sensible one if there is any."""
        poor: list[ConditionalBound] = []
        for attempts in ((self.plainly, self.opened), (self.with_needs,)):
            tried = [attempt(premises, goal, by) for attempt in attempts]
            found = [under for under in tried if under is not None]
            if good := [under for under in found if sensible(under, by, goal)]:
                best = min(good, key=by)
                ranges = self.conditions.facts(premises, goal).ranges if is_end(best) else {}
                close = (one for one in good if as_coarse(one, best, by))
                more = [one for one in close if not_less(one, best, ranges)]
                return [max(with_parameters(more, best), key=typical_value)]
            poor = poor or sorted(found, key=by)[:1]
        return poor

    def plainly(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        if (leaf := self._leaf(premises, goal, by)) is None:
            return None
        needs = self.fitting.spelt(list(stated(premises)))
        return ConditionalBound(leaf.least, tuple(needs), leaf)

    def opened(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        words = self.no_wrap(premises, goal, needed=False).by
        return self.plainly(*self._replaced(premises, goal, words), by) if words else None

    def with_needs(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None:
        """A bound with the interpretations of the goal as polynomials; if that may be less than
        zero, also those of the path condition, or not the unsigned ones that it compares, which are
        not negative, if that is preferred. A precondition is dropped if the bound stays as good
        without it."""
        rank, integers = ranked(goal, by), self.symbolic.integers
        free = self.no_wrap(premises, goal, needed=False).fits
        own = self.fitting.of(premises, deep(goal), needed=True)
        no_wrap = NoWrap.of({**free, **own}, integers)
        found, chosen = self._with(premises, goal, no_wrap, by), set(no_wrap.fits)
        if found is None or found.least.range()[0] < 0:
            every = self.no_wrap(premises, goal, needed=True)
            signed = no_wrap.only(chosen - compared_unsigned(premises, goal), integers)
            for other in (one for one in (every, signed) if one.fits.keys() != chosen):
                more = self._with(premises, goal, other, by)
                if more is not None and (found is None or rank(more) < rank(found)):
                    no_wrap, chosen, found = other, set(other.fits), more
        for interpretation in sorted(chosen, key=order):
            if found is not None and no_wrap.fits[interpretation].preconditions:
                rest = no_wrap.only(chosen - {interpretation}, integers)
                fewer = self._without(premises, goal, rest, by, found)
                if fewer is not None and (rank(fewer) < rank(found) or not_less(fewer, found)):
                    chosen, found = chosen - {interpretation}, fewer
        return found

    def shown(self, premises: PathCondition, goal: Polynomial) -> ConditionalBound | None:
        """The bound 0 of a goal with a product of indices, ``i*(2*n - i - 1)``, if it is proved."""
        if all(sum(symbol.rank > 0 for symbol in m) < 2 for m in goal.terms):
            return None  # else a bound is found
        no_wrap = self.no_wrap(premises, goal, needed=True)
        premises, goal = self._spelt(premises, goal, no_wrap)
        if not possible(premises) or self.conditions.entails(premises, goal) is None:
            return None
        return self._under_needs(premises, NOT_NEGATIVE, no_wrap)

    def unwrapped(
        self, premises: PathCondition, goal: Polynomial, by: Preference, cases: int = CASE_SPLITS
    ) -> list[ConditionalBound]:
        """As ``bounds``, with interpretations as polynomials also where a bound is known without
        that; empty if nothing is known, or no steps are left."""
        if self.conditions.budget.left < 0:
            return []
        premises, goal = self.decided.replaced(premises, goal)
        premises = self.conditions.relevant(premises, goal)
        choice = to_split_by(goal, premises.polynomials) if cases else None
        if choice is not None:
            left = splits_left(choice, cases)
            split = self.split(premises, goal, choice, left)
            parts = list(takewhile(bool, (self.unwrapped(*case, by, left) for case in split)))
            if parts and len(parts) == len(split):
                return [under for part in parts for under in part]
        ways = with_scales(premises, goal, self.by_power(goal))
        found = [one for here in ways if (one := self.with_needs(here, goal, by)) is not None]
        return [min(found, key=lambda one: preference(by, [one]))] if found else []

    def _with(
        self, premises: PathCondition, goal: Polynomial, no_wrap: NoWrap, by: Preference
    ) -> ConditionalBound | None:
        premises, goal = self._spelt(premises, goal, no_wrap)
        found = self.plainly(premises, goal, by) if possible(premises) else NOT_NEGATIVE
        return found if found is None else self._under_needs(premises, found, no_wrap)

    def _without(
        self,
        premises: PathCondition,
        goal: Polynomial,
        no_wrap: NoWrap,
        by: Preference,
        found: ConditionalBound,
    ) -> ConditionalBound | None:
        """The bound with fewer interpretations as polynomials. An exact one is proved anew, which
        takes fewer steps than a search for others."""
        bound = found.bound
        if by in WEAK or bound is None or not bound.exact:
            return self._with(premises, goal, no_wrap, by)
        premises, goal = self._spelt(premises, goal, no_wrap)
        if possible(premises) and self.conditions.entails(premises, goal - found.least) is None:
            return None
        return self._under_needs(premises, found, no_wrap)

    def _spelt(
        self, premises: PathCondition, goal: Polynomial, no_wrap: NoWrap
    ) -> tuple[PathCondition, Polynomial]:
        """Both with polynomials for interpretations, and the least numbers of the parameters."""
        known = least_numbers(self.conditions.facts(premises, goal).ranges, goal)
        premises, goal = self._replaced(premises, goal, no_wrap.by, self.proves)
        premises, goal = self.decided.replaced(premises, goal)
        return premises + no_wrap.said + no_wrap.divided + known, goal

    def _under_needs(
        self, premises: PathCondition, found: ConditionalBound, no_wrap: NoWrap
    ) -> ConditionalBound:
        """The bound under these preconditions and those that the path condition states."""
        return replace(found, preconditions=(*unique((*stated(premises), *no_wrap.preconditions)),))

    def _leaf(self, premises: PathCondition, goal: Polynomial, by: Preference) -> Bound | None:
        """The simplest lower bound over launch symbols that is not the limit of a type. Where all
        have such a limit as a factor, as that of a grid, those are sought too that take a sum as
        the factor of an index: ``i*(n - 1)`` ends with ``i <= m`` if ``n >= 1``."""
        if not self.conditions.may_ask():
            return None
        system, assumed = self.conditions.facts(premises, goal), stated(premises)
        found = of_known_sign((*system.least(goal, self.counts_down), *by_digits(system, goal)))
        if by is weakest_for_sizes and has_size(goal) and not any(map(met_by_sizes, found)):
            found += system.least(goal, by_sums=True, extents=True)
        elif found and by not in WEAK and all(coarse(b.least) for b in found):
            more = system.multiplied(goal, by_sums=bool(assumed))
            found += system.least(goal, by_sums=True) if more else ()
        if not assumed:
            found = met_at_point(found, premises, system.ranges) or found
        found = found if by not in WEAK else possible_at_point(found, system.ranges)
        return preferred(sized(found, goal), by, system.ranges, divisors(goal))
