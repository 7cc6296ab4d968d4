"""The bytes of a region that an access may touch: the closest range that is known already."""

from __future__ import annotations

from analyses.addresses import ResolvedAccess
from analyses.polynomials.polynomial import Number, Polynomial, Symbol
from analyses.polynomials.symbols import type_range
from ptxlint.facts.kernel_facts import Facts

Ends = tuple[int, int]


def ends(facts: Facts, place: ResolvedAccess) -> Ends | None:
    """The least and the greatest offset of the first byte, None if these are not known. No thread
    is outside of them; not all of them need be reached."""
    if place.low is None or place.high is None:
        return None
    low, high = place.low, place.high
    if place.polynomial is not None and place.origin is not None:
        least, most = place.polynomial.range(declared(facts, place.polynomial))
        smallest, largest = type_range(place.access.base.width, signed=True)
        if smallest <= least and most <= largest:  # else the offset may wrap
            low, high = max(low, int(least)), min(high, int(most))
            if low < 0 <= high and starts_inside(facts, place):
                low = 0
    return (low, high) if low <= high else (place.low, place.high)


def starts_inside(facts: Facts, place: ResolvedAccess) -> bool:
    """True if the search for a proof that the access is in bounds found that it begins inside: its
    answer is asked for again, nothing is searched."""
    found = facts.footprints
    if place.choices or place.instr in found.cut or facts.data_dependent(place) is not None:
        return False
    goals = found.goals(place)
    return goals is not None and found.proofs.proves(found.premises(place), goals[0])


def declared(facts: Facts, offset: Polynomial) -> dict[Symbol, tuple[Number, Number]]:
    """The ranges of words that are loaded from buffers with declared values."""
    footprints, found = facts.footprints, dict[Symbol, tuple[Number, Number]]()
    if not footprints.contents:
        return found
    for symbol in offset.symbols:
        low, high = symbol.low, symbol.high
        for word in (symbol, *(part for part in symbol.parts if part is not symbol)):
            if word not in facts.symbolic.loaded:
                continue
            for fact in footprints.contents_of(word):
                rest = fact.polynomial
                factor = rest.terms.get((symbol,), 0)
                others = rest.replaced({symbol: Polynomial.of(0)}).range()
                if factor == 1:
                    low = max(low, -others[1])
                elif factor == -1:
                    high = min(high, others[1])
        if low <= high:
            found[symbol] = low, high
    return found
