"""Signs of parameters that a bound may assume: they become preconditions."""

from __future__ import annotations

from collections.abc import Mapping

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import LaunchQuotient, Quotient, Remainder, deep, unwrapped
from analyses.proofs.inequalities import is_launch_symbol
from analyses.proofs.path_conditions import PathCondition
from analyses.proofs.systems import ASSUMED_NONNEGATIVE


def signs(premises: PathCondition, goal: Polynomial, positive: bool = False) -> PathCondition:
    """The parameters in the goal, assumed to be non-negative, and ``positive`` if they divide in it
    or in a guard, or if that is wished."""
    dividing = divisors(goal).union(*map(divisors, premises.polynomials))
    parts = (symbol for symbol in deep(goal) if not isinstance(symbol, LaunchQuotient))
    sizes = [symbol for symbol in parts if is_launch_symbol(symbol)]
    return assumed(premises, {symbol: int(positive or symbol in dividing) for symbol in sizes})


def scales(premises: PathCondition, goal: Polynomial, by_power: bool) -> PathCondition:
    """The parameters by which an index is multiplied before it is divided by another one, assumed
    to be positive: ``(x*width)//n`` with ``x < n`` is less than ``width`` then, and else zero. If
    it is divided ``by_power``s of two, these, too: a quarter of one is no power if it is zero."""
    found = set(filter(None, divisors(goal))) if by_power else set[Symbol]()
    for symbol in deep(goal):
        if isinstance(symbol, Quotient) and symbol.divisor.constant is None:
            factors = [frozenset(product) for product in unwrapped(symbol.dividend).terms]
            found |= frozenset.intersection(*factors) if factors else frozenset()
    return assumed(premises, dict.fromkeys(filter(is_launch_symbol, found), 1))


def divisors(polynomial: Polynomial) -> set[Symbol | None]:
    """The symbols that alone, or as factors of one product, divide something in the polynomial, if
    nothing wraps. That they are positive bounds a remainder; a quotient is bounded by that of what
    bounds its dividend."""
    found = set[Symbol | None]()
    for symbol in polynomial.parts:
        if isinstance(symbol, (Quotient, Remainder)):
            of = symbol.quotient if isinstance(symbol, Remainder) else symbol
            products = unwrapped(of.divisor).terms
            found.update(*products if len(products) == 1 else ())
    return found


def assumed(premises: PathCondition, least: Mapping[Symbol, int]) -> PathCondition:
    """That each symbol is at least a number, where neither its range nor the premises say so."""
    said, _ = premises.key
    new = [symbol for symbol in sorted(least, key=order) if symbol.low < least[symbol]]
    polynomials = (Polynomial.of(symbol) - least[symbol] for symbol in new)
    return PathCondition(
        tuple(Inequality(p, ASSUMED_NONNEGATIVE) for p in polynomials if p not in said)
    )
