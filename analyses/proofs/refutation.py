"""Points where inequalities hold. A goal that is negative at one of them follows from them by no
argument, so that nobody need look for one: most goals that cannot be proved are seen to be such at
once. Nothing is claimed where no point is found.

A point is found by mending: of the inequalities that fail, one is made to hold by moving one of
its symbols, the one with which the fewest fail afterwards: local search for satisfiability (Selman,
Levesque & Mitchell, "A New Method for Solving Hard Satisfiability Problems", AAAI 1992, section 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyses.polynomials.polynomial import Number, Polynomial, Symbol, order

MENDED = 8  # inequalities, one after the other
KEPT = 4  # points
FAR = 2**40  # where a symbol has no end

Point = Mapping[Symbol, int]


class Refutation:
    """Of polynomials that are not negative, over symbols in these ranges (else in their own)."""

    def __init__(
        self, known: Sequence[Polynomial], ranges: Mapping[Symbol, tuple[Number, Number]]
    ) -> None:
        self.known = known
        self.ranges = ranges
        self.found: list[Point] = []

    def refute(self, goal: Polynomial) -> bool:
        """Whether the goal is negative at one of the points that are known already."""
        return any(goal.value(self._with(point, goal).__getitem__) < 0 for point in self.found)

    def seek(self, goal: Polynomial) -> bool:
        """Whether a point is found at which the goal is negative."""
        start = self.found[-1] if self.found else {}
        point = self._mended((-goal - 1, *self.known), start)
        if point is not None:
            self.found = [*self.found, point][-KEPT:]
        return point is not None

    def _with(self, point: Point, goal: Polynomial) -> Point:
        """And the symbols that only the goal speaks of, each where the goal is less."""
        values = dict(point)
        free = sorted(goal.symbols - values.keys(), key=order)
        values.update((symbol, self._least(symbol)) for symbol in free)
        for symbol in free:
            line = linear(goal, symbol, values)
            if line is not None:
                low, high = self._range(symbol)
                end = low if line[0] > 0 else high
                values[symbol] = end if isinstance(end, int) else FAR if end > 0 else -FAR
        return values

    def _mended(self, known: Sequence[Polynomial], start: Point) -> Point | None:
        """A point where all hold."""
        symbols = {symbol for polynomial in known for symbol in polynomial.symbols}
        values = {s: start[s] if s in start else self._least(s) for s in symbols}
        for _ in range(MENDED):
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

    def _moved(self, failing: Polynomial, symbol: Symbol, values: Point) -> int | None:
        """The nearest place for the symbol where the polynomial is not negative, or as near to
        that as it gets."""
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


def linear(polynomial: Polynomial, symbol: Symbol, values: Point) -> tuple[int, int] | None:
    """``by`` and ``rest`` of ``by*symbol + rest`` at these values; None where it is not linear."""
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
