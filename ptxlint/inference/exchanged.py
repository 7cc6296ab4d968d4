"""Requirements under which buffers that a loop exchanges lie one behind the other.

Where two halves of an array are read and written in turns, ``old = a, new = a + n``, each of the
two is one of both from the first iteration on: not before the first, nor behind the second, if that
does not lie before the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import spelt_out
from analyses.typical_launch import holds_for_sizes
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import EXCHANGED, WRAPS
from ptxlint.inference.rings import RingPlace, places
from ptxlint.ir import PtxInstr


def exchanged(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative: the distance of each buffer to one behind it, and what its own
    offset is less than the greatest one; with the reason and an instruction of the loop."""
    names = facts.decided.keys()
    for group in groups(facts):
        width, instr = group[0].width, group[0].instr
        firsts = dict.fromkeys(spelt_out(one.first) for one in group if one.first is not None)
        known = all(one.first is not None and one.width == width for one in group)
        if not known or not all(first.symbols <= names for first in firsts):
            continue
        for one, other in permutations(firsts, 2):
            apart = other - one
            if apart.range()[0] < 0 and holds_for_sizes(apart):
                yield apart.primitive(), EXCHANGED, instr
        for first in firsts if len(firsts) > 1 else ():
            if first.symbols:
                yield -first + ((1 << (width - 1)) - 1), WRAPS.format(width), instr


def groups(facts: Facts) -> Iterator[list[RingPlace]]:
    """The places of a loop that it hands round, each group once."""
    known: dict[Symbol, RingPlace] = {place.symbol: place for place in places(facts)}
    while known:
        symbol, at = known.popitem()
        found = [at]
        while (next_ := at.after.alone) in known:
            assert next_ is not None
            at = known.pop(next_)
            found.append(at)
        if at.after.alone is symbol:
            yield found
