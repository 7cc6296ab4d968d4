"""Where the accesses of a block to its tile of a buffer end, if a guard compares what is left.

The last block has a part of a tile: ``left = n - 256*ctaid.x``, and ``if (left >= 256)`` guards a
whole tile. The word ``left`` wraps around in a block that begins behind the last element, which
then counts as a whole one. So the bytes end where the elements do if no block begins there, which
is required; else they end where the tiles of the grid do, and that refuses buffers that end within
the last tile. The first is preferred unless it asks for more bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyses.addresses import ResolvedAccess
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.preconditions import (
    ConditionalBound,
    Precondition,
    typical_value,
)
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.guards import element_sizes
from ptxlint.inference.launch_parts import last_thread, launch_part

BEGINS = "so that no block begins behind the last element"


def of_grid(polynomial: Polynomial) -> bool:
    """True if it depends on the shape of the launch."""
    return any(symbol.label in SHAPE for symbol in polynomial.parts)


def tile_ends(
    facts: Facts, place: ResolvedAccess, high: Sequence[ConditionalBound]
) -> Iterator[tuple[Polynomial, list[Precondition]]]:
    """Ends of the bytes, each with what it needs, that lie below all of these bounds where the grid
    is as large as that allows."""
    for fact in facts.footprints.premises(place).known:
        for number, needs in left(facts, fact.polynomial):
            for size in element_sizes(place):
                end = number.scaled(size)
                if all(of_grid(u.least) and shorter(end, number, needs[0], u) for u in high):
                    yield end, [*map(Precondition, needs)]


def left(facts: Facts, guard: Polynomial) -> Iterator[tuple[Polynomial, list[Polynomial]]]:
    """The number of elements in a guard of what is left of them behind the first one of a block,
    and what must not be negative so that no block begins behind the last one: as many elements less
    those before, and their numbers."""
    for word in sorted(guard.parts, key=order):
        if isinstance(word, Interpretation) and not word.polynomial.symbols <= facts.decided.keys():
            last = last_thread(facts, -word.polynomial)
            terms = launch_part(facts, word.polynomial).terms
            number = Polynomial({m: factor for m, factor in terms.items() if factor > 0})
            before = [Polynomial({m: -factor}) for m, factor in terms.items() if factor < 0]
            if last is not None and number.terms and of_grid(last):
                positive = [part for part in before if part.range()[0] < 0]
                yield number, [-last, *positive]


def shorter(end: Polynomial, number: Polynomial, need: Polynomial, by: ConditionalBound) -> bool:
    """True if it lies below the bound in a typical launch with no element behind its tiles."""
    elements = number - need
    size = next(factor // number.terms[m] for m, factor in end.terms.items())
    room = ConditionalBound(-by.least - elements.scaled(size * by.scale))
    return typical_value(room) >= 0
