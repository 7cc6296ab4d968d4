"""The facts of a path condition by symbol, in parts that path conditions share.

A path condition extends that of the dominator. Along a chain of n blocks, a copy for each block
would take n**2 steps. So the facts lie in parts, each at least twice as large as the next, and new
facts are merged with the parts that are smaller: there are O(log n) parts, and in a chain a fact is
copied O(log n) times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import FIRST_RANK, Choice, deep, selects

Polynomials = tuple[frozenset[Polynomial], ...]
"""The facts of a path condition without their origins, in parts."""


class FactIndex(Struct, frozen=True, eq=False):
    """Some facts, by number. ``others`` contain no symbol that a thread computes; of the rest
    ``by`` has those that contain a symbol, launch symbols left out, and ``chosen`` contain choices,
    which ``PathConditions`` resolves."""

    by: dict[Symbol, tuple[int, ...]]
    others: tuple[int, ...]
    chosen: tuple[int, ...]
    size: int

    @staticmethod
    def of(facts: Iterable[tuple[int, Polynomial]]) -> FactIndex:
        by: dict[Symbol, list[int]] = {}
        others, chosen, size = [], [], 0
        for number, polynomial in facts:
            size += 1
            own = computed(polynomial)
            if not own:
                others.append(number)
                continue
            for symbol in deep(polynomial):
                if symbol.rank:
                    by.setdefault(symbol, []).append(number)
            if any(map(selects, own)):
                chosen.append(number)
        about = {symbol: tuple(numbers) for symbol, numbers in by.items()}
        return FactIndex(about, tuple(others), tuple(chosen), size)

    def __len__(self) -> int:
        return self.size

    def __or__(self, other: FactIndex) -> FactIndex:
        by = dict(self.by)
        for symbol, numbers in other.by.items():
            by[symbol] = (*by.get(symbol, ()), *numbers)
        others, chosen = self.others + other.others, self.chosen + other.chosen
        return FactIndex(by, others, chosen, self.size + other.size)


class Mergeable(Protocol):
    """A set of facts."""

    def __len__(self) -> int: ...

    def __or__(self, other: Any, /) -> Any: ...


P = TypeVar("P", bound=Mergeable)


def grown(parts: tuple[P, ...], new: P) -> tuple[P, ...]:
    """The parts and a new one, each at least twice as large as the next."""
    count = len(parts)
    while count and len(parts[count - 1]) < 2 * len(new):
        count -= 1
        new = parts[count] | new
    return (*parts[:count], new) if len(new) else parts


def contains(parts: Polynomials, polynomial: Polynomial) -> bool:
    return any(polynomial in part for part in parts)


def of_launch(parts: Polynomials) -> list[Polynomial]:
    """The facts that a symbol which a thread computes is equal to a number of the launch: a guard
    of the symbol, be it a loaded one, is a guard of the number. So is one of a choice between such
    numbers."""
    chosen = [p for part in parts for p in part if any(map(between_numbers, p.symbols))]
    equal = [p for part in parts for p in part if len(p.symbols) > 1 and contains(parts, -p)]
    moving = {p: [symbol for symbol in p.symbols if symbol.rank] for p in equal}
    single = [p for p, own in moving.items() if len(own) == 1 and own[0].rank >= FIRST_RANK]
    return [*single, *chosen]


def between_numbers(symbol: Symbol) -> bool:
    """True if it is a choice between numbers of the launch."""
    return isinstance(symbol, Choice) and not any(
        part.rank for part in symbol.parts if part is not symbol
    )


def computed(polynomial: Polynomial) -> frozenset[Symbol]:
    """The symbols that a thread computes."""
    return frozenset([symbol for symbol in deep(polynomial) if symbol.rank >= FIRST_RANK])


def joined(
    chosen: Iterable[Symbol], owned: Mapping[Polynomial | Symbol, frozenset[Symbol]]
) -> frozenset[Symbol]:
    """What these choices own; each of them owns what the choices that it is made of own."""
    left, found = set(chosen), []
    while left:
        youngest = max(left, key=order)
        found.append(owned[youngest])
        left -= youngest.parts
    return frozenset().union(*found)
