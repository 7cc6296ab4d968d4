"""Random payoffs that are well typed: of one pass, or of whole paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pricing_kernels.payoffs import (
    Expression,
    S,
    by_date,
    exp,
    fold,
    let,
    log,
    maximum,
    minimum,
    product,
    sqrt,
    sum,
    times,
    where,
)
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL, ValueType

TIMES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Around:
    """What an expression may read: prices known until a time, the date of a fold, values."""

    until: float = 1.0
    date: Any = None
    level: Any = None
    values: dict[ValueType, Sequence[Expression]] = field(default_factory=dict)


@dataclass
class Payoffs:
    """A source of random payoffs on some assets; those of the ``whole`` path read any date."""

    random: Random
    assets: int
    whole: bool = False

    def payoff(self) -> Expression:
        return self.real(4, Around()) if self.random.random() < 0.7 else self.integer(4, Around())

    def of(self, kind: ValueType, depth: int, around: Around) -> Expression:
        make = {REAL: self.real, INTEGER: self.integer, BOOLEAN: self.boolean}
        return make[kind](depth, around)

    def real(self, depth: int, around: Around) -> Expression:
        if depth == 0:
            return self.leaf(REAL, around)
        a, b = (self.real(depth - 1, around) for _ in range(2))
        match self.random.randrange(12):
            case 0:
                return a + b
            case 1:
                return a - b
            case 2:
                return a * b / 100
            case 3:
                return a / (abs(b) + 1)
            case 4:
                return sqrt(abs(a))
            case 5:
                return exp(minimum(a / 100, 3))
            case 6:
                return log(abs(a) + 0.5)
            case 7:
                return where(self.boolean(depth - 1, around), a, b)
            case 8:
                return maximum(a, b) - minimum(a, 1 - b)
            case 9:
                return let(a, lambda x: x * 0.5 + x)
            case 10:
                return self.integer(depth - 1, around) + a
            case _:
                return self.folded(REAL, depth, around)

    def integer(self, depth: int, around: Around) -> Expression:
        if depth == 0:
            return self.leaf(INTEGER, around)
        a, b = (self.integer(depth - 1, around) for _ in range(2))
        match self.random.randrange(6):
            case 0:
                return a + b
            case 1:
                return a * b - b
            case 2:
                return where(self.boolean(depth - 1, around), a, -b)
            case 3:
                return abs(minimum(a, b)) + maximum(a, b)
            case 4:
                return let(a, lambda x: x + x * b)
            case _:
                return self.folded(INTEGER, depth, around)

    def boolean(self, depth: int, around: Around) -> Expression:
        kind = self.random.choice([REAL, INTEGER])
        a, b = (self.of(kind, max(depth - 1, 0), around) for _ in range(2))
        compared = [a < b, a <= b, a > b, a >= b, a == b, a != b][self.random.randrange(6)]
        if depth == 0 or self.random.random() < 0.6:
            return compared
        other = self.boolean(depth - 1, around)
        return [compared & other, compared | other, ~compared][self.random.randrange(3)]

    def leaf(self, kind: ValueType, around: Around) -> Expression:
        known = list(around.values.get(kind, ()))
        if kind is INTEGER:
            known.append(S(0, 0) * 0 + 1 > 0)  # a condition that holds, to make an integer of
            one = where(known.pop(), self.random.randrange(-3, 4), 0)
            return self.random.choice([*known, *known, one])
        if kind is BOOLEAN:
            return S(0, 0) > 0
        asset = self.random.randrange(self.assets)
        choices = [*known, *(S(asset, t) for t in (0.0, *TIMES) if t <= around.until)]
        if around.date is not None:
            choices += [S(asset, around.date)] * 4 + [around.date, around.level[around.date]]
            if self.whole:
                choices += [S(asset, around.date - TIMES[0])] * 2
        choices.append(S(asset, 0) * 0 + self.random.choice([0.5, 1, 100, -2.5]))
        return self.random.choice(choices)

    def folded(self, kind: ValueType, depth: int, around: Around) -> Expression:
        """A fold whose dates end where prices are known; it reads no date of another fold."""
        usable = [t for t in TIMES if t <= around.until]
        if not usable:
            return self.leaf(kind, around)
        over = times(self.random.sample(usable, self.random.randint(1, len(usable))))
        first = 1.0 if self.whole else over.times[0]
        outer = [] if around.date is None or not self.whole else [S(0, around.date), around.date]
        level = by_date(over, [self.random.choice([0.5, 90.0, -1.0]) for _ in over])
        small = self.random.choice([depth - 2, 0]) if depth > 1 else 0
        if kind is REAL and self.random.random() < 0.5:
            make = self.random.choice([sum, product, minimum, maximum])
            scale = 0.01 if make is product else 1.0
            known = {REAL: outer}
            return make(over, lambda t: scale * self.real(small, Around(first, t, level, known)))
        kinds = [kind, *self.random.choices([REAL, INTEGER, BOOLEAN], k=2)]
        start = {f"x{n}": self.of(k, 0, Around(first)) for n, k in enumerate(kinds)}

        def update(s: Any, t: Any) -> dict[str, Expression]:
            values: dict[ValueType, list[Expression]] = {REAL: list(outer)}
            for n, k in enumerate(kinds):
                values.setdefault(k, []).append(s[f"x{n}"])
            inside = Around(first, t, level, dict(values))
            return {f"x{n}": self.of(k, small, inside) for n, k in enumerate(kinds)}

        return fold(over, start, update)["x0"]
