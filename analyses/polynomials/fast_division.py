"""Division by a launch parameter that the host prepared: multiply, add, shift.

    q = (mulhi(x, m) + x) >> s

With ``M = 2**w + m`` the sum before the shift is floor(x*M / 2**w) if it does not wrap. It has no
more than w bits for x <= 2**(w-1): mulhi(x, m) is less than x, or 0. A word of 64 bits has room for
the sum of any two of 32. So q = floor(x*M / 2**(w+s)), for nested
floors merge. If ``M*d = 2**(w+s) + e`` with 0 <= e <= 2**s, this is x/d + x*e/(d*2**(w+s)), and the
second part is less than 1/d for x < 2**w: too little to reach the next multiple of 1/d, so q is
floor(x/d) (Granlund & Montgomery, PLDI 1994, theorem 4.2). That m and s belong to d in this way is
a requirement of the launch: ``divisor`` knows which d is declared for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd, inf
from typing import NamedTuple

from analyses.polynomials.division import common_symbols
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import LaunchQuotient, Quotient
from analyses.polynomials.words import ModularPolynomial, constant


class Scaled(NamedTuple):
    """``(mulhi(dividend, multiplier) + dividend) >> shift``; the sum is right for dividends up to
    ``most``."""

    dividend: Polynomial
    multiplier: Symbol
    shift: Symbol
    most: int


def in_least_numbers(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The same quotient without what a number and all terms have in common, and of what a nested
    one divides: (a*x + c)//(a*b) is (x + c//a)//b, and (x//a + c)//b is (x + a*c)//(a*b)."""
    by, constant = divisor.constant, dividend.terms.get((), 0)
    moving = dividend - constant
    common = gcd(by or 1, *moving.terms.values())
    if by is None or by <= common:
        return dividend, divisor
    moving = Polynomial({m: c // common for m, c in moving.terms.items()})
    constant, by = constant // common, by // common
    inner = moving.alone
    if isinstance(inner, LaunchQuotient) and inner.divisor.range()[0] > 0:
        return inner.dividend + inner.divisor.scaled(constant), inner.divisor.scaled(by)
    return moving + constant, Polynomial.of(by)


class FastDivisions(ModularPolynomials):
    """``divisor`` gives the number that a multiplier and a shift divide by, None if it is not
    declared."""

    def __init__(
        self,
        named: Callable[[str, int], Polynomial | None],
        divisor: Callable[[Symbol, Symbol], Polynomial | None],
    ) -> None:
        super().__init__(named)
        self.divisor = divisor
        self.launch_quotients: dict[tuple[Polynomial, Polynomial], LaunchQuotient] = {}

    def launch_quotient(self, dividend: Polynomial, divisor: Polynomial) -> LaunchQuotient:
        """The quotient of two polynomials that the launch decides."""
        key = dividend, divisor = in_least_numbers(dividend, divisor)
        if key not in self.launch_quotients:
            serial = len(self.launch_quotients) + 1
            self.launch_quotients[key] = LaunchQuotient(dividend, divisor, serial)
        return self.launch_quotients[key]

    def shr_u(self, a: ModularPolynomial, n: ModularPolynomial) -> ModularPolynomial:
        found = self.scaled(a, n) if constant(n) is None else None
        by = None if found is None else self.divisor(found.multiplier, found.shift)
        if found is None or by is None or by.constant is not None:
            return super().shr_u(a, n)
        most = found.dividend.range()[1]
        exact = most <= found.most
        limit = inf if exact else found.most
        ends = (0, most if exact and isinstance(most, int) else (1 << a.width) - 1)
        return self.word(a.width, self._quotient(found.dividend, by, ends, limit))

    def scaled(self, a: ModularPolynomial, n: ModularPolynomial) -> Scaled | None:
        """The word as such a sum that is shifted."""
        shift = n.polynomial.alone if n.polynomial is not None else None
        if a.polynomial is None or shift is None or shift.rank:
            return None
        for symbol in sorted(a.polynomial.symbols, key=order):
            if not isinstance(symbol, Quotient) or a.polynomial.terms.get((symbol,)) != 1:
                continue
            width = (symbol.divisor.constant or 0).bit_length() - 1
            if width not in (a.width, a.width // 2) or symbol.divisor.constant != 1 << width:
                continue
            rest = self.interpret(a.width, False, a.polynomial - Polynomial.of(symbol))
            most = 1 << (width - 1) if width == a.width else (1 << width) - 1
            if width < a.width and rest.range()[1] > most:
                continue
            for factor in factors(symbol.dividend):
                if symbol.dividend == rest * Polynomial.of(factor) and factor.high < 1 << width:
                    return Scaled(rest, factor, shift, most)
        return None


def factors(product: Polynomial) -> Iterator[Symbol]:
    """The launch symbols that all terms have, and that are words without a sign."""
    for symbol in common_symbols(product):
        if type(symbol) is Symbol and not symbol.rank and symbol.low >= 0:
            yield symbol
