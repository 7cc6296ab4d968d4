"""Words as integers: a polynomial that the word equals modulo 2**width, and what its parts mean.

Adding, subtracting and multiplying words is arithmetic modulo 2**width, so their polynomials need
no assumption. An extension, a comparison and a division need the *interpretation* of a word: the
signed or unsigned integer that it stands for (bv2int of SMT-LIB). If the polynomial lies in the
range of the type, it is the interpretation. If not, the interpretation is a symbol with the range
of the type, which keeps the polynomial: ``Interpretation``. Nothing is assumed then. A proof that
the polynomial fits, or a precondition that makes it fit, lets one replace the other.

Quotients, minima and choices are symbols too, each with the inequalities that define it:

- q = floor(a/b) for b > 0:  b*q <= a <= b*q + b - 1. A shift right by n is a quotient by 2**n, the
  low n bits are a - 2**n * floor(a/2**n), and a division by a constant that a compiler wrote as a
  product with its reciprocal is that division (Granlund & Montgomery, PLDI 1994, theorem 4.2);
- max(a, b) is at least each of them and equal to one; a choice equals one of several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import NamedTuple

from analyses.budget import POLYNOMIAL_DEGREE, POLYNOMIAL_TERMS
from analyses.lattice import Bounded
from analyses.polynomials.division import floor, reciprocal, twos
from analyses.polynomials.polynomial import Number, Polynomial, Symbol
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Case,
    Choice,
    Interpretation,
    Quotient,
    Remainder,
    congruent,
    deep,
    in_order,
    remainders,
    selected,
    shifted_left,
    type_range,
)
from analyses.program import Operand, constant_in_thread


class ModularPolynomial(NamedTuple):
    """A word that is ``polynomial`` modulo 2**width, None if unknown; as an unsigned integer it is
    at most each of ``upper_bounds``. ``operand`` is the predicate itself, for choices by it."""

    width: int
    polynomial: Polynomial | None
    operand: Operand | None = None
    upper_bounds: tuple[Polynomial, ...] = ()


class ModularPolynomials(Bounded[ModularPolynomial]):
    """``named`` gives the symbol of a special register or parameter of some width.

    Symbols are made once for each meaning, so that equal words are equal polynomials.
    """

    def __init__(self, named: Callable[[str, int], Polynomial | None]) -> None:
        self.named = named
        self.made: dict[object, Symbol] = {}
        self.read_as: dict[Symbol, set[bool]] = {}  # a symbol alone: as signed, as unsigned
        self.rank = FIRST_RANK  # of what is made next and depends on a condition

    # --- symbols

    def interpretation(self, a: ModularPolynomial, signed: bool) -> Polynomial | None:
        """The signed or unsigned integer of the word."""
        if a.polynomial is None:
            return None
        return self.interpret(a.width, signed, a.polynomial)

    def interpret(self, width: int, signed: bool, polynomial: Polynomial) -> Polynomial:
        low, high = type_range(width, signed)
        number = polynomial.constant
        if number is not None:
            return Polynomial.of((number - low) % (1 << width) + low)
        if (symbol := polynomial.alone) is not None:
            self.read_as.setdefault(symbol, set()).add(signed)
        least, most = polynomial.range()
        if low <= least and most <= high:
            return polynomial
        whole, _, (least, most) = remainders(width, polynomial)
        if low <= least and most <= high:
            return whole
        key = (width, signed, polynomial)
        if key not in self.made:
            self.made[key] = Interpretation(width, signed, polynomial, len(self.made) + 1)
        return Polynomial.of(self.made[key])

    def quotient(
        self,
        dividend: Polynomial,
        divisor: Polynomial,
        least: Number = -inf,
        most: Number = inf,
    ) -> Polynomial:
        """floor(dividend / divisor) for a positive constant; else the result of a division, which
        rounds towards zero and is unspecified for 0: a word from ``least`` to ``most``."""
        by = divisor.constant
        if by is not None and by > 0:
            return self._floor(dividend, by)
        (low, high), (first, _) = dividend.range(), divisor.range()
        if low >= 0 and first > 0:
            least, most = 0, floor(high, int(first))
        return self._quotient(dividend, divisor, (least, most))

    def _floor(self, dividend: Polynomial, by: int) -> Polynomial:
        """floor(dividend / by): multiples of the divisor leave the quotient, nested ones merge."""
        if by == 1:
            return dividend
        inner = dividend.alone
        if isinstance(inner, Quotient) and (first := inner.divisor.constant) is not None:
            return self._floor(inner.dividend, first * by)
        if isinstance(inner, Interpretation) and shifted_left(inner, by):
            terms = {m: factor // by for m, factor in inner.polynomial.terms.items()}
            return self.interpret(
                inner.width - by.bit_length() + 1, inner.signed, Polynomial(terms)
            )
        one = len(dividend.terms) == 1 and dividend.constant is None
        whole, rest = {}, {}
        for monomial, factor in dividend.terms.items():
            left = factor % by if factor % by == 0 or not monomial or one else factor
            rest[monomial] = left
            whole[monomial] = (factor - left) // by
        outside = Polynomial({m: c for m, c in whole.items() if c})
        inside, by = reciprocal(Polynomial({m: c for m, c in rest.items() if c}), by)
        low, high = inside.range()
        bounds = floor(low, by), floor(high, by)
        if bounds[0] == bounds[1]:
            return outside + int(bounds[0])
        return outside + self._quotient(inside, Polynomial.of(by), bounds)

    def _quotient(
        self, dividend: Polynomial, divisor: Polynomial, ends: tuple[Number, Number],
        limit: Number = inf,
    ) -> Polynomial:  # fmt: skip
        key = (dividend, divisor, ends, limit)  # division by 0 depends on the type
        if key not in self.made:
            self.made[key] = Quotient(dividend, divisor, ends, len(self.made) + 1, limit)
        return Polynomial.of(self.made[key])

    def remainder(
        self, dividend: Polynomial, divisor: Polynomial, least: Number, most: Number
    ) -> Polynomial:
        """What that division leaves, a word from ``least`` to ``most``."""
        q = self.quotient(dividend, divisor, least, most)
        if divisor.range()[0] > 0 or not isinstance(quotient := q.alone, Quotient):
            return dividend - divisor * q
        key = ("%", quotient, least, most)
        if key not in self.made:
            self.made[key] = Remainder(quotient, (least, most), len(self.made) + 1)
        return Polynomial.of(self.made[key])

    def greatest(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """max(x, y), written as max(x - c, y - c) + c with a constant that leaves one of them
        without. A minimum is minus the maximum of the negated, so both are one symbol."""
        if x.constant is not None:
            x, y = y, x
        elif y.constant is None:
            x, y = sorted((x, y), key=in_order)
        shift = y.terms.get((), 0)
        (a, b), (c, d) = x.range(), y.range()
        if a >= d or c >= b:
            return x if a >= d else y
        return self.choice("max", (Case(x - shift), Case(y - shift)), True) + shift

    def choice(
        self,
        name: str,
        cases: tuple[Case, ...],
        greatest: bool = False,
        within: tuple[Number, Number] = (-inf, inf),
    ) -> Polynomial:
        """One of the cases, within the range ``within``."""
        if all(case.polynomial == cases[0].polynomial for case in cases):
            return cases[0].polynomial
        key = (name, cases)
        if key not in self.made:
            self.made[key] = Choice(name, cases, greatest, self.rank, len(self.made) + 1, within)
        return Polynomial.of(self.made[key])

    # --- symbols replaced

    def rewritten(
        self, polynomial: Polynomial, by: Mapping[Symbol, Polynomial]
    ) -> Polynomial | None:
        """The polynomial with polynomials substituted for symbols, also inside interpretations,
        quotients and maxima. None if a symbol that contains a replaced one cannot be rebuilt."""
        replaced: dict[Symbol, Polynomial] = {}
        for symbol in polynomial.symbols:
            if symbol in by:
                replaced[symbol] = by[symbol]
            elif not by.keys().isdisjoint(deep(Polynomial.of(symbol))):
                anew = self._anew(symbol, by)
                if anew is None:
                    return None
                replaced[symbol] = anew
        return polynomial.replaced(replaced)

    def respelt(self, polynomial: Polynomial, by: Mapping[Symbol, Polynomial]) -> Polynomial:
        """The same for equal polynomials: symbols that cannot be rebuilt stay."""
        replaced: dict[Symbol, Polynomial] = {}
        for symbol in polynomial.symbols:
            if symbol in by:
                replaced[symbol] = by[symbol]
            elif not by.keys().isdisjoint(deep(Polynomial.of(symbol))):
                anew = self._anew(symbol, by)
                if anew is not None:
                    replaced[symbol] = anew
        return polynomial.replaced(replaced)

    def _anew(self, symbol: Symbol, by: Mapping[Symbol, Polynomial]) -> Polynomial | None:
        if isinstance(symbol, Interpretation):
            inner = self.rewritten(symbol.polynomial, by)
            word = None if inner is None else self.word(symbol.width, inner).polynomial
            return None if word is None else self.interpret(symbol.width, symbol.signed, word)
        if isinstance(symbol, (Quotient, Remainder)):
            of = symbol.quotient if isinstance(symbol, Remainder) else symbol
            make = self.quotient if of is symbol else self.remainder
            dividend, divisor = (self.rewritten(p, by) for p in (of.dividend, of.divisor))
            if dividend is None or divisor is None:
                return None
            if of.limit < inf:
                return self._quotient(dividend, divisor, (of.low, of.high), of.limit)
            return make(dividend, divisor, symbol.low, symbol.high)
        if isinstance(symbol, Choice) and symbol.greatest:
            x, y = (self.rewritten(case.polynomial, by) for case in symbol.cases)
            return None if x is None or y is None else self.greatest(x, y)
        return None

    # --- words

    def width(self, a: ModularPolynomial) -> int:
        return a.width

    def unknown(self, width: int, *operands: ModularPolynomial) -> ModularPolynomial:
        return ModularPolynomial(width, None)

    def word(self, width: int, polynomial: Polynomial | None) -> ModularPolynomial:
        """The word with its coefficients reduced; unknown if it is too large."""
        if polynomial is None or len(polynomial.terms) > POLYNOMIAL_TERMS:
            return ModularPolynomial(width, None)
        half, whole = 1 << (width - 1), 1 << width
        if all(-half <= factor < half for factor in polynomial.terms.values()):
            reduced = polynomial
        else:
            reduced = Polynomial(
                {
                    monomial: factor
                    for monomial, wide in polynomial.terms.items()
                    if (factor := (wide + half) % whole - half)
                }
            )
        if any(len(monomial) > POLYNOMIAL_DEGREE for monomial in reduced.terms):
            return ModularPolynomial(width, None)
        return ModularPolynomial(width, reduced)

    def const(self, width: int, bits: int) -> ModularPolynomial:
        return self.word(width, Polynomial.of(bits))

    def special(self, name: str, width: int) -> ModularPolynomial:
        return self.word(width, self.named(name, width) if constant_in_thread(name) else None)

    def bounds(self, a: ModularPolynomial) -> tuple[int, int] | None:
        low, high = a.polynomial.range() if a.polynomial is not None else (-inf, inf)
        return (low, high) if isinstance(low, int) and isinstance(high, int) else None

    # --- arithmetic modulo 2**width

    def add(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        if a.polynomial is None or b.polynomial is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, a.polynomial + b.polynomial)

    def sub(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        if a.polynomial is None or b.polynomial is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, a.polynomial - b.polynomial)

    def mul(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        p, q = a.polynomial, b.polynomial
        if p is None or q is None or len(p.terms) * len(q.terms) > 4 * POLYNOMIAL_TERMS:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, p * q)

    def not_(self, a: ModularPolynomial) -> ModularPolynomial:
        if a.width == 1:
            return ModularPolynomial(1, None)
        return self.sub(self.const(a.width, -1), a)

    def shl(self, a: ModularPolynomial, n: ModularPolynomial) -> ModularPolynomial:
        by = constant(n)
        if by is None or a.polynomial is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, a.polynomial.scaled(1 << min(by, a.width)))

    # --- bits

    def shr_s(self, a: ModularPolynomial, n: ModularPolynomial) -> ModularPolynomial:
        return self._shifted(a, n, signed=True)

    def shr_u(self, a: ModularPolynomial, n: ModularPolynomial) -> ModularPolynomial:
        """The top bit alone is minus the quotient of the signed integer: a compiler divides signed
        integers by it."""
        if a.width > 1 and constant(n) == a.width - 1:
            return self.sub(self.const(a.width, 0), self._shifted(a, n, signed=True))
        return self._shifted(a, n, signed=False)

    def _shifted(
        self, a: ModularPolynomial, n: ModularPolynomial, signed: bool
    ) -> ModularPolynomial:
        by, integer = constant(n), self.interpretation(a, signed)
        if by is None or integer is None or a.width == 1:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, self.quotient(integer, Polynomial.of(1 << min(by, a.width))))

    def and_(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """A mask of ones from bit ``low`` up to bit ``high`` keeps the bits between, one up to the
        top bit clears low bits. A word that is 0 or -1 keeps nothing or all: it is a factor."""
        if a.width == 1:
            return ModularPolynomial(1, None)
        for word, other in ((a, b), (b, a)):
            if word.polynomial is None or other.polynomial is None:
                continue
            if word.polynomial.range() == (-1, 0):
                return self.word(a.width, -word.polynomial * other.polynomial)
            if (mask := constant(other)) is None:
                continue
            if not mask:
                return self.const(a.width, 0)
            low = (mask & -mask).bit_length() - 1
            if mask & (mask + (1 << low)) & ((1 << a.width) - 1):
                return ModularPolynomial(a.width, None)  # more than one row of ones
            kept = self._above(word, low)
            if kept is None:
                return ModularPolynomial(a.width, None)
            if mask.bit_length() == a.width:
                return self.word(a.width, kept)
            top = self._above(word, mask.bit_length())
            return self.word(a.width, None if top is None else kept - top)
        both = (self.interpretation(word, signed=False) for word in (a, b))
        return ModularPolynomial(
            a.width, None, upper_bounds=tuple(word for word in both if word is not None)
        )

    def _above(self, a: ModularPolynomial, low: int) -> Polynomial | None:
        """The word with the bits below ``low`` cleared."""
        if a.polynomial is None or all(c % (1 << low) == 0 for c in a.polynomial.terms.values()):
            return a.polynomial
        integer = self.interpretation(a, signed=True)
        if integer is None:
            return None
        return self.quotient(integer, Polynomial.of(1 << low)).scaled(1 << low)

    def or_(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """A sum if no bit is set in both: all bits of one lie from 2**j up to 2**k, and the other
        is a multiple of 2**k plus a number below 2**j."""
        for one, other in ((a, b), (b, a)):
            if one.polynomial is None or other.polynomial is None or a.width == 1:
                continue
            _, _, (least, most) = remainders(a.width, one.polynomial)
            if least >= 0 and isinstance(most, int):
                step = 1 << most.bit_length()
                terms = other.polynomial.terms.items()
                below = Polynomial({m: factor for m, factor in terms if factor % step})
                _, _, (low, high) = remainders(a.width, below)
                if low >= 0 and high < twos(one.polynomial):
                    return self.add(a, b)
        return ModularPolynomial(a.width, None)

    def xor(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """The complement if one is all ones; a sum if no bit is set in both. A row of ones changes
        the bits ``x & row`` to ``row - (x & row)``."""
        for word, other in ((a, b), (b, a)):
            if constant(other) == (1 << a.width) - 1:
                return self.not_(word)
        disjoint = self.or_(a, b)
        if disjoint.polynomial is not None or a.width == 1:
            return disjoint
        for word, other in ((a, b), (b, a)):
            row = constant(other)
            if row and not row & (row + (row & -row)):
                kept = self.and_(word, other)
                return self.sub(self.add(word, other), self.add(kept, kept))
        return disjoint

    # --- division

    def div_u(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._divided(a, b, signed=False, remainder=False)

    def rem_u(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._divided(a, b, signed=False, remainder=True)

    def div_s(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._divided(a, b, signed=True, remainder=False)

    def rem_s(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._divided(a, b, signed=True, remainder=True)

    def _divided(
        self, a: ModularPolynomial, b: ModularPolynomial, signed: bool, remainder: bool
    ) -> ModularPolynomial:
        x, y = self.interpretation(a, signed), self.interpretation(b, signed)
        if x is None or y is None:
            return ModularPolynomial(a.width, None)
        if y.constant is not None and (x.range()[0] < 0 or y.constant <= 0):
            return ModularPolynomial(a.width, None)  # rounds towards zero
        make = self.remainder if remainder else self.quotient
        return self.word(a.width, make(x, y, *type_range(a.width, signed)))

    def mul_hi_u(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._high(a, b, signed=False)

    def mul_hi_s(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._high(a, b, signed=True)

    def _high(self, a: ModularPolynomial, b: ModularPolynomial, signed: bool) -> ModularPolynomial:
        x, y = self.interpretation(a, signed), self.interpretation(b, signed)
        if x is None or y is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, self.quotient(x * y, Polynomial.of(1 << a.width)))

    # --- order and choice

    def min_s(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._extreme(a, b, signed=True, sign=-1)

    def max_s(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._extreme(a, b, signed=True, sign=1)

    def min_u(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._extreme(a, b, signed=False, sign=-1)

    def max_u(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        return self._extreme(a, b, signed=False, sign=1)

    def _extreme(
        self, a: ModularPolynomial, b: ModularPolynomial, signed: bool, sign: int
    ) -> ModularPolynomial:
        x, y = self.interpretation(a, signed), self.interpretation(b, signed)
        if x is None or y is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, self.greatest(x.scaled(sign), y.scaled(sign)).scaled(sign))

    def select(
        self, p: ModularPolynomial, a: ModularPolynomial, b: ModularPolynomial
    ) -> ModularPolynomial:
        if a.polynomial is not None and a.polynomial == b.polynomial:
            return a
        x, y = self.interpretation(a, signed=True), self.interpretation(b, signed=True)
        if x is None or y is None or p.operand is None or a.width == 1:
            return ModularPolynomial(a.width, None)
        rest, factor, cases = selected(p.operand, x, y)
        return self.word(a.width, rest.plus(self.choice("choice", cases), factor))

    # --- widths

    def zext(self, width: int, a: ModularPolynomial) -> ModularPolynomial:
        if a.width == 1:
            return ModularPolynomial(width, None)
        return self.word(width, self.interpretation(a, signed=False))

    def sext(self, width: int, a: ModularPolynomial) -> ModularPolynomial:
        if a.width == 1:
            return ModularPolynomial(width, None)
        return self.word(width, self.interpretation(a, signed=True))

    def extract(self, width: int, low: int, a: ModularPolynomial) -> ModularPolynomial:
        """The low bits are the polynomial modulo a smaller power, in which an interpretation of as
        many bits is its polynomial; others are a quotient first."""
        if not low and width > 1:
            known = a.polynomial
            return self.word(width, None if known is None else congruent(known, width))
        integer = self.interpretation(a, signed=True)
        if integer is None or width == 1:
            return ModularPolynomial(width, None)
        return self.word(width, self.quotient(integer, Polynomial.of(1 << low)))

    def concat(self, *parts: ModularPolynomial) -> ModularPolynomial:
        """Known if the upper parts are zero, or the whole is the sum of its parts."""
        width = sum(part.width for part in parts)
        total, low = Polynomial.of(0), 0
        for part in parts:
            signed = low + part.width == width
            integer = self.interpretation(part, signed) if part.width > 1 else None
            if integer is None:
                return ModularPolynomial(width, None)
            total, low = total.plus(integer, 1 << low), low + part.width
        return self.word(width, total)


def constant(a: ModularPolynomial) -> int | None:
    """The number as an unsigned word."""
    number = None if a.polynomial is None else a.polynomial.constant
    return None if number is None else number % (1 << a.width)
