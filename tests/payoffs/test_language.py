"""What the language accepts, and the line at which it refuses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pricing_kernels.payoffs import (
    PayoffError,
    S,
    array,
    assets,
    by_date,
    dates,
    fold,
    let,
    maximum,
    mean,
    minimum,
    product,
    sqrt,
    sum,
    times,
    where,
)
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL

T = dates(4)
A = assets(3)

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: where(S(0) > 1, 10, False), "alternatives 10 and False have different types"),
    (lambda: where(S(0), 1, 0), r"the condition S\(0, 1\) is real, expected boolean"),
    (lambda: (S(0) > 1) + 1, r"in \(S\(0, 1\) > 1.0\) \+ 1: .* expected integer or real"),
    (lambda: (S(0) > 1) & S(1), "expected boolean"),
    (lambda: sqrt(S(0) > 1), r"in sqrt\(S\(0, 1\) > 1.0\): .* expected real"),
    (lambda: S(0) + "1.5x", "'1.5x' is no number and no expression"),
    (lambda: S(0) + 1e39, r"the constant 1e\+39 is beyond float32"),
    (lambda: S(0) > 10**400, "is no number and no expression"),
    (lambda: S(0) + float("nan"), "a constant is nan"),
    (lambda: 1 if S(0) > 1 else 0, "has no truth value while the payoff is written: use where"),
    (lambda: max(S(0), S(1)), "minimum and maximum"),
    (lambda: S(0) ** 0.5, "the exponent 0.5 is no integer from 1 to 64; write exp"),
    (lambda: S(-1), "the asset -1 is no number from 0 on"),
    (lambda: S(0, 1.5), r"the time 1.5 is not in \[0, 1\]: times are parts of the maturity"),
    (lambda: S(0, "now"), "the time 'now' is no number"),
    (lambda: sum(T, lambda t: S(0, t) - S(0, 0.5 * t)), r"the time 0.5 \* t\d+ is computed"),
    (lambda: times([]), "the set of times is empty"),
    (lambda: T.before(0.1), "the set of times is empty"),
    (lambda: times([0.0, 0.5]), r"the time 0 is not in \(0, 1\]"),
    (lambda: dates(0), "0 dates, expected an integer from 1 on"),
    (lambda: assets(2.5), "2.5 assets, expected an integer from 1 on"),
    (lambda: array(A, lambda a: array(A, lambda b: S(b))), "arrays hold no arrays"),
    (lambda: array(T, lambda t: S(0, t)), "an array is over assets, not Dates"),
    (lambda: array(assets(2), S)[2], "the array has no asset 2; it has: 0, 1"),
    (lambda: sum(3, lambda a: S(a)), "a fold is over assets or dates, not int"),
    (lambda: sum(T, lambda t: S(0, t) > 1), "is boolean: a fold takes numbers"),
    (lambda: fold([1], {"x": 0.0}, lambda s, a: s), "a fold is over assets or dates, not list"),
    (lambda: fold(T, {}, lambda s, t: {}), r"the initial values \{\} are no mapping from names"),
    (lambda: fold(A, {"x": 0}, lambda s, a: {"x": S(a)}), "begins as integer and becomes real"),
    (lambda: times("ab"), "the times 'ab' are no numbers"),
    (lambda: times(0.5), "the times 0.5 are no numbers"),
    (lambda: float(S(0)), "has no number while the payoff is written: use sqrt, exp"),
    (lambda: list(S(0)), "is one value: it cannot be iterated"),
    (lambda: (-2) ** S(0), "the base -2 is no positive number"),
    (lambda: fold(T, {"x": 0}, lambda s, t: {"x": s.x + S(0, t)}), "begins as integer and becomes"),
    (lambda: fold(T, {"x": 0}, lambda s, t: {"y": s.x}), "gives a mapping with: x"),
    (lambda: fold(T, {"x": 0}, lambda s, t: {"x": s.z}), "no accumulator z; it has: x"),
    (lambda: by_date(T, [1, 2, 3]), "3 known numbers, expected one for each of 4 dates"),
    (lambda: by_date(T, [1, 2, 3, S(0)]), "3 known numbers, expected one for each of 4 dates"),
    (lambda: by_date(T, range(4))[0.25], "are read at the date of a fold over them"),
    (lambda: sum(dates(2), lambda t: by_date(T, range(4))[t]), "at the date of a fold over them"),
    (lambda: let(S(0), lambda x: S(1) * 2), r"the value S\(0, 1\) of this let is never used"),
]  # fmt: skip


@pytest.mark.parametrize(("payoff", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_mistake_is_refused_at_its_line(payoff: Callable[[], Any], said: str) -> None:
    with pytest.raises(PayoffError, match=said) as refused:
        payoff()
    line = inspect.getsourcelines(payoff)[1]
    assert str(refused.value).startswith(f"{__file__}:{line}: "), refused.value


def test_the_types_of_values() -> None:
    assert S(0).type is REAL
    assert (S(0) > 1).type is BOOLEAN
    assert sum(T, lambda t: where(S(0, t) > 1, 1, 0)).type is INTEGER
    assert (sum(T, lambda t: where(S(0, t) > 1, 1, 0)) + 0.5).type is REAL
    assert (where(S(0) > 1, 1, 2) / where(S(0) > 1, 1, 2)).type is REAL
    assert where(S(0) > 1, S(0) > 2, S(0) > 3).type is BOOLEAN
    assert fold(T, {"x": 0.0}, lambda s, t: {"x": where(S(0, t) > 1, 1, 0)}).x.type is REAL


def test_an_integer_of_more_than_32_bits_is_a_real() -> None:
    assert (where(S(0) > 1, 1, 2) * 2**40).type is REAL
    assert (where(S(0) > 1, 1, 2) * (2**31 - 1)).type is INTEGER


def test_a_condition_that_python_knows_chooses_at_once() -> None:
    assert where(True, 1, S(0)) == 1


def test_a_node_reads_as_it_was_written() -> None:
    assert repr((S(0) - 100) / maximum(S(2), 1)) == "(S(0, 1) - 100.0) / maximum(S(2, 1), 1.0)"
    assert repr(where(S(0, 0.5) > 1, 1, 2)) == "where(S(0, 0.5) > 1.0, 1, 2)"
    assert repr(-(S(0) + S(1) * S(2))) == "-(S(0, 1) + (S(1, 1) * S(2, 1)))"


def test_a_fold_over_assets_is_written_out() -> None:
    """The second best of three, as a user's own fold."""
    best = fold(
        A,
        {"most": S(0) * 0, "next": 0.0},
        lambda s, a: {
            "most": maximum(s.most, S(a)),
            "next": maximum(s.next, minimum(s.most, S(a))),
        },
    )
    assert "minimum(maximum(S(0, 1) * 0.0, S(0, 1)), S(1, 1))" in best.next.shown(9)


def test_numbers_of_numpy_are_numbers() -> None:
    assert S(np.int64(2), np.float32(0.5)).shown() == "S(2, 0.5)"
    assert dates(np.int64(2)).times == (0.5, 1.0)
    assert repr(np.float64(100) - S(0)) == "100.0 - S(0, 1)"


def test_a_power_of_a_number() -> None:
    assert repr(2 ** S(0)) == "exp2(S(0, 1) * 1.0)"


def test_dates_split_at_a_time() -> None:
    assert T.before(0.5).times == (0.25,)
    assert T.since(0.5).times == (0.5, 0.75, 1.0)
    assert times([1, 0.5, 0.5]).times == (0.5, 1.0)


def test_folds_over_assets_are_written_out() -> None:
    assert re.fullmatch(r"\(S\(0, 1\) \+ S\(1, 1\)\) \+ S\(2, 1\)", repr(sum(A, S)))
    assert repr(product(assets(1), S)) == "S(0, 1)"
    assert repr(minimum(assets(2), S)) == "minimum(S(0, 1), S(1, 1))"
    assert repr(mean(assets(2), S)) == "(S(0, 1) + S(1, 1)) / 2.0"
