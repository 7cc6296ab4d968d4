"""Expressions over arguments: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.polynomials.polynomial import Polynomial, Symbol
from ptxlint.contracts.expression import (
    RELATIONS,
    Expression,
    ExpressionError,
    Identifier,
    Number,
    Operation,
    conditions,
    interval,
    known,
    parse,
    polynomial,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096),
        ("0x40", 64),
        ("48KiB", 48 * 1024),
        ("2 MiB", 2 * 1024 * 1024),
        ("4kB", 4000),
        ("1 + 2*3", 7),
        ("(1 + 2)*3", 9),
        ("10 - 2 - 3", 5),
        ("7 // 2 * 2", 6),
        ("-7 // 2", -4),
        ("7 % 4", 3),
        ("2**31 - 1", 2**31 - 1),
        ("2**3**2", 512),
        ("-2**2", -4),
        ("min(3, 5, 4) + max(1, 2)", 5),
        ("4*n*m", 4 * 10 * 3),
        ("4*(n + m_param_0)", 4 * 17),
    ],
)
def test_value(text: str, value: int) -> None:
    names = {"n": 10, "m": 3, "m_param_0": 7}
    assert interval(parse(text), lambda name: (names[name],) * 2) == (value, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: expected a number, a name or '(', the text ends"),
        ("4*", "column 3: expected a number, a name or '(', the text ends"),
        ("4n", "column 2: expected an operator or the end, found 'n'"),
        ("(4", "column 3: expected ')', the text ends"),
        ("4)", "column 2: expected an operator or the end, found ')'"),
        ("min(1", "column 6: expected ')', the text ends"),
        ("max()", "column 5: expected a number, a name or '(', found ')'"),
        ("4Mb", "column 2: expected a unit (B, KiB, MiB, GiB, kB, MB, GB), found 'Mb'"),
        ("8/2", "column 2: '/', expected //"),
        ("4*n;", "column 4: ';' has no meaning here"),
        ("1//0", "column 4: the right side of // is 0"),
        ("1//(n-1)", "the right side of // must be positive, it may be 0"),
        ("2**65", "the right side of ** must be a number from 0 to 64"),
        ("2**64*2", "the value does not fit in 64 bits"),
        ("9" * 40, "column 1: the number is too large"),
        ("(" * 200, "column 51: nested more than 50 deep"),
        ("1+" * 300 + "1", "more than 200 operations in a row"),
        ("max(" + "1," * 2000 + "1)", "longer than 4000 characters"),
    ],
)
def test_error(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        interval(parse(text), lambda name: (1, 1))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "polynomial_"),
    [
        ("4*n", "4*n"),
        ("4*n*m + 2**4", "4*m*n + 16"),
        ("(n + 1)**2", "n*n + 2*n + 1"),
        ("n - n", "0"),
        ("min(n, 4)", None),
        ("n // 2", None),
        ("n % 2", None),
        ("other", None),
    ],
)
def test_polynomial(text: str, polynomial_: str | None) -> None:
    symbols = {name: Polynomial.of(Symbol(name)) for name in ("n", "m")}
    found = polynomial(parse(text), symbols.get, lambda symbol, parts: None)
    assert (None if found is None else str(found)) == polynomial_


@pytest.mark.parametrize(
    ("text", "n", "holds"),
    [
        ("n <= 4", 4, True),
        ("n < 4", 4, False),
        ("0 < n <= 4", 0, False),
        ("0 < n <= 4", 3, True),
        ("n % 4 == 0 and n != 8", 8, False),
        ("n % 4 == 0 and n != 8", 12, True),
        ("2*n >= n + 5", 5, True),
        ("n > 2**3 - 1", 7, False),
    ],
)
def test_conditions(text: str, n: int, holds: bool) -> None:
    assert all(c.holds(lambda name: n) for c in conditions(text)) is holds


@given(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from(sorted(RELATIONS)))
def test_what_is_known_of_a_condition_is_not_negative(n: int, m: int, relation: str) -> None:
    (condition,) = conditions(f"2*n {relation} m + 1")
    symbols = {name: Symbol(name) for name in ("n", "m")}
    found = known(condition, lambda name: Polynomial.of(symbols[name]), lambda s, parts: None)
    values = {symbols["n"]: n, symbols["m"]: m}
    met = all(fact.value(values.__getitem__) >= 0 for fact in found)
    if relation == "!=":
        return
    assert met is condition.holds({"n": n, "m": m}.__getitem__)


RANGES = {"n": (-3, 5), "m": (1, 4)}
leaves = st.one_of(st.integers(0, 9).map(Number), st.sampled_from(sorted(RANGES)).map(Identifier))
trees = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda symbol, left, right: Operation(symbol, (left, right)),
        st.sampled_from(["+", "-", "*", "//", "%", "min", "max"]),
        inner,
        inner,
    ),
    max_leaves=6,
)


@given(trees, st.integers(-3, 5), st.integers(1, 4))
def test_an_interval_holds_every_value(tree: Expression, n: int, m: int) -> None:
    try:
        low, high = interval(tree, RANGES.__getitem__)
    except ExpressionError:
        return
    values = {"n": n, "m": m}
    value, _ = interval(tree, lambda name: (values[name],) * 2)
    assert low <= value <= high
