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

    def refute(self, goal: Polynomial) -> bool:
        """True if the goal is negative in a model found before."""
        return any(goal.value(self._extended(model, goal).__getitem__) < 0 for model in self.models)

    def search(self, goal: Polynomial) -> bool:
        """True if a model is found in which the goal is negative."""
        start = self.models[-1] if self.models else {}
        model = self._repaired((-goal - 1, *self.known), start)
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

    def _repaired(self, known: Sequence[Polynomial], start: Model) -> Model | None:
        """A model of all inequalities."""
        symbols = {symbol for polynomial in known for symbol in polynomial.symbols}
        values = {s: start[s] if s in start else self._least(s) for s in symbols}
        for _ in range(REPAIRS):
            failing = next((p for p in known if p.value(values.__getitem__) < 0), None)
            if failing is None:
                return values
            best: tuple[int, int, dict[Symbol, int]] | None = None
            for symbol in sorted(failing.symbols, key=order, reverse=True):
                moved = self._moved(failing, symbol, values)
                if moved is None:
                    continue
                after = {**values, symbol: moved}
                count = sum(p.value(after.__getitem__) < 0 for p in known)
                short = min(0, failing.value(after.__getitem__))
                if best is None or (count, -short) < best[:2]:
                    best = count, -short, after
            if best is None:
                return None
            values = best[2]
        return None

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
