"""Defined symbols: integers that are operations on polynomials.

An interpretation, a quotient or a choice. A symbol has its operands; ``proofs.definitions`` derives
inequalities from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd, inf, prod
from typing import NamedTuple, TypeGuard

from analyses.budget import CHAIN, DEFINITION_PARTS
from analyses.polynomials.division import floor
from analyses.polynomials.formatting import bracketed, division_of, sum_of
from analyses.polynomials.polynomial import Monomial, Names, Number, Polynomial, Symbol, order
from analyses.program import Operand

FIRST_RANK = 64  # of symbols that a thread computes, beyond any depth of words of coordinates
HIGHEST_EXPONENT = 64  # of a power of two: no word has more bits


class Interpretation(Symbol):
    """The signed or unsigned integer of a word of ``width`` bits, which is ``polynomial`` modulo
    2**width."""

    __slots__ = ("polynomial", "signed", "width")

    def __init__(self, width: int, signed: bool, polynomial: Polynomial, serial: int) -> None:
        label, bounds = "s" if signed else "u", type_range(width, signed)
        super().__init__(label, *bounds, above(polynomial), serial, deep(polynomial))
        self.width, self.signed, self.polynomial = width, signed, polynomial

    def text(self, names: Names) -> str:
        return f"{self.label}{self.width}({sum_of(self.polynomial.terms, names)})"


class Quotient(Symbol):
    """floor(dividend / divisor) for a non-negative dividend or a positive constant divisor, and a
    non-zero divisor, where the dividend is at most ``limit``. Otherwise any number in its range,
    but none above 0 for a negative dividend and a positive divisor; 0 for a divisor of 0 if it is
    ``shifted``. It ``divides`` if something is divided by it, or by a product with it."""

    __slots__ = ("dividend", "divides", "divisor", "limit", "shifted")

    def __init__(
        self,
        dividend: Polynomial,
        divisor: Polynomial,
        bounds: tuple[Number, Number],
        serial: int,
        limit: Number = inf,
        shifted: bool = False,
    ) -> None:
        rank = max(above(dividend), above(divisor))
        super().__init__("//", *bounds, rank, serial, deep(dividend) | deep(divisor))
        self.dividend, self.divisor = dividend, divisor
        self.limit, self.shifted = limit, shifted
        self.divides = False

    def text(self, names: Names) -> str:
        return division_of(self.dividend.terms, self.divisor.terms, names)


def of_launch(symbol: Symbol) -> TypeGuard[Quotient]:
    """True if it is a part of a number that the launch decides, rounded down, that divides others:
    no bound has another number in its place."""
    if not isinstance(symbol, Quotient) or not symbol.divides or symbol.rank:
        return False
    return symbol.divisor.constant is not None and symbol.limit == inf


def is_sign(symbol: Symbol) -> TypeGuard[Quotient]:
    """True if it is -1 for a negative number and 0 for all others."""
    return isinstance(symbol, Quotient) and (symbol.low, symbol.high) == (-1, 0)


def settled(symbol: Symbol, equal: Polynomial) -> Polynomial:
    """The polynomial that a symbol is equal to; for a quotient by a number, the only number in both
    ranges if there is one: the sign of a word that is written as its polynomial, if that is not
    negative."""
    if not isinstance(symbol, Quotient) or (symbol.divisor.constant or 0) <= 0:
        return equal
    least, most = equal.range()
    low, high = max(symbol.low, least), min(symbol.high, most)
    return Polynomial.of(int(low)) if low == high else equal


def quotients_in(quotient: Quotient) -> dict[Quotient, None]:
    """The quotients that the quotient is made of, and itself, as it was made."""
    found = (part for part in sorted(quotient.parts, key=order) if isinstance(part, Quotient))
    return dict.fromkeys(found)


class LaunchQuotient(Symbol):
    """floor(dividend / divisor) of two polynomials that the launch decides, for a positive divisor:
    a launch with another one has no such number. Nothing follows from its definition unless the
    divisor is known to be positive, it only bounds other quotients."""

    __slots__ = ("dividend", "divisor")

    def __init__(self, dividend: Polynomial, divisor: Polynomial, serial: int) -> None:
        low, high = dividend.range()
        parts = deep(dividend) | deep(divisor)
        super().__init__("launch //", min(low, 0), max(high, 0), 0, serial, parts)
        self.dividend, self.divisor = dividend, divisor

    def text(self, names: Names) -> str:
        return division_of(self.dividend.terms, self.divisor.terms, names)


class Remainder(Symbol):
    """What a division by ``quotient.divisor`` leaves: dividend - divisor*quotient for a
    non-negative dividend and a positive divisor. Otherwise any number in its range: what a division
    by 0 leaves is not specified."""

    __slots__ = ("quotient",)

    def __init__(self, quotient: Quotient, bounds: tuple[Number, Number], serial: int) -> None:
        parts = quotient.parts | {quotient}
        super().__init__("%", *bounds, quotient.rank, serial, parts)
        self.quotient = quotient

    def text(self, names: Names) -> str:
        of = self.quotient
        return division_of(of.dividend.terms, of.divisor.terms, names, "%")


class Difference(Remainder):
    """The integer, in its range, of a word that was computed as dividend - divisor*quotient: it is
    that modulo the number of words, also where the division is not specified."""

    __slots__ = ()


class CommonBits(Symbol):
    """The bits that two words have in common, as an unsigned integer: ``one`` and ``other`` are
    those of the words. It has no bit that one of them has not, so it is not greater than either."""

    __slots__ = ("one", "other")

    def __init__(self, one: Polynomial, other: Polynomial, serial: int) -> None:
        high = min(one.range()[1], other.range()[1])
        rank = max(above(one), above(other))
        super().__init__("&", 0, high, rank, serial, deep(one) | deep(other))
        self.one, self.other = one, other

    def text(self, names: Names) -> str:
        words = (bracketed(sum_of(word.terms, names)) for word in (self.one, self.other))
        return f"({' & '.join(words)})"


class PowerOfTwo(Symbol):
    """2**exponent; 1 for a negative exponent, and 2**64 for one above 64, of which no word has a
    bit. ``limited`` if the exponent is below 64 where no word in it wraps."""

    __slots__ = ("exponent", "limited")

    def __init__(self, exponent: Polynomial, serial: int) -> None:
        low, high = (two_to_the(end) for end in exponent.range())
        super().__init__("**", low, high, above(exponent), serial, deep(exponent))
        self.exponent = exponent
        self.limited = unwrapped(exponent).range()[1] < HIGHEST_EXPONENT

    def text(self, names: Names) -> str:
        exponent = sum_of(self.exponent.terms, names)
        return f"2**{exponent if self.exponent.alone else f'({exponent})'}"


def two_to_the(exponent: Number) -> int:
    """The value of a ``PowerOfTwo``."""
    return 1 << int(min(max(exponent, 0), HIGHEST_EXPONENT))


class Case(NamedTuple):
    """The integer is ``polynomial`` if ``condition`` is ``truth``, or on an ``edge`` from one block
    to another."""

    polynomial: Polynomial
    condition: Operand | None = None
    truth: bool = True
    edge: tuple[int, int] | None = None


class Choice(Symbol):
    """One of several integers, or the ``greatest`` of them, ``within`` a range."""

    __slots__ = ("cases", "greatest")

    def __init__(
        self,
        label: str,
        cases: tuple[Case, ...],
        greatest: bool,
        rank: int,
        serial: int,
        within: tuple[Number, Number] = (-inf, inf),
    ) -> None:
        ranges = [case.polynomial.range() for case in cases]
        low = max(within[0], (max if greatest else min)(low for low, _ in ranges))
        high = min(within[1], max(high for _, high in ranges))
        if greatest:  # no less than what the cases are on the average: max(x, -x) is no less than 0
            together = sum((case.polynomial for case in cases), Polynomial.of(0)).range()[0]
            low = max(low, -floor(-together, len(cases)))
        rank = max(0 if greatest else rank, *(above(case.polynomial) for case in cases))
        parts = frozenset[Symbol]().union(*(deep(case.polynomial) for case in cases))
        super().__init__(label, low, high, rank, serial, parts)
        self.cases, self.greatest = cases, greatest

    def text(self, names: Names) -> str:
        cases = (sum_of(case.polynomial.terms, names) for case in self.cases)
        return f"{self.label}({', '.join(cases)})"


def selected(
    by: Operand, x: Polynomial, y: Polynomial
) -> tuple[Polynomial, int, tuple[Case, Case]]:
    """The rest, the factor and the cases of ``by ? x : y`` as ``rest + factor*choice``: if they
    differ by a constant the choice is that of 1 or 0, one symbol for all that the predicate
    decides so."""
    more = (x - y).constant
    if more is None:
        return Polynomial.of(0), 1, (Case(x, by), Case(y, by, False))
    return y, more, (Case(Polynomial.of(1), by), Case(Polynomial.of(0), by, False))


class Remainders(NamedTuple):
    """``whole`` is ``rest`` and remainders, all together in the range ``ends``."""

    whole: Polynomial
    rest: Polynomial
    ends: tuple[Number, Number]


def divisor_of(monomial: Monomial) -> int:
    """A number that divides the product of symbols: the interpretation of a word is a multiple of
    any power of two, up to that of its width, that all terms of its polynomial are multiples of."""
    words = (symbol for symbol in monomial if isinstance(symbol, Interpretation))
    return prod(gcd(1 << word.width, *word.polynomial.terms.values()) for word in words)


def remainders(width: int, polynomial: Polynomial) -> Remainders:
    """The polynomial, or one that equals it modulo 2**width, in which each ``x - d*(x//d)`` lies in
    [0, d). If the dividend is the interpretation of a word then so is the remainder's first part,
    be it written as the interpretation or as the polynomial of the word. It may be a quotient too:
    ``x//a - d*(x//(a*d))`` lies in [0, d), for that is (x//a)//d."""
    whole = rest = polynomial
    low = high = 0
    quotients = sorted((s for s in polynomial.symbols if isinstance(s, Quotient)), key=order)
    for symbol in quotients:
        for inner, dividend, by in parts_of(symbol, width, quotients):
            times, odd = divmod(-rest.terms.get((symbol,), 0), by)
            if odd or not times:
                continue
            left = rest.plus(inner - Polynomial.of(symbol).scaled(by), -times)
            if len(left.terms) < len(rest.terms):
                whole, rest = whole.plus(dividend - inner, times), left
                low, high = low + min(0, times * (by - 1)), high + max(0, times * (by - 1))
                break
    least, most = rest.range()
    return Remainders(whole, rest, (least + low, most + high))


EXACT = 1 << 16  # bits: no interpretation is written as the polynomial of its word


def range_of_left(polynomial: Polynomial) -> tuple[Number, Number]:
    """The range of the polynomial, of which a part may be what a division leaves."""
    whole, _, ends = remainders(EXACT, polynomial)
    return ends if whole == polynomial else polynomial.range()


def by_sign(width: int, polynomial: Polynomial) -> Iterator[tuple[Polynomial, Number, Number]]:
    """The polynomial, or one that equals it modulo 2**width, and its range by the sign of a symbol
    in it: where ``x//d`` is 0 or -1, that says in which range x is, and each quotient of it by a
    number. A compiler divides by 2**k as ``(x - (2**k - 1)*(x//2**31)) >> k``, where x may stand as
    the polynomial of its word."""
    quotients = [symbol for symbol in polynomial.symbols if isinstance(symbol, Quotient)]
    for symbol in sorted(quotients, key=order):
        if not is_sign(symbol):
            continue
        x, by = symbol.dividend.alone, symbol.divisor.constant
        if x is None or by is None or symbol.limit < inf:
            continue
        whole = polynomial
        if isinstance(x, Interpretation) and x.width >= width and x not in polynomial.symbols:
            whole = polynomial - x.polynomial + Polynomial.of(x)
        parts = {x: 1} | {
            part: number
            for part in quotients
            if part.dividend.alone == x and (number := part.divisor.constant or 0) > 0
        }
        ranges = []
        for sign, least, most in ((-1, max(x.low, -by), -1), (0, 0, min(x.high, by - 1))):
            known = {part: (floor(least, of), floor(most, of)) for part, of in parts.items()}
            ranges.append(whole.range(known | {symbol: (sign, sign)}))
        yield whole, min(low for low, _ in ranges), max(high for _, high in ranges)


def parts_of(
    symbol: Quotient, width: int, others: Iterable[Quotient]
) -> Iterator[tuple[Polynomial, Polynomial, int]]:
    """The dividend and the divisor of the quotient: as written, and unwrapped."""
    by = symbol.divisor.constant
    if by is None or by <= 0:
        return
    for inner in meant(symbol.dividend, width):
        yield inner, symbol.dividend, by
    for other in others:
        first = other.divisor.constant
        if other.dividend == symbol.dividend and first and 0 < first < by and by % first == 0:
            yield Polynomial.of(other), Polynomial.of(other), by // first


def meant(integer: Polynomial, width: int) -> Iterator[Polynomial]:
    """Polynomials that are congruent to it modulo 2**width."""
    yield integer
    interpretation = integer.alone
    if isinstance(interpretation, Interpretation) and interpretation.width >= width:
        yield interpretation.polynomial


def above(polynomial: Polynomial) -> int:
    """A rank after all of its symbols; that of the launch, if all of them are launch symbols."""
    rank = max((symbol.rank for symbol in polynomial.symbols), default=0)
    return rank + 1 if rank else 0


def deep(polynomial: Polynomial) -> frozenset[Symbol]:
    """The symbols, and those in their definitions."""
    return polynomial.parts


def oversized(polynomial: Polynomial) -> bool:
    """True if its definition has more than DEFINITION_PARTS symbols. Scalar evolution replaces such
    a word by a symbol that is any number in the word's range: less follows from that, so it is
    sound. Along a chain of n words, each made of those before, all definitions together would have
    n**2 symbols."""
    if sum(len(symbol.parts) for symbol in polynomial.symbols) <= DEFINITION_PARTS:
        return False  # mostly, and without a union
    return len(polynomial.parts) > DEFINITION_PARTS


def spelt_out(polynomial: Polynomial) -> Polynomial:
    """With interpretations replaced as if they did not wrap."""
    interpretations = [s for s in polynomial.symbols if isinstance(s, Interpretation)]
    return polynomial.replaced(
        {interpretation: interpretation.polynomial for interpretation in interpretations}
    )


def words_in(polynomial: Polynomial) -> list[Polynomial]:
    """The polynomial, and those of the words in it."""
    words = sorted((s for s in polynomial.parts if isinstance(s, Interpretation)), key=order)
    return [polynomial, *(word.polynomial for word in words)]


def selects(symbol: Symbol) -> bool:
    """True if it is selected by a condition or by the incoming edge."""
    return isinstance(symbol, Choice) and not symbol.greatest


def splits_left(choice: Choice | Quotient, cases: int) -> int:
    """How often a goal may be split after it was by this choice, of so many times: a select of
    something or of another select counts as one with that, for such a chain has no more cases than
    selects. A long one does not."""
    each = choice.cases if isinstance(choice, Choice) else ()
    rest = ((case, case.polynomial - case.polynomial.terms.get((), 0)) for case in each)
    nested = [one.alone for case, one in rest if case.condition is not None]
    chain = sum(symbol is not None and selects(symbol) for symbol in nested) == 1
    return cases - (not chain or sum(map(selects, choice.parts)) > CHAIN)


def choices(polynomials: Iterable[Polynomial]) -> set[Choice]:
    """The choices in the polynomials, at any depth, but not those of an exponent that has a limit:
    that bounds a mask of so many bits."""
    parts = frozenset[Symbol]().union(*map(deep, polynomials))
    limited = [s.exponent for s in parts if isinstance(s, PowerOfTwo) and s.limited]
    found = {symbol for symbol in parts if isinstance(symbol, Choice)}
    return found.difference(*map(deep, limited))


def shifts_choice(polynomial: Polynomial) -> bool:
    """True if it is a word, selected by a condition, that is shifted right by what is no number, as
    the key of which a digit is read: a mask bounds that in each case."""
    return any(
        isinstance(of, Quotient)
        and of.rank > 0
        and isinstance(of.divisor.alone, PowerOfTwo)
        and any(map(selects, of.dividend.parts))
        for of in polynomial.symbols
    )


def decisions(goal: Polynomial) -> int:
    """The number of ways to decide choices in the goal: choices by one predicate, or at the same
    edges, are decided at once; a maximum is by itself."""
    found = choices((goal,))
    return len({c if c.greatest else frozenset(case[1:] for case in c.cases) for c in found})


def multiplied_signs(goal: Polynomial) -> set[Quotient]:
    """The quotients by a number that are one of two integers, as the sign of a number is 0 or -1,
    and that are multiplied in a goal, or in a word that it is made of: ``x + ((x >> 31) & n)``."""
    words = [s.polynomial for s in goal.parts if isinstance(s, Interpretation)]
    terms = (item for polynomial in (goal, *words) for item in polynomial.terms.items())
    products = [m for m, c in terms if len(m) > 1 or abs(c) & (abs(c) - 1)]
    found = (s for m in products for s in m if isinstance(s, Quotient) and s.limit == inf)
    return {s for s in found if s.high - s.low == 1 and (s.divisor.constant or 0) > 0}


def to_split_by(goal: Polynomial, known: Iterable[Polynomial]) -> Choice | Quotient | None:
    """The choice that a proof is split by: the youngest of the goal, or else of what is known, or
    else a sign that is multiplied in the goal; None if there is none."""
    found = choices((goal,)) or choices(known) or multiplied_signs(goal)
    return max(found, key=order, default=None)


def cases_of(choice: Choice | Quotient) -> tuple[Case, ...]:
    """The cases of a choice; those of a quotient that is one of two integers."""
    if isinstance(choice, Choice):
        return choice.cases
    return Case(Polynomial.of(int(choice.low))), Case(Polynomial.of(int(choice.high)))


def side_of(quotient: Quotient, case: Case) -> Polynomial:
    """What is not negative if a quotient by a number is this one of two integers."""
    from_here = quotient.dividend - quotient.divisor.scaled(int(quotient.high))
    return from_here if case.polynomial.constant == quotient.high else -from_here - 1


def unwrapped(polynomial: Polynomial) -> Polynomial:
    """With interpretations, also nested ones, replaced as if they did not wrap."""
    while (inner := spelt_out(polynomial)) is not polynomial:
        polynomial = inner
    return polynomial


def in_order(polynomial: Polynomial) -> list[tuple[list[tuple[int, int, str]], int]]:
    """A key that sorts polynomials, the same in every run."""
    return sorted(([order(symbol) for symbol in m], c) for m, c in polynomial.terms.items())


def type_range(width: int, signed: bool) -> tuple[int, int]:
    if signed:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def shifted_left(integer: Interpretation, by: int) -> int:
    """The power of two, at most ``by``, that a shorter word is multiplied by, if a quotient by
    ``by`` keeps all of that word, or 8, 16 or 32 bits, as a compiler extends a field of bits; else
    1."""
    if by & (by - 1) or by.bit_length() > integer.width:
        return 1
    factor = gcd(by, *integer.polynomial.terms.values())
    whole = factor == by or integer.width - by.bit_length() + 1 in (8, 16, 32)
    return factor if whole else 1


def divided_signed(integer: Interpretation, by: int) -> bool:
    """True if a part of the unsigned integer of a word is one of the signed integer, a quotient,
    less a part of 2**width if that is negative: a compiler shifts the upper half of a product, or a
    sign, without one."""
    quotient, whole = integer.polynomial.alone, 1 << integer.width
    if integer.signed or not isinstance(quotient, Quotient) or whole % by:
        return False
    return -whole // 2 <= quotient.low and quotient.high < whole // 2


def congruent(polynomial: Polynomial, width: int) -> Polynomial:
    """The polynomial, with those of interpretations that are equal modulo 2**width."""
    while wide := [
        s for s in polynomial.symbols if isinstance(s, Interpretation) and s.width >= width
    ]:
        polynomial = polynomial.replaced({symbol: symbol.polynomial for symbol in wide})
    return polynomial
