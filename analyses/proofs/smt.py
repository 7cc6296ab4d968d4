"""Queries to an SMT solver, for goals that the inequalities leave open (de Moura & Bjørner, TACAS
2008).

Every symbol becomes an integer with the constraints of its definition: an interpretation is its
polynomial up to a multiple of 2**width, a quotient rounds down where that is known, a choice is one
of its cases under the condition of that case. All of them hold for a thread at the program point,
and nothing else is assumed; so an unsatisfiable negated goal is proved for every launch. A model is
a counterexample, which is only a candidate: loaded values are unconstrained. A replay decides. The
solver is bounded by steps, so an answer does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from analyses.budget import SOLVER_STEPS
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Case,
    Choice,
    CommonBits,
    Interpretation,
    Quotient,
    Remainder,
)
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.typical_launch import SOLVER_SIZES
from analyses.ways import is_phi, with_values


class Solver:
    """An SMT solver for one function. Raises ImportError if z3 is not installed."""

    def __init__(self, conditions: PathConditions) -> None:
        import z3

        self.z3 = z3
        self.conditions = conditions

    def proves(self, premises: PathCondition, goal: Polynomial) -> bool:
        """True if the goal is proved to be non-negative under the path condition."""
        return _Query(self.z3, self.conditions).is_unsatisfiable(premises, goal)

    def counterexample(self, premises: PathCondition, goal: Polynomial) -> dict[Symbol, int] | None:
        """Values of launch parameters and thread coordinates for which the goal may be negative;
        None if none is found."""
        return _Query(self.z3, self.conditions).counterexample(premises, goal)


class _Query:
    """One query, and the integers of its symbols."""

    def __init__(self, z3: Any, conditions: PathConditions) -> None:
        self.z3 = z3
        self.conditions = conditions
        self.context = z3.Context()  # shared by no other thread
        self.solver = z3.Solver(ctx=self.context)
        self.solver.set("rlimit", SOLVER_STEPS)
        self.integers: dict[Symbol, Any] = {}
        self.reached: dict[Symbol, Any] = {}  # of a phi: it has a value
        self.pending: list[Symbol] = []

    def is_unsatisfiable(self, premises: PathCondition, goal: Polynomial) -> bool:
        """True if no integers that satisfy the path condition make the goal negative."""
        self.assert_negation(premises, goal)
        return bool(self.solver.check() == self.z3.unsat)

    def counterexample(self, premises: PathCondition, goal: Polynomial) -> dict[Symbol, int] | None:
        """A model, restricted to the launch parameters and thread coordinates."""
        self.assert_negation(premises, goal)
        inputs = {s: own for s, own in self.integers.items() if is_input(s)}
        for most in SOLVER_SIZES:
            self.solver.push()
            self.solver.add(*(own <= most for own in inputs.values()))
            if self.solver.check() == self.z3.sat:
                model = self.solver.model()
                return {s: model.eval(own, True).as_long() for s, own in inputs.items()}
            self.solver.pop()
        return None

    def assert_negation(self, premises: PathCondition, goal: Polynomial) -> None:
        self.solver.add(self.sum(goal) < 0, *self.constraints(premises))
        self.solver.add(*self.values(premises.valued | with_values(goal.symbols)))
        self.solver.add(
            *(self.sum(fact.polynomial) >= 0 for fact in self.conditions.symbolic.launch)
        )
        while self.pending:
            symbol = self.pending.pop()
            self.solver.add(*self.meaning(symbol))

    def constraints(self, premises: PathCondition) -> Iterator[Any]:
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
            self.pending.append(symbol)
        return self.integers[symbol]

    def meaning(self, symbol: Symbol) -> Iterable[Any]:
        """The constraints of a symbol's definition."""
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
            fits = [dividend >= 0, divisor > 0]
            if isfinite(symbol.limit):
                fits.append(dividend <= int(symbol.limit))
            always = number is not None and number > 0 and not isfinite(symbol.limit)
            yield down if always else self.z3.Implies(self.z3.And(*fits), down)
        elif isinstance(symbol, Remainder):
            dividend, divisor = (
                self.sum(symbol.quotient.dividend),
                self.sum(symbol.quotient.divisor),
            )
            rest = dividend - divisor * self.integer(symbol.quotient)
            fits = [dividend >= 0, divisor > 0]
            if isfinite(symbol.quotient.limit):
                fits.append(dividend <= int(symbol.quotient.limit))
            yield self.z3.Implies(self.z3.And(*fits), own == rest)
        elif isinstance(symbol, CommonBits):
            yield from (own <= self.sum(word) for word in (symbol.one, symbol.other))
        elif isinstance(symbol, Choice):
            one = self.z3.Or(*(self.case(own, case, symbol) for case in symbol.cases))
            yield self.z3.Implies(self.has_value(symbol), one) if is_phi(symbol) else one
            if symbol.greatest:
                yield from (own >= self.sum(case.polynomial) for case in symbol.cases)

    def case(self, own: Any, case: Case, choice: Choice) -> Any:
        held = [own == self.sum(case.polynomial)]
        if case.condition is not None:
            held += self.constraints(self.conditions.implied(case.condition, case.truth, choice))
        elif case.edge is not None:
            along = self.conditions.along(*case.edge)
            held += self.constraints(along)
            held += self.values(along.valued | with_values(case.polynomial.symbols))
        return self.z3.And(*held)

    def values(self, symbols: frozenset[Symbol]) -> list[Any]:
        """That the phis among the symbols have values: each is one of its operands."""
        return [self.has_value(symbol) for symbol in sorted(filter(is_phi, symbols), key=order)]

    def has_value(self, phi: Symbol) -> Any:
        if phi not in self.reached:
            self.reached[phi] = self.z3.FreshBool(ctx=self.context)
        return self.reached[phi]


def is_input(symbol: Symbol) -> bool:
    """True if it is a launch parameter or a thread coordinate."""
    return type(symbol) is Symbol and symbol.rank < FIRST_RANK
