"""The offsets of accesses in one run, from the starts of the regions that the analysis names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from analyses.program import Instr, Region
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.ir import PtxInstr
from ptxlint.simt import Machine, Observer
from ptxlint.simt.memory import SLOT, generic

if TYPE_CHECKING:
    from analyses.concrete.bitvectors import Array


class Offsets(Observer):
    """An observer of accesses to known regions. Those that leave their region in no execution are
    ``inside``; those whose offsets are all as aligned as they must be, in a region that is, are
    ``aligned``. An access that is not executed is both. A region of undeclared size is as large as
    a run has it."""

    def __init__(self, facts: Facts, accesses: Iterable[AccessFacts]) -> None:
        self.facts = facts
        self.places = {a.instr: a.place for a in accesses if a.place.region and not a.mismatch}
        self.inside: set[Instr] = set(self.places)
        self.aligned: set[Instr] = {
            instr
            for instr, place in self.places.items()
            if place.region is not None and place.region.align % place.access.align == 0
        }
        self.starts: dict[Region, int] = {}

    def begin(self, machine: Machine) -> None:
        self.starts = dict(starts(self.facts, machine))

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        place = self.places.get(instr)
        if place is None or place.region is None or not active.any():
            return
        first = self.starts[place.region]
        first = generic(place.region, first) if space == "generic" else first
        offsets = addresses[active].astype("int64") - first
        size = SLOT if place.size is None else place.size
        if offsets.min() < 0 or offsets.max() + place.access.bytes > size:
            self.inside.discard(instr)
        if (offsets & (place.access.align - 1)).any():
            self.aligned.discard(instr)


def starts(facts: Facts, machine: Machine) -> Iterator[tuple[Region, int]]:
    """The first byte of each region, in its own space."""
    yield from machine.memory.addresses.items()
    words = {formal.index: formal.word for formal in facts.kernel.words}
    for index, piece in zip(machine.launch.allocated, machine.memory.buffers, strict=True):
        if (region := facts.pointers.get(words.get(index, ""))) is not None:
            yield region, piece.base
