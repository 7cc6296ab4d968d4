"""What a launch must keep to for a bound to hold, and which of several bounds is preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.inequalities import Bound

EVERYDAY = {"ntid.x": 32, "ntid.y": 4, "ntid.z": 1, "nctaid.x": 4, "nctaid.y": 4, "nctaid.z": 1}
COUNTED = 1000  # things, by a parameter of an everyday launch
CROWD = EVERYDAY | {"nctaid.x": 2**15}
FEWER = 10  # things, by a parameter of a launch with a crowd of threads
FEW = 32  # a need that leaves fewer than a warp is worth avoiding
COARSE = 2**20  # a factor of a symbol that no size of an element is


@dataclass(frozen=True, eq=False, slots=True)
class Precondition:
    """What a launch must keep to: ``polynomial >= 0``, over symbols of rank 0."""

    polynomial: Polynomial
    wraps: Interpretation | None = None  # the reading that is its polynomial then


@dataclass(frozen=True, slots=True)
class ConditionalBound:
    """``scale*goal >= least``, where the needs are met; an integer that is ``rest`` modulo ``step``
    lies between the two, as in a ``Bound``."""

    least: Polynomial
    needs: tuple[Precondition, ...] = ()
    bound: Bound | None = None

    @property
    def scale(self) -> int:
        return self.bound.scale if self.bound is not None else 1

    @property
    def step(self) -> int:
        return self.bound.step if self.bound is not None else 1

    @property
    def rest(self) -> int:
        return self.bound.rest if self.bound is not None else 0

    @property
    def enough(self) -> Polynomial:
        """Not negative where ``least`` is above ``scale*(rest - step)``: then what lies between is
        too, and the next number that it can be is ``rest``. So the goal is not below that."""
        return self.least + (self.scale * (self.step - self.rest) - 1)


Preference = Callable[[Bound | ConditionalBound], tuple[float, ...]]
"""A key: the first of several bounds is wanted."""


def sensible(under: ConditionalBound, by: Preference) -> bool:
    """Whether it is not negative in some launch, made of sizes and, as a need, one of every day."""
    met = under.least.range()[1] >= 0 and not coarse(under.least)
    return met and (by is not weakest or everyday(under) >= 0)


def not_less(under: ConditionalBound, other: ConditionalBound) -> bool:
    """Whether the bound is nowhere below the other."""
    return (under.least.scaled(other.scale) - other.least.scaled(under.scale)).range()[0] >= 0


def unique(needs: Iterable[Precondition]) -> Iterator[Precondition]:
    seen = set()
    for need in needs:
        if need.polynomial not in seen:
            seen.add(need.polynomial)
            yield need


def cost(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Bounds made of sizes before those made of the ends of types, bounds by parameters before
    bounds by the shape of the launch, short ones first, and of these the greatest."""
    shape = sum(symbol.name in EVERYDAY for symbol in bound.least.symbols)
    degree = max((len(m) for m in bound.least.terms), default=0)
    return coarse(bound.least), shape, degree, len(bound.least.terms), -everyday(bound)


def of_block(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """Of what belongs to a block: bounds by the shape of the launch before bounds by parameters."""
    others = sum(symbol.name not in EVERYDAY for symbol in bound.least.symbols)
    ends, _, *rest = cost(bound)
    return (ends, others, *rest)


def everyday(bound: Bound | ConditionalBound) -> float:
    """What the goal is at least in a launch like many."""
    own = bound if isinstance(bound, Bound) else bound.bound
    return in_a_launch_like_many(bound.least) / (own.scale if own else 1)


def in_a_launch_like_many(polynomial: Polynomial) -> int:
    return polynomial.value(lambda symbol: EVERYDAY.get(symbol.name, COUNTED))


def by_a_crowd(polynomial: Polynomial) -> bool:
    """Whether a launch of many more threads than things meets it. Nobody sizes a grid so that an
    index does not wrap, but by what wraps."""
    return polynomial.value(lambda symbol: CROWD.get(symbol.name, FEWER)) >= 0


def weakest(bound: Bound | ConditionalBound) -> tuple[float, ...]:
    """The need that asks least of a launch: one that leaves more than a few threads, one that an
    everyday launch meets, then one of parameters, then the widest range."""
    needs = bound.needs if isinstance(bound, ConditionalBound) else ()
    narrow, _ = asked((*needs, Precondition(bound.least)))
    ends, shape, *rest = cost(bound)
    left = in_a_launch_like_many(bound.least.primitive())
    return (narrow, left < 0, ends, shape, -left, -room(bound.least), *rest)


def asked(needs: Sequence[Precondition]) -> tuple[bool, int]:
    """Whether one of them leaves next to no launch, and how many they are."""
    return any(room(need.polynomial) < FEW for need in needs), len(needs)


def coarse(least: Polynomial) -> bool:
    """Whether a symbol has a factor that comes from the end of a type."""
    return any(abs(c) >= COARSE for m, c in least.terms.items() if m)


def room(need: Polynomial) -> float:
    """How far above 0 it can be, for sizes that are not negative."""
    sizes = {s: (max(s.low, 0), s.high) for s in need.symbols if s.high > 0}
    return float(need.primitive().range(sizes)[1])
