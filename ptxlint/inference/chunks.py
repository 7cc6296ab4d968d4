"""Where the bytes of threads end that own chunks of a row, if a guard compares a chunk's start.

``start = t*chunk; if (start < n) y[t] = ...``: the guard limits t by ``(n - 1)//chunk``, where the
grid would, too. So y has a word for each chunk, be it of a grid with more threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.polynomials.division import common_symbols, without_symbol
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import unwrapped
from analyses.proofs.no_wrap import NoWrap
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import Precondition
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts


class ChunkEnd(NamedTuple):
    """An end of the bytes: with a quotient as proofs know it, and as a contract states it, where
    the ``needs`` are not negative, which make the divisor positive."""

    shown: Polynomial
    stated: Polynomial
    needs: list[Precondition]


def chunk_ends(facts: Facts, place: ResolvedAccess) -> Iterator[ChunkEnd]:
    """The ends that the guards of an access may give, each to be proved."""
    integers, footprints = facts.symbolic.integers, facts.footprints
    offset, premises = footprints.offset(place), footprints.premises(place)
    for fact in premises.known if offset is not None else ():
        assert offset is not None
        _, _, divisor = chunks(facts, unwrapped(fact.polynomial))
        if divisor.constant is not None:
            continue
        own = (symbol for symbol in common_symbols(divisor) if symbol.low < 1)
        positive = [Polynomial.of(symbol) - 1 for symbol in own]
        here = premises + PathCondition(tuple(map(Inequality, positive)))
        words = fact.polynomial.parts | offset.parts
        no_wrap = NoWrap.of(footprints.proofs.fitting.of(here, words, needed=True), integers)
        respelt = integers.respelling(no_wrap.by)
        number, index, by = chunks(facts, respelt(fact.polynomial))
        moving, first = respelt(offset), next(iter(index.terms), ())
        size, odd = divmod(moving.terms.get(first, 0), index.terms.get(first, 1))
        rest = (moving - index.scaled(size)).constant
        if by != divisor or size <= 0 or odd or rest is None:
            continue
        behind = rest + place.access.bytes
        quotients = (
            integers.quotient(number, divisor),
            Polynomial.of(integers.launch_quotient(number, divisor)),
        )
        shown, stated = (each.scaled(size) + behind for each in quotients)
        yield ChunkEnd(shown, stated, [*map(Precondition, positive), *no_wrap.preconditions])


def chunks(facts: Facts, guard: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The number, the index and the divisor of ``number - divisor*index``: parameters that all
    terms of the launch's threads have divide."""
    names = facts.decided.keys()
    number = guard.of_symbols(names.__contains__)
    index, divisor = number - guard, Polynomial.of(1)
    for symbol in common_symbols(index):
        if symbol in names and symbol.label not in SHAPE:
            index, divisor = without_symbol(index, symbol), divisor * Polynomial.of(symbol)
    by = gcd(*index.terms.values())
    whole = Polynomial({m: c // by for m, c in index.terms.items()})
    return number, whole, divisor.scaled(by)
