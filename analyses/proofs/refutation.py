"""Refutation by model search: a point where all inequalities hold and a goal is negative.

Such a goal follows by no argument, so the search for a proof is skipped: most unprovable goals are
refuted at once. A failed search means nothing.

A model is found by local search for satisfiability (Selman, Levesque & Mitchell, "A New Method for
Solving Hard Satisfiability Problems", AAAI 1992, section 2): a violated inequality is repaired by
moving one of its symbols, the one that leaves the fewest inequalities violated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyses.budget import MODELS, REPAIRS
from analyses.polynomials.polynomial import Number, Polynomial, Symbol, order
from analyses.typical_launch import UNBOUNDED

Model = Mapping[Symbol, int]


class Refutation:
    """The models of inequalities ``known >= 0`` over symbols in ``ranges`` (default: the symbol's
    own)."""

    def __init__(
        self, known: Sequence[Polynomial], ranges: Mapping[Symbol, tuple[Number, Number]]
    ) -> None:
        self.known = known
        self.ranges = ranges
        self.models: list[Model] = []
        self.places: dict[Symbol, list[int]] = {}  # the inequalities that a symbol is in
        for at, polynomial in enumerate(known):
            for symbol in polynomial.symbols:
                self.places.setdefault(symbol, []).append(at)

    def refute(self, goal: Polynomial) -> bool:
        """True if the goal is negative in a model found before."""
        return any(goal.value(self._extended(model, goal).__getitem__) < 0 for model in self.models)

    def search(self, goal: Polynomial) -> bool:
        """True if a model is found in which the goal is negative."""
        start = self.models[-1] if self.models else {}
        model = self._repaired(-goal - 1, start)
        if model is not None:
            self.models = [*self.models, model][-MODELS:]
        return model is not None

    def _extended(self, model: Model, goal: Polynomial) -> Model:
        """The model with the symbols that only the goal contains, each at the bound where the goal
        is less."""
        values = dict(model)
        free = sorted(goal.symbols - values.keys(), key=order)
        values.update((symbol, self._least(symbol)) for symbol in free)
        for symbol in free:
            line = linear(goal, symbol, values)
            if line is not None:
                low, high = self._range(symbol)
                end = low if line[0] > 0 else high
                values[symbol] = (
                    end if isinstance(end, int) else UNBOUNDED if end > 0 else -UNBOUNDED
                )
        return values

    def _repaired(self, wanted: Polynomial, start: Model) -> Model | None:
        """A model of all inequalities in which ``wanted`` is not negative either."""
        known = (*self.known, wanted)
        symbols = self.places.keys() | wanted.symbols
        values = {s: start[s] if s in start else self._least(s) for s in symbols}
        results = [polynomial.value(values.__getitem__) for polynomial in known]
        for _ in range(REPAIRS):
            failing = self._failing(results)
            if failing is None:
                return values
            best: tuple[int, int, Symbol, int, dict[int, int]] | None = None
            for symbol in sorted(known[failing].symbols, key=order, reverse=True):
                moved = self._moved(known[failing], symbol, values)
                if moved is None:
                    continue
                places = [*self.places.get(symbol, ())]
                places += [len(self.known)] if symbol in wanted.symbols else []
                before, values[symbol] = values[symbol], moved
                after = {at: known[at].value(values.__getitem__) for at in places}
                values[symbol] = before
                more = sum((after[at] < 0) - (results[at] < 0) for at in places)
                short = min(0, after[failing])
                if best is None or (more, -short) < best[:2]:
                    best = more, -short, symbol, moved, after
            if best is None:
                return None
            _, _, symbol, values[symbol], after = best
            for at, result in after.items():
                results[at] = result
        return None

    @staticmethod
    def _failing(results: Sequence[int]) -> int | None:
        """The violated inequality to repair: the last one, which is the goal, first."""
        if results[-1] < 0:
            return len(results) - 1
        return next((at for at, result in enumerate(results) if result < 0), None)

    def _moved(self, failing: Polynomial, symbol: Symbol, values: Model) -> int | None:
        """The nearest value of the symbol for which the polynomial is not negative, clamped to its
        range."""
        line = linear(failing, symbol, values)
        if line is None or line[0] == 0:
            return None
        by, rest = line
        low, high = self._range(symbol)
        moved = max(low, min(high, -(rest // by) if by > 0 else rest // -by))
        return int(moved) if moved != values[symbol] else None

    def _range(self, symbol: Symbol) -> tuple[Number, Number]:
        return self.ranges.get(symbol, (symbol.low, symbol.high))

    def _least(self, symbol: Symbol) -> int:
        low, high = self._range(symbol)
        if isinstance(low, int):
            return low
        return min(0, high) if isinstance(high, int) else 0


def linear(polynomial: Polynomial, symbol: Symbol, values: Model) -> tuple[int, int] | None:
    """``by`` and ``rest`` of ``by*symbol + rest`` at these values; None if it is not linear."""
    by = rest = 0
    for monomial, factor in polynomial.terms.items():
        value = factor
        for other in monomial:
            if other is not symbol:
                value *= values[other]
        count = monomial.count(symbol)
        if count > 1:
            return None
        if count:
            by += value
        else:
            rest += value
    return by, rest
