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

from analyses.budget import SET_PLACES, SET_VALUES
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
    """An edge between two blocks, or a block where a predicate has this value."""

    block: int
    target: int | None = None
    by: tuple[Operand, bool] | None = None


class ConditionsAt(Protocol):
    """What holds in a block, along an edge, and where a predicate has a value."""

    def at(self, block: int) -> PathCondition: ...

    def along(self, source: int, target: int) -> PathCondition: ...

    def implied(self, condition: Operand, truth: bool, what: object) -> PathCondition: ...


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
            first, *others = [self._at(conditions, place) for place in places]
        finally:
            self.asked.remove(places)
        said = (fact for fact in first.known if of_coordinates(fact.polynomial))
        common = (f for f in said if all(contains(one.said[0], f.polynomial) for one in others))
        return PathCondition(tuple(common))

    @staticmethod
    def _at(conditions: ConditionsAt, place: SetPlace) -> PathCondition:
        if place.target is not None:
            return conditions.along(place.block, place.target)
        found = conditions.at(place.block)
        return found if place.by is None else found + conditions.implied(*place.by, place)

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
        width, mask = value.width, meant.mask
        return self.places(meant.a.operand, lambda one: may_be(Constant(width, one.bits & mask)))

    def places(self, value: Operand, may_be: Test) -> tuple[SetPlace, ...]:
        """Where the value may have been set to one that it ``may_be``; none if it carries no other
        number, or these are too many."""
        sources = self._carried(self.symbolic.plain(value))
        others = (one for each in sources.values() for one, _ in each)
        numbers = {one: number for one in others if (number := self._number(one)) is not None}
        out: set[Operand] = {one for one, number in numbers.items() if not may_be(number)}
        carrying = set[Operand]()  # what may be such a number
        while more := {
            one
            for one in sources.keys() - carrying
            if any(other in out or other in carrying for other, _ in sources[one])
        }:
            carrying |= more
        found = dict.fromkeys(
            place
            for one in carrying
            for other, place in sources[one]
            if other not in out and other not in carrying
        )
        return tuple(found) if len(found) <= SET_PLACES else ()

    def _carried(self, value: Operand) -> dict[Operand, list[tuple[Operand, SetPlace]]]:
        """The phis and selects that the value is made by, each with its sources."""
        found = dict[Operand, list[tuple[Operand, SetPlace]]]()
        open_ = [value]
        while open_ and len(found) <= SET_VALUES:
            operand = open_.pop()
            sources = [(self.symbolic.plain(one), at) for one, at in self._sources(operand)]
            if operand not in found and sources:
                found[operand] = sources
                open_ += (one for one, _ in sources)
        return {} if open_ else found

    def _number(self, operand: Operand) -> Constant | None:
        """The number that the operand always is."""
        number, width = self.symbolic.values.constant(operand), operand.width
        return None if number is None else Constant(width, number & ((1 << width) - 1))

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
            predicate, *each = selected
            for source, truth in zip(each, (True, False), strict=True):
                yield source, SetPlace(values.home[operand], by=(predicate, truth))


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
