"""Pointer choices: the words ``origin + offset`` that an address without an origin may be.

``(x ? a : b) + 4*i`` is ``a + 4*i`` in the threads where ``x`` holds and ``b + 4*i`` in the others;
a phi is the operand of the edge by which its block was entered. Each such word comes with its
``Way``: the predicates that are so, the edges that were taken. The pointer is a symbol of the
address, so what is added to it afterwards stays as it is.

Of a phi whose block dominates none of the edges, nor that of an earlier phi on the way, every name
that dominates the edge is the same at the address: a path on which such a name is defined again
passes the phi again, or else the phi would not dominate the address. A phi that a loop carries has
come by any edge, in any iteration. Its words are those that are handed on unchanged in the loop, of
names that the loop does not define, and only the way before the loop is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from analyses.budget import POINTER_STEPS, POINTERS
from analyses.domains.regions import BasePlusOffset, Origin
from analyses.fixpoint import evaluate
from analyses.local_arrays import LocalStores, stored
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import FIRST_RANK, Choice, congruent, selects
from analyses.polynomials.words import ModularPolynomial
from analyses.program import Constant, Instr, Operand, Value
from analyses.proofs.guarded_values import GuardedValues
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.scalar_evolution import SymbolicValues
from analyses.ways import Way

Pointer = tuple[BasePlusOffset, Way]


class NoOrigin(Exception):  # noqa: N818
    """A word that an address may be has no origin."""


class TooMany(Exception):  # noqa: N818
    """There are too many words that an address may be."""


def pointer_choices(
    guarded: GuardedValues,
    address: Operand,
    known: PathCondition,
    possible: Callable[[Way], bool] = lambda _: True,
) -> list[Pointer]:
    """The words that an address may be where something is ``known``, on each way that is
    ``possible``; empty if these are not."""
    try:
        each = dict.fromkeys(Walk(guarded, known).pointers(address, Way()))
    except (NoOrigin, TooMany):
        return []
    found = [(word, way) for word, way in each if possible(way)]
    sure = len(found) <= POINTERS and all(word.origin is not None for word, _ in found)
    return found if sure else []


class Walk:
    """One search for the words that an address may be where something is ``known``. If it is
    ``trusting``, no store at an unknown address is taken to change a local array."""

    def __init__(
        self, guarded: GuardedValues, known: PathCondition, trusting: bool = False
    ) -> None:
        self.trusting = trusting
        self.guarded, self.symbolic, self.known = guarded, guarded.symbolic, known
        self.dominates = guarded.values.tree.dominates
        self.left = POINTER_STEPS
        self.carried: dict[Value, list[Pointer]] = {}

    def pointers(self, operand: Operand, way: Way) -> Iterable[Pointer]:
        """The words of an operand, by its polynomial or by its definition."""
        try:
            return list(self._words(self.symbolic.word(operand), operand.width, way))
        except NoOrigin:
            value = self.symbolic.plain(operand)
            if not isinstance(value, Value):
                raise
            return list(self._defined(value, way))

    def _words(self, word: BasePlusOffset, width: int, way: Way) -> Iterator[Pointer]:
        """The word, if it has an origin or is null; else the words that the only pointer in it
        stands for, with what is added to that."""
        self._step()
        polynomial: Polynomial | None = word.offset.polynomial
        if polynomial is None:
            raise NoOrigin
        if word.origin is not None or polynomial.constant == 0:
            yield from self._inside(word, width, way)
            return
        polynomial = congruent(polynomial, width)
        found = dict[Symbol, list[Pointer]]()
        for symbol in sorted(polynomial.symbols, key=order):
            if polynomial.terms.get((symbol,)) == 1:
                with suppress(NoOrigin):
                    found[symbol] = list(self._meant(symbol, width, way))
        if len(found) != 1:
            raise NoOrigin
        ((symbol, pointers),) = found.items()
        rest = polynomial - Polynomial.of(symbol)
        for (origin, offset), taken in pointers:
            if origin is None and offset.polynomial.constant == 0 and self._nonnull(symbol):
                continue
            moved = self.symbolic.integers.word(width, offset.polynomial + rest)
            if moved.polynomial is None:
                raise NoOrigin
            yield BasePlusOffset(origin, moved), taken

    def _inside(self, word: BasePlusOffset, width: int, way: Way) -> list[Pointer]:
        """A word with an origin: itself, or those that a loop hands on inside of its region."""
        symbols, found = handed_on(self.symbolic, word), list[Pointer]()
        value = self._value(symbols[0], word.origin) if len(symbols) == 1 else None
        if value is None:
            return [(word, way)]
        rest = word.offset.polynomial - Polynomial.of(symbols[0])
        with suppress(NoOrigin):
            for (origin, offset), taken in self._defined(value, way):
                moved = self.symbolic.integers.word(width, offset.polynomial + rest)
                if origin != word.origin or moved.polynomial is None:
                    raise NoOrigin
                found.append((BasePlusOffset(origin, moved), taken))
            return found
        return [(word, way)]

    def _value(self, symbol: Symbol, origin: Origin | None) -> Value | None:
        """The name that is the symbol from the origin, or that is the symbol."""
        value = self.symbolic.opaque.get(symbol) or self.symbolic.offsets.get(symbol)
        word = None if value is None else self.symbolic.word(value)
        same = word is not None and word.origin == origin
        alone = word is not None and word.offset.polynomial == Polynomial.of(symbol)
        return value if same and alone else None

    def _nonnull(self, symbol: Symbol) -> bool:
        word = Polynomial.of(symbol)
        return any(fact.polynomial in (word, -word) for fact in self.known.distinct)

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMany

    def _meant(self, symbol: Symbol, width: int, way: Way) -> Iterator[Pointer]:
        """The words that a symbol may be, which is a whole word of this width."""
        value = self._value(symbol, None)
        if value is None and isinstance(symbol, Choice) and selects(symbol):
            for case in symbol.cases:
                if case.condition is None:
                    raise NoOrigin
                word = BasePlusOffset(None, ModularPolynomial(width, case.polynomial))
                for taken in self._where(case.condition, case.truth, way):
                    yield from self._words(word, width, taken)
        elif value is None or value.width != width:
            raise NoOrigin
        else:
            yield from self._defined(value, way)

    def _defined(self, value: Value, way: Way) -> Iterator[Pointer]:
        """The words that a phi, a selection, or another instruction makes."""
        self._step()
        if value in self.symbolic.joined:
            yield from self._joined(value, way)
        elif (selection := self.symbolic.values.flow.formulas.selection(value)) is not None:
            by, *operands = selection
            for operand, truth in zip(operands, (True, False), strict=True):
                for taken in self._where(by, truth, way):
                    yield from self.pointers(operand, taken)
        else:
            yield from self._computed(value, way)

    def _where(self, predicate: Operand, truth: bool, way: Way) -> Iterator[Way]:
        """The ways on which a predicate is ``truth``; none if a branch decides that it is not."""
        if isinstance(predicate, Constant) and bool(predicate.bits) != truth:
            return
        for more in self.symbolic.values.flow.formulas.ways(predicate, truth):
            yield way._replace(selected=(*way.selected, (predicate, truth), *more))

    def _computed(self, value: Value, way: Way) -> Iterator[Pointer]:
        """The results of an instruction, such as a conversion, for the words that the only pointer
        of its operands may be."""
        symbolic, instr = self.symbolic, self.symbolic.values.definition.get(value)
        if instr is not None and instr.access is not None:
            for word in self._loaded(instr, self.symbolic.values.home[value]):
                yield word, way
            return
        if instr is None or instr.effects:
            raise NoOrigin
        found = dict[int, Iterable[Pointer]]()
        for at, use in enumerate(instr.uses):
            if isinstance(use, Value) and use.width > 1:
                with suppress(NoOrigin):
                    found[at] = self.pointers(use, way)
        if len(found) != 1:
            raise NoOrigin
        ((at, pointers),) = found.items()
        arguments = [symbolic.word(use) for use in instr.uses]
        for word, taken in pointers:
            arguments[at] = word
            result = evaluate(symbolic.addresses, instr, arguments)[list(instr.defs).index(value)]
            polynomial = result.offset.polynomial
            if polynomial is None or (result.origin is None and polynomial.constant != 0):
                raise NoOrigin
            yield result, taken

    def _loaded(self, load: Instr, block: int) -> Iterator[BasePlusOffset]:
        """The pointers that were stored in a local array, if they are the same throughout the
        thread: they may have been stored at any time before. The symbolic values are those of words
        that decide an address through registers, so they are not asked."""
        words = stored(self.guarded, load, block, self._elsewhere)
        if not words:
            raise NoOrigin
        for operand in words:
            fact = self.guarded.values.number(operand)
            interval = self.guarded.values.interval(fact)
            if fact.origin is None or not interval.is_constant:
                raise NoOrigin
            offset = self.symbolic.integers.const(operand.width, interval.value)
            yield BasePlusOffset(fact.origin, offset)

    def _elsewhere(self, address: Operand) -> bool:
        """True if an address is none of local memory as long as no store at an unknown address
        was."""
        if self.trusting:
            return True
        known = self.guarded.once(LocalStores).elsewhere
        if address not in known:
            known[address] = self._leads_elsewhere(address)
        return known[address]

    def _leads_elsewhere(self, address: Operand) -> bool:
        try:
            found = list(Walk(self.guarded, NOTHING, trusting=True).pointers(address, Way()))
        except (NoOrigin, TooMany):
            return False
        return all(word.origin and word.origin.region.space != "local" for word, _ in found)

    # --- phis

    def _joined(self, value: Value, way: Way) -> Iterator[Pointer]:
        phi, home = self.symbolic.joined[value]
        homes = [home.index, *(target for _, target in way.edges)]
        if any(self.dominates(block, source) for source in phi.sources for block in homes):
            if value not in self.carried:
                self.carried[value] = list(self._carried(value))
            for word, entered in self.carried[value]:
                edges = (*way.edges, *entered.edges)
                yield word, Way((*way.selected, *entered.selected), edges)
            return
        for source, operand in phi.sources.items():
            taken = way._replace(edges=(*way.edges, (source, home.index)))
            yield from self.pointers(operand, taken)

    def _carried(self, value: Value) -> Iterator[Pointer]:
        """The words that come into a loop and are handed on from phi to phi. A name that is defined
        before all of these phis is not defined again as long as they hand it on: from there every
        path to where a phi is used would pass the phi."""
        symbolic, width = self.symbolic, value.width
        passed, entering = [value], list[Operand]()
        first = symbolic.joined[value][1].index
        for one in passed:
            if one in symbolic.joined:
                first = min(first, symbolic.joined[one][1].index)
            for operand in self._operands(one):
                self._step()
                if before(symbolic.word(operand), first):
                    entering.append(operand)
                elif (inner := self._handed_on(operand, width)) not in passed:
                    passed.append(inner)
        for operand in entering:
            for pointer, way in self.pointers(operand, Way()):
                if not (before(symbolic.word(operand), first) and before(pointer, first)):
                    raise NoOrigin
                yield pointer, way if all(source < first for source, _ in way.edges) else Way()

    def _operands(self, value: Value) -> Iterable[Operand]:
        """The operands that a phi, or a selection, hands on."""
        if value in self.symbolic.joined:
            return self.symbolic.joined[value][0].sources.values()
        selection = self.symbolic.values.flow.formulas.selection(value)
        assert selection is not None
        return selection[1:]

    def _handed_on(self, operand: Operand, width: int) -> Value:
        """The phi or the selection that an operand is."""
        symbolic, value = self.symbolic, self.symbolic.plain(operand)
        origin, offset = symbolic.word(operand)
        symbol = None if offset.polynomial is None else offset.polynomial.alone
        if value not in symbolic.joined and symbol is not None:
            value = self._value(symbol, origin) or value
        if (
            isinstance(value, Value)
            and value.width == width
            and (value in symbolic.joined or symbolic.values.flow.formulas.selection(value))
        ):
            return value
        raise NoOrigin


def handed_on(symbolic: SymbolicValues, word: BasePlusOffset) -> list[Symbol]:
    """The symbols of the offset of a word with an origin that a loop may have handed on."""
    polynomial: Polynomial | None = word.offset.polynomial
    offsets = symbolic.offsets.keys()
    if polynomial is None or word.origin is None or offsets.isdisjoint(polynomial.parts):
        return []
    own = [s for s in polynomial.symbols if not offsets.isdisjoint(s.parts)]
    return [symbol for symbol in sorted(own, key=order) if polynomial.terms.get((symbol,)) == 1]


def before(word: BasePlusOffset, block: int) -> bool:
    """True if the word is one of names that are defined before the block."""
    polynomial: Polynomial | None = word.offset.polynomial
    if polynomial is None:
        return False
    return all(symbol.rank < FIRST_RANK + 4 * block for symbol in polynomial.symbols)
