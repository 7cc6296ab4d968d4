"""Requirements under which an offset is a multiple of a number."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import gcd

from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Choice, unwrapped

Multiples = dict[tuple[Symbol, ...], int]


def multiples(offset: Polynomial, align: int, names: Collection[Symbol]) -> Multiples | None:
    """The products of launch symbols that must be multiples of a number so that the offset is one
    of ``align``, in each of the cases that a word may be; None if that is not enough. An offset
    that wraps is congruent to its polynomial modulo a power of two, as ``align`` is."""
    found: Multiples = {}
    rest = 0
    polynomial = unwrapped(offset)
    for monomial, factor in polynomial.terms.items():
        if factor % align == 0:
            continue
        if not monomial:
            rest = factor
            continue
        own = tuple(s for s in monomial if s in names)
        if not own:
            return in_each_case(polynomial, monomial, align, names)
        found[own] = max(found.get(own, 1), align // gcd(align, factor))
    return None if rest % align else found


def in_each_case(
    polynomial: Polynomial, monomial: Iterable[Symbol], align: int, names: Collection[Symbol]
) -> Multiples | None:
    """The same for all cases of the youngest choice in a product."""
    choices = [symbol for symbol in monomial if isinstance(symbol, Choice)]
    if not choices:
        return None
    choice, found = max(choices, key=order), Multiples()
    for case in choice.cases:
        one = multiples(polynomial.replaced({choice: case.polynomial}), align, names)
        if one is None:
            return None
        found |= {own: max(of, found.get(own, 1)) for own, of in one.items()}
    return found
