"""Overflow detection: the index of each lane over the unbounded integers.

``Overflows`` observes accesses whose index is a word of 32 bits or less, and evaluates the
polynomial of that word in each active lane. A value outside of the type is an overflow. If an
interpretation in the polynomial has wrapped before (a hash before its mask), nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    Choice,
    CommonBits,
    Interpretation,
    PowerOfTwo,
    Quotient,
    Remainder,
    deep,
    two_to_the,
    type_range,
)
from analyses.program import Assume, Operand, Phi, Value
from ptxlint.claim import Claim, IntegerOverflow
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt import Machine, Observer


class UnknownError(Exception):
    """A symbol that a run does not know."""


class Overflows(Observer):
    """An observer of accesses whose index may overflow, according to ``claims`` about one kernel.
    ``found`` maps a claim to the first block and thread that overflow."""

    def __init__(self, claims: Sequence[Claim], kernel: Kernel, launch: ConcreteLaunch) -> None:
        self.by_instr: dict[PtxInstr, list[tuple[Claim, Interpretation]]] = {}
        for claim in claims:
            if isinstance(claim.harm, IntegerOverflow):
                known = self.by_instr.setdefault(claim.instr, [])
                known.append((claim, claim.harm.interpretation))
                self.symbolic = claim.harm.symbolic
        self.found: dict[Claim, tuple[Triple, Triple]] = {}
        self.arguments = {
            formal.word.removesuffix("+0"): argument
            for formal, argument in zip(kernel.arguments, launch.arguments, strict=False)
            if isinstance(argument, int)
        }
        interpretations = [
            interpretation for each in self.by_instr.values() for _, interpretation in each
        ]
        self.kept = set(self._followed(interpretations))
        self.loops = {symbol: head for head, symbol in self.symbolic.counters.items()}

    def _followed(self, interpretations: Iterable[Interpretation]) -> Iterable[Operand]:
        """The words that the symbols of an interpretation stand for, or are selected by."""
        for interpretation in interpretations:
            for symbol in deep(Polynomial.of(interpretation)):
                if symbol in self.symbolic.opaque:
                    yield self.symbolic.opaque[symbol]
                elif isinstance(symbol, Choice) and symbol.cases[0].condition is not None:
                    yield symbol.cases[0].condition

    # --- what it sees

    def begin(self, machine: Machine) -> None:
        self.machine = machine
        lanes = machine.layout.live.size
        self.specials = machine.layout.specials(machine.launch, 0)
        self.words: dict[Operand, BitVector] = {}
        self.last = np.zeros(lanes, np.int64)
        self.rounds = {head: np.zeros(lanes, np.int64) for head in self.symbolic.counters}

    def entered(self, block: int, active: Array) -> None:
        if block in self.rounds:
            nodes = list(self.symbolic.loops[block].nodes)
            again = active & np.isin(self.last, nodes)
            self.rounds[block] = np.where(again, self.rounds[block] + 1, self.rounds[block])
            self.rounds[block][active & ~again] = 0
        self.last[active] = block

    def defined(
        self, cause: PtxInstr | Phi | Assume, value: Value, word: BitVector, active: Array
    ) -> None:
        if value in self.kept:
            old = self.words.get(value, word)
            self.words[value] = BitVector(word.width, np.where(active, word.bits, old.bits))

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        for claim, interpretation in self.by_instr.get(instr, ()):
            if claim in self.found:
                continue
            self.wrapped = np.zeros(self.last.size, np.bool_)
            try:
                outside = active & leaves(interpretation, self.index(interpretation))
            except UnknownError:
                continue
            outside &= ~self.wrapped
            if outside.any():
                lane = int(np.argmax(outside))
                self.found[claim] = self.machine.layout.thread(lane)

    # --- integers

    def index(self, interpretation: Interpretation) -> Array:
        """The integer of an interpretation in every lane. A choice between constants may be known
        modulo the width only: the value nearest to 0 is taken."""
        terms = interpretation.polynomial.terms
        total = self.value(Polynomial({m: c for m, c in terms.items() if not offset(m)}))
        half = 1 << (interpretation.width - 1)
        for monomial, factor in terms.items():
            if offset(monomial):
                moved = factor * self.symbol(monomial[0])
                total = total + (moved + half) % (2 * half) - half
        return total

    def value(self, polynomial: Polynomial) -> Array:
        """The unbounded integer in every lane. Raises UnknownError."""
        total = np.zeros(self.last.size, object)
        for monomial, factor in polynomial.terms.items():
            product = np.full(self.last.size, factor, object)
            for symbol in monomial:
                product = product * self.symbol(symbol)
            total = total + product
        return total

    def symbol(self, symbol: Symbol) -> Array:
        if symbol in self.symbolic.opaque:
            return self.signed(self.symbolic.opaque[symbol])
        if isinstance(symbol, Interpretation):
            low, _ = type_range(symbol.width, symbol.signed)
            values = self.value(symbol.polynomial)
            read = (values - low) % (1 << symbol.width) + low
            self.wrapped |= (read != values).astype(np.bool_)
            return read
        if isinstance(symbol, Quotient):
            return self.quotient(symbol)
        if isinstance(symbol, Remainder):
            of = symbol.quotient
            left: Array = self.value(of.dividend) - self.value(of.divisor) * self.quotient(of)
            return left
        if isinstance(symbol, PowerOfTwo):
            exponents = self.value(symbol.exponent)
            return np.array([two_to_the(exponent) for exponent in exponents], object)
        if isinstance(symbol, CommonBits):
            common: Array = self.value(symbol.one) & self.value(symbol.other)
            return common
        if isinstance(symbol, Choice):
            return self.choice(symbol)
        if symbol in self.loops:
            return self.rounds[self.loops[symbol]].astype(object)
        if symbol.label in self.specials:
            bits = self.specials[symbol.label].bits
            return np.broadcast_to(bits, self.last.shape).astype(object)
        if symbol.label in self.arguments:
            return np.full(self.last.size, self.arguments[symbol.label], object)
        raise UnknownError

    def signed(self, value: Operand) -> Array:
        word = self.words.get(value)
        if word is None:
            raise UnknownError
        low, _ = type_range(word.width, signed=True)
        bits = np.broadcast_to(word.bits, self.last.shape).astype(object)
        return (bits - low) % (1 << word.width) + low

    def quotient(self, symbol: Quotient) -> Array:
        dividend, divisor = self.value(symbol.dividend), self.value(symbol.divisor)
        if (divisor <= 0).any() or (symbol.divisor.constant is None and (dividend < 0).any()):
            raise UnknownError  # inactive lanes may divide by zero
        if (dividend > symbol.limit).any():
            raise UnknownError
        return dividend // divisor

    def choice(self, symbol: Choice) -> Array:
        values = [self.value(case.polynomial) for case in symbol.cases]
        if symbol.greatest:
            greatest: Array = np.maximum.reduce(values)
            return greatest
        condition = symbol.cases[0].condition
        word = self.words.get(condition) if condition is not None else None
        if word is None or len(values) != 2:
            raise UnknownError
        first = np.broadcast_to(word.bits, self.last.shape) == symbol.cases[0].truth
        return np.where(first, values[0], values[1])


def offset(monomial: tuple[Symbol, ...]) -> bool:
    """True if it is a choice between constants."""
    chosen = monomial[0] if len(monomial) == 1 else None
    return isinstance(chosen, Choice) and all(
        case.polynomial.constant is not None for case in chosen.cases
    )


def leaves(interpretation: Interpretation, values: Array) -> Array:
    """True where the integer is outside of the type. A negative number in an unsigned type may be
    intended: coefficients are known modulo the width only, and -1 is the greatest word too."""
    low, high = type_range(interpretation.width, interpretation.signed)
    outside = (values > high) | (values < low) if interpretation.signed else values > high
    return outside.astype(np.bool_)
