"""Claims about the numbers of words: interval, known bits, region. ``Loops`` counts the iterations
of every loop by lane, which is what the symbol ``k7`` of the loop at block 7 stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets, Origin
from analyses.program import Phi, Region, Terminator, Value
from ptxlint.facts.kernel_facts import Facts
from ptxlint.simt import Machine
from ptxlint.simt.memory import generic

from .claims import Cause, Claim, Observation

Bases = dict[Origin, int]


def bases_of(facts: Facts, machine: Machine) -> Bases:
    """Where every region lies in this run, as an address of its space and as a generic one. The
    word of a pointer parameter is an address of its space; one into a buffer is not its start."""
    memory = machine.memory
    places: dict[Region, int] = dict(memory.addresses)
    inside = {facts.kernel.arguments[index].word for index in facts.launch.interior}
    for symbol, region in facts.pointers.items():
        if symbol not in inside:
            places[region] = parameter(machine, symbol)
    return {
        origin: base
        for region, place in places.items()
        for origin, base in (
            (Origin(region, False), place),
            (Origin(region, True), generic(region, place)),
        )
    }


def parameter(machine: Machine, symbol: str) -> int:
    """The bytes of ``name+offset`` to the end of a word of 64 bits or of the parameter."""
    name, _, offset = symbol.rpartition("+")
    memory = machine.memory
    space = memory.spaces["param"]
    for region, base in memory.addresses.items():
        if region.space == "param" and region.name == name:
            piece = space.pieces[space.bases.index(base)]
            data = space.read(piece)[int(offset) : int(offset) + 8]
            return int.from_bytes(data.tobytes(), "little", signed=True)
    raise KeyError(symbol)


class Numbers(Claim):
    """Every word lies in the numbers of its value."""

    name = "number"

    def __init__(self, facts: Facts, seen: Observation) -> None:
        super().__init__(facts, seen)
        self._known: dict[Value, BasePlusOffset | None] = {}
        self._domain: BasePlusOffsets[Any] = facts.values.numbers

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        own = self.facts.values.numbers
        self._domain = BasePlusOffsets(own.inner, own.pointers, bases_of(self.facts, machine))

    def fact(self, value: Value) -> BasePlusOffset | None:
        """What is claimed; None where that is any word."""
        if value not in self._known:
            fact = self.facts.values.number(value)
            any_word = self._domain.leq(self._domain.top(value.width), fact)
            self._known[value] = None if any_word or value.width > 64 else fact
        return self._known[value]

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        fact = self.fact(value)
        if fact is None:
            self.seen.skipped["any number"] += 1
        else:
            held = self._domain.admits(fact, word)
            self.hold(value, fact, held, word.unsigned, active, cause)


class Loops(Claim):
    """Counts iterations by lane; the counters stay inside their bounds."""

    name = "loop counter"

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        self.lanes = machine.layout.live.size
        self.turn: dict[int, Array] = {}
        self._leaving = -1

    def branched(
        self, block: int, end: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        self._leaving = block

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        head = self.facts.values.home[value]
        loop = self.facts.values.loops.get(head)
        if not isinstance(cause, Phi) or loop is None:
            return
        if cause is not self.facts.kernel.blocks[head].phis[0]:
            return
        before = self.turn.get(head, np.zeros(self.lanes, np.int64))
        now = before + 1 if self._leaving in loop.latches else np.zeros_like(before)
        self.turn[head] = np.where(active, now, before)
        counter = self.facts.symbolic.counters.get(head)
        if counter is not None:
            held = (counter.low <= self.turn[head]) & (self.turn[head] <= counter.high)
            said = f"in [{counter.low}, {counter.high}]"
            self.hold(counter.name, said, held, self.turn[head], active)
