"""Sizes less a margin: the pitch ``w - 2`` of rows without the columns that a filter leaves out.

An index ``(w - 2)*y + x`` is a polynomial of products, and no search sees the factor ``w - 2`` in
them, nor its sign. With a symbol ``v`` for ``w - 2`` it is ``v*y + x``, with ``x < v`` an index
like any other.

That is a change of variables: ``w`` is ``v + 2`` in every launch, so what follows from a path
condition with ``v + 2`` for ``w`` holds for ``v = w - 2``, and a bound in ``v`` is one in
``w - 2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from analyses.hardware import WARP
from analyses.polynomials.division import common_symbols, without_number, without_symbol
from analyses.polynomials.formatting import sum_of
from analyses.polynomials.integer_symbols import IntegerSymbols
from analyses.polynomials.polynomial import OwnNames, Polynomial, Symbol, order
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.lower_bounds import decided_by_launch, factor_of, is_launch_symbol
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound


class Margin(NamedTuple):
    """``rest`` is a symbol for a sum with a parameter, which it is ``meant`` to be: the
    ``parameter`` is ``equal`` to a polynomial with that symbol."""

    parameter: Symbol
    equal: Polynomial
    rest: Symbol
    meant: Polynomial


class Margins:
    """The changes of variables of one function, which makes its symbols by ``integers``."""

    def __init__(self, integers: IntegerSymbols, names: Iterable[Symbol]) -> None:
        self.integers, self.parameters = integers, frozenset(names)
        self._made: dict[Polynomial, Symbol] = {}

    def of(self, premises: PathCondition, goal: Polynomial) -> Margin | None:
        """The first that a factor in the goal asks for, or in a word that it is made of."""
        words = (
            s.polynomial for s in sorted(goal.parts, key=order) if isinstance(s, Interpretation)
        )
        for polynomial in (goal, *words):
            for factor in factors(polynomial):
                size = compared(factor, premises)
                for parameter in sorted(factor.symbols & self.parameters, key=order):
                    sign = size.terms.get((parameter,)) if size is not None else None
                    if size is not None and sign in ((1, -1) if is_tile(size) else (1,)):
                        return self._margin(parameter, size)
        return None

    def _margin(self, parameter: Symbol, factor: Polynomial) -> Margin:
        sign = factor.terms[(parameter,)]
        if factor not in self._made:
            label, (low, high) = sum_of(factor.terms, OwnNames()), factor.range()
            self._made[factor] = Symbol(label, low, high, parameter.rank, len(self._made) + 1)
        rest = self._made[factor]
        equal = (Polynomial.of(rest) - factor).scaled(sign) + Polynomial.of(parameter)
        return Margin(parameter, equal, rest, factor)

    def changed(
        self, margin: Margin, premises: PathCondition, goal: Polynomial
    ) -> tuple[PathCondition, Polynomial]:
        """Both with the symbol of the margin in place of the parameter."""
        respelt = self.integers.respelling({margin.parameter: margin.equal})
        return premises.mapped(respelt), respelt(goal)

    def restored(self, margin: Margin, found: Sequence[ConditionalBound]) -> list[ConditionalBound]:
        """The bounds with the parameter again; none if one cannot be written with it."""
        respelt = self.integers.respelling({margin.rest: margin.meant})
        bounds = [
            ConditionalBound(
                respelt(under.least),
                tuple(replace(n, polynomial=respelt(n.polynomial)) for n in under.preconditions),
                under.bound and replace(under.bound, least=respelt(under.bound.least)),
            )
            for under in found
        ]
        written = [p for u in bounds for p in (u.least, *(n.polynomial for n in u.preconditions))]
        return bounds if all(margin.rest not in each.parts for each in written) else []


def factors(polynomial: Polynomial) -> Iterator[Polynomial]:
    """Sums of launch symbols, less something, that symbols of threads are multiplied by, without
    what all of their terms have."""
    if polynomial.degree < 2:
        return
    moving = [symbol for symbol in polynomial.symbols if not is_launch_symbol(symbol)]
    for symbol in sorted(moving, key=order, reverse=True):
        by = factor_of(polynomial, symbol)
        if by is None or len(by.terms) < 2:
            continue
        by = reduced(by)
        if by.degree == 1 and decided_by_launch(by):
            yield by


def compared(factor: Polynomial, premises: PathCondition) -> Polynomial | None:
    """The factor, or it with the other sign: as it is what is left of a tile, or as a guard
    compares something with it, or with it and a number, so that it is a size. None for one without,
    or to which a number is added."""
    sizes = list[Polynomial]()
    for fact in premises.known:
        words = (
            m[0].polynomial
            for m, c in fact.polynomial.terms.items()
            if len(m) == 1 and c > 0 and isinstance(m[0], Interpretation)
        )
        sizes += (fact.polynomial, *words)
    for size in (factor, -factor):
        if is_tile(size):
            return size
    for size in (factor, -factor):
        if min(size.terms.values()) < 0 and any(size.moving <= one.moving for one in sizes):
            return size
    return None


def is_tile(factor: Polynomial) -> bool:
    """True if it is what a parameter leaves of so many places as threads have: ``96 - 2*halo`` of a
    tile. A size that is less by a margin is less by a smaller number."""
    number, rest = factor.terms.get((), 0), list(factor.moving)
    return len(rest) == 1 and rest[0][1] < 0 and number >= -WARP * rest[0][1]


def reduced(polynomial: Polynomial) -> Polynomial:
    """Without the number and the symbols that all terms have."""
    for symbol in common_symbols(polynomial):
        polynomial = without_symbol(polynomial, symbol)
    return without_number(polynomial)
