"""Symbols that a path condition decides: ``n > 0 ? n : 0`` is n where n is positive.

- A choice is one of its cases, and not one whose condition contradicts a known inequality.
- A maximum is the case that known inequalities place above the others; one of the launch also if
  they place it above these.
- A quotient by a number is 0 or -1 if they place its dividend so: the sign bit of a number that is
  not negative is 0.

Only inequalities that differ by a constant are compared, so this takes next to no time, but for a
quotient and an integer in a maximum that may wrap; proofs by cases do the rest.

The condition of a case is a name of SSA form, as the choice is: where both are in a path condition,
the choice was made by the value that the name has there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.stated import StatedFacts, sides
from analyses.polynomials.symbols import (
    Case,
    Choice,
    Quotient,
    is_sign,
)
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.ways import with_values

FACTS = 64  # of a path condition that is looked at as a whole, or that follow from one of them
Edge = tuple[int, int]  # from one block to another
PASSES = 3  # a choice of choices is decided from the inside


class Decided(Struct, frozen=True, eq=False, dict=True):
    """A path condition without the choices that it decides, and these choices."""

    premises: PathCondition
    by: dict[Symbol, Polynomial]

    @cached_property
    def known(self) -> StatedFacts:
        return StatedFacts([fact.polynomial for fact in self.premises.known])


class DecidedChoices:
    """What the choices in a goal and its path condition are, by the path condition alone."""

    def __init__(self, conditions: PathConditions) -> None:
        self.conditions = conditions
        self._found: dict[Hashable, Decided] = {}
        self._of_goals: dict[Hashable, tuple[Polynomial, list[Edge]]] = {}
        self._sides: dict[Symbol, list[tuple[Polynomial, list[Polynomial]]]] = {}
        self._opposites: dict[PathCondition, list[Polynomial]] = {}

    def replaced(
        self, premises: PathCondition, goal: Polynomial
    ) -> tuple[PathCondition, Polynomial]:
        """Both with the decided choices replaced by their cases."""
        if len(premises.known) > FACTS:
            return premises, goal
        found = self.within(premises)
        if not open_symbols(goal.parts):
            return found.premises, goal
        key = self.conditions.identity(premises), goal
        if key not in self._of_goals:
            self._of_goals[key] = self._goal(found, goal)
        now, edges = self._of_goals[key]
        ways = (self.conditions.along(*edge) for edge in edges)
        return sum(ways, found.premises), now

    def within(self, premises: PathCondition) -> Decided:
        """The choices of a path condition."""
        key = self.conditions.identity(premises)
        if key not in self._found:
            self._found[key] = self._within(premises)
        return self._found[key]

    def with_signs(
        self,
        premises: PathCondition,
        goal: Polynomial,
        by: Mapping[Symbol, Polynomial],
        proves: Callable[[PathCondition, Polynomial], bool] | None = None,
    ) -> dict[Symbol, Polynomial]:
        """Also the signs that are 0, as symbols and in the polynomials that others are replaced
        ``by``: the sign of a word is 0 if it does not wrap, and the path condition implies that its
        polynomial, which ``by`` has, is not negative; for signs in the goal, by a proof if need be.
        """
        signs = filter(is_sign, premises.parts | goal.parts)
        words = {sign: sign.dividend.alone for sign in signs}
        known = self.within(premises).known if words else None
        integers = self.conditions.symbolic.integers
        zero = {
            sign: Polynomial.of(0)
            for sign, word in words.items()
            if word is not None and word in by and known is not None
            if known.bounds(by[word])
            or (proves is not None and proves(premises.mapped(integers.respelling(by)), by[word]))
        }
        if not zero:
            return dict(by)
        spelt = (integers.respelt(Polynomial.of(sign), by).alone for sign in zero)
        signs_of_those = {sign: Polynomial.of(0) for sign in spelt if sign is not None}
        respelt = integers.respelling(signs_of_those)
        return {symbol: respelt(equal) for symbol, equal in by.items()} | zero

    def _within(self, premises: PathCondition) -> Decided:
        all_, integers = dict[Symbol, Polynomial](), self.conditions.symbolic.integers
        for _ in range(PASSES if open_symbols(premises.parts) else 0):
            known = StatedFacts([fact.polynomial for fact in premises.known])
            by = self._decided(premises.parts, known)
            now = premises.mapped(integers.respelling(by)) if by else premises
            all_.update(by)
            if now.key == premises.key:
                break
            premises = now
        return Decided(premises, all_)

    def _goal(self, found: Decided, goal: Polynomial) -> tuple[Polynomial, list[Edge]]:
        """The goal with the choices that are decided, and the edges that those were made at: what
        holds along these does."""
        integers, edges = self.conditions.symbolic.integers, dict[Edge, None]()
        for _ in range(PASSES):
            new = self._decided(goal.parts, found.known, found.by)
            now = integers.respelt(goal, {**found.by, **new})
            if now == goal:
                break
            for choice in sorted(with_values(goal.symbols) & new.keys(), key=order):
                case = None
                if isinstance(choice, Choice) and not choice.greatest:
                    case = self._case(choice, found.known)
                edges |= {case.edge: None} if case is not None and case.edge is not None else {}
            goal = now
        return goal, list(edges)

    def _decided(
        self, symbols: Iterable[Symbol], known: StatedFacts, done: Collection[Symbol] = ()
    ) -> dict[Symbol, Polynomial]:
        open_ = [symbol for symbol in open_symbols(symbols) if symbol not in done]
        open_.sort(key=order)
        decided = ((symbol, self._value(symbol, known)) for symbol in open_)
        return {symbol: value for symbol, value in decided if value is not None}

    def _value(self, symbol: Symbol, known: StatedFacts) -> Polynomial | None:
        if isinstance(symbol, Choice) and not symbol.greatest:
            case = self._case(symbol, known)
            return None if case is None else case.polynomial
        if symbol not in self._sides:
            self._sides[symbol] = list(sides(symbol))
        for value, each in self._sides[symbol]:
            if isinstance(symbol, Quotient):
                holds = all(map(known.bounds, each))
            else:
                holds = all(known.implies(known.plain(side)) for side in each)
            if holds:
                return value
        return None

    def _case(self, choice: Choice, known: StatedFacts) -> Case | None:
        """The case that the choice is; None if that is not decided."""
        left = list[Case]()
        for case in choice.cases:
            if case.condition is not None:
                said = self.conditions.implied(case.condition, case.truth, choice)
            elif case.edge is not None:
                said = self.conditions.along(*case.edge)
            else:
                return None
            if not any(map(known.implies, self._opposite(said))):
                left.append(case)
        return left[0] if len(left) == 1 else None

    def _opposite(self, said: PathCondition) -> list[Polynomial]:
        """Polynomials: where one of them is not negative, ``said`` does not hold."""
        if said not in self._opposites:
            self._opposites[said] = [-fact.polynomial - 1 for fact in said.known]
        return self._opposites[said]


def open_symbols(symbols: Iterable[Symbol]) -> list[Symbol]:
    """The choices and quotients among the symbols."""
    return [symbol for symbol in symbols if isinstance(symbol, (Choice, Quotient))]
