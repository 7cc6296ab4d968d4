"""Ways: the predicates and the edges by which a thread has come, which decide choices.

A phi is its operand of the edge that was taken. The operands of other edges need not have a value:
their blocks may not have been reached, so no path condition of theirs says anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analyses.conditions import Selected
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    Case,
    Choice,
    CommonBits,
    Interpretation,
    LaunchQuotient,
    PowerOfTwo,
    Quotient,
    Remainder,
    selects,
)

Edge = tuple[int, int]


class Way(NamedTuple):
    """Predicates and their values, and edges that were taken, with all that held there."""

    selected: Selected = ()
    edges: tuple[Edge, ...] = ()

    @classmethod
    def of(cls, case: Case) -> Way:
        """That by which a case is selected."""
        if case.condition is not None:
            return cls(selected=((case.condition, case.truth),))
        return cls(edges=(case.edge,)) if case.edge is not None else NO_CHOICE

    def decided(self, symbols: Iterable[Symbol]) -> dict[Symbol, Polynomial]:
        """Of the symbols, the choices by one of these predicates, or at one of these edges, each
        with its case."""
        if self is NO_CHOICE:
            return {}
        return {
            symbol: case.polynomial
            for symbol in symbols
            if isinstance(symbol, Choice) and selects(symbol)
            for case in symbol.cases
            if self._took(case)
        }

    def _took(self, case: Case) -> bool:
        if case.condition is not None:
            return (case.condition, case.truth) in self.selected
        return case.edge in self.edges


NO_CHOICE = Way()


def is_phi(symbol: Symbol) -> bool:
    """True if it is selected by the incoming edge."""
    return isinstance(symbol, Choice) and symbol.cases[0].edge is not None


def with_values(symbols: frozenset[Symbol]) -> frozenset[Symbol]:
    """The symbols and those in their definitions that have a value where these have one: all but
    those that only operands of a phi are made of."""
    found, open_ = set[Symbol](), set(symbols)
    while open_:
        symbol = open_.pop()
        found.add(symbol)
        if any(map(is_phi, symbol.parts)):
            operands = (symbol.symbols for symbol in operands_of(symbol))
            open_ |= frozenset[Symbol]().union(*operands) - found
        else:
            found |= symbol.parts
    return frozenset(found)


def operands_of(symbol: Symbol) -> tuple[Polynomial, ...]:
    """What the symbol is computed from wherever it has a value."""
    match symbol:
        case Interpretation():
            return (symbol.polynomial,)
        case Quotient() | LaunchQuotient():
            return symbol.dividend, symbol.divisor
        case Remainder():
            return (Polynomial.of(symbol.quotient),)
        case CommonBits():
            return symbol.one, symbol.other
        case PowerOfTwo():
            return (symbol.exponent,)
        case Choice() if not is_phi(symbol):
            return tuple(case.polynomial for case in symbol.cases)
    return ()
