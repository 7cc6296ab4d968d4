"""What a branch says of its operands: whatever is implied holds of all words of four bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest

from analyses.algebra import Algebra, FloatMode
from analyses.conditions import (
    MIRRORED,
    OUTCOMES,
    Compare,
    Complements,
    Fact,
    FloatTest,
    Formulas,
    Not,
    normal,
)
from analyses.lattice import NEGATED, Relation
from analyses.program import Constant, Operand, Value

WIDTH = 4
A, B, BOTH, ALL, TEST = (Value(name, 1 if name == "p" else WIDTH) for name in "abxyp")
ZERO, MINUS_ONE = Constant(WIDTH, 0), Constant(WIDTH, (1 << WIDTH) - 1)


class Definition:
    """An instruction that defines one name."""

    effects = None

    def __init__(self, name: Value, uses: Sequence[Operand], by: Callable[..., object]) -> None:
        self.defs, self.uses, self.by = (name,), tuple(uses), by

    def evaluate(self, algebra: Algebra[object], terms: Sequence[object]) -> tuple[object, ...]:
        return (self.by(algebra, *terms),)


UNIONS = (
    Definition(BOTH, (A, B), lambda algebra, a, b: algebra.or_(a, b)),
    Definition(ALL, (BOTH, A), lambda algebra, a, b: algebra.or_(a, b)),
)
TESTS: dict[str, tuple[Operand, Operand]] = {
    "x < 0": (BOTH, ZERO),
    "y < 0": (ALL, ZERO),
    "-1 < x": (MINUS_ONE, BOTH),
    "-1 < y": (MINUS_ONE, ALL),
    "0 < x": (ZERO, BOTH),
    "x < -1": (BOTH, MINUS_ONE),
}


def implied(test: str, truth: bool) -> list[Fact]:
    less = Definition(TEST, TESTS[test], lambda algebra, a, b: algebra.lt_s(a, b))
    known = {one.defs[0]: one for one in (*UNIONS, less)}
    return Formulas(known.get).implied(TEST, truth)  # type: ignore[arg-type]


def signed(word: int) -> int:
    return word - (word >> (WIDTH - 1) << WIDTH)


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("test", TESTS)
def test_what_is_implied_holds(test: str, truth: bool) -> None:
    facts = implied(test, truth)
    for a, b in product(range(1 << WIDTH), repeat=2):
        words = {A: a, B: b, BOTH: a | b, ALL: a | b}

        def of(operand: Operand, words: dict[Value, int] = words) -> int:
            return operand.bits if isinstance(operand, Constant) else words[operand]  # type: ignore[index]

        low, high = TESTS[test]
        if (signed(of(low)) < signed(of(high))) is truth:
            for left, relation, right in facts:
                if TEST not in (left, right):
                    smaller = signed(of(left)) < signed(of(right))
                    assert smaller or (relation == "le_s" and of(left) == of(right))


@pytest.mark.parametrize(
    ("test", "truth"), [("x < 0", False), ("y < 0", False), ("-1 < y", True), ("0 < x", True)]
)
def test_neither_of_two_words_is_negative_if_their_union_is_not(test: str, truth: bool) -> None:
    facts = implied(test, truth)
    assert (ZERO, "le_s", A) in facts
    assert (ZERO, "le_s", B) in facts


@pytest.mark.parametrize(("test", "truth"), [("x < 0", True), ("x < -1", False)])
def test_a_union_that_may_be_negative_says_nothing_of_its_parts(test: str, truth: bool) -> None:
    assert not any(operand in (A, B) for a, _, b in implied(test, truth) for operand in (a, b))


HIGH = Value("h", WIDTH)


def implied_by_bits(mask: int, truth: bool) -> list[Fact]:
    """What ``((a | b) | a) & mask == 0`` implies."""
    masked = Definition(
        HIGH, (ALL, Constant(WIDTH, mask)), lambda algebra, a, b: algebra.and_(a, b)
    )
    equal = Definition(TEST, (HIGH, ZERO), lambda algebra, a, b: algebra.eq(a, b))
    known = {one.defs[0]: one for one in (*UNIONS, masked, equal)}
    return Formulas(known.get).implied(TEST, truth)  # type: ignore[arg-type]


@pytest.mark.parametrize("mask", range(1, 1 << WIDTH))
def test_words_whose_union_has_no_high_bits_are_less(mask: int) -> None:
    said = [fact for fact in implied_by_bits(mask, True) if fact[0] in (A, B)]
    ends = {right.bits for _, relation, right in said if relation == "lt_u"}  # type: ignore[union-attr]
    assert len(ends) == (mask in (0b1000, 0b1100, 0b1110, 0b1111))
    for a, b in product(range(1 << WIDTH), repeat=2):
        if not (a | b) & mask:
            assert all({A: a, B: b}[left] < end for left, *_ in said for end in ends)  # type: ignore[index]


def test_words_whose_union_has_high_bits_may_have_any() -> None:
    assert not any(left in (A, B) for left, *_ in implied_by_bits(0b1100, False))


@pytest.mark.parametrize("number", range(1 << WIDTH))
@pytest.mark.parametrize("mask", range(1 << WIDTH))
def test_a_word_some_bits_of_which_are_not_the_numbers_is_not_the_number(
    mask: int, number: int
) -> None:
    """It is said where the number has no other bits."""
    bits, constant = (
        Definition(HIGH, (A, Constant(WIDTH, mask)), lambda algebra, a, b: algebra.and_(a, b)),
        Constant(WIDTH, number),
    )
    equal = Definition(TEST, (HIGH, constant), lambda algebra, a, b: algebra.eq(a, b))
    known = {one.defs[0]: one for one in (bits, equal)}
    facts = Formulas(known.get).implied(TEST, False)  # type: ignore[arg-type]
    assert ((A, "ne", constant) in facts) == (number & mask == number)
    if (A, "ne", constant) in facts:
        assert all(a != number for a in range(1 << WIDTH) if a & mask != number)


HALF, LESS = Value("f", 16), Value("p", 1)
LEAST, INFINITY = 0x0400, 0x7C00


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("number", [0, 1, LEAST - 1, LEAST, 0x3C00, INFINITY, INFINITY + 1, 0xBC00])
def test_the_bits_of_a_float_are_ordered_as_it_is(
    number: int, first: bool, truth: bool, flushed: bool
) -> None:
    words = np.arange(1 << 16, dtype=np.uint16)
    floats, bound = words.view(np.float16), np.uint16(number).view(np.float16)
    if flushed:
        floats = np.where(abs(floats) < 2.0**-14, np.float16(0), floats)
        bound = np.float16(0) if abs(bound) < 2.0**-14 else bound
    uses = (Constant(16, number), HALF) if first else (HALF, Constant(16, number))
    mode = FloatMode(ftz=flushed)
    less = Definition(LESS, uses, lambda algebra, a, b: algebra.flt(a, b, mode))
    facts = Formulas({LESS: less}.get).implied(LESS, truth)  # type: ignore[arg-type]
    said = [fact for fact in facts if LESS not in fact]
    assert bool(said) == (LEAST <= number <= INFINITY and first is truth)
    there = words[((bound < floats) if first else (floats < bound)) == truth]
    for left, relation, right in said:
        if right == HALF:
            assert left == Constant(16, number)
            assert (there > number if relation == "lt_u" else there >= number).all()
        else:
            assert (left, relation, right) == (HALF, "le_u", Constant(16, INFINITY))
            assert (there <= INFINITY).all()


SIZE = Value("s", 16)
SIGN, QUIET = 0x8000, 0x0200
ABSOLUTE: dict[str, Callable[..., object]] = {
    "its bits but for the sign": lambda one, a: one.and_(a, one.not_(one.const(16, SIGN))),
    "or NaN": lambda one, a: one.select(
        one.funordered(a, a), one.or_(a, one.const(16, QUIET)), one.and_(a, one.const(16, SIGN - 1))
    ),
}


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("number", [0, 1, LEAST - 1, LEAST, 0x3C00, INFINITY, INFINITY + 1, 0xBC00])
@pytest.mark.parametrize("way", ABSOLUTE)
def test_the_bits_of_a_float_of_known_size_have_a_range(
    way: str, number: int, first: bool, truth: bool, flushed: bool
) -> None:
    words = np.arange(1 << 16, dtype=np.uint16)
    sizes, bound = abs(words.view(np.float16)), np.uint16(number).view(np.float16)
    if flushed:
        sizes = np.where(sizes < 2.0**-14, np.float16(0), sizes)
        bound = np.float16(0) if abs(bound) < 2.0**-14 else bound
    uses = (Constant(16, number), SIZE) if first else (SIZE, Constant(16, number))
    mode = FloatMode(ftz=flushed)
    less = Definition(LESS, uses, lambda algebra, a, b: algebra.flt(a, b, mode))
    size = Definition(SIZE, (HALF,), ABSOLUTE[way])
    said = Formulas({LESS: less, SIZE: size}.get).magnitudes(LESS, truth)  # type: ignore[arg-type]
    there = words[((bound < sizes) if first else (sizes < bound)) == truth] & (SIGN - 1)
    ranges = [(least, most) for of, least, most in said if of == HALF]
    assert bool(ranges) == (LEAST <= number <= INFINITY)
    for least, most in ranges:
        assert ((there >= least) & (there <= most)).all()
        assert least == min(there, default=least)
        assert most == max(there, default=most)


P, Q, R, NEITHER = (Value(name, 1) for name in ("p1", "q1", "r1", "n1"))


@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("conjunction", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_a_predicate_has_a_value_in_just_one_of_its_ways(
    truth: bool, conjunction: bool, inner: bool
) -> None:
    connect = {True: lambda one, a, b: one.and_(a, b), False: lambda one, a, b: one.or_(a, b)}
    first = Definition(NEITHER, (P, Q), lambda one, a, b: one.not_(connect[inner](one, a, b)))
    whole = Definition(TEST, (NEITHER, R), connect[conjunction])
    formulas = Formulas({NEITHER: first, TEST: whole}.get)  # type: ignore[arg-type]
    for p, q, r in product((False, True), repeat=3):
        negated = not (p and q if inner else p or q)
        found = negated and r if conjunction else negated or r
        values = {P: p, Q: q, R: r, NEITHER: negated, TEST: found}
        met = [
            way
            for way in formulas.ways(TEST, truth)
            if all(values[one] is value for one, value in way)  # type: ignore[index]
        ]
        assert len(met) == (found is truth)


@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("negated", [False, True])
def test_two_predicates_differ_in_just_one_way(truth: bool, negated: bool) -> None:
    by = {True: lambda one, a, b: one.not_(one.xor(a, b)), False: lambda one, a, b: one.xor(a, b)}
    formulas = Formulas({TEST: Definition(TEST, (P, Q), by[negated])}.get)  # type: ignore[arg-type]
    for p, q in product((False, True), repeat=2):
        ways = formulas.ways(TEST, truth)
        met = [way for way in ways if all({P: p, Q: q}[one] is value for one, value in way)]  # type: ignore[index]
        assert len(ways) == 2
        assert len(met) == (((p is not q) is not negated) is truth)


SMALLER, NUMBER = Value("q", 1), Value("s", 1)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("truth", [True, False])
def test_a_predicate_differs_from_a_name_of_a_number(number: int, truth: bool) -> None:
    known = {
        one.defs[0]: one
        for one in (
            Definition(NUMBER, (Constant(1, number),), lambda _, a: a),
            Definition(SMALLER, (A, B), lambda algebra, a, b: algebra.lt_s(a, b)),
            Definition(TEST, (SMALLER, NUMBER), lambda algebra, a, b: algebra.xor(a, b)),
        )
    }
    facts = Formulas(known.get).implied(TEST, truth)  # type: ignore[arg-type]
    assert ((A, "lt_s", B) in facts) is (truth is not bool(number))
    assert (SMALLER, "eq", Constant(1, int(truth) ^ number)) in facts


def holds(fact: Fact, words: dict[Operand, int]) -> bool:
    a, relation, b = words[fact[0]], fact[1], words[fact[2]]
    if relation.endswith("s"):
        a, b = signed(a), signed(b)
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b}[relation[:2]]


@pytest.mark.parametrize("relation", NEGATED)
@pytest.mark.parametrize("denied", [False, True])
def test_a_comparison_is_its_normal_form_or_what_that_is_not(
    relation: Relation, denied: bool
) -> None:
    """Checked in all words of four bits."""
    meant = Not(Compare(relation, A, B)) if denied else Compare(relation, A, B)
    found = normal(meant)
    assert found is not None
    term, truth = found
    assert isinstance(term, Compare)
    assert term.relation in ("eq", "lt_s", "lt_u")
    for a, b in product(range(1 << WIDTH), repeat=2):
        word = {A: a, B: b}
        plain = holds((A, relation, B), word) is not denied
        assert plain is (holds((term.a, term.relation, term.b), word) is truth)


@pytest.mark.parametrize("outcomes", [{"<"}, {">", "=", "?"}, {"<", "="}, {"?"}])
def test_tests_of_floats_in_either_order_have_one_normal_form(outcomes: set[str]) -> None:
    mirrored = frozenset(MIRRORED[outcome] for outcome in outcomes)
    one, other = FloatTest(A, B, frozenset(outcomes)), FloatTest(B, A, mirrored)
    opposite = FloatTest(B, A, OUTCOMES - mirrored)
    assert normal(one) == normal(other)
    found, reverse = normal(one), normal(opposite)
    assert found is not None and reverse is not None
    assert (found[0], not found[1]) == reverse
    assert "?" not in found[0].outcomes  # type: ignore[union-attr]


def test_of_two_predicates_the_later_one_is_the_complement() -> None:
    less, not_less, elsewhere = (Value(name, 1) for name in "pqr")
    found: dict[Operand, Operand] = {}
    complements = Complements(found)
    for _ in range(2):  # a loop is evaluated again
        complements.add(1, less, Compare("lt_s", A, B))
        complements.add(1, not_less, Compare("le_s", B, A))
        complements.add(2, elsewhere, Compare("le_s", B, A))
    assert found == {not_less: less}
