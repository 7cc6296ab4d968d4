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

from collections.abc import Callable
from math import inf

from analyses.budget import POLYNOMIAL_TERMS
from analyses.lattice import Bounded
from analyses.polynomials.bits import powers
from analyses.polynomials.division import twos
from analyses.polynomials.integer_symbols import IntegerSymbols, read_from
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Choice,
    CommonBits,
    Interpretation,
    Quotient,
    Remainder,
    above,
    congruent,
    divisor_of,
    remainders,
    selected,
    type_range,
)
from analyses.polynomials.words import (
    ModularPolynomial,
    constant,
    masked_by,
    shifted_by,
)
from analyses.program import Operand, constant_in_thread

WHOLE_FIELD = 16  # bits of one that is shifted up and down: of a word that is meant to fit
SHORT_FACTOR = 24  # bits of a factor of ``mul24``


class ModularPolynomials(IntegerSymbols, Bounded[ModularPolynomial]):
    """``named`` gives the symbol of a special register or parameter of some width."""

    def __init__(self, named: Callable[[str, int], Polynomial | None]) -> None:
        super().__init__()
        self.named = named
        self.complements: dict[Operand, Operand] = {}
        """Predicates, each with one that is true where it is not."""

    # --- words

    def width(self, a: ModularPolynomial) -> int:
        return a.width

    def unknown(self, width: int, *operands: ModularPolynomial) -> ModularPolynomial:
        return ModularPolynomial(width, None)

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
        return self._sum(a.width, a.polynomial + b.polynomial)

    def sub(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        if a.polynomial is None or b.polynomial is None:
            return ModularPolynomial(a.width, None)
        return self._sum(a.width, a.polynomial - b.polynomial)

    def _sum(self, width: int, polynomial: Polynomial) -> ModularPolynomial:
        return self.word(width, self.left(width, polynomial))

    def mul(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        p, q = a.polynomial, b.polynomial
        if p is None or q is None:
            return ModularPolynomial(a.width, None)
        if len(p.terms) * len(q.terms) > 4 * POLYNOMIAL_TERMS:
            self.too_large += 1
            return ModularPolynomial(a.width, None)
        return self.word(a.width, p * q)

    def not_(self, a: ModularPolynomial) -> ModularPolynomial:
        if a.width == 1:
            return ModularPolynomial(1, None)
        return self.sub(self.const(a.width, -1), a)

    def shl(self, a: ModularPolynomial, n: ModularPolynomial) -> ModularPolynomial:
        power = self._power(a.width, n)
        if power is None or a.polynomial is None:
            return ModularPolynomial(a.width, None)
        return self.word(a.width, a.polynomial * power)

    def _power(self, width: int, n: ModularPolynomial) -> Polynomial | None:
        """What a shift by n multiplies a word of so many bits by, or divides it by: a number, or a
        power of two that the launch decides or that has a limit, as of ``min(8, end - at)`` bits. A
        shift by more bits than the word has leaves none, or the sign, as one by as many does."""
        by = constant(n)
        if by is not None:
            return Polynomial.of(1 << min(by, width))
        exponent = self.interpretation(n, signed=False)
        if exponent is None or n.polynomial is None or n.ones is not None:
            return None
        few = 0 < n.polynomial.range()[1] < width
        return self.power_of_two(exponent) if few or not above(exponent) else None

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
        power, integer = self._power(a.width, n), self.interpretation(a, signed)
        if power is None or integer is None or a.width == 1:
            return ModularPolynomial(a.width, None, by_power=() if signed else shifted_by(a, n))
        if power.constant is not None:
            return self.word(a.width, self.quotient(integer, power))
        low, high = integer.range()
        quotient = self.quotient(integer, power, min(low, 0), max(high, -1), shifted=True)
        return self.word(a.width, quotient)

    def and_(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """A word that was shifted up, and down by less, is masked so: if many bits are left, it is
        meant to be one of so many bits."""
        for word, other in ((a, b), (b, a)):
            mask, known = constant(other) or 0, word.polynomial
            low, bits = (mask & -mask).bit_length() - 1, mask.bit_length()
            row = (
                0 < low <= bits - WHOLE_FIELD and bits < a.width and mask + (1 << low) == 1 << bits
            )
            if row and known is not None and all(c % (1 << low) == 0 for c in known.terms.values()):
                return self.word(a.width, self.interpret(bits, False, known))
        return self._masked(a, b)

    def _masked(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """A mask of ones from bit ``low`` up to bit ``high`` keeps the bits between, one up to the
        top bit clears low bits; one of zeros between ones takes away what its complement keeps. A
        word that is 0 or -1 keeps nothing or all: it is a factor. One of
        24 bits reads a factor of ``mul24``, which is meant to be as short."""
        if a.width == 1:
            return ModularPolynomial(1, None)
        if 0 in (constant(a), constant(b)):
            return self.const(a.width, 0)
        for word, other in ((a, b), (b, a)):
            if word.polynomial is None or other.polynomial is None:
                continue
            if word.polynomial.range() == (-1, 0):
                return self.word(a.width, -word.polynomial * other.polynomial)
            if (mask := constant(other)) is None:
                continue
            low = (mask & -mask).bit_length() - 1
            every = (1 << a.width) - 1
            if mask & (mask + (1 << low)) & every:  # more than one row of ones
                cleared = every ^ mask
                if cleared & (cleared + (cleared & -cleared)):
                    return ModularPolynomial(a.width, None)
                return self.sub(word, self._masked(word, self.const(a.width, cleared)))
            if mask == (1 << SHORT_FACTOR) - 1:
                return self.word(a.width, self.interpret(SHORT_FACTOR, False, word.polynomial))
            if not low and len(word.polynomial.terms) > 1:
                least, most = remainders(a.width, word.polynomial).ends
                if least >= 0 and most <= mask:  # a field that is inserted
                    return word
            field = self._field(word.polynomial, mask.bit_length()) if not low else None
            if field is not None:
                return self.word(a.width, field)
            kept = self._above(word, low)
            if kept is None:
                return ModularPolynomial(a.width, None)
            if mask.bit_length() == a.width:
                return self.word(a.width, kept)
            top = self._above(word, mask.bit_length())
            return self.word(a.width, None if top is None else kept - top)
        x, y = (self.interpretation(word, signed=False) for word in (a, b))
        if x is None or y is None:
            return ModularPolynomial(a.width, None)
        common = self.common_bits(x, y)
        known = not isinstance(common.alone, CommonBits)
        return self.word(a.width, common)._replace(by_power=() if known else masked_by(a, b))

    def _field(self, shifted: Polynomial, bits: int) -> Polynomial | None:
        """So many low bits of a word shifted right that a thread computes: those of the symbol that
        it is, or is a multiple of, whether signed or not. They do not depend on the sign bit, so a
        bound of the symbol is one of the field: of a float's exponent, or of its magnitude."""
        quotient = shifted.alone
        word = quotient.dividend.alone if isinstance(quotient, Quotient) else None
        by = quotient.divisor.constant if isinstance(quotient, Quotient) else None
        if not isinstance(word, Interpretation) or by is None or by & (by - 1):
            return None
        own, symbol = word.polynomial, word.polynomial.primitive().alone
        if type(symbol) not in (Symbol, Choice) or symbol is None or symbol.rank < FIRST_RANK:
            return None
        if by.bit_length() - 1 + bits >= word.width:
            return None
        low, high = (self.quotient(own, Polynomial.of(d)) for d in (by, by << bits))
        return low.plus(high, -1 << bits)

    def popc(self, a: ModularPolynomial) -> ModularPolynomial:
        return ModularPolynomial(32, None, ones=a)

    def _above(self, a: ModularPolynomial, low: int) -> Polynomial | None:
        """The word with the bits below ``low`` cleared: of an unsigned integer if a part is one."""
        if a.polynomial is None:
            return None
        if all(c * divisor_of(m) % (1 << low) == 0 for m, c in a.polynomial.terms.items()):
            return a.polynomial
        signed = all(symbol.high < 1 << (a.width - 1) for symbol in a.polynomial.symbols)
        integer = self.interpret(a.width, signed, a.polynomial, either=True)
        return self.quotient(integer, Polynomial.of(1 << low)).scaled(1 << low)

    def or_(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """A sum if no bit is set in both, or without those that a mask sets anyway."""
        sum_ = self._disjoint(a, b) or self._apart(a, b) or self._masked_in(a, b)
        return sum_ or self._without_common(a, b, 1)

    def _masked_in(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial | None:
        for word, other in ((a, b), (b, a)):
            if (mask := constant(other)) is not None and a.width > 1:
                rest = self.and_(word, self.const(a.width, ~mask))
                return None if rest.polynomial is None else self.add(rest, other)
        return None

    def _disjoint(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial | None:
        """The sum if all bits of one lie from 2**j up to 2**k, and the other is a multiple of 2**k
        plus a number below 2**j. ``(x*2**16 mod 2**32) >> 3`` is one of 2**13."""
        for one, other in ((a, b), (b, a)):
            if one.polynomial is None or other.polynomial is None or a.width == 1:
                continue
            _, _, (least, most) = remainders(a.width, one.polynomial)
            if least >= 0 and isinstance(most, int):
                step = 1 << most.bit_length()
                terms = other.polynomial.terms.items()
                below = Polynomial({m: c for m, c in terms if c * divisor_of(m) % step})
                _, _, (low, high) = remainders(a.width, below)
                if low >= 0 and high < twos(one.polynomial):
                    return self.add(a, b)
        return None

    def _apart(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial | None:
        """The sum if one is what a division by a single bit leaves, that bit, or twice the multiple
        of the bit, and the other one another of these, or both: they have no bit in common."""
        x, y = a.polynomial, b.polynomial
        if x is None or y is None:
            return None
        for left in x.symbols | y.symbols:
            bit = self.single_bits.get((a.width, left))
            if bit is None or not isinstance(left, Remainder):
                continue
            rest = Polynomial.of(left)
            parts = rest, bit, (read_from(left.quotient.dividend) - rest).scaled(2)
            for part in parts:
                one, other = (each for each in parts if each is not part)
                if (x == part and y in (one, other, one + other)) or (
                    y == part and x == one + other
                ):
                    return self.add(a, b)
        return None

    def _without_common(
        self, a: ModularPolynomial, b: ModularPolynomial, times: int
    ) -> ModularPolynomial:
        """The sum without so many times the bits that two words have in common, where one is made
        of a power of two that is no number: that may have no bit of the other."""
        x, y = a.polynomial, b.polynomial
        if a.width == 1 or x is None or y is None or not (powers(x) or powers(y)):
            return ModularPolynomial(a.width, None)
        common = self.common_bits(*(self.interpret(a.width, False, each) for each in (x, y)))
        return self.word(a.width, (x + y).plus(common, -times))

    def xor(self, a: ModularPolynomial, b: ModularPolynomial) -> ModularPolynomial:
        """The complement if one is all ones; a sum if no bit is set in both. A row of ones changes
        the bits ``x & row`` to ``row - (x & row)``. With the sign of a word, of which each bit is
        the sign bit, a negative one is complemented, so it becomes the greater of x and -x - 1."""
        for word, other in ((a, b), (b, a)):
            if constant(other) == (1 << a.width) - 1:
                return self.not_(word)
            if self._is_sign(other, word):
                x = self.interpretation(word, signed=True)
                return self.word(a.width, None if x is None else self.greatest(x, -x - 1))
        if (disjoint := self._disjoint(a, b)) is not None:
            return disjoint
        for word, other in ((a, b), (b, a)):
            row = constant(other)
            if a.width > 1 and row and not row & (row + (row & -row)):
                kept = self._masked(word, other)
                return self.sub(self.add(word, other), self.add(kept, kept))
        return self._without_common(a, b, 2)

    def _is_sign(self, sign: ModularPolynomial, of: ModularPolynomial) -> bool:
        """True if it is the word shifted right until all bits are the sign bit."""
        ends = (-1, 0) if of.width == 1 or sign.polynomial is None else sign.polynomial.range()
        shift = self.const(of.width, of.width - 1)
        return ends == (-1, 0) and self.shr_s(of, shift).polynomial == sign.polynomial is not None

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
        by = y.constant
        if by is not None and by <= 0:
            return ModularPolynomial(a.width, None)
        if by is not None and x.range()[0] < 0:  # rounds towards zero: a negative one up
            quotient = self.quotient(x.plus(self._sign(x), 1 - by), y)
            return self.word(a.width, x.plus(quotient, -by) if remainder else quotient)
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

    def abs_(self, a: ModularPolynomial) -> ModularPolynomial:
        """The greater one of the integer and its negative, which is no word for the least one: that
        is congruent to the least one itself."""
        x = self.interpretation(a, signed=True)
        return self.word(a.width, None if x is None else self.greatest(x, -x))

    def select(
        self, p: ModularPolynomial, a: ModularPolynomial, b: ModularPolynomial
    ) -> ModularPolynomial:
        if a.polynomial is not None and a.polynomial == b.polynomial:
            return a
        x, y = self.interpretation(a, signed=True), self.interpretation(b, signed=True)
        if x is None or y is None or p.operand is None or a.width == 1:
            return ModularPolynomial(a.width, None)
        by = p.operand
        if by in self.complements:
            by, x, y = self.complements[by], y, x
        rest, factor, cases = selected(by, x, y)
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
