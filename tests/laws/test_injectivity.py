"""The theorem of ``analyses.races.injectivity``, held against every pair of small accesses."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from random import Random

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.races.injectivity import reach


def offsets(digits: list[tuple[int, int]]) -> list[int]:
    """One for each value of the digits."""
    values = product(*(range(greatest + 1) for _, greatest in digits))
    return [sum(f * d for (f, _), d in zip(digits, each, strict=True)) for each in values]


def share_a_byte(digits: list[tuple[int, int]], span: int) -> bool:
    return any(abs(one - other) < span for one, other in combinations(offsets(digits), 2))


def test_accesses_with_different_digits_share_no_byte() -> None:
    random, said = Random(1), Counter[bool]()
    for _ in range(3000):
        span = random.randint(1, 4)
        count = random.randint(1, 3)
        digits = [(random.randint(1, 24), random.randint(1, 3)) for _ in range(count)]
        end = reach(sorted(digits), span, lambda number: number >= 0)
        said[end is not None] += 1
        if end is not None:
            assert not share_a_byte(digits, span), (digits, span)
            assert end == max(offsets(digits)) + span
    assert min(said.values()) > 300


def test_each_factor_that_is_one_too_small_is_seen() -> None:
    """A factor of exactly what is below it will do, and one less makes accesses meet."""
    random = Random(2)
    for _ in range(300):
        span = end = random.randint(1, 4)
        digits = list[tuple[int, int]]()
        for _ in range(random.randint(1, 3)):
            digits.append((end, random.randint(1, 3)))
            end += digits[-1][0] * digits[-1][1]
        assert reach(digits, span, lambda number: number >= 0) == end
        digits[-1] = (digits[-1][0] - 1, digits[-1][1])
        assert share_a_byte(digits, span)
        assert reach(digits, span, lambda number: number >= 0) is None


def test_digits_of_polynomials_may_be_negative_only_where_that_is_no_harm() -> None:
    random, said = Random(3), Counter[bool]()
    for _ in range(1000):
        span, digits = random.randint(1, 3), list[tuple[int, int, int]]()
        for _ in range(random.randint(1, 3)):
            low = random.randint(-2, 0)
            digits.append((random.randint(1, 12), low, low + random.randint(1, 3)))
        terms = [(Polynomial.of(f), Polynomial.of(Symbol("d", *ends))) for f, *ends in digits]
        found = reach(terms, Polynomial.of(span), lambda p: p.range()[0] >= 0)
        said[found is not None] += 1
        if found is not None:
            assert not share_a_byte([(f, high - low) for f, low, high in digits], span), digits
    assert min(said.values()) > 100
