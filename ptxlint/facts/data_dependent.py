"""Addresses that loaded data decides: a word that depends on data is added to them, and none of the
facts that proofs start from bounds it. So no proof that such an access stays in bounds is tried.

A word is bounded by its range, unless that is its type's, of 16 bits or more, by a value range of
the buffer that it was loaded from, and by comparisons, loop invariants among them, with words that
are bounded or do not depend on data. A remainder is, whatever is divided. Where it is not clear, it
counts as bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from analyses.addresses import ResolvedAccess
from analyses.footprints import Footprints
from analyses.loaded_data import LoadedData
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Case,
    Choice,
    CommonBits,
    Interpretation,
    PowerOfTwo,
    Quotient,
    Remainder,
    deep,
    unwrapped,
)
from analyses.program import Effect, Operand, Value
from analyses.proofs.lower_bounds import is_launch_symbol
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import of_short_word
from analyses.scalar_evolution import SymbolicValues
from analyses.typical_launch import NO_BUFFER
from ptxlint.ir import Kernel, PtxInstr

ZERO = Polynomial.of(0)
NONE = frozenset[Symbol]()
SHORT = 2**15 - 1  # the greatest signed integer of 16 bits: an index buffer's are less, as a rule
BYTE = 2**8  # numbers that a byte may be
DEPTH = 4  # of choices and phis inside of each other that are looked into


class Accesses(Protocol):
    """The facts of a kernel that decide whether an address depends on loaded data."""

    @property
    def kernel(self) -> Kernel: ...

    @property
    def places(self) -> tuple[ResolvedAccess, ...]: ...

    @property
    def footprints(self) -> Footprints: ...

    @property
    def symbolic(self) -> SymbolicValues: ...

    @property
    def loaded_data(self) -> LoadedData: ...


class DataDependent(Struct, frozen=True):
    """The word that decides an address, None for the number of iterations of a loop; and the
    nearest load or atomic that it depends on."""

    value: Value | None
    load: PtxInstr

    @property
    def reason(self) -> str:
        """The reason code."""
        access, effects = self.load.access, self.load.effects
        if access is None and effects & (Effect.CALL | Effect.UNMODELLED):
            return "call" if effects & Effect.CALL else "unmodelled"
        return "atomic-result" if access and access.kind == "atomic" else "loaded-index"


class DataDependentAddresses(Struct, eq=False, dict=True):
    """The accesses of a kernel whose addresses data decides. Those in one block share what is
    found out of their words."""

    facts: Accesses

    def __post_init__(self) -> None:
        self.known: dict[ResolvedAccess, DataDependent | None] = {}
        self.bounds: dict[PathCondition, _Bounds] = {}

    def __call__(self, place: ResolvedAccess) -> DataDependent | None:
        """What decides the address of an access, if that is data; None if something may bound
        it."""
        if place not in self.known:
            self.known[place] = next((by for one in place.each for by in self._of(one)), None)
        return self.known[place]

    def _of(self, place: ResolvedAccess) -> Iterator[DataDependent]:
        facts, base, block = self.facts, place.access.base, place.block
        if not isinstance(base, Value) or not facts.loaded_data.depends(base, block):
            return
        offset, premises = facts.footprints.offset(place), facts.footprints.premises(place)
        if offset is None:
            yield from self._by(base, base, block)
            return
        here = self.bounds.setdefault(premises, _Bounds(facts, premises, DEPTH))
        for up in (True, False):
            for symbol in here.unbounded(offset, up):
                value = word_of(facts, symbol)
                yield from self._by(value, *((value, block) if value else self._end(symbol)))
        for symbol in self._own_indices(place, offset):
            load = facts.symbolic.loaded[symbol]
            assert isinstance(load, PtxInstr)
            yield DataDependent(facts.symbolic.opaque[symbol], load)

    def _own_indices(self, place: ResolvedAccess, offset: Polynomial) -> list[Symbol]:
        """The bytes that are loaded from the region itself, and index a row of it of as many bytes
        as the launch decides, as that of the state before the one that is read: they are less than
        that, not any byte."""
        loaded, plain = self.facts.symbolic.loaded, unwrapped(offset)
        rows = any(len(m) > 1 and any(map(is_launch_symbol, m)) for m in plain.terms)
        return [
            symbol
            for symbol in sorted(plain.symbols & loaded.keys(), key=order)
            if rows
            and symbol.high - symbol.low < BYTE
            and (symbol,) in plain.terms
            and not self.facts.footprints.contents_of(symbol)
            and any(one.region is place.region for one in self.loads.get(loaded[symbol], ()))
        ]

    @cached_property
    def loads(self) -> dict[object, list[ResolvedAccess]]:
        """The resolved accesses of each instruction."""
        found = dict[object, list[ResolvedAccess]]()
        for place in self.facts.places:
            found.setdefault(place.instr, []).extend(place.each)
        return found

    def _by(self, value: Value | None, operand: Operand, block: int) -> Iterator[DataDependent]:
        load = self.facts.loaded_data.source(operand, block)
        if isinstance(load, PtxInstr):
            yield DataDependent(value, load)

    def _end(self, counter: Symbol) -> tuple[Operand, int]:
        """The condition by which data ends a loop, and its block."""
        loops = (head for head, one in self.facts.symbolic.counters.items() if one is counter)
        branch = self.facts.loaded_data.ended[next(loops)]
        condition = self.facts.kernel.blocks[branch].terminator.condition
        assert condition is not None
        return condition, branch


class _Bounds:
    """What bounds the words of a kernel where the ``premises`` hold."""

    def __init__(
        self, facts: Accesses, premises: PathCondition, depth: int, phis: frozenset[Symbol] = NONE
    ) -> None:
        self.facts, self.premises, self.depth, self.phis = facts, premises, depth, phis
        self.found: dict[tuple[Symbol, bool], list[Symbol]] = {}
        self.known: dict[tuple[Symbol, bool], bool] = {}
        self.under: dict[Case, _Bounds] = {}

    def unbounded(self, polynomial: Polynomial, up: bool) -> Iterator[Symbol]:
        """The symbols, data all of them, that may be so large, or so small if not ``up``, that the
        polynomial has no such bound."""
        for monomial, factor in polynomial.terms.items():
            for symbol in monomial:
                rises = up == (factor > 0)
                end = factor * (symbol.high if rises else symbol.low)
                least = SHORT if of_short_word(symbol) else NO_BUFFER
                if (end if up else -end) >= least and not divided(polynomial, symbol):
                    yield from self.free(symbol, rises)

    def free(self, symbol: Symbol, up: bool) -> list[Symbol]:
        """The same of one symbol."""
        key = symbol, up
        if key not in self.found:
            self.found[key] = []  # while it is asked for
            if depends(self.facts, symbol) and not self.bounded(symbol, up):
                self.found[key] = [*self._free(symbol, up)]
        return self.found[key]

    def _free(self, symbol: Symbol, up: bool) -> Iterator[Symbol]:
        if isinstance(symbol, Interpretation):
            yield from self.unbounded(symbol.polynomial, up)
        elif isinstance(symbol, Quotient):
            if not isinstance(symbol.divisor.alone, PowerOfTwo):  # a few upper bits
                yield from self.unbounded(symbol.dividend, up)
        elif isinstance(symbol, PowerOfTwo):
            yield from self.unbounded(symbol.exponent, up) if up else ()
        elif isinstance(symbol, CommonBits):
            words = (symbol.one, symbol.other) if up else ()
            each = [[*self.unbounded(word, True)] for word in words]
            yield from each[0] if each and all(each) else ()
        elif isinstance(symbol, Choice):
            each = [[*self.chosen(case, up)] for case in symbol.cases]
            if all(each) or not symbol.greatest or up:
                yield from (one for several in each for one in several)
        elif not isinstance(symbol, Remainder) and not self.joined(symbol, up):
            yield symbol

    def chosen(self, case: Case, up: bool) -> Iterator[Symbol]:
        """The same of what is chosen: where it is, its condition holds."""
        if case not in self.under and self.depth:
            conditions, here = self.facts.footprints.proofs.conditions, self.premises
            if case.condition is not None:
                here += conditions.implied(case.condition, case.truth, None)
            elif case.edge is not None:
                here += conditions.along(*case.edge)
            self.under[case] = _Bounds(self.facts, here, self.depth - 1, self.phis)
        if case in self.under:
            yield from self.under[case].unbounded(case.polynomial, up)

    def joined(self, symbol: Symbol, up: bool) -> bool:
        """True if it is a phi that is bounded on each edge, as where a loop's last branch compares
        what it will be, or moves on an edge in the other direction only."""
        symbolic, conditions = self.facts.symbolic, self.facts.footprints.proofs.conditions
        value = word_of(self.facts, symbol)
        if value is None or value not in symbolic.joined or symbol in self.phis:
            return False
        phi, home = symbolic.joined[value]
        for origin, operand in phi.sources.items() if self.depth else ():
            word = symbolic.word(operand).offset
            source = symbolic.integers.interpretation(word, signed=True)
            if word.polynomial is not None and symbol in word.polynomial.symbols:
                low, high = (word.polynomial - Polynomial.of(symbol)).range()
                if (high <= 0) if up else (low >= 0):
                    continue
            here, phis = conditions.along(origin, home.index), self.phis | {symbol}
            there = _Bounds(self.facts, here, self.depth - 1, phis)
            if source is not None and next(there.unbounded(source, up), None) is not None:
                return False
        return True

    def bounded(self, symbol: Symbol, up: bool) -> bool:
        key = symbol, up
        if key not in self.known:
            self.known[key] = False  # while it is asked for: it is no bound of itself
            self.known[key] = any(
                next(self.unbounded(rest, True), None) is None for rest in self.bounds(symbol, up)
            )
        return self.known[key]

    def bounds(self, symbol: Symbol, up: bool) -> Iterator[Polynomial]:
        """Polynomials: if one has an upper bound, the symbol may have the bound."""
        if self.given(symbol, up):
            yield ZERO
        if up:
            yield from self.facts.symbolic.upper_bounds.get(symbol, ())
        for index in self.premises.about(symbol):
            fact = self.premises.fact(index).polynomial if index >= 0 else ZERO
            for monomial, factor in fact.terms.items():
                signs = (rises for part in monomial for rises in slopes(part, symbol))
                if any((rises == (factor > 0)) is not up for rises in signs):
                    yield fact - Polynomial({monomial: factor})

    def given(self, symbol: Symbol, up: bool) -> bool:
        """True if memory or another thread gives the word, and a bound of that is known."""
        footprints = self.facts.footprints
        known = symbol in footprints.proofs.conditions.given
        each = (fact.polynomial for fact in footprints.contents_of(symbol)) if known else ()
        return any((p.terms.get((symbol,), 0) < 0) is up or symbol not in p.symbols for p in each)


def word_of(facts: Accesses, symbol: Symbol) -> Value | None:
    """The word that the symbol stands for."""
    return facts.symbolic.opaque.get(symbol) or facts.symbolic.offsets.get(symbol)


def depends(facts: Accesses, symbol: Symbol) -> bool:
    """True if a part of the symbol is a word, or a number of iterations, that depends on data."""
    data = facts.loaded_data
    ended = (facts.symbolic.counters.get(head) for head in data.ended)
    words = (word_of(facts, part) for part in symbol.parts)
    return any(word in data.words for word in words) or not symbol.parts.isdisjoint(ended)


def divided(polynomial: Polynomial, symbol: Symbol) -> bool:
    """True if the polynomial may have no more of the symbol than a division of it leaves, or of a
    quotient's dividend."""
    if isinstance(symbol, Quotient):
        return any(leaves(polynomial, one, symbol) for one in polynomial.symbols)
    return any(leaves(polynomial, symbol, one) for one in polynomial.symbols)


def leaves(polynomial: Polynomial, symbol: Symbol, quotient: Symbol) -> bool:
    """True if the quotient may be that of the symbol, and both together what a division leaves."""
    if quotient is symbol or not isinstance(quotient, Quotient) or symbol not in quotient.parts:
        return False
    by, own = quotient.divisor.constant, quotient.dividend.terms.get((symbol,))
    factor, times = polynomial.terms.get((symbol,)), polynomial.terms.get((quotient,))
    if by is None or own is None or factor is None or times is None:
        return True
    return factor * by + times * own == 0


def slopes(whole: Symbol, part: Symbol) -> set[bool]:
    """True if the whole rises with a symbol that it is made of, False if it falls; both if it may
    do either."""
    if part not in whole.parts:
        return set()
    found = {part: {True}}
    between = (symbol for symbol in whole.parts if part in symbol.parts and symbol is not part)
    for symbol in sorted(between, key=order):  # no recursion: what it is made of comes first
        found[symbol] = {
            rises == (factor > 0)
            for polynomial in made_of(symbol, part)
            for monomial, factor in polynomial.terms.items()
            for one in monomial
            for rises in found.get(one, ())
        } or {True, False}
    return found[whole]


def made_of(symbol: Symbol, part: Symbol) -> list[Polynomial]:
    """What the symbol rises with, as far as its part is in it; nothing if that is not clear."""
    match symbol:
        case Interpretation():
            return [symbol.polynomial]
        case Quotient() if part not in deep(symbol.divisor):
            return [symbol.dividend]
        case Choice():
            return [case.polynomial for case in symbol.cases]
    return []
