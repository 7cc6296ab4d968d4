"""Bounds of a goal with several choices from a range of each choice, found by itself: so a goal has
no more cases than all choices together, where their combinations would be as many as a product.

The range of a choice is the least bound of all its cases. Where one is not known to be the least,
the launch must see to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from analyses.budget import CHOICES_SHARE
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Choice, choices, unwrapped
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    Preference,
    admits_many,
    sensible,
    tightest,
    unique,
)
from analyses.proofs.system_cache import ASSUMED_NONNEGATIVE
from analyses.typical_launch import with_room_for_products

ZERO = Polynomial.of(0)


class Prover(Protocol):
    """What finds the bounds of one choice, and proves."""

    conditions: PathConditions

    def proves(self, premises: PathCondition, goal: Polynomial) -> bool: ...

    def bounds(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> list[ConditionalBound]: ...

    def direct(
        self, premises: PathCondition, goal: Polynomial, by: Preference
    ) -> list[ConditionalBound]:
        """One bound without cases."""


class Least(NamedTuple):
    """What a goal is at least, in launches that meet the ``needs``."""

    polynomial: Polynomial
    needs: tuple[Precondition, ...]


def in_place_of_cases(
    prover: Prover, premises: PathCondition, more: PathCondition, goal: Polynomial, by: Preference
) -> list[ConditionalBound]:
    """A bound found without splitting the goal into cases: from the range of each choice, or under
    the assumptions ``more``. Empty if none is sensible."""
    for here in dict.fromkeys((premises, premises + more)):
        found = prover.direct(here, goal, by) if here is not premises else []
        if found and sensible(found[0], by, goal):
            return found
        with prover.conditions.budget.share(CHOICES_SHARE):
            found = by_each_choice(prover, here, goal, by)
        if found and sensible(found[0], by, goal):
            return found
    return []


def with_least(goal: Polynomial) -> Polynomial:
    """What the goal is at least: with the number in place of each choice of numbers that makes it
    less, whatever decides the choices. So many choices take no more than one."""
    return goal.replaced(
        {
            choice: Polynomial.of(int(choice.low if factor > 0 else choice.high))
            for choice, factor in chosen_numbers(goal).items()
        }
    )


def chosen_numbers(goal: Polynomial) -> dict[Choice, int]:
    """The choices of numbers that are terms of the goal, with their factors: places that flags
    count."""
    alone = {m[0]: factor for m, factor in goal.terms.items() if len(m) == 1}
    return {
        choice: factor
        for choice, factor in alone.items()
        if isinstance(choice, Choice)
        and not choice.greatest
        and all(case.polynomial.constant is not None for case in choice.cases)
    }


def by_each_choice(
    prover: Prover, premises: PathCondition, goal: Polynomial, by: Preference
) -> list[ConditionalBound]:
    """The bound of a goal with several choices; empty if one has no range, or ranges are not
    enough."""
    separate = outermost(goal)
    known, needs = list[Inequality](), list[Precondition]()
    for choice in separate if len(separate) > 1 else ():
        part, others = Polynomial.of(choice), {*separate} - {choice}
        own = premises.where(lambda p, others=others: others.isdisjoint(p.parts))  # type: ignore[misc]
        for side in (part, -part):
            least = least_of_all(prover, own, side)
            if least is None:
                return []
            known.append(Inequality(side - least.polynomial, choice))
            needs += least.needs
    if not known:
        return []
    met = (Inequality(need.polynomial, ASSUMED_NONNEGATIVE) for need in unique(needs))
    found = prover.direct(premises + PathCondition((*known, *met)), goal, by)
    return [
        replace(under, preconditions=tuple(unique((*needs, *under.preconditions))))
        for under in found
    ]


def outermost(goal: Polynomial) -> list[Choice]:
    """The choices in the goal that are in no case of another one."""
    found = choices((goal,))
    inside = {part for choice in found for part in choice.parts if part is not choice}
    return sorted(found - inside, key=order)


def least_of_all(prover: Prover, premises: PathCondition, goal: Polynomial) -> Least | None:
    """A bound of all cases: of those of one case, that which needs the fewest others to be
    greater, or else of most cases, if many launches see to that, or else 0. Where sizes would have
    to be 2 at least, it is one less: no more than n - 1 for ``max(i - 1, 0)`` with ``i < n``."""
    found = prover.bounds(premises, goal, tightest)
    if not found or any(under.scale > 1 for under in found):
        return None
    needs = tuple(unique(need for under in found for need in under.preconditions))
    here = premises + PathCondition(tuple(Inequality(need.polynomial) for need in needs))
    cases = Counter(under.least for under in found)
    ways = [(least, list(greater(prover, here, least, cases))) for least in cases]
    least, demanded = min(ways, key=lambda way: (len(way[1]), -cases[way[0]]))
    of_size = demanded and all((each + 2).alone is not None for each in demanded)
    if of_size and not stated(goal, least):
        least -= 1
        demanded = list(greater(prover, here, least, cases))
    above = demanded and (least.constant or 0) > 0
    if above or not all(map(seen_to, demanded)):
        least, demanded = ZERO, list(greater(prover, here, ZERO, cases))
        if not all(map(seen_to, demanded)):
            return None
    return Least(least, (*needs, *map(Precondition, demanded)))


def seen_to(polynomial: Polynomial) -> bool:
    """Whether it is not negative in many launches."""
    return admits_many(ConditionalBound(with_room_for_products(polynomial)), counting_down=False)


def stated(goal: Polynomial, least: Polynomial) -> bool:
    """Whether it is an end that the program writes down, as that of ``max(0, min(cell, n - 2))``,
    where the next cell is read as well."""
    ends = [unwrapped(case.polynomial) for choice in choices((goal,)) for case in choice.cases]
    return least.constant is None and (least in ends or -least in ends)


def greater(
    prover: Prover, here: PathCondition, least: Polynomial, cases: Iterable[Polynomial]
) -> Iterator[Polynomial]:
    """What must not be negative so that no case is less than ``least``, and is not known."""
    for case in cases:
        if case != least and not prover.proves(here, case - least):
            yield case - least
