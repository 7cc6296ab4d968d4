"""Requirements under which a place that a loop moves around a ring stays in it.

``at += step; if (at >= n) at -= n`` is a place in a ring of n if it begins as one, and a step leads
no further than once around; ``if (++at == n) at = 0`` if it begins as one.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, Interpretation, Remainder
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import AROUND, FORWARD, INSIDE, WRAPS
from ptxlint.ir import PtxInstr


class RingPlace(Struct, frozen=True):
    """A place that a loop moves: the ``symbol`` of it is ``first`` before the loop, if that is
    known, and ``after`` an iteration; ``instr`` is one of the loop."""

    symbol: Symbol
    first: Polynomial | None
    after: Polynomial
    instr: PtxInstr


def around(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the places of loops stay in their rings: each with the
    reason and an instruction of the loop."""
    for place in places(facts):
        for polynomial, reason in (*stepped(facts, place), *begun(facts, place)):
            yield polynomial, reason, place.instr


def places(facts: Facts) -> Iterator[RingPlace]:
    symbolic = facts.symbolic
    for value, loop in symbolic.head_phis.items():
        (latch,) = loop.latches
        phi, now = symbolic.joined[value][0], symbolic.word(value).offset.polynomial
        start = symbolic.start(phi, latch, symbolic.words)
        after = symbolic.word(phi.sources[latch]).offset.polynomial
        instr = next(iter(facts.instructions(facts.kernel.blocks[loop.head])), None)
        symbol = now.alone if now is not None else None
        if symbol in symbolic.opaque and after is not None and instr is not None:
            assert symbol is not None
            yield RingPlace(symbol, start.offset.polynomial if start else None, after, instr)


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


def compared(facts: Facts, choice: Choice, place: RingPlace) -> Iterator[Polynomial]:
    """The integers with the place that the condition of a choice compares."""
    conditions, case = facts.footprints.proofs.conditions, choice.cases[0]
    if case.condition is not None:
        for fact in conditions.implied(case.condition, case.truth, place).known:
            yield from map(Polynomial.of, sorted(fact.polynomial.symbols, key=order))


def begun(facts: Facts, place: RingPlace) -> Iterator[tuple[Polynomial, str]]:
    """How far the end of a ring is from where the loop begins: where a case is selected if the next
    place is the size of the ring."""
    names, conditions = facts.decided.keys(), facts.footprints.proofs.conditions
    selected = [s for s in sorted(place.after.parts, key=order) if isinstance(s, Choice)]
    for case in (case for choice in selected for case in choice.cases):
        if case.condition is None or place.first is None or not place.first.symbols <= names:
            continue
        said = {f.polynomial for f in conditions.implied(case.condition, case.truth, place).known}
        for polynomial in sorted(said, key=str):
            moving = [s for s in polynomial.symbols if place.symbol in s.parts]
            size = polynomial + Polynomial.of(moving[0]) if len(moving) == 1 else polynomial
            if -polynomial in said and size.symbols and size.symbols <= names:
                yield size - place.first - 1, INSIDE
