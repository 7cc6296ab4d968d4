"""The symbols that stand for operations on integers, each made once for each meaning, so that equal
words are equal polynomials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import NamedTuple

from analyses.budget import POLYNOMIAL_DEGREE, POLYNOMIAL_TERMS
from analyses.polynomials.bits import apart_by_power
from analyses.polynomials.division import about, floor, reciprocal, size, without
from analyses.polynomials.maxima import dominates
from analyses.polynomials.polynomial import Number, Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    FIRST_RANK,
    HIGHEST_EXPONENT,
    Case,
    Choice,
    CommonBits,
    Difference,
    Interpretation,
    PowerOfTwo,
    Quotient,
    Remainder,
    by_sign,
    congruent,
    divided_signed,
    in_order,
    is_sign,
    of_launch,
    quotients_in,
    range_of_left,
    remainders,
    settled,
    shifted_left,
    two_to_the,
    type_range,
    unwrapped,
)
from analyses.polynomials.threads import range_of
from analyses.polynomials.words import DivisionPart, ModularPolynomial, PowerDivision


class Rewriting(NamedTuple):
    """A substitution ``by`` polynomials, which are ``equal`` to the symbols or not, and what became
    of the symbols that contain one: a nested quotient is rebuilt once."""

    by: Mapping[Symbol, Polynomial]
    equal: bool
    done: dict[Symbol, Polynomial | None]


class IntegerSymbols:
    """Makes the symbols of one function."""

    def __init__(self) -> None:
        self.made: dict[object, Symbol] = {}
        self.single_bits: dict[tuple[int, Symbol], Polynomial] = {}  # divisors, by what is left
        self.read_as: dict[Symbol, set[bool]] = {}  # or so much more: as signed, as unsigned
        self.clamped: set[Symbol] = set()  # those in minima and maxima
        self.quotients: set[Quotient] = set()  # those with divisors that may be 0
        self.parts_of_launch: dict[Quotient, None] = {}  # an inner one before what it is in
        self.powers: dict[Polynomial, PowerOfTwo] = {}  # by their exponents
        self.down_from: dict[Symbol, Polynomial] = {}  # what a choice is 1 for if it is positive
        self.too_large = 0  # words without a polynomial because it would be too large
        self.rank = FIRST_RANK  # of what is made next and depends on a condition

    def interpretation(
        self, a: ModularPolynomial, signed: bool, either: bool = False
    ) -> Polynomial | None:
        """The signed or unsigned integer of the word."""
        if a.polynomial is None:
            return None
        return self.interpret(a.width, signed, a.polynomial, either)

    def interpret(
        self, width: int, signed: bool, polynomial: Polynomial, either: bool = False
    ) -> Polynomial:
        """The integer of a word that is a polynomial modulo 2**width. A word of threads is read as
        its complement is, bit by bit, if that was read before; one of loop counters is not, as the
        limits of its own reading are known. Where ``either`` integer would do, as where two are
        compared if they are equal, nothing is said of what the kernel takes the word for."""
        low, high = type_range(width, signed)
        number = polynomial.constant
        if number is not None:
            return Polynomial.of((number - low) % (1 << width) + low)
        symbol = None if either else (polynomial - polynomial.terms.get((), 0)).alone
        if symbol is not None:
            self.read_as.setdefault(symbol, set()).add(signed)
        least, most = range_of(polynomial)
        if low <= least and most <= high:
            return polynomial
        whole, _, (least, most) = remainders(width, polynomial)
        if low <= least and most <= high:
            return whole
        for whole, least, most in by_sign(width, polynomial):
            if low <= least and most <= high:
                return whole
        if signed and (less := self._counted_down(width, polynomial)) is not None:
            return less
        key = (width, signed, polynomial)
        complement = self.made.get((width, signed, -polynomial - 1))
        if complement is not None and any(0 < s.rank < FIRST_RANK for s in complement.parts):
            return -Polynomial.of(complement) + (low + high)
        if key not in self.made:
            self.made[key] = Interpretation(width, signed, polynomial, len(self.made) + 1)
        return Polynomial.of(self.made[key])

    def _counted_down(self, width: int, polynomial: Polynomial) -> Polynomial | None:
        """The word if it is a number less 1 if that is positive, which does not wrap."""
        for one in polynomial.symbols & self.down_from.keys():
            number = polynomial + Polynomial.of(one)
            if self.down_from[one] == number and self.interpret(width, True, number) == number:
                return polynomial
        return None

    def quotient(
        self,
        dividend: Polynomial,
        divisor: Polynomial,
        least: Number = -inf,
        most: Number = inf,
        shifted: bool = False,
    ) -> Polynomial:
        """floor(dividend / divisor) for a positive constant; else the result of a division, which
        rounds towards zero and is unspecified for 0: a word from ``least`` to ``most``. One by 0 is
        0 if it is ``shifted``."""
        by = divisor.constant
        if by is not None and by > 0:
            x, number, signed = reciprocal(dividend, by, range_of_left)
            return self._floor(dividend, by) if signed else self._floor(x, number)
        (low, high), (first, _) = dividend.range(), divisor.range()
        if low >= 0 and first > 0:
            if (divisor - dividend).range()[0] > 0:
                return Polynomial.of(0)
            rounded_up = (dividend - divisor + 1).range()[1]  # (x + y - 1)//y is at most x
            least, most = 0, min(floor(high, int(first)), max(rounded_up, 0))
        return self._quotient(dividend, divisor, (least, most), shifted=shifted)

    def _floor(self, dividend: Polynomial, by: int) -> Polynomial:
        """floor(dividend / by): multiples of the divisor leave the quotient, nested ones merge. The
        upper bits of a word that is multiplied by a power of two are bits of the word itself: those
        of its quotient by what remains of the divisor, as an integer of as many bits."""
        if by == 1:
            return dividend
        inner = dividend.alone
        if isinstance(inner, Quotient) and (first := inner.divisor.constant) is not None:
            return self._floor(inner.dividend, first * by)
        if isinstance(inner, Interpretation) and divided_signed(inner, by):
            sign = self._floor(inner.polynomial, 1 << (inner.width - 1))
            return self._floor(inner.polynomial, by) - sign.scaled((1 << inner.width) // by)
        if isinstance(inner, Interpretation) and (factor := shifted_left(inner, by)) > 1:
            whole = {m: wide // factor for m, wide in inner.polynomial.terms.items()}
            field = self._floor(Polynomial(whole), by // factor)
            return self.interpret(inner.width - by.bit_length() + 1, inner.signed, field)
        one = len(dividend.terms) == 1 and dividend.constant is None
        whole, rest = {}, {}
        for monomial, factor in dividend.terms.items():
            left = factor % by if factor % by == 0 or not monomial or one else factor
            rest[monomial] = left
            whole[monomial] = (factor - left) // by
        outside = Polynomial({m: c for m, c in whole.items() if c})
        inside, by, signed = reciprocal(Polynomial({m: c for m, c in rest.items() if c}), by)
        low, high = range_of(inside)
        if signed:
            inside, low = inside + self._sign(inside), low - 1
        bounds = floor(low, by), floor(high, by)
        if bounds[0] == bounds[1]:
            return outside + int(bounds[0])
        if bounds == (-1, 0):
            return outside + self._sign(inside)
        return outside + self._quotient(inside, Polynomial.of(by), bounds)

    def _sign(self, integer: Polynomial) -> Polynomial:
        """-1 if the integer is negative, else 0: one symbol, also for what a sign is added to. A
        quotient has the sign of its dividend."""
        inner = integer.alone
        if isinstance(inner, Quotient) and (inner.divisor.constant or 0) > 0:
            return self._sign(inner.dividend)
        for symbol in filter(is_sign, integer.symbols):
            own = Polynomial.of(symbol)
            if integer - own == symbol.dividend:
                return own
        low, high = range_of(integer)
        by = 1 << max(-int(low) - 1, int(high)).bit_length()
        return self._quotient(integer, Polynomial.of(by), (-1, 0))

    def _quotient(
        self,
        dividend: Polynomial,
        divisor: Polynomial,
        ends: tuple[Number, Number],
        limit: Number = inf,
        shifted: bool = False,
    ) -> Polynomial:
        key = (dividend, divisor, ends, limit, shifted)  # division by 0 depends on the type
        if key not in self.made:
            serial = len(self.made) + 1
            self.made[key] = made = Quotient(dividend, divisor, ends, serial, limit, shifted)
            if divisor.range()[0] <= 0 and not shifted:
                self.quotients.add(made)
            for part in unwrapped(divisor).symbols:
                if isinstance(part, Quotient) and not part.divides:
                    part.divides = True
                    self.parts_of_launch |= quotients_in(part) if of_launch(part) else {}
        return Polynomial.of(self.made[key])

    def remainder(
        self,
        dividend: Polynomial,
        divisor: Polynomial,
        least: Number,
        most: Number,
        shifted: bool = False,
    ) -> Polynomial:
        """What that division leaves, a word from ``least`` to ``most``."""
        q = self.quotient(dividend, divisor, least, most, shifted)
        if divisor.range()[0] > 0 or not isinstance(q.alone, Quotient):
            return dividend - divisor * q
        return self._left(q, least, most)

    def difference(self, quotient: Quotient) -> Difference:
        """The integer of a word that is dividend - divisor*quotient."""
        key = ("-", quotient)
        if key not in self.made:
            ends = quotient.low, quotient.high
            self.made[key] = Difference(quotient, ends, len(self.made) + 1)
        found = self.made[key]
        assert isinstance(found, Difference)
        return found

    def left(self, width: int, polynomial: Polynomial) -> Polynomial:
        """The polynomial of a word with what a division leaves as one symbol, in place of dividend
        - divisor*quotient, or back where that is shorter: equal modulo 2**width. What is left is
        often divided again, which would have more factors each time."""
        parts = {s.quotient if isinstance(s, Difference) else s for s in polynomial.symbols}
        for quotient in sorted(self.quotients.intersection(parts), key=order, reverse=True):
            if (quotient.low, quotient.high) != type_range(width, quotient.low < 0):
                continue
            own = Polynomial.of(quotient)
            product = congruent(quotient.divisor, width) * own
            whole = congruent(quotient.dividend, width)
            symbol = self.difference(quotient)
            zero = whole - product - Polynomial.of(symbol)
            found = [polynomial, *without(polynomial, (symbol,), zero)]
            for leading in product.terms:
                found += without(polynomial, leading, zero)
            results = {quotient, symbol}
            polynomial = min(found, key=lambda one: (about(one, results), *size(one)))
        return polynomial

    def _left(self, quotient: Polynomial, least: Number, most: Number) -> Polynomial:
        of = quotient.alone
        assert isinstance(of, Quotient)
        key = ("%", of, least, most)
        if key not in self.made:
            self.made[key] = Remainder(of, (least, most), len(self.made) + 1)
        return Polynomial.of(self.made[key])

    def either(self, result: Quotient | Remainder) -> Polynomial:
        """The result of the same division by another instruction where the divisor may be 0: what
        that gives is not specified, so the two may differ. All else is the same."""
        of = result.quotient if isinstance(result, Remainder) else result
        if of.divisor.range()[0] > 0 or not isinstance(most := of.dividend.range()[1], int):
            return Polynomial.of(result)
        quotient = self._quotient(
            of.dividend, of.divisor, (of.low, of.high), min(most, of.limit), of.shifted
        )
        if of is result:
            return quotient
        if isinstance(result, Difference) and isinstance(quotient.alone, Quotient):
            return Polynomial.of(self.difference(quotient.alone))
        return self._left(quotient, result.low, result.high)

    def greatest(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """max(x, y), written as max(x - c, y - c) + c with a constant that leaves one of them
        without. A minimum is minus the maximum of the negated, so both are one symbol. Of nested
        ones, what is never the greatest is left out: max(x + 1, max(x, y)) is max(x + 1, y)."""
        if x.constant is not None:
            x, y = y, x
        elif y.constant is None:
            x, y = sorted((x, y), key=lambda one: in_order(one - one.terms.get((), 0)))
        shift = y.terms.get((), 0)
        for one, other in ((x, y), (y, x)):
            if dominates(one, other):
                return one
            inner = (other - other.terms.get((), 0)).alone
            if isinstance(inner, Choice) and inner.greatest:
                more = other - Polynomial.of(inner)
                first, second = (case.polynomial + more for case in inner.cases)
                if dominates(first, one) or dominates(second, one):
                    return other
                if dominates(one, first) or dominates(one, second):
                    return self.greatest(one, second if dominates(one, first) else first)
        return self.choice("max", (Case(x - shift), Case(y - shift)), True) + shift

    def common_bits(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """The bits that two words of one width have in common, of which these are the unsigned
        integers. A mask 2**n - 1 keeps what a division by 2**n leaves, -2**n the bits above."""
        if apart_by_power(x, y) or apart_by_power(y, x):
            return Polynomial.of(0)
        for mask, word in ((read_from(x), y), (read_from(y), x)):
            most = word.range()[1]
            if isinstance((mask + 1).alone, PowerOfTwo):
                return self.remainder(word, mask + 1, 0, most, shifted=True)
            if isinstance((-mask).alone, PowerOfTwo):
                return -mask * self.quotient(word, -mask, 0, most, shifted=True)
        one, other = sorted((x, y), key=in_order)
        key = ("&", one, other)
        if key not in self.made:
            self.made[key] = CommonBits(one, other, len(self.made) + 1)
        return Polynomial.of(self.made[key])

    def power_of_two(self, exponent: Polynomial) -> Polynomial:
        """The power of two of an exponent: 2**(n + 3) is 8*2**n where n is not negative. Either
        leaves no bit of a word where the exponent is too high."""
        number = exponent.constant
        if number is not None or exponent.range()[0] >= HIGHEST_EXPONENT:
            return Polynomial.of(two_to_the(HIGHEST_EXPONENT if number is None else number))
        more = int(min(max(exponent.terms.get((), 0), 0), HIGHEST_EXPONENT))
        if more and (exponent - more).range()[0] >= 0:
            return self.power_of_two(exponent - more).scaled(1 << more)
        if exponent not in self.powers:
            self.powers[exponent] = PowerOfTwo(exponent, len(self.made) + len(self.powers) + 1)
        return Polynomial.of(self.powers[exponent])

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
            made = Choice(name, cases, greatest, self.rank, len(self.made) + 1, within)
            self.made[key] = made
            self.clamped |= made.parts if greatest else frozenset()
        return Polynomial.of(self.made[key])

    def by_power(self, width: int, division: PowerDivision, always: bool) -> ModularPolynomial:
        """The result of a division by a power of two, or 0; the divisor is ``always`` one, or just
        here."""
        x, y = self.divided(width, division)
        make = self.quotient if division.part is DivisionPart.QUOTIENT else self.remainder
        made = make(x, y, 0, x.range()[1], True)
        if always and isinstance(made.alone, Remainder):
            self.single_bits[width, made.alone] = division.mask + 1
        whole = division.part is DivisionPart.MULTIPLE
        return self.word(width, division.dividend - made if whole else made)

    def divides(self, width: int, division: PowerDivision, word: Polynomial) -> bool:
        """True if the word is the result of the division by a number that is not 0: the quotient,
        or what it leaves, in either way of writing that."""
        if division.part is DivisionPart.MULTIPLE:
            return False
        ends = type_range(width, signed=False)
        x, y = self.divided(width, division)
        quotient = self.quotient(x, y, *ends)
        alike = [quotient]
        if division.part is DivisionPart.REMAINDER:
            left = self.left(width, division.dividend - (division.mask + 1) * quotient)
            alike = [self.remainder(x, y, *ends), left]
        return any(self.word(width, one).polynomial == word for one in alike)

    def divided(self, width: int, division: PowerDivision) -> tuple[Polynomial, Polynomial]:
        """The unsigned integers of the dividend and the divisor."""
        dividend, divisor = division.dividend, division.mask + 1
        return self.interpret(width, False, dividend), self.interpret(width, False, divisor)

    # --- symbols replaced

    def rewritten(
        self, polynomial: Polynomial, by: Mapping[Symbol, Polynomial]
    ) -> Polynomial | None:
        """The polynomial with polynomials substituted for symbols, also inside interpretations,
        quotients and maxima. None if a symbol that contains a replaced one cannot be rebuilt."""
        return self._rewritten(polynomial, Rewriting(by, equal=False, done={}))

    def respelt(self, polynomial: Polynomial, by: Mapping[Symbol, Polynomial]) -> Polynomial:
        """The same with equal polynomials: symbols that cannot be rebuilt stay."""
        return self.respelling(by)(polynomial)

    def respelling(self, by: Mapping[Symbol, Polynomial]) -> Callable[[Polynomial], Polynomial]:
        """``respelt`` for many polynomials, which share what becomes of a symbol."""
        rewriting = Rewriting(by, equal=True, done={})

        def respelt(polynomial: Polynomial) -> Polynomial:
            anew = self._replacements(polynomial, rewriting)
            return polynomial.replaced({s: spelt for s, spelt in anew if spelt is not None})

        return respelt

    def _rewritten(self, polynomial: Polynomial, rewriting: Rewriting) -> Polynomial | None:
        replaced: dict[Symbol, Polynomial] = {}
        for symbol, anew in self._replacements(polynomial, rewriting):
            if anew is None:
                return None
            replaced[symbol] = anew
        return polynomial.replaced(replaced)

    def _replacements(
        self, polynomial: Polynomial, rewriting: Rewriting
    ) -> Iterator[tuple[Symbol, Polynomial | None]]:
        """The symbols that change, each with what it becomes; None if it cannot be rebuilt."""
        by, equal, done = rewriting
        for symbol in sorted(polynomial.symbols, key=order):
            if symbol in by:
                yield symbol, by[symbol]
            elif not by.keys().isdisjoint(symbol.parts):
                if symbol not in done:
                    anew = self._anew(symbol, rewriting)
                    done[symbol] = settled(symbol, anew) if equal and anew is not None else anew
                yield symbol, done[symbol]

    def _anew(self, symbol: Symbol, rewriting: Rewriting) -> Polynomial | None:
        if isinstance(symbol, Interpretation):
            inner = self._rewritten(symbol.polynomial, rewriting)
            word = None if inner is None else self.word(symbol.width, inner).polynomial
            return None if word is None else self.interpret(symbol.width, symbol.signed, word)
        if isinstance(symbol, Difference):
            return self._difference_anew(symbol, rewriting)
        if isinstance(symbol, (Quotient, Remainder)):
            of = symbol.quotient if isinstance(symbol, Remainder) else symbol
            make = self.quotient if of is symbol else self.remainder
            dividend, divisor = (self._rewritten(p, rewriting) for p in (of.dividend, of.divisor))
            if dividend is None or divisor is None:
                return None
            if of.limit < inf:
                ends, limit, most = (of.low, of.high), of.limit, dividend.range()[1]
                if rewriting.equal and of.dividend.range()[1] <= limit and isinstance(most, int):
                    limit = max(limit, most)  # no dividend passed it
                quotient = self._quotient(dividend, divisor, ends, limit, of.shifted)
                return quotient if of is symbol else self._left(quotient, symbol.low, symbol.high)
            return make(dividend, divisor, symbol.low, symbol.high, of.shifted)
        if isinstance(symbol, Choice) and symbol.greatest:
            x, y = (self._rewritten(case.polynomial, rewriting) for case in symbol.cases)
            return None if x is None or y is None else self.greatest(x, y)
        if isinstance(symbol, PowerOfTwo):
            exponent = self._rewritten(symbol.exponent, rewriting)
            return None if exponent is None else self.power_of_two(exponent)
        if isinstance(symbol, CommonBits):
            x, y = (self._rewritten(word, rewriting) for word in (symbol.one, symbol.other))
            return None if x is None or y is None else self.common_bits(x, y)
        return None

    def _difference_anew(self, symbol: Difference, rewriting: Rewriting) -> Polynomial | None:
        of = symbol.quotient
        quotient = self._anew(of, rewriting)
        if quotient is not None and isinstance(quotient.alone, Quotient):
            return Polynomial.of(self.difference(quotient.alone))
        dividend, divisor = (self._rewritten(p, rewriting) for p in (of.dividend, of.divisor))
        if quotient is None or dividend is None or divisor is None:
            return None
        width = int(of.high - of.low).bit_length()
        return self.interpret(width, of.low < 0, dividend - divisor * quotient)

    def word(self, width: int, polynomial: Polynomial | None) -> ModularPolynomial:
        """The word with its coefficients reduced; unknown if it is too large."""
        if polynomial is None or len(polynomial.terms) > POLYNOMIAL_TERMS:
            self.too_large += polynomial is not None
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
            self.too_large += 1
            return ModularPolynomial(width, None)
        return ModularPolynomial(width, reduced)


def read_from(integer: Polynomial) -> Polynomial:
    """The polynomial of the word that the unsigned integer is read from."""
    of = integer.alone
    return of.polynomial if isinstance(of, Interpretation) and not of.signed else integer
