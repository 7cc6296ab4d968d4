"""A portfolio in each layout has the same values, which are those of the closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pricing_kernels import portfolio
from pricing_kernels.build import BuildError
from pricing_kernels.gbm import Market, black_scholes
from pricing_kernels.layouts import FLAGS, flagged, stored
from pricing_kernels.lint import lint

COUNT = 500  # no multiple of a block, nor of the flags in a word


def options() -> NDArray[np.float32]:
    random = np.random.default_rng(2)
    ends = ((50, 150), (50, 150), (0.1, 3.0))
    return np.stack([random.uniform(*each, COUNT) for each in ends]).astype(np.float32)


def test_values_are_those_of_the_closed_form() -> None:
    found = portfolio.values(options(), 0.03, 0.3)
    known = [
        black_scholes(Market(spot, 0.03, 0.3), strike, years, call=True)
        for spot, strike, years in options().T.tolist()
    ]
    np.testing.assert_allclose(found, known, atol=1e-4)


@pytest.mark.parametrize("flags", ["holes", "bits"])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_options_that_are_not_there_have_no_value(flags: str, share: float) -> None:
    there = np.random.default_rng(3).random(COUNT) < share
    found = portfolio.values(options(), 0.03, 0.3, there, flags=flags)
    assert np.array_equal(found, np.where(there, portfolio.values(options(), 0.03, 0.3), 0))


def test_an_array_of_structures_has_the_same_values() -> None:
    try:
        found = portfolio.values(options(), 0.03, 0.3, layout="aos")
    except BuildError as error:
        pytest.skip(str(error))
    assert np.array_equal(found, portfolio.values(options(), 0.03, 0.3))


def test_the_layout_is_declared_to_ptxlint() -> None:
    for layout, laid in (("aos", ["options=aos:4,4,4"]), ("soa", [])):
        declared = portfolio.kernel(layout, "all").contract.declared()
        assert [said for option, said in declared.options() if option == "--layout"] == laid


def test_records_and_flags_are_where_the_fragments_read_them() -> None:
    numbers = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert stored(numbers, "aos").tolist() == [0, 2, 4, 1, 3, 5]
    assert stored(numbers, "soa").tolist() == [0, 1, 2, 3, 4, 5]
    there = np.arange(70) % 3 == 0
    bits = flagged(there, "bits")
    assert [bool(bits[i // 32] >> i % 32 & 1) for i in range(70)] == there.tolist()
    assert flagged(there, "holes").astype(bool).tolist() == there.tolist()


@pytest.mark.parametrize("flags", FLAGS)
def test_a_launch_is_proved_in_every_property(flags: str) -> None:
    made = portfolio.kernel("soa", flags)
    launch = made.contract.launch(count=1000, rate=0.03, volatility=0.3)
    code, said = lint(made, launch=launch, strict=True)
    assert code == 0 and said.startswith("no findings"), said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"options": np.ones((2, 5))}, r"options of shape \(2, 5\), expected 3 rows"),
        ({"options": np.ones((3, 0))}, r"options of shape \(3, 0\), expected 3 rows"),
        ({"options": np.zeros((3, 5))}, "spots, strikes and years: expected positive numbers"),
        ({"there": np.zeros(5, bool)}, "flags 'all': expected one of holes, bits, and 5 of them"),
        ({"there": np.ones(4, bool), "flags": "bits"}, "expected one of holes, bits, and 5"),
        ({"layout": "columns"}, "no layout 'columns' with flags 'all'; there are aos, soa; all,"),
        ({"flags": "bytes"}, "no layout 'soa' with flags 'bytes'"),
    ],
)
def test_what_is_no_portfolio_is_refused(given: dict[str, object], said: str) -> None:
    whole: dict[str, object] = {"options": np.ones((3, 5)), **given}
    with pytest.raises(portfolio.PortfolioError, match=said):
        portfolio.values(rate=0.03, volatility=0.3, **whole)  # type: ignore[arg-type]
