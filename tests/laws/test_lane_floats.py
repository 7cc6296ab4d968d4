"""Float operations of the concrete machine against exact fractions, rounded here by long division.

The reference decodes bits by hand and rounds with integers; it shares nothing with the machine.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.algebra import FloatMode
from analyses.concrete.machine import BitVector, Lanes

LANES = Lanes()
SEED = 20240607
INTEGRAL = ("rn", "rz", "rm", "rp")
ROUNDINGS = (*INTEGRAL, "ro")
WIDTHS = (16, 32, 64)
MANTISSA = {16: 10, 32: 23, 64: 52}
NAN = {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0xFFF8000000000000}


# --- the reference


def infinity(width):
    return ((1 << (width - 1)) - 1) >> MANTISSA[width] << MANTISSA[width]


@functools.cache
def decode(width, bits):
    """A fraction, or +-inf or nan as Python floats; the sign of a zero is lost."""
    mantissa = MANTISSA[width]
    magnitude = bits & ((1 << (width - 1)) - 1)
    sign = -1 if bits >> (width - 1) else 1
    if magnitude > infinity(width):
        return math.nan
    if magnitude == infinity(width):
        return sign * math.inf
    exponent, fraction = magnitude >> mantissa, magnitude & ((1 << mantissa) - 1)
    if exponent:
        fraction |= 1 << mantissa
    bias = (1 << (width - mantissa - 2)) - 1
    return sign * fraction * Fraction(2) ** (max(exponent, 1) - bias - mantissa)


def encode(width, exact, rounding, zero_sign=0):
    """The bits of a fraction (or of a special float), rounded once."""
    top = 1 << (width - 1)
    if isinstance(exact, float):
        return NAN[width] if math.isnan(exact) else infinity(width) | (top if exact < 0 else 0)
    if exact == 0:
        return zero_sign * top
    negative, size = exact < 0, abs(exact)
    mantissa = MANTISSA[width]
    bias = (1 << (width - mantissa - 2)) - 1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    exponent = max(exponent, 1 - bias)
    scaled = size / Fraction(2) ** (exponent - mantissa)
    quotient = scaled.numerator // scaled.denominator
    rest = scaled - quotient
    if rounding == "rn":
        quotient += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and quotient % 2)
    elif (rounding == "rp" and not negative) or (rounding == "rm" and negative):
        quotient += rest > 0
    elif rounding == "ro":
        quotient |= rest > 0
    # a subnormal quotient has no hidden bit, so its exponent field comes out 0
    bits = ((exponent + bias - 1) << mantissa) + quotient
    if bits >= infinity(width):
        outward = {"rn": True, "rp": not negative, "rm": negative}.get(rounding, False)
        bits = infinity(width) if outward else infinity(width) - 1
    return bits | (top if negative else 0)


def flush(width, bits):
    return bits if bits & infinity(width) else bits & (1 << (width - 1))


def as_class(width, bits):
    """A Python float that behaves alike among infinities, zeros and NaN."""
    sign = -1.0 if bits >> (width - 1) else 1.0
    value = decode(width, bits)
    if isinstance(value, float):
        return value
    return sign if value else 0.0 * sign


def root_reference(width, bits, rounding):
    """The integer root of a number scaled up so far that a sticky bit settles every rounding."""
    value = decode(width, bits)
    if isinstance(value, float):
        return encode(width, value if value > 0 else math.nan, rounding)
    if value <= 0:
        return NAN[width] if value else bits
    scaled = value * 4**1200
    root = math.isqrt(scaled.numerator // scaled.denominator)
    sticky = 2 * root + (root * root != scaled)
    return encode(width, Fraction(sticky, 2 * 2**1200), rounding)


def sum_of_product(width, a, b, c, rounding):
    """a*b + c, where c is None for a product alone."""
    x, y = as_class(width, a), as_class(width, b)
    product = x * y
    minus = int(math.copysign(1, product) < 0) if product == product else 0
    special = product if c is None else product + as_class(width, c)
    exact_terms = [decode(width, bits) for bits in (a, b, c) if bits is not None]
    if any(isinstance(term, float) for term in exact_terms):
        return encode(width, special, rounding)
    if c is None:
        return encode(width, exact_terms[0] * exact_terms[1], rounding, minus)
    both_zero = product == 0 and exact_terms[2] == 0
    agree = both_zero and minus == c >> (width - 1)
    zero_sign = minus if agree else int(rounding == "rm")
    return encode(width, exact_terms[0] * exact_terms[1] + exact_terms[2], rounding, zero_sign)


def quotient_reference(width, a, b, rounding):
    x, y = decode(width, a), decode(width, b)
    minus = a >> (width - 1) ^ b >> (width - 1)
    signed = -1.0 if minus else 1.0
    if x != x or y != y or (x == 0 and y == 0) or (abs(x) == math.inf and abs(y) == math.inf):
        return NAN[width]
    if abs(x) == math.inf or y == 0:
        return encode(width, signed * math.inf, rounding)
    if abs(y) == math.inf or x == 0:
        return minus << (width - 1)
    return encode(width, x / y, rounding)


ONE = {width: encode(width, Fraction(1), "rn") for width in WIDTHS}

REFERENCES = {
    "fadd": lambda w, a, b, r: sum_of_product(w, a, ONE[w], b, r),
    "fmul": lambda w, a, b, r: sum_of_product(w, a, b, None, r),
    "fdiv": quotient_reference,
}


# --- samples


def edges(width):
    """Zeros, the ends of the subnormals and normals, infinities, NaN, and neighbours of 1 and 2."""
    mantissa = MANTISSA[width]
    least, one, top = 1 << mantissa, ONE[width], infinity(width)
    positive = [0, 1, 2, 3, least // 2, least - 1, least, least + 1, 2 * least - 1]
    positive += [one - 1, one, one + 1, one + least - 1, one + least, one + least + 1]
    positive += [one - mantissa * least, one - (mantissa + 1) * least, one + least // 2]
    positive += [top - least, top - 1, top, top + 1]
    return [bits | sign for bits in positive for sign in (0, 1 << (width - 1))]


def numbers(width, count, seed=0):
    """Random patterns, half of like exponents: sums cancel and halfway cases occur."""
    draw = random.Random(SEED + width + seed)
    mantissa = MANTISSA[width]
    result = []
    for _ in range(count):
        bits = draw.getrandbits(width)
        if draw.random() < 0.5:
            exponent = (ONE[width] >> mantissa) + draw.randint(-3, 3)
            fraction = draw.getrandbits(mantissa) & -(1 << draw.randint(0, mantissa))
            bits = (bits >> (width - 1) << (width - 1)) | exponent << mantissa | fraction
        result.append(bits)
    return result


def pairs(width):
    draws = zip(numbers(width, 700, 1), numbers(width, 700, 2), strict=True)
    return list(itertools.product(edges(width), repeat=2)) + list(draws)


def triples(width):
    """Random ones, and those where c nearly cancels the product or is beside a halfway case."""
    draw = random.Random(SEED + width)
    result = [tuple(draw.choice(edges(width)) for _ in range(3)) for _ in range(900)]
    columns = (numbers(width, 500, seed) for seed in (3, 4, 5))
    result += list(zip(*columns, strict=True))
    for a, b in zip(numbers(width, 500, 6), numbers(width, 500, 7), strict=True):
        product = sum_of_product(width, a, b, None, "rn")
        c = product ^ (1 << (width - 1)) ^ draw.choice([0, 0, 1, 3])
        far = MANTISSA[width] + draw.randint(-1, 2)
        near = (product - (far << MANTISSA[width])) % (1 << width)
        result += [(a, b, c), (a, ONE[width], near), (a, ONE[width] + 1, near)]
    return result


def agree(width, result, expected, operands, source=0, last=-1):
    """``source`` is the width of operands that are floats: where a side has 64 bits, the ``last``
    NaN among them is the result."""
    assert result.width == width
    for got, want, row in zip(result.bits.tolist(), expected, operands, strict=True):
        nans = [x for x in row if source and decode(source, x) != decode(source, x)]
        if nans and decode(width, want) != decode(width, want) and 64 in (source, width):
            want = quiet(width, source, nans[last])
        assert got == want, f"{[hex(x) for x in row]}: {got:#x}, expected {want:#x}"


def quiet(width, source, nan):
    """A NaN in another format: the sign, and the fraction from its upper end on."""
    fraction = f"{nan:0{source}b}"[-MANTISSA[source] :]
    fraction = ("1" + fraction[1:]).ljust(MANTISSA[width], "0")[: MANTISSA[width]]
    sign = nan >> (source - 1)
    return int(fraction, 2) | infinity(width) | sign << (width - 1)


def columns(width, rows):
    return [BitVector.of(width, column) for column in zip(*rows, strict=True)]


# --- arithmetic


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", REFERENCES)
def test_binary_operations_are_correctly_rounded(name, width, rounding):
    rows = pairs(width)
    result = getattr(LANES, name)(*columns(width, rows), FloatMode(rounding))
    expected = [REFERENCES[name](width, *row, rounding) for row in rows]
    agree(width, result, expected, rows, width, 0 if name == "fdiv" else -1)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_fma_rounds_once(width, rounding):
    rows = triples(width)
    result = LANES.fma(*columns(width, rows), FloatMode(rounding))
    agree(width, result, [sum_of_product(width, *row, rounding) for row in rows], rows, width)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("width", WIDTHS)
def test_roots_are_correctly_rounded(width, rounding):
    rows = [(a,) for a in edges(width) + numbers(width, 500, 8)]
    rows += [(sum_of_product(width, a, a, None, "rn"),) for a in numbers(width, 200, 9)]
    result = LANES.fsqrt(*columns(width, rows), FloatMode(rounding))
    agree(width, result, [root_reference(width, *row, rounding) for row in rows], rows, width)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_fma_rounds_once(data):
    width = data.draw(st.sampled_from(WIDTHS))
    rounding = data.draw(st.sampled_from(ROUNDINGS))
    row = [data.draw(st.integers(0, (1 << width) - 1)) for _ in range(3)]
    result = LANES.fma(*columns(width, [row]), FloatMode(rounding))
    agree(width, result, [sum_of_product(width, *row, rounding)], [row], width)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("rounding", ["rn", "rz"])
def test_ftz_flushes_what_comes_in_and_what_goes_out(name, rounding):
    rows = pairs(32)
    result = getattr(LANES, name)(*columns(32, rows), FloatMode(rounding, ftz=True))
    expected = [
        flush(32, REFERENCES[name](32, flush(32, a), flush(32, b), rounding)) for a, b in rows
    ]
    agree(32, result, expected, rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_sat_clamps_to_the_unit_interval(width):
    def saturated(bits):
        value = decode(width, bits)
        return 0 if not value > 0 else min(bits, ONE[width])

    rows = pairs(width)
    result = LANES.fadd(*columns(width, rows), FloatMode(sat=True))
    expected = [saturated(REFERENCES["fadd"](width, a, b, "rn")) for a, b in rows]
    agree(width, result, expected, rows)


# --- comparison


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_comparisons_and_extremes(width, ftz):
    rows = pairs(width)
    a, b = columns(width, rows)
    mode = FloatMode(ftz=ftz)
    seen = [tuple(flush(width, x) if ftz else x for x in row) for row in rows]
    values = [tuple(decode(width, x) for x in row) for row in seen]
    assert LANES.feq(a, b, mode).bits.tolist() == [x == y for x, y in values]
    assert LANES.flt(a, b, mode).bits.tolist() == [x < y for x, y in values]
    assert LANES.funordered(a, b).bits.tolist() == [x != x or y != y for x, y in values]

    def ordered(row):
        present = [x for x in row if decode(width, x) == decode(width, x)] or [NAN[width]]
        return sorted(present, key=lambda x: (decode(width, x), not x >> (width - 1)))

    agree(width, LANES.fmin(a, b, mode), [ordered(row)[0] for row in seen], rows, width)
    agree(width, LANES.fmax(a, b, mode), [ordered(row)[-1] for row in seen], rows, width)


# --- conversion


def zero_keeping(width, source, bits, exact, rounding):
    return encode(width, exact, rounding, bits >> (source - 1))


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", WIDTHS)
def test_formats_convert_with_one_rounding(source, width, rounding):
    halfway = numbers(source, 300, 10) + edges(source)
    if width < source:
        exact = (decode(width, x) for x in edges(width) + numbers(width, 100, 11))
        near = [encode(source, x, "rn") for x in exact]
        step = 1 << (MANTISSA[source] - MANTISSA[width] - 1)
        halfway += [(x + d) % (1 << source) for x in near for d in (0, step - 1, step, step + 1)]
    a = BitVector.of(source, halfway)
    result = LANES.float_to_float(width, a, FloatMode(rounding))
    expected = [zero_keeping(width, source, x, decode(source, x), rounding) for x in halfway]
    agree(width, result, expected, [(x,) for x in halfway], source)


def integral(value, rounding):
    if isinstance(value, float):
        return value
    return Fraction(
        {"rn": round, "rz": math.trunc, "rm": math.floor, "rp": math.ceil}[rounding](value)
    )


@pytest.mark.parametrize("rounding", INTEGRAL)
@pytest.mark.parametrize("width", WIDTHS)
def test_integral_rounding_stays_in_the_format(width, rounding):
    samples = edges(width) + numbers(width, 500, 12)
    a = BitVector.of(width, samples)
    result = LANES.float_to_float(width, a, FloatMode(rounding), integral=True)
    expected = [
        zero_keeping(width, width, x, integral(decode(width, x), rounding), rounding)
        for x in samples
    ]
    agree(width, result, expected, [(x,) for x in samples], width)


def integer_edges(source, bits, signed):
    """Numbers beside the limits of the integer, where the format has them."""
    limits = [0, 1 << (bits - 1), 1 << bits] + ([-(1 << (bits - 1))] if signed else [])
    return [
        encode(source, limit + Fraction(offset, 4), rounding)
        for limit in limits
        for offset in range(-8, 9)
        for rounding in ("rz", "rn")
    ]


@pytest.mark.parametrize("bits", [5, 8, 16, 32, 64])
@pytest.mark.parametrize("source", WIDTHS)
def test_floats_become_integers_and_clamp(source, bits):
    for signed, rounding in itertools.product((False, True), INTEGRAL):
        samples = edges(source) + numbers(source, 200, 13) + integer_edges(source, bits, signed)
        low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
        undefined = 1 << (bits - 1) if 64 in (source, bits) else 0
        expected = []
        for x in samples:
            value = integral(decode(source, x), rounding)
            clamped = undefined if value != value else int(max(low, min(high, value)))
            expected.append(clamped & ((1 << bits) - 1))
        result = LANES.float_to_int(
            bits, signed, BitVector.of(source, samples), FloatMode(rounding)
        )
        agree(bits, result, expected, [(x,) for x in samples])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("bits", [1, 5, 8, 16, 32, 48, 64])
def test_integers_become_floats_with_one_rounding(bits, width):
    draw = random.Random(SEED + bits)
    samples = [draw.getrandbits(draw.randint(1, bits)) for _ in range(300)]
    samples += [(1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 0]
    for size in range(
        26, bits + 1
    ):  # beside the halfway cases of 24 bits, where twice rounds wrong
        halfway = (1 << (size - 1)) | 1 << (size - 25)
        samples += [halfway - 1, halfway, halfway + 1, halfway | 1 << (size - 24)]
    samples = [x % (1 << bits) for x in samples]
    for signed, rounding in itertools.product((False, True), ROUNDINGS):
        values = [x - (1 << bits) if signed and x >> (bits - 1) else x for x in samples]
        expected = [encode(width, Fraction(x), rounding) for x in values]
        result = LANES.int_to_float(width, signed, BitVector.of(bits, samples), FloatMode(rounding))
        agree(width, result, expected, [(x,) for x in samples])


def test_cvt_flushes_only_single_precision():
    mode = FloatMode(ftz=True)
    subnormal = {16: 1, 32: 0x80000001, 64: 1}
    assert LANES.float_to_float(32, BitVector.of(16, [1]), mode).bits.tolist() == [0x33800000]
    assert LANES.float_to_float(64, BitVector.of(32, [subnormal[32]]), mode).bits.tolist() == [
        1 << 63
    ]
    small = BitVector.of(64, [encode(64, Fraction(-1, 2**140), "rn")])
    assert LANES.float_to_float(32, small, mode).bits.tolist() == [1 << 31]
    assert LANES.float_to_int(
        32, True, BitVector.of(32, [1]), FloatMode("rp", True)
    ).bits.tolist() == [0]


# --- approximation


@pytest.mark.parametrize("name", ["sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "tanh"])
def test_approximations_are_float64_rounded_once(name):
    functions = {
        "ex2": lambda x: 2.0**x,
        "lg2": math.log2,
        "rcp": lambda x: 1 / x,
        "rsqrt": lambda x: 1 / math.sqrt(x),
    }
    samples = [x & 0x7FFFFFFF for x in numbers(32, 400, 14)]
    samples = [x for x in samples if 2**-100 < decode(32, x) < 100]
    result = LANES.approx(name, BitVector.of(32, samples), FloatMode()).bits.view(np.float32)
    for x, got in zip(samples, result.tolist(), strict=True):
        exact = functions.get(name, getattr(math, name, None))(float(decode(32, x)))
        assert abs(got - exact) <= 2.0**-23 * max(abs(exact), 2.0**-126)


def test_approximations_of_special_words():
    inf, top = infinity(32), 1 << 31

    def of(name, *bits):
        return LANES.approx(name, BitVector.of(32, bits), FloatMode(ftz=True)).bits.tolist()

    assert of("rcp", 0, top, inf, inf | top, 1, inf + 1) == [inf, inf | top, 0, top, inf, NAN[32]]
    assert of("rsqrt", 0, top, inf, ONE[32] | top) == [inf, inf | top, 0, NAN[32]]
    assert of("sqrt", 0, top, inf, ONE[32] | top) == [0, top, inf, NAN[32]]
    assert of("lg2", 0, top, inf, ONE[32] | top) == [inf | top, inf | top, inf, NAN[32]]
    assert of("ex2", 0, top, inf, inf | top) == [ONE[32], ONE[32], inf, 0]
    assert of("tanh", 0, top, inf, inf | top) == [0, top, ONE[32], ONE[32] | top]
    assert of("sin", 0, top, inf) == [0, top, NAN[32]]
    assert of("cos", 0, top, inf) == [ONE[32], ONE[32], NAN[32]]


def test_double_approximations_flush_to_upper_halves():
    third = LANES.approx("rcp", BitVector.of(64, [0x4008000000000001]), FloatMode(ftz=True))
    assert third.bits.tolist() == [0x3FD5555500000000]
    half = LANES.approx("rsqrt", BitVector.of(64, [0x4010000000000000, 0]), FloatMode(ftz=True))
    assert half.bits.tolist() == [0x3FE0000000000000, infinity(64)]
    exact = BitVector.of(64, [0x4008000000000001, 0x0000000000000001])
    roots = LANES.approx("rsqrt", exact, FloatMode()).bits.view(np.float64).tolist()
    for x, root in zip(exact.bits.view(np.float64).tolist(), roots, strict=True):
        assert abs(root * math.sqrt(x) - 1) < 2.0**-51
