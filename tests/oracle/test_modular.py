"""Integers: the polynomial of every result is the concrete word, at all words of four bits.

Operands are polynomials over two symbols of various ranges; readings, quotients and choices are
evaluated by what they are said to mean. Where the machine leaves a result open (a division by 0),
nothing may be said of it but its range.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector, Lanes
from analyses.polynomials.division import reciprocal
from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    Choice,
    CommonBits,
    Interpretation,
    PowerOfTwo,
    Quotient,
    Remainder,
    remainders,
    type_range,
)
from analyses.polynomials.words import DivisionPart, ModularPolynomial
from analyses.program import Value

from .judge import AMOUNTS, Verdict
from .operators import CASES, Case

LANES = Lanes()
PREDICATE = Value("p", 1)
HIGHEST = 30  # exponent: a word of a few bits has no bit of such a power
CONSTANTS = (0, 1, 3, 6, 8, -1, -4)
TRIED = [case for case in CASES if "b" not in case.kinds]


class Points:
    """Every pair of numbers that two symbols can be, and both truth values, as long vectors."""

    def __init__(self, a: Symbol, b: Symbol) -> None:
        ranges = [range(int(s.low), int(s.high) + 1) for s in (a, b)]
        grid = np.meshgrid(*(np.array(r, np.int64) for r in (*ranges, range(2))), indexing="ij")
        first, second, truth = (axis.ravel() for axis in grid)
        self.numbers: dict[Symbol, Array] = {a: first, b: second}
        self.truth: Array = truth.astype(bool)
        self.open: Array = np.zeros(first.size, bool)  # where a result is left open
        self.strays: list[str] = []

    def value(self, polynomial: Polynomial) -> Array:
        total: Array = np.zeros(self.truth.size, np.int64)
        for monomial, factor in polynomial.terms.items():
            part = np.full(self.truth.size, factor, np.int64)
            for symbol in monomial:
                part = part * self.symbol(symbol)
            total = total + part
        return total

    def symbol(self, symbol: Symbol) -> Array:
        if symbol not in self.numbers:
            found = self.numbers[symbol] = self._meant(symbol)
            inside = (symbol.low <= found) & (found <= symbol.high) | self.open
            if not inside.all():
                where = int(np.argmin(inside))
                self.strays.append(
                    f"{symbol} is {found[where]}, not in {symbol.low}..{symbol.high}"
                )
        return self.numbers[symbol]

    def _meant(self, symbol: Symbol) -> Array:
        match symbol:
            case Interpretation():
                low, _ = type_range(symbol.width, symbol.signed)
                return (self.value(symbol.polynomial) - low) % (1 << symbol.width) + low
            case Quotient():
                dividend, divisor = self.value(symbol.dividend), self.value(symbol.divisor)
                if symbol.divisor.constant is None:
                    self.open |= (divisor <= 0) | (dividend < 0)
                down: Array = dividend // np.where(divisor == 0, 1, divisor)
                return down
            case Remainder():
                of = symbol.quotient
                part: Array = self.value(of.divisor) * self.symbol(of)
                return self.value(of.dividend) - part
            case PowerOfTwo():
                exponents = np.clip(self.value(symbol.exponent), 0, HIGHEST)
                power: Array = np.left_shift(1, exponents)
                return power
            case CommonBits():
                common: Array = self.value(symbol.one) & self.value(symbol.other)
                return common
            case Choice() if symbol.greatest:
                greatest: Array = np.max([self.value(c.polynomial) for c in symbol.cases], axis=0)
                return greatest
            case Choice():
                yes, no = (self.value(case.polynomial) for case in symbol.cases)
                chosen: Array = np.where(self.truth == symbol.cases[0].truth, yes, no)
                return chosen
        raise AssertionError(symbol)


def symbols(width: int) -> Iterator[tuple[Symbol, Symbol]]:
    """Of both types in full, and narrower."""
    signed, unsigned = type_range(width, True), type_range(width, False)
    for first, second in ((signed, unsigned), (unsigned, (1, 5)), ((0, 6), signed), ((-3, 4),) * 2):
        yield Symbol("a", *first, 0, 1), Symbol("b", *second, 0, 2)


def operands(kind: str, width: int, own: Symbol, other: Symbol) -> list[ModularPolynomial]:
    if kind == "p":
        return [ModularPolynomial(1, None, PREDICATE)]
    a, b = Polynomial.of(own), Polynomial.of(other)
    if kind == "n":
        return [ModularPolynomial(32, p) for p in (*map(Polynomial.of, AMOUNTS), a)]
    integers = ModularPolynomials(lambda name, width: None)
    shapes = [a, a.scaled(2) + 1, a.scaled(4), -a, a + b, *map(Polynomial.of, CONSTANTS)]
    return [integers.word(width, shape) for shape in shapes]


def word(points: Points, operand: ModularPolynomial) -> BitVector:
    if operand.operand is not None:
        return BitVector(1, points.truth)
    assert operand.polynomial is not None
    return BitVector.of(operand.width, points.value(operand.polynomial))


def judge(case: Case, width: int, tally: Verdict) -> Iterator[str]:
    """What is wrong with a case at a width."""
    for a, b in symbols(width):
        sides = [
            operands(kind, width, *((a, b) if place == 0 else (b, a)))
            for place, kind in enumerate(case.kinds)
        ]
        for choice in product(*sides):
            yield from one(case, width, choice, Points(a, b), tally)


def one(
    case: Case, width: int, choice: tuple[ModularPolynomial, ...], points: Points, tally: Verdict
) -> Iterator[str]:
    found = case.apply(ModularPolynomials(lambda name, width: None), width, *choice)
    words = [word(points, operand) for operand in choice]
    truth = case.apply(LANES, width, *words)
    shown = f"{case} at {width} bits ({', '.join(str(c.polynomial) for c in choice)})"
    if found.width != truth.width:
        yield f"{shown} has {found.width} bits"
    yield from by_powers(found, truth, points, shown)
    if found.polynomial is None:
        return
    claimed = points.value(found.polynomial) % (1 << found.width)
    wrong = (claimed != truth.unsigned.astype(np.int64)) & ~points.open
    if case.partial:
        wrong |= (np.broadcast_to(words[1].unsigned, wrong.shape) == 0) & ~points.open
    tally.checks += int(np.count_nonzero(~points.open))
    tally.losses += int(np.count_nonzero(wrong))
    if wrong.any():
        where = int(np.argmax(wrong))
        at = ", ".join(str(int(w.unsigned[where % w.bits.size])) for w in words)
        yield f"{shown} is not {found.polynomial} at {at}"
    yield from points.strays


def by_powers(
    found: ModularPolynomial, truth: BitVector, points: Points, shown: str
) -> Iterator[str]:
    """What is wrong with what a word is for divisors that are powers of two, or 0."""
    if found.ones is not None and found.ones.polynomial is not None:
        counted = points.value(found.ones.polynomial) % (1 << found.ones.width)
        if [int(n).bit_count() for n in counted] != truth.unsigned.astype(np.int64).tolist():
            yield f"{shown} does not count the ones of {found.ones.polynomial}"
    whole = 1 << found.width
    for division in found.by_power:
        x = points.value(division.dividend) % whole
        d = (points.value(division.mask) + 1) % whole
        power = d & (d - 1) == 0
        by = np.where(d == 0, 1, d)
        meant = {
            DivisionPart.QUOTIENT: np.where(d == 0, 0, x // by),
            DivisionPart.REMAINDER: np.where(d == 0, x, x % by),
            DivisionPart.MULTIPLE: np.where(d == 0, 0, x - x % by),
        }[division.part]
        word = np.broadcast_to(truth.unsigned.astype(np.int64), d.shape)
        if (power & (word != meant)).any():
            yield f"{shown} is not {division}"
        if division.tests and ((word == 0) != power).any():
            yield f"{shown} does not test {division}"


@pytest.mark.parametrize("case", TRIED, ids=str)
def test_results_are_their_polynomials(case: Case, tally: Verdict) -> None:
    widths = (4, 5) if len(case.kinds) == 1 else (4,)
    wrong = [text for width in widths for text in judge(case, width, tally)]
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.slow
@pytest.mark.parametrize("case", TRIED, ids=str)
def test_results_of_five_bits_are_their_polynomials(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 5, tally))
    assert not wrong, "\n".join(wrong[:5])


# --- powers of two that are no numbers


def by_power(of: Any, width: int, x: Any, n: Any, then: str) -> Any:
    """What a kernel does with the bits of a word below and from bit n on."""
    ones = of.const(width, -1)
    low = of.and_(x, of.not_(of.shl(ones, n)))
    high = of.shl(of.shr_u(x, n), of.add(n, of.const(32, 1)))
    bit = of.shl(of.const(width, 1), n)
    match then:
        case "cleared":
            return of.and_(of.shl(ones, n), x)
        case "put together again":
            return of.add(low, of.shl(of.shr_s(x, n), n))
        case "spread":
            return of.or_(high, low)
        case "spread and set":
            return of.or_(of.or_(high, low), bit)
        case "flipped":
            return of.xor(x, bit)
        case "set":
            return of.or_(bit, x)
        case "divided":
            return of.shr_u(low, of.sub(n, of.const(32, 1)))
    return low


def powered(then: str) -> Case:
    return Case("shl", "wn", lambda of, width, x, n: by_power(of, width, x, n, then), f" {then}")


POWERS = [
    "low",
    "cleared",
    "put together again",
    "spread",
    "spread and set",
    "flipped",
    "set",
    "divided",
]


@pytest.mark.parametrize("then", POWERS)
def test_bits_by_a_power_of_two_are_their_polynomials(then: str, tally: Verdict) -> None:
    before = tally.checks
    wrong = list(judge(powered(then), 4, tally))
    assert not wrong, "\n".join(wrong[:5])
    assert tally.checks > before, "no polynomial"


# --- division by a constant, as compilers write it


def test_a_product_with_a_reciprocal_is_a_division_wherever_it_says_so() -> None:
    found = {False: 0, True: 0}
    ends = [*((0, most) for most in (0, 1, 6, 15, 31, 63)), (-1, 1), (-8, 7), (-32, 31), (-5, 0)]
    for by, factor, (least, most) in product(range(1, 130), range(2, 40), ends):
        x = Polynomial.of(Symbol("x", least, most))
        dividend, divisor, signed = reciprocal(x.scaled(factor), by)
        if (dividend, divisor) != (x.scaled(factor), by):
            found[signed] += 1
            (times,) = dividend.terms.values()
            assert dividend == x.scaled(times)
            for n in range(least, most + 1):
                once = times * n - (signed and n < 0)
                assert factor * n // by == once // divisor, (factor, by, n)
    assert all(number > 1000 for number in found.values())


def signed_division(by: int, shift: int, shifted: str) -> Case:
    """The upper half of a product with a reciprocal, shifted, and one more if it is negative."""

    def apply(of: Any, width: int, a: Any, b: Any) -> Any:
        reciprocal = of.const(width, -(-(1 << (width + shift)) // by))
        high = of.mul_hi_s(of.add(a, b), reciprocal)
        down = getattr(of, shifted)(high, of.const(width, shift))
        return of.add(down, of.shr_u(high, of.const(width, width - 1)))

    return Case("mul_hi_s", "ww", apply, f" by {by}, {shifted} {shift}")


SIGNED = [
    signed_division(by, shift, shifted)
    for by, shift in [(3, 0), (5, 1), (6, 1), (7, 2), (9, 1), (10, 2), (12, 2)]
    for shifted in ("shr_s", "shr_u")
]


@pytest.mark.parametrize("case", SIGNED, ids=str)
def test_a_signed_division_is_what_the_machine_computes(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 6, tally))
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize(
    ("factor", "shift", "divisor"),
    [(0x55555556, 32, 3), (0x66666667, 33, 5), (0x66666667, 34, 10), (0x51EB851F, 37, 100)],
)
def test_the_signed_reciprocals_of_compilers_are_known(
    factor: int, shift: int, divisor: int
) -> None:
    x = Polynomial.of(Symbol("x", *type_range(32, signed=True)))
    assert reciprocal(x.scaled(factor), 2**shift) == (x, divisor, True)


@pytest.mark.parametrize(
    ("factor", "shift", "divisor"),
    [(0xAAAAAAAB, 33, 3), (0xCCCCCCCD, 34, 5), (0xCCCCCCCD, 35, 10), (0x51EB851F, 37, 100)],
)
def test_the_reciprocals_of_compilers_are_known(factor: int, shift: int, divisor: int) -> None:
    x = Polynomial.of(Symbol("x", 0, 2**32 - 1))
    assert reciprocal(x.scaled(factor), 2**shift) == (x, divisor, False)


# --- a remainder that is widened


def ringed(mask: int, widen: str, less: int) -> Case:
    """A place in a ring, and how far it is from another."""

    def apply(of: Any, width: int, a: Any, b: Any) -> Any:
        place = of.and_(a, of.const(width, mask))
        apart = of.sub(of.add(place, of.and_(b, of.const(width, 1))), of.const(width, less))
        return getattr(of, widen)(width + 3, apart)

    return Case("and_", "ww", apply, f" {mask}, {widen} less {less}")


RINGS = [ringed(*each) for each in product((1, 3, 6, 7, 12), ("zext", "sext"), (0, 1))]


@pytest.mark.parametrize("case", RINGS, ids=str)
def test_a_remainder_is_one_of_what_is_read(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 4, tally))
    assert not wrong, "\n".join(wrong[:5])


def test_a_remainder_needs_no_proof_to_fit() -> None:
    integers = ModularPolynomials(lambda name, width: None)
    place = integers.word(32, Polynomial.of(Symbol("at", *type_range(32, True), 8)) + 9)
    ring = integers.zext(64, integers.and_(place, integers.const(32, 63)))
    assert ring.polynomial is not None
    assert remainders(64, ring.polynomial).ends == (0, 63)
    assert not any(
        isinstance(symbol, Interpretation) and not symbol.signed
        for symbol in ring.polynomial.symbols
    )


# --- words that are put together from fields of bits


def field(first: int, second: int, shift: int, third: int) -> Case:
    """Some bits of one word with some of another, and then with more of the first moved up."""

    def apply(of: Any, width: int, a: Any, b: Any) -> Any:
        one, other = of.and_(a, of.const(width, first)), of.and_(b, of.const(width, second))
        moved = of.shl(of.and_(a, of.const(width, third)), of.const(8, shift))
        return of.or_(of.or_(one, other), moved)

    return Case("or_", "ww", apply, f" of {first}, {second} and {third} << {shift}")


FIELDS = [field(*each) for each in product((3, 9), (4, 12), (0, 2), (1, 3))]


@pytest.mark.parametrize("case", FIELDS, ids=str)
def test_fields_of_bits_are_the_words_they_make(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 4, tally))
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize(
    ("bit", "added"), [(4, True), (8, True), (16, False), (2, False), (12, True)]
)
def test_a_bit_that_no_field_has_is_added(bit: int, added: bool) -> None:
    integers = ModularPolynomials(lambda name, width: None)
    lane, block = Polynomial.of(Symbol("lane", 0, 3, 2)), Polynomial.of(Symbol("block", 0, 99, 1))
    word = integers.word(32, block.scaled(16) + lane)
    found = integers.or_(word, integers.const(32, bit)).polynomial
    assert (found == block.scaled(16) + lane + bit) is added


# --- a word that is nothing or all of another


def wrapped(shift: str) -> Case:
    """An index that counts from the end of ``b`` elements if it is negative, as Numba writes it."""

    def apply(of: Any, width: int, a: Any, b: Any) -> Any:
        sign = getattr(of, shift)(a, of.const(8, width - 1))
        return of.add(a, of.and_(sign, b))

    return Case("and_", "ww", apply, f" of a sign, {shift}")


@pytest.mark.parametrize("case", [wrapped("shr_s"), wrapped("shr_u")], ids=str)
def test_an_index_from_the_end_is_what_it_means(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 4, tally))
    assert not wrong, "\n".join(wrong[:5])


# --- a division by a power of two


def test_a_shift_by_the_ones_below_a_power_of_two_is_a_division() -> None:
    """Also a mask, one that clears low bits, and the test that a number is a power of two: for all
    words of four bits."""

    def shifted(of: Any, width: int, a: Any, b: Any) -> Any:
        return of.shr_u(a, of.popc(of.sub(b, of.const(width, 1))))

    def masked(of: Any, width: int, a: Any, b: Any) -> Any:
        return of.and_(of.sub(b, of.const(width, 1)), a)

    def cleared(of: Any, width: int, a: Any, b: Any) -> Any:
        return of.and_(a, of.sub(of.const(width, 0), b))

    def tested(of: Any, width: int, a: Any, b: Any) -> Any:
        return masked(of, width, b, b)

    integers = ModularPolynomials(lambda name, width: None)
    for a, b in symbols(4):
        points, words = Points(a, b), [Polynomial.of(a), Polynomial.of(b)]
        for apply, part in (
            (shifted, DivisionPart.QUOTIENT),
            (masked, DivisionPart.REMAINDER),
            (cleared, DivisionPart.MULTIPLE),
            (tested, DivisionPart.REMAINDER),
        ):
            found = apply(integers, 4, *(integers.word(4, one) for one in words))
            truth = apply(LANES, 4, *(BitVector.of(4, points.value(one)) for one in words))
            by_b = [one for one in found.by_power if one.mask == words[1] - 1]
            division = next(one for one in by_b if one.part is part)
            assert any(one.tests for one in found.by_power) == (apply is tested)
            assert not list(by_powers(found, truth, points, apply.__name__))
            result = integers.by_power(4, division, always=True).polynomial
            assert result is not None
            d = (points.value(division.mask) + 1) % 16
            same = points.value(result) % 16 == truth.unsigned.astype(np.int64)
            assert (same | (d & (d - 1) != 0) | (d == 0)).all()


# --- words that are their polynomials


def test_a_word_that_is_a_polynomial_which_is_not_negative_has_no_sign() -> None:
    """But it may have one if the polynomial is of another iteration: nothing is said of that."""
    integers, n = ModularPolynomials(lambda name, width: None), Symbol("n", 0)
    word = integers.interpret(32, True, Polynomial.of(n)).alone
    assert word is not None
    sign, by = integers.quotient(Polynomial.of(word), Polynomial.of(2**31)), Polynomial.of(n)
    assert integers.respelt(sign, {word: by}) == Polynomial.of(0)
    assert integers.rewritten(sign, {word: by}) == integers.quotient(by, Polynomial.of(2**31))


def complemented(of: Any, width: int, a: Any, b: Any) -> Any:
    """A sum, complemented if it is negative: as compilers mirror an index at 0."""
    x = of.add(a, b)
    return of.xor(of.shr_s(x, of.const(width, width - 1)), x)


def test_a_word_is_complemented_by_its_sign(tally: Verdict) -> None:
    before = tally.checks
    wrong = list(judge(Case("xor", "ww", complemented, " with the sign"), 6, tally))
    assert not wrong, "\n".join(wrong[:5])
    assert tally.checks > before, "no polynomial"
