"""Words that do not wrap: which polynomial the integer of a word equals, and in which launches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Protocol

from analyses.budget import CASE_SPLITS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, Quotient, is_sign
from analyses.proofs.assumed_signs import signs, sums_divided
from analyses.proofs.decided_symbols import DecidedChoices
from analyses.proofs.no_wrap import (
    Aim,
    Fits,
    NoWrap,
    by_induction,
    deciding,
    divisors_in,
    in_one_iteration,
)
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    Preference,
    admits_many,
    narrow,
    strictness,
    unique,
    weakest,
)
from analyses.proofs.query_cache import Answers, Shown


class WordProver(Protocol):
    """What proves that a word does not wrap, or finds what a launch must meet so that it does
    not."""

    conditions: PathConditions
    decided: DecidedChoices
    counts_down: bool

    def proves(self, premises: PathCondition, goal: Polynomial, cases: int = ...) -> bool: ...

    def split(
        self, premises: PathCondition, goal: Polynomial, choice: Choice | Quotient, left: int
    ) -> list[tuple[PathCondition, Polynomial]]: ...

    def plainly(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None: ...

    def opened(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None: ...

    def with_needs(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> ConditionalBound | None: ...

    def shown(self, premises: PathCondition, goal: Polynomial) -> ConditionalBound | None: ...


class Fitting:
    """The words of one function that do not wrap. The ``answers`` are shared with the proofs, which
    ask for words that wrap, as these ask for proofs."""

    def __init__(self, prover: WordProver, answers: Answers) -> None:
        self.prover = prover
        self._answers = answers
        self._shown = Shown[Fits]()

    @property
    def conditions(self) -> PathConditions:
        return self.prover.conditions

    def of(
        self, premises: PathCondition, symbols: Iterable[Symbol], needed: bool
    ) -> dict[Interpretation, Fits]:
        """Those of the symbols that are such words, with what they equal."""
        words = sorted((s for s in symbols if isinstance(s, Interpretation)), key=order)
        each = ((word, self.fits(word, premises, needed)) for word in words)
        return {word: fit for word, fit in each if fit is not None}

    def fits(
        self, interpretation: Interpretation, premises: PathCondition, needed: bool
    ) -> Fits | None:
        """The polynomial that an interpretation equals, and the preconditions; None if unknown."""
        premises = self.conditions.relevant(premises, Polynomial.of(interpretation))
        if self.conditions.budget.left < 0:
            return None
        asked = (interpretation, needed, needed and self.prover.counts_down)
        if (shown := self._shown.of(asked, premises.key)) is not None:
            return shown
        key = (asked, premises.key)
        found = self._answers.of(
            key, lambda: self._fits(interpretation, premises, needed), opens=True
        )
        if (found is None or found.preconditions) and self.conditions.budget.left < 0:
            self._answers.forget(key)  # with more steps it may need fewer
        elif found is not None:
            self._shown.add(asked, premises.key, found)
        return found

    def _fits(
        self, interpretation: Interpretation, premises: PathCondition, needed: bool
    ) -> Fits | None:
        """The first way that leaves many launches, or else the one that leaves most. A proof at the
        point comes first: it takes fewer steps than proofs at all loops around it."""
        found = list[Fits]()
        shorter = partial(self.fits, needed=needed)
        ways = chain(
            in_one_iteration(interpretation, premises),
            by_induction(interpretation, premises, self.conditions, shorter),
        )
        for way in ways:
            own = needed and way.polynomial == interpretation.polynomial
            under = self._met(interpretation, way.aims, own)
            if under is not None:
                fit = Fits(way.polynomial, list(unique([*way.preconditions, *under])))
                asked = strictness(fit.preconditions)
                if not (asked.narrow or asked.compares):
                    return fit
                found.append(fit)
        return min(found, key=lambda fit: strictness(fit.preconditions), default=None)

    def _met(
        self,
        interpretation: Interpretation,
        aims: Iterable[Aim],
        needed: bool,
        cases: int = CASE_SPLITS,
    ) -> list[Precondition] | None:
        preconditions: list[Precondition] = []
        for aim in aims:
            if self.prover.proves(aim.premises, aim.goal, cases=0):
                continue
            under = self._under(interpretation, aim) if needed else None
            if under is None and needed and cases and (each := self._by_cases(aim)):
                under = self._met(interpretation, each, needed, cases - 1)
            if under is None:
                return None
            preconditions += under
        return list(unique(preconditions))

    def _by_cases(self, aim: Aim) -> list[Aim]:
        """The same goal for each case of a choice that makes a difference; none without one."""
        choice = deciding(aim)
        each = self.prover.split(aim.premises, aim.goal, choice, 0) if choice else []
        return [Aim(*case) for case in each]

    def _under(self, interpretation: Interpretation, aim: Aim) -> list[Precondition] | None:
        """The preconditions under which the goal holds; None if they are too strict."""
        attempts = (self.prover.plainly, self.prover.opened, self.prover.with_needs)
        tried = [attempt(aim.premises, aim.goal, weakest) for attempt in attempts]
        known = [under for under in tried if under is not None]
        found = min(known, key=weakest, default=None)
        if found is None and (divisors := divisors_in(aim.goal)):
            dividing = frozenset[Symbol]().union(*(divisor.parts for divisor in divisors))
            more = signs(aim.premises, aim.goal, among=dividing)
            found = self.prover.with_needs(aim.premises + more, aim.goal, weakest)
            if found is None and all(symbol.rank == 0 for symbol in aim.goal.symbols):
                more = signs(aim.premises, aim.goal) + sums_divided(aim.goal)
                found = self.prover.with_needs(aim.premises + more, aim.goal, weakest)
        found = found or self.prover.shown(aim.premises, aim.goal)
        if found is None or not admits_many(found, self.prover.counts_down):
            return None
        if narrow(found) and (more := signs(aim.premises, aim.goal)).known:
            signed = self.prover.with_needs(aim.premises + more, aim.goal, weakest)
            found = min(found, signed or found, key=weakest)
        limit = Precondition(found.enough.primitive(), interpretation)
        return self.spelt([*found.preconditions, *([limit] if found.enough.range()[0] < 0 else [])])

    def spelt(self, needs: list[Precondition]) -> list[Precondition]:
        """The preconditions with polynomials in place of words that the launch decides, and that
        these do not wrap: no launch is asked for ``(int)(n + 31) / 32``. A sign in one is 0 if
        others without signs say so."""
        words = {part for need in needs for part in need.polynomial.parts}
        fits = self.of(self.conditions.general, words, needed=True)
        if not fits:
            return needs
        integers = self.conditions.symbolic.integers
        no_wrap = NoWrap.of(fits, integers)
        plain = [n.polynomial for n in needs if not any(map(is_sign, n.polynomial.parts))]
        held = PathCondition(tuple(map(Inequality, plain)))
        here = [
            Precondition(
                integers.respelt(
                    need.polynomial,
                    self.prover.decided.with_signs(held, need.polynomial, no_wrap.by),
                ),
                need.no_wrap,
            )
            for need in needs
        ]
        return [*here, *no_wrap.preconditions]
