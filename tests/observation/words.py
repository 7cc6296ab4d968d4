"""Claims about words: numbers (interval, known bits, region) and polynomials, loops counted.

A polynomial is evaluated with the latest words of its symbols in each lane; ``Loops`` counts the
iterations of every loop by lane, which is what the symbol ``k7`` of the loop at block 7 stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.domains.affine import Affine, Symbol
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets, Origin
from analyses.program import Phi, Region, Terminator, Value
from ptxlint.facts import Facts
from ptxlint.simt import Machine
from ptxlint.simt.memory import WINDOWS, generic

from .claims import Cause, Claim, Observation, signed

Bases = dict[Origin, int]


def bases_of(facts: Facts, machine: Machine) -> Bases:
    """Where every region lies in this run, as an address of its space and as a generic one."""
    memory = machine.memory
    places: dict[Region, int] = dict(memory.addresses)
    for symbol, region in facts.pointers.items():
        word = parameter(machine, symbol)
        window = WINDOWS.get(region.space)
        places[region] = word - window.start if window else word
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
        bounds = self.facts.values.counters.get(f"k{head}")
        if bounds is not None:
            low, high = bounds
            held = (low <= self.turn[head]) & (self.turn[head] <= high)
            self.hold(f"k{head}", f"in [{low}, {high}]", held, self.turn[head], active)


class Polynomials(Claim):
    """Every word is what its polynomial says, and every induction variable start + step*k."""

    name = "polynomial"

    def __init__(self, facts: Facts, seen: Observation, loops: Loops) -> None:
        super().__init__(facts, seen)
        self._loops = loops
        self._claimed = {value: tuple(self._claims(value)) for value in facts.values.home}
        self._symbols = {
            symbol
            for word in (*self._everything(), *facts.values.induction.values())
            for monomial, _ in word.terms or ()
            for symbol in monomial
            if isinstance(symbol, Value)
        }

    def _everything(self) -> Iterator[Affine]:
        yield from (fact.offset for fact in self.facts.values.polynomial.facts.values())
        yield from (access.place.polynomial for access in self.facts.all_accesses)

    def _claims(self, value: Value) -> Iterator[BasePlusOffset]:
        """The polynomials that a value is said to be, without those that say nothing."""
        values = self.facts.values
        fact = values.polynomial(value)
        if fact.offset.terms is None:
            self.seen.skipped["no polynomial"] += 1
        elif fact.offset.assumed:
            self.seen.skipped["assumed polynomial"] += 1
        elif fact.offset.terms != (((value,), 1),):
            yield fact
        line = values.induction.get(value)
        if line is not None and not line.assumed:
            yield BasePlusOffset(fact.origin, line)

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        self.lanes = machine.layout.live.size
        self._latest: dict[Value, Array] = {}
        self._bases = bases_of(self.facts, machine)
        self._specials = machine.layout.specials(machine.launch, machine.memory.static_shared)

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        if value.width > 64:
            return
        if value in self._symbols:
            now = signed(word, self.lanes)
            self._latest[value] = np.where(active, now, self._latest.get(value, 0))
        for fact in self._claimed[value]:
            if fact.offset.empty:
                self.broken(value, "never computed", "computed", int(np.argmax(active)), cause)
                continue
            self._compare(value, fact, word, active, cause)

    def _compare(
        self, value: Value, fact: BasePlusOffset, word: BitVector, active: Array, cause: Cause
    ) -> None:
        expected = self.evaluate(fact.offset, self.base(fact.origin))
        held = word.unsigned.astype(np.uint64) == expected
        self.hold(value, fact, held, word.unsigned, active, cause)

    def base(self, origin: Origin | None) -> int:
        return 0 if origin is None else self._bases[origin]

    def evaluate(self, a: Affine, base: int = 0) -> Array:
        """The polynomial plus ``base`` in every lane, modulo 2**width."""
        total = np.full(self.lanes, base % 2**64, np.uint64)
        for monomial, factor in a.terms or ():
            product = np.full(self.lanes, factor % 2**64, np.uint64)
            for symbol in monomial:
                product = product * self.symbol(symbol).view(np.uint64)
            total = total + product
        return total & np.uint64((1 << a.width) - 1)

    def symbol(self, symbol: Symbol) -> Array:
        if isinstance(symbol, Value):  # of an address: its distance from the region's start
            origin = self.facts.values.polynomial(symbol).origin
            return self._latest[symbol] - np.int64(self.base(origin))
        if "+" in symbol:
            return np.full(self.lanes, parameter(self.machine, symbol), np.int64)
        if symbol in self._specials:
            return signed(self._specials[symbol], self.lanes)
        return self._loops.turn[int(symbol.removeprefix("k"))]
