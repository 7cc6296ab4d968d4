"""Intervals of floats hold every result that the concrete machine rounds, in every mode."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.algebra import FloatMode
from analyses.concrete.machine import BitVector, Lanes
from analyses.float_intervals import (
    FORMATS,
    Between,
    converted,
    extreme,
    fused,
    of_integers,
    over,
    times,
    total,
)

LANES = Lanes()
ROUNDINGS = ("rn", "rz", "rm", "rp")
WORDS = {16: "<H", 32: "<I", 64: "<Q"}
LEAST = {16: 2.0**-24, 32: 2.0**-149, 64: 2.0**-1074}
GREAT = {16: 2.0**15, 32: 2.0**60, 64: 2.0**200}
INTERVALS: dict[str, tuple[int, Callable[..., Between], Callable[..., BitVector]]] = {
    "sum": (2, total, LANES.fadd),
    "product": (2, times, LANES.fmul),
    "quotient": (2, over, LANES.fdiv),
    "fused": (3, fused, LANES.fma),
}


def number(width: int, bits: int) -> float:
    (found,) = struct.unpack(FORMATS[width], struct.pack(WORDS[width], bits))
    return float(found)


def word(width: int, at: float) -> int:
    (found,) = struct.unpack(WORDS[width], struct.pack(FORMATS[width], at))
    return int(found)


@st.composite
def floats(draw: st.DrawFn, width: int) -> tuple[Between, list[int]]:
    """An interval and some floats in it, subnormal ones too."""
    some = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 255.0, 1e-7, 65504.0, LEAST[width], GREAT[width])
    near = st.sampled_from(some)
    every = st.floats(width=width, allow_nan=False, allow_infinity=False)  # type: ignore[arg-type]
    found = [word(width, draw(st.one_of(near, every))) for _ in range(3)]
    low, *_, high = sorted(number(width, bits) for bits in found)
    return Between(low, high, False), found


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("name", INTERVALS)
@settings(max_examples=300, deadline=None)
@given(data=st.data(), rounding=st.sampled_from(ROUNDINGS), ftz=st.booleans())
def test_what_is_rounded_lies_in_the_interval(
    name: str, width: int, data: st.DataObject, rounding: str, ftz: bool
) -> None:
    arity, interval, operation = INTERVALS[name]
    operands = [data.draw(floats(width)) for _ in range(arity)]
    found = interval(*(between for between, _ in operands), width)
    columns = zip(*product(*(bits for _, bits in operands)), strict=True)
    words = [BitVector.of(width, column) for column in columns]
    mode = FloatMode(rounding, ftz=ftz and width < 64)
    for bits in operation(*words, mode).bits.tolist():
        result = number(width, bits)
        holds = found.nan if result != result else found.low <= result <= found.high
        assert holds, (result, found)


@pytest.mark.parametrize("width", [16, 32, 64])
@settings(max_examples=200, deadline=None)
@given(
    data=st.data(),
    rounding=st.sampled_from(ROUNDINGS),
    ftz=st.booleans(),
    to=st.sampled_from((16, 32, 64)),
)
def test_a_converted_float_lies_in_the_interval(
    width: int, data: st.DataObject, rounding: str, ftz: bool, to: int
) -> None:
    between, words = data.draw(floats(width))
    found = converted(between, to)
    column = BitVector.of(width, words)
    for bits in LANES.float_to_float(to, column, FloatMode(rounding, ftz=ftz)).bits.tolist():
        assert found.low <= number(to, bits) <= found.high


@pytest.mark.parametrize("width", [16, 32, 64])
@settings(max_examples=200, deadline=None)
@given(data=st.data(), rounding=st.sampled_from(ROUNDINGS), ftz=st.booleans())
def test_an_integer_of_a_float_lies_in_the_interval(
    width: int, data: st.DataObject, rounding: str, ftz: bool
) -> None:
    between, words = data.draw(floats(width))
    found = between.integral(rounding)
    column = BitVector.of(width, words)
    mode = FloatMode(rounding, ftz=ftz)
    for bits in LANES.float_to_float(width, column, mode, integral=True).bits.tolist():
        assert found.low <= number(width, bits) <= found.high


@pytest.mark.parametrize("width", [16, 32, 64])
@settings(max_examples=200, deadline=None)
@given(data=st.data(), ftz=st.booleans())
def test_an_extreme_lies_in_the_interval(width: int, data: st.DataObject, ftz: bool) -> None:
    (one, ones), (other, others) = data.draw(floats(width)), data.draw(floats(width))
    columns = zip(*product(ones, others), strict=True)
    words = [BitVector.of(width, column) for column in columns]
    mode = FloatMode("rn", ftz=ftz and width < 64)
    for of, operation in ((max, LANES.fmax), (min, LANES.fmin)):
        found = extreme(of, one, other, width)
        for bits in operation(*words, mode).bits.tolist():
            assert found.low <= number(width, bits) <= found.high


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=4),
    st.sampled_from((16, 32, 64)),
    st.sampled_from(ROUNDINGS),
)
def test_an_integer_as_a_float_lies_in_the_interval(
    integers: list[int], width: int, rounding: str
) -> None:
    found = of_integers(min(integers), max(integers), width)
    column = BitVector.of(32, [i & 0xFFFFFFFF for i in integers])
    for bits in LANES.int_to_float(width, True, column, FloatMode(rounding)).bits.tolist():
        assert found.low <= number(width, bits) <= found.high


def test_ends_that_are_floats_stay() -> None:
    bytes_ = of_integers(0, 255, 32)
    assert total(bytes_, Between(0.5, 0.5, False), 32) == (0.5, 255.5, False)
    assert times(bytes_, Between(0.25, 0.25, False), 32) == (0, 63.75, False)
    assert fused(bytes_, Between(2, 2, False), Between(-1, -1, False), 32) == (-1, 509, False)
