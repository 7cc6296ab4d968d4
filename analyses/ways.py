"""Ways: the predicates and the edges by which a thread has come, which decide choices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analyses.conditions import Selected
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case, Choice, selects

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
