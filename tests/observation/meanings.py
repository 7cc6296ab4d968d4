"""What the symbols of integer polynomials stand for in a run, as integers without end.

A special register or parameter is the number that the machine holds, an opaque name the word that
its value had last, a counter how often the loop's back edge was taken since the loop was entered; a
reading, a quotient and a choice are worked out anew from what they are made of. Only some lanes are
followed: these numbers do not fit into vectors.
"""

from __future__ import annotations

from math import inf

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.domains.regions import Origin
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    Case,
    Choice,
    CommonBits,
    Difference,
    Interpretation,
    LaunchQuotient,
    PowerOfTwo,
    Quotient,
    Remainder,
    two_to_the,
)
from analyses.program import Constant, Operand, Phi, Terminator, Value
from ptxlint.facts.kernel_facts import Facts
from ptxlint.simt import Machine

from .claims import Cause, Claim, Observation
from .words import Loops, bases_of, parameter

LANES = 4  # that are followed

Numbers = dict[int, int]  # by lane


class UnsettledError(Exception):
    """A symbol without a meaning here: a quotient by 0, or a word that is too wide."""


class Meanings(Claim):
    """Every symbol stays in its range."""

    name = "symbol"

    def __init__(self, facts: Facts, seen: Observation, loops: Loops, lanes: int = LANES) -> None:
        super().__init__(facts, seen)
        self._count = lanes
        self.symbolic = facts.symbolic
        self._loops = loops
        self._values = {value.name: value for value in facts.values.home}
        self._heads = {symbol: head for head, symbol in self.symbolic.counters.items()}
        self._named: dict[Symbol, tuple[str, int]] = {}

    # --- events

    def begin(self, machine: Machine) -> None:
        super().begin(machine)
        live = np.flatnonzero(machine.layout.live)
        places = np.unique(np.linspace(0, len(live) - 1, self._count).astype(int))
        self.lanes: list[int] = live[places].tolist()
        self._bases = bases_of(self.facts, machine)
        self._specials = machine.layout.specials(machine.launch, machine.memory.static_shared)
        self._latest: dict[Value, Numbers] = {}
        self._came_from: dict[int, Numbers] = {}
        self._left = -1
        self._memo: dict[tuple[Symbol, int], int] = {}

    def branched(
        self, block: int, end: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        self._left = block

    def defined(self, cause: Cause, value: Value, word: BitVector, active: Array) -> None:
        self._memo.clear()
        if value.width > 64:
            return
        lanes = self.among(active)
        numbers = zip(lanes, unsigned_of(word, lanes), strict=True)
        self._latest.setdefault(value, {}).update(numbers)
        if isinstance(cause, Phi):
            block = self.facts.values.home[value]
            self._came_from.setdefault(block, {}).update(dict.fromkeys(lanes, self._left))

    def among(self, active: Array) -> list[int]:
        return [lane for lane in self.lanes if active[lane]]

    # --- meanings

    def base(self, origin: Origin | None) -> int:
        return 0 if origin is None else self._bases[origin]

    def value(self, polynomial: Polynomial, lane: int) -> int:
        return polynomial.value(lambda symbol: self.symbol(symbol, lane))

    def symbol(self, symbol: Symbol, lane: int) -> int:
        key = (symbol, lane)
        if key not in self._memo:
            try:
                number = self._memo[key] = self._symbol(symbol, lane)
            except KeyError as missing:
                self.broken(f"symbol {symbol}", f"made of {missing}", "not there yet", lane)
                raise UnsettledError(symbol) from None
            self.seen.count(self.name, 1)
            if not symbol.low <= number <= symbol.high:
                said = f"in [{symbol.low}, {symbol.high}]"
                self.broken(f"symbol {symbol}", said, number, lane)
        return self._memo[key]

    def _symbol(self, symbol: Symbol, lane: int) -> int:
        match symbol:
            case Interpretation():
                number = self.value(symbol.polynomial, lane)
                return within(number, symbol.width, -(symbol.signed << (symbol.width - 1)))
            case Quotient():
                return self._quotient(symbol, lane)
            case LaunchQuotient():
                if (divisor := self.value(symbol.divisor, lane)) <= 0:
                    raise UnsettledError(symbol)
                return self.value(symbol.dividend, lane) // divisor
            case Difference():
                return self._remaining(symbol, lane)
            case Remainder():
                if not self.value(symbol.quotient.divisor, lane):
                    return self._by_zero(symbol, symbol.quotient, lane)
                return self._remaining(symbol, lane)
            case PowerOfTwo():
                return two_to_the(self.value(symbol.exponent, lane))
            case CommonBits():
                return self.value(symbol.one, lane) & self.value(symbol.other, lane)
            case Choice():
                return self._choice(symbol, lane)
        if symbol in self._heads:
            return int(self._loops.turn[self._heads[symbol]][lane])
        if symbol.label in self._values:
            return self._opaque(symbol, self._values[symbol.label], lane)
        return self._launched(symbol, lane)

    def _by_zero(self, symbol: Symbol, of: Quotient, lane: int) -> int:
        """All ones, by a shift nothing; unsettled if it is the result of one of two instructions,
        which may differ."""
        if of.shifted:
            return 0 if symbol is of else self.value(of.dividend, lane)
        if of.limit < inf or not isinstance(symbol.high, int):
            raise UnsettledError(symbol)
        return -1 if symbol.low < 0 else symbol.high

    def _remaining(self, symbol: Remainder, lane: int) -> int:
        of = symbol.quotient
        dividend, divisor = self.value(of.dividend, lane), self.value(of.divisor, lane)
        return dividend - divisor * self._quotient(of, lane) if divisor else dividend

    def _quotient(self, symbol: Quotient, lane: int) -> int:
        """Rounded down for a number and for a shift, else as the machine divides: towards zero, and
        by 0 all ones. Where the result is no word, it wraps."""
        dividend, divisor = self.value(symbol.dividend, lane), self.value(symbol.divisor, lane)
        if symbol.divisor.constant is not None or (symbol.shifted and divisor):
            return dividend // divisor
        if not divisor:
            return self._by_zero(symbol, symbol, lane)
        if not (isinstance(symbol.low, int) and isinstance(symbol.high, int)):
            raise UnsettledError(symbol)
        towards_zero = abs(dividend) // abs(divisor)
        number = towards_zero if (dividend < 0) == (divisor < 0) else -towards_zero
        return symbol.low if number == symbol.high + 1 else number

    def _choice(self, choice: Choice, lane: int) -> int:
        if choice.greatest:
            return max(self.value(case.polynomial, lane) for case in choice.cases)
        chosen = [case for case in choice.cases if self._applies(choice, case, lane)]
        assert len(chosen) == 1, choice
        return self.value(chosen[0].polynomial, lane)

    def _applies(self, choice: Choice, case: Case, lane: int) -> bool:
        if case.condition is not None:
            return bool(self._operand(case.condition, lane)) == case.truth
        block = self.facts.values.home[self._values[choice.label]]
        return case.edge is not None and self._came_from[block][lane] == case.edge[0]

    def _operand(self, operand: Operand, lane: int) -> int:
        if isinstance(operand, Value):
            return self._latest[operand][lane]
        return operand.bits if isinstance(operand, Constant) else 0  # undefined: the machine's 0

    def _opaque(self, symbol: Symbol, value: Value, lane: int) -> int:
        if value.width > 64:
            raise UnsettledError(symbol)
        origin = self.symbolic.word(value).origin
        number = self._latest[value][lane] - self.base(origin)
        return within(number, value.width, symbol.low)

    def _launched(self, symbol: Symbol, lane: int) -> int:
        if symbol not in self._named:
            for key, polynomial in self.symbolic.specials.items():
                if polynomial.alone is not None:
                    self._named[polynomial.alone] = key
        name, width = self._named[symbol]
        if "+" in name:
            return within(parameter(self.machine, name), width, symbol.low)
        return within(unsigned(self._specials[name], lane), width, symbol.low)

    def entered(self, block: int, active: Array) -> None:
        self._memo.clear()


def unsigned(word: BitVector, lane: int) -> int:
    return unsigned_of(word, [lane])[0]


def unsigned_of(word: BitVector, lanes: list[int]) -> list[int]:
    """The word of each lane."""
    bits = word.unsigned
    found: list[int] = bits[lanes].tolist() if bits.size > 1 else bits.tolist() * len(lanes)
    return found


def within(number: int, width: int, low: float) -> int:
    """The number modulo 2**width, from ``low`` on (from 0 if that has no end)."""
    start = int(low) if low > float("-inf") else 0
    return (number - start) % (1 << width) + start
