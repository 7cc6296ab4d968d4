"""Requirements under which a place that a loop moves around a ring stays in it.

``at += step; if (at >= n) at -= n`` is a place in a ring of n if it begins as one, and a step leads
no further than once around; ``if (++at == n) at = 0`` if it begins as one.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyses.graph import Loop
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, Remainder, in_order, words_in
from analyses.proofs.lower_bounds import factor_of
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import AROUND, FORWARD, INSIDE, WRAPS
from ptxlint.ir import PtxInstr


class RingPlace(Struct, frozen=True):
    """A place that a ``loop`` moves, a word of ``width`` bits: the ``symbol`` of it, or of its
    offset from the start of a buffer, is ``first``
    before the loop, if that is known, and ``after`` an iteration; ``instr`` is one of the loop."""

    symbol: Symbol
    first: Polynomial | None
    after: Polynomial
    width: int
    loop: Loop
    instr: PtxInstr


def around(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the places of loops stay in their rings: each with the
    reason and an instruction of the loop."""
    for place in places(facts):
        found = (*stepped(facts, place), *subtracted(facts, place), *begun(facts, place))
        for polynomial, reason in found:
            yield polynomial, reason, place.instr


def places(facts: Facts) -> Iterator[RingPlace]:
    symbolic = facts.symbolic
    for value, loop in symbolic.head_phis.items():
        (latch,) = loop.latches
        phi, now = symbolic.joined[value][0], symbolic.word(value).offset.polynomial
        start = symbolic.heads.start(phi, latch, symbolic.words)
        after = symbolic.word(phi.sources[latch]).offset.polynomial
        instr = next(iter(facts.instructions(facts.kernel.blocks[loop.head])), None)
        symbol = now.alone if now is not None else None
        if symbol is None or after is None or instr is None:
            continue
        if symbol in symbolic.opaque or symbol in symbolic.offsets:
            first = start.offset.polynomial if start else None
            yield RingPlace(symbol, first, after, value.width, loop, instr)


def stepped(facts: Facts, place: RingPlace) -> Iterator[tuple[Polynomial, str]]:
    """The step, what the size is more than that, if the size is subtracted, and the greatest value
    of the type, less the last place and a step."""
    names = facts.decided.keys()
    for symbol in sorted(place.after.parts, key=order):
        if isinstance(symbol, Choice):
            size = sum((case.polynomial for case in symbol.cases), Polynomial.of(0))
            words = list(compared(facts, symbol, place))
        elif isinstance(symbol, Remainder):
            size, words = symbol.quotient.divisor, [symbol.quotient.dividend]
        else:
            continue
        for word in (integer.alone for integer in words):
            if not isinstance(word, Interpretation) or place.symbol not in word.polynomial.symbols:
                continue
            step = word.polynomial - Polynomial.of(place.symbol)
            if step.symbols and step.symbols <= names and size.symbols <= names:
                yield step, FORWARD
                if isinstance(symbol, Choice):
                    yield size - step, AROUND
                room = -(size + step) + (1 << (word.width - word.signed))
                yield room, WRAPS.format(word.width)


def subtracted(facts: Facts, place: RingPlace) -> Iterator[tuple[Polynomial, str]]:
    """The same where a loop inside subtracts the size, as often as that may be needed: the place
    ``at += step; while (at >= n) at -= n``. The size is 1 at least there, so it is subtracted no
    more often than a step has elements: the greatest value of the type, less a step and the limit
    of what counts that, must not be negative either."""
    names, now = facts.decided.keys(), Polynomial.of(place.symbol)
    for after in words_in(place.after):
        for counter in facts.symbolic.counters.values():
            by = factor_of(after, counter)
            if by is None or not by.symbols or not by.symbols <= names:
                continue
            whole = after - by * Polynomial.of(counter) - now
            for step in (whole, whole - by):
                if step.symbols and step.symbols <= names - by.symbols:
                    yield step, FORWARD
                    for limit in (-by, *limits(facts, place, counter)):
                        yield -(limit + step) + (1 << (place.width - 1)), WRAPS.format(place.width)


def limits(facts: Facts, place: RingPlace, counter: Symbol) -> Iterator[Polynomial]:
    """The limits that the launch decides of what the loop of a place adds a counter to."""
    (latch,), names = place.loop.latches, facts.decided.keys()
    for other in places(facts):
        added = (factor_of(after, counter) for after in words_in(other.after))
        if other.loop is not place.loop or all(by is None or by.constant != 1 for by in added):
            continue
        for fact in facts.footprints.proofs.conditions.at(latch).known:
            limit = fact.polynomial.of_symbols(names.__contains__)
            symbol = (limit - fact.polynomial).alone
            if symbol is not None and other.symbol in symbol.parts and limit.symbols:
                yield limit - limit.terms.get((), 0)


def compared(facts: Facts, choice: Choice, place: RingPlace) -> Iterator[Polynomial]:
    """The integers with the place that the condition of a choice compares."""
    conditions, case = facts.footprints.proofs.conditions, choice.cases[0]
    if case.condition is not None:
        for fact in conditions.implied(case.condition, case.truth, place).known:
            yield from map(Polynomial.of, sorted(fact.polynomial.symbols, key=order))


def begun(facts: Facts, place: RingPlace) -> Iterator[tuple[Polynomial, str]]:
    """That a loop begins at a place of the ring: one less than its size, and not negative."""
    names = facts.decided.keys()
    if place.first is None or not place.first.symbols <= names:
        return
    for size in dict.fromkeys(sizes(facts, place)):
        if size.symbols and size.symbols <= names:
            yield size - place.first - 1, INSIDE
            if place.first.symbols:
                yield place.first, INSIDE


def sizes(facts: Facts, place: RingPlace) -> Iterator[Polynomial]:
    """What may be the size of the ring: the next place is what a division by it leaves, or a case
    is selected if the next place is the size or more, or one is the place before it."""
    conditions = facts.footprints.proofs.conditions
    for symbol in sorted(place.after.parts, key=order):
        if isinstance(symbol, Remainder):
            yield symbol.quotient.divisor
        for case in symbol.cases if isinstance(symbol, Choice) else ():
            last = place.after.replaced({symbol: case.polynomial})
            if case.condition is None:
                continue
            if last.symbols and place.symbol not in last.parts:
                yield last + 1
            said = conditions.implied(case.condition, case.truth, place).known
            for polynomial in sorted({fact.polynomial for fact in said}, key=in_order):
                moving = [s for s in polynomial.symbols if place.symbol in s.parts]
                if len(moving) == 1 and polynomial.terms.get((moving[0],)) == 1:
                    yield Polynomial.of(moving[0]) - polynomial
