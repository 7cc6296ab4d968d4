"""Limits of extents and parameters: ``nctaid.x <= 16`` bounds a block's number, and ``0 <= n <= 4``
a parameter, wherever they are computed with; and what is assumed of an undeclared grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from msgspec.structs import replace

from ptxlint.contracts.declaration import Requirement
from ptxlint.contracts.expression import Condition, Identifier, conditions, names, value
from ptxlint.contracts.launch import EXTENTS, Launch

MIRRORED = {">": "<", ">=": "<=", "==": "==", "<": ">", "<=": ">="}
FEW = 2**12  # a parameter that is limited to so many is a count of elements of a small array

COMMON = "at most 2**31 threads"
"""What is assumed of a launch whose grid is not declared."""


def of_common_grids(launch: Launch, specials: Set[str]) -> Launch:
    """The launch, assumed to be COMMON unless anything is declared of the grid along x. Conditions
    are on threads along x and on lines of threads, as far as a kernel with these special registers
    counts them. Along y and z no grid has so many."""
    said = {name for condition in launch.conditions for name in condition.names}
    along = [axis for axis in "xy" if {f"tid.{axis}", f"ntid.{axis}"} & specials]
    if launch.grid or "nctaid.x" in said or not along or not {"ctaid.x", "nctaid.x"} & specials:
        return launch
    known = " and ".join(f"nctaid.x*ntid.{axis} <= 2**31" for axis in along)
    return replace(launch, assumed=(Requirement(COMMON, conditions(known)),))


def grid_limits(said: Iterable[Condition]) -> Iterator[tuple[str, int]]:
    """The extents of the grid that conditions compare with a number, each with the greatest value
    that meets the condition."""
    for name, relation, number in compared_with_numbers(said):
        if name in EXTENTS and relation in ("<", "<=", "=="):
            yield name, number - (relation == "<")


def few(said: Iterable[Condition]) -> dict[str, tuple[int, int | None]]:
    """The names that conditions limit to FEW, each with the greatest and the least value that meets
    them; None if they say nothing of the least."""
    most, least = dict[str, int](), dict[str, int]()
    for name, relation, number in compared_with_numbers(said):
        if relation in ("<", "<=", "=="):
            most[name] = min(number - (relation == "<"), most.get(name, FEW))
        if relation in (">", ">=", "=="):
            least[name] = max(number + (relation == ">"), least.get(name, 0))
    return {name: (high, least.get(name)) for name, high in most.items() if 0 <= high < FEW}


def compared_with_numbers(said: Iterable[Condition]) -> Iterator[tuple[str, str, int]]:
    """A name, a relation, and a number, of each condition that compares these."""
    for one in said:
        name, relation, number = one.left, one.relation, one.right
        if isinstance(number, Identifier):
            name, relation, number = number, MIRRORED.get(relation, ""), name
        if isinstance(name, Identifier) and not names(number):
            yield name.text, relation, value(number, int)
