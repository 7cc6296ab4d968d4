"""What entailment leaves open, asked of an SMT solver (de Moura & Bjørner, TACAS 2008).

Every symbol becomes an integer with the meaning that ``symbols`` gives it: a reading is its
polynomial up to a multiple of 2**width, a quotient rounds down where it is known to, a choice is
one of its cases under the case's condition. These are all true of a thread at the place, and
nothing else is assumed; so a goal that no integers make negative is not negative in any launch.
Integers that do are a breach: a guess, for what was loaded or computed by other means may be
anything to the solver. A run tells. The solver works by a number of steps, so an answer does not
depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import FIRST_RANK, Case, Choice, Interpretation, Quotient
from analyses.proofs.path_conditions import PathCondition, PathConditions

STEPS = 4_000_000  # of the solver, for one answer
SIZES = (100, 10_000, 1_000_000)  # of a breach: who runs it wants a small launch


class Solver:
    """Of one function. Raises ImportError where z3 is not installed."""

    def __init__(self, places: PathConditions) -> None:
        import z3

        self.z3 = z3
        self.places = places

    def proves(self, premises: PathCondition, goal: Polynomial) -> bool:
        """Whether the goal is shown not to be negative whenever a thread is there."""
        return _Question(self.z3, self.places).never(premises, goal)

    def breach(self, premises: PathCondition, goal: Polynomial) -> dict[Symbol, int] | None:
        """What a launch and a thread decide, such that the goal is negative there for all that is
        known; None where nothing is found."""
        return _Question(self.z3, self.places).breach(premises, goal)


class _Question:
    """One question to the solver, and the integers that it speaks of."""

    def __init__(self, z3: Any, places: PathConditions) -> None:
        self.z3 = z3
        self.places = places
        self.context = z3.Context()  # what two threads ask has nothing in common
        self.solver = z3.Solver(ctx=self.context)
        self.solver.set("rlimit", STEPS)
        self.integers: dict[Symbol, Any] = {}
        self.open: list[Symbol] = []

    def never(self, premises: PathCondition, goal: Polynomial) -> bool:
        """Whether no integers make the goal negative where the premises hold."""
        self.ask(premises, goal)
        return bool(self.solver.check() == self.z3.unsat)

    def breach(self, premises: PathCondition, goal: Polynomial) -> dict[Symbol, int] | None:
        """Integers that make it negative: those that are decided before the kernel begins."""
        self.ask(premises, goal)
        decided = {s: own for s, own in self.integers.items() if given(s)}
        for most in SIZES:
            self.solver.push()
            self.solver.add(*(own <= most for own in decided.values()))
            if self.solver.check() == self.z3.sat:
                model = self.solver.model()
                return {s: model.eval(own, True).as_long() for s, own in decided.items()}
            self.solver.pop()
        return None

    def ask(self, premises: PathCondition, goal: Polynomial) -> None:
        self.solver.add(self.sum(goal) < 0, *self.said(premises))
        self.solver.add(*(self.sum(fact.polynomial) >= 0 for fact in self.places.symbolic.launch))
        while self.open:
            symbol = self.open.pop()
            self.solver.add(*self.meaning(symbol))

    def said(self, premises: PathCondition) -> Iterator[Any]:
        for fact in premises.known:
            yield self.sum(fact.polynomial) >= 0
        for fact in premises.apart:
            yield self.sum(fact.polynomial) != 0
        for words in premises.distinct:
            yield self.sum(words.polynomial) % (1 << words.width) != 0

    def sum(self, polynomial: Polynomial) -> Any:
        total = self.z3.IntVal(0, self.context)
        for monomial, factor in polynomial.terms.items():
            product = self.z3.IntVal(factor, self.context)
            for symbol in monomial:
                product = product * self.integer(symbol)
            total = total + product
        return total

    def integer(self, symbol: Symbol) -> Any:
        if symbol not in self.integers:
            self.integers[symbol] = self.z3.FreshInt(ctx=self.context)
            self.open.append(symbol)
        return self.integers[symbol]

    def meaning(self, symbol: Symbol) -> Iterable[Any]:
        """What is true of the symbol, whatever the launch."""
        own = self.integer(symbol)
        if isfinite(symbol.low):
            yield own >= int(symbol.low)
        if isfinite(symbol.high):
            yield own <= int(symbol.high)
        if isinstance(symbol, Interpretation):
            around = self.z3.FreshInt(ctx=self.context)
            yield own == self.sum(symbol.polynomial) + around * (1 << symbol.width)
        elif isinstance(symbol, Quotient):
            dividend, divisor = self.sum(symbol.dividend), self.sum(symbol.divisor)
            rest = dividend - divisor * own
            down = self.z3.And(rest >= 0, rest < divisor)
            number = symbol.divisor.constant
            fits = self.z3.And(dividend >= 0, divisor > 0)
            yield down if number is not None and number > 0 else self.z3.Implies(fits, down)
        elif isinstance(symbol, Choice):
            yield self.z3.Or(*(self.case(own, case, symbol) for case in symbol.cases))
            if symbol.greatest:
                yield from (own >= self.sum(case.polynomial) for case in symbol.cases)

    def case(self, own: Any, case: Case, choice: Choice) -> Any:
        held = [own == self.sum(case.polynomial)]
        if case.condition is not None:
            held += self.said(self.places.said(case.condition, case.truth, choice))
        elif case.origin is not None:
            held += self.said(self.places.at(case.origin))
        return self.z3.And(*held)


def given(symbol: Symbol) -> bool:
    """Whether it is a number of the launch, or says where a thread stands."""
    return type(symbol) is Symbol and symbol.rank < FIRST_RANK
