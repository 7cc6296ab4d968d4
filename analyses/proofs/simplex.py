"""Linear arithmetic: values within bounds for variables and for sums of them, or bounds that
contradict each other.

The general simplex algorithm (Dutertre & de Moura, "A Fast Linear-Arithmetic Solver for DPLL(T)",
CAV 2006, section 3). A sum is a variable of its own, ``basic`` where a row defines it by others,
which all have values within their bounds. A basic variable outside of its bounds is exchanged for
one of its row that can move. If none can, the bounds of the row's variables contradict each other:
non-negative multiples of them add up to a negative number that is not to be one (Farkas' lemma).
All numbers are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, inf

from msgspec import Struct

from analyses.polynomials.polynomial import Number


class Equation(Struct):
    """``by*x = total`` at the values of the ``factors``' variables, and ``by > 0``."""

    by: int
    factors: dict[int, int]
    total: int


class Simplex:
    """Variables are numbered in the order in which they are added. ``steps`` counts the rows that
    were computed."""

    def __init__(self) -> None:
        self.bounds: list[tuple[Number, Number]] = []
        self.values: list[int] = []  # of the nonbasic variables
        self.rows: dict[int, Equation] = {}
        self.users: list[set[int]] = []  # the basic variables in whose rows a variable stands
        self.steps = 0

    def variable(self, low: Number, high: Number) -> int:
        """A new variable within these bounds."""
        self.bounds.append((low, high))
        self.values.append(int(low if low != -inf else min(0, high)))
        self.users.append(set())
        return len(self.bounds) - 1

    def sum(self, factors: Mapping[int, int], low: Number, high: Number) -> int:
        """A new variable that equals a sum of others."""
        by, own = 1, dict[int, int]()
        for variable, factor in factors.items():
            row = self.rows.get(variable)
            if row is None:
                add(own, variable, factor * by)
                continue
            common = gcd(by, row.by)
            more, factor = row.by // common, factor * (by // common)
            if more != 1:
                own, by = {v: f * more for v, f in own.items()}, by * more
            for other, times in row.factors.items():
                add(own, other, times * factor)
        made = self.variable(low, high)
        self._define(made, by, own)
        return made

    def value(self, variable: int) -> tuple[int, int]:
        """The value, as numerator and denominator."""
        row = self.rows.get(variable)
        return (self.values[variable], 1) if row is None else (row.total, row.by)

    def contradiction(self, steps: int) -> list[int] | None:
        """Variables whose bounds contradict each other; None if all have values within their
        bounds now, or if that takes more ``steps``."""
        while self.steps <= steps:
            failing = self._failing()
            if failing is None:
                return None
            variable, rises = failing
            row, end = self.rows[variable], self.bounds[variable][0 if rises else 1]
            free = [other for other, factor in row.factors.items()
                    if self._moves(other, (factor > 0) == rises)]  # fmt: skip
            if not free:
                return [variable, *row.factors]
            self._exchange(variable, min(free, key=lambda v: (len(self.users[v]), v)), int(end))
        return None

    def _failing(self) -> tuple[int, bool] | None:
        """The first basic variable outside of its bounds, and whether it has to rise."""
        found: tuple[int, bool] | None = None
        for variable, row in self.rows.items():
            if found is None or variable < found[0]:
                low, high = self.bounds[variable]
                if low > -inf and row.total < low * row.by:
                    found = variable, True
                elif high < inf and row.total > high * row.by:  # no float: by may be too large
                    found = variable, False
        return found

    def _moves(self, variable: int, rises: bool) -> bool:
        low, high = self.bounds[variable]
        return self.values[variable] < high if rises else self.values[variable] > low

    def _exchange(self, leaving: int, entering: int, value: int) -> None:
        """Makes ``entering`` basic in place of ``leaving``, which gets this value."""
        row = self.rows.pop(leaving)
        for variable in row.factors:
            self.users[variable].discard(leaving)
        factor = row.factors.pop(entering)
        sign, by = (1, factor) if factor > 0 else (-1, -factor)
        own = {variable: -sign * times for variable, times in row.factors.items()}
        own[leaving] = sign * row.by
        self.values[leaving] = value
        for user in sorted(self.users[entering]):
            old = self.rows[user]
            times, rest = old.factors.pop(entering), old.factors
            if by != 1:
                rest = {variable: f * by for variable, f in rest.items()}
            for variable, f in own.items():
                if not add(rest, variable, times * f):
                    self.users[variable].discard(user)
            self._define(user, old.by * by, rest)
        self.users[entering].clear()
        self._define(entering, by, own)

    def _define(self, variable: int, by: int, factors: dict[int, int]) -> None:
        self.steps += 1
        common = gcd(by, *factors.values()) if by != 1 else 1
        if common != 1:
            by //= common
            factors = {v: factor // common for v, factor in factors.items()}
        for other in factors:
            self.users[other].add(variable)
        total = sum(factor * self.values[other] for other, factor in factors.items())
        self.rows[variable] = Equation(by, factors, total)


def add(factors: dict[int, int], variable: int, factor: int) -> bool:
    """Adds to the factor of a variable; False if that is 0 then."""
    total = factors.get(variable, 0) + factor
    if total:
        factors[variable] = total
    else:
        factors.pop(variable, None)
    return bool(total)
