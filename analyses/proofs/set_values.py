"""What holds since a value was set: ``int at = -1; for (...) if (i < n && ...) at = ...;``. Behind
the loop a thread whose ``at`` is not negative has ``i < n``.

A value that phis and selects carry was last set at one of their other sources. A guard rules out
the constants that do not pass it. What holds at each place that is left holds behind the guard, if
nothing has changed it since: facts about the coordinates of the thread and the launch alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from msgspec import Struct

from analyses.budget import SET_PLACES
from analyses.conditions import Atom, Masked
from analyses.lattice import Relation
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import FIRST_RANK, Choice
from analyses.program import Constant, Operand, Value
from analyses.proofs.fact_index import contains
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.scalar_evolution import SymbolicValues

Test = Callable[[Constant], bool]


class SetPlace(NamedTuple):
    """A block, or the edge from it to another one."""

    block: int
    target: int | None = None


class ConditionsAt(Protocol):
    """What holds in a block, and along an edge."""

    def at(self, block: int) -> PathCondition: ...

    def along(self, source: int, target: int) -> PathCondition: ...


class SetValues(Struct, frozen=True):
    """Those of one function; ``asked`` are those that are being asked about."""

    symbolic: SymbolicValues
    asked: set[tuple[SetPlace, ...]] = set()

    def facts(self, conditions: ConditionsAt, places: tuple[SetPlace, ...]) -> PathCondition:
        """What holds still where a value was set at one of these places; nothing if it is asked
        about on the way to one of them."""
        if not places or places in self.asked:
            return NOTHING
        self.asked.add(places)
        try:
            first, *others = [
                conditions.at(block) if target is None else conditions.along(block, target)
                for block, target in places
            ]
        finally:
            self.asked.remove(places)
        said = (fact for fact in first.known if of_coordinates(fact.polynomial))
        common = (f for f in said if all(contains(one.said[0], f.polynomial) for one in others))
        return PathCondition(tuple(common))

    def compared(self, a: Operand, relation: Relation, b: Operand) -> tuple[SetPlace, ...]:
        """Where the operand that is no constant may have been set, if they are so related; or the
        word of which it has some bits, as a flag that a byte has."""
        if isinstance(b, Constant):
            return self._compared(a, lambda one: related(one, relation, b))
        if isinstance(a, Constant):
            return self._compared(b, lambda one: related(a, relation, one))
        return ()

    def _compared(self, value: Operand, may_be: Test) -> tuple[SetPlace, ...]:
        formulas = self.symbolic.values.flow.formulas
        meant = formulas.meaning(value) if isinstance(value, Value) else None
        if not isinstance(meant, Masked) or not isinstance(meant.a, Atom) or not meant.a.operand:
            return self.places(value, may_be)
        mask = meant.mask
        return self.places(meant.a.operand, lambda one: may_be(one._replace(bits=one.bits & mask)))

    def places(self, value: Operand, may_be: Test) -> tuple[SetPlace, ...]:
        """Where the value may have been set to one that it ``may_be``; none if phis carry none, or
        these are too many."""
        found = dict[SetPlace, None]()
        carried, ruled_out = set[Operand](), False
        open_: list[tuple[Operand, SetPlace | None]] = [(value, None)]
        while open_:
            operand, place = open_.pop()
            while isinstance(operand, Value) and operand in self.symbolic.alias:
                operand = self.symbolic.alias[operand]
            sources = [*self._sources(operand)]
            if operand in carried:
                continue
            if sources:
                carried.add(operand)
                open_ += sources
            elif place is None or len(found) == SET_PLACES:
                return ()
            elif (number := self._number(operand)) is not None and not may_be(number):
                ruled_out = True
            else:
                found[place] = None
        return tuple(found) if ruled_out else ()

    def _number(self, operand: Operand) -> Constant | None:
        """The number that the operand always is."""
        values = self.symbolic.values
        fact = values.number(operand)
        if fact.origin is not None or values.numbers.is_bottom(fact):
            return None
        interval = values.interval(fact)
        mask = (1 << operand.width) - 1
        return Constant(operand.width, interval.value & mask) if interval.is_constant else None

    def _sources(self, operand: Operand) -> Iterator[tuple[Operand, SetPlace]]:
        """What a phi or a select makes its value of, and where."""
        values = self.symbolic.values
        if not isinstance(operand, Value):
            return
        if operand in self.symbolic.joined:
            phi, home = self.symbolic.joined[operand]
            for origin, source in phi.sources.items():
                yield source, SetPlace(origin, home.index)
        elif (selected := values.flow.formulas.selection(operand)) is not None:
            for source in selected[1:]:
                yield source, SetPlace(values.home[operand])


def related(a: Constant, relation: Relation, b: Constant) -> bool:
    """True if the relation holds between two numbers."""
    x, y = a.bits, b.bits
    if relation.endswith("_s"):
        x, y = (number - (number >> (a.width - 1) << a.width) for number in (x, y))
    match relation[:2]:
        case "eq":
            return x == y
        case "ne":
            return x != y
        case "lt":
            return x < y
    return x <= y


def of_coordinates(polynomial: Polynomial) -> bool:
    """True if it is the same whenever a thread computes it."""
    return not any(part.rank >= FIRST_RANK or isinstance(part, Choice) for part in polynomial.parts)
