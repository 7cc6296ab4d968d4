"""The mask of undefined bits: a bit that counts as defined is the same for all values of the
undefined bits of the operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from analyses.algebra import FloatMode
from analyses.concrete.machine import BitVector, Lanes
from ptxlint.simt.undefined import Shadowed, UndefinedBits
from tests.simt.programs import ran

WIDTH = 3
WORDS = np.arange(1 << WIDTH)
Operator = Callable[[UndefinedBits, Shadowed, Shadowed], Shadowed]

OPERATORS: dict[str, Operator] = {
    "and": lambda o, a, b: o.and_(a, b),
    "or": lambda o, a, b: o.or_(a, b),
    "xor": lambda o, a, b: o.xor(a, b),
    "xor with itself": lambda o, a, b: o.xor(a, a),
    "not": lambda o, a, b: o.not_(a),
    "add": lambda o, a, b: o.add(a, b),
    "sub": lambda o, a, b: o.sub(a, b),
    "mul": lambda o, a, b: o.mul(a, b),
    "min": lambda o, a, b: o.min_s(a, b),
    "eq": lambda o, a, b: o.eq(a, b),
    "ne": lambda o, a, b: o.ne(a, b),
    "lt": lambda o, a, b: o.lt_u(a, b),
    "select": lambda o, a, b: o.select(o.extract(1, 0, a), o.shl(a, b), b),
    "shl": lambda o, a, b: o.shl(a, o.zext(32, b)),
    "shr": lambda o, a, b: o.shr_s(a, o.zext(32, b)),
    "sext": lambda o, a, b: o.sext(2 * WIDTH, a),
    "concat": lambda o, a, b: o.extract(WIDTH, 1, o.concat(a, b)),
    "brev": lambda o, a, b: o.brev(a),
}


def shadowed(words: np.ndarray, masks: np.ndarray) -> Shadowed:
    return Shadowed(BitVector.of(WIDTH, words), BitVector.of(WIDTH, masks))


@pytest.mark.parametrize("name", OPERATORS)
def test_defined_bits_do_not_depend_on_undefined_ones(name: str) -> None:
    o, operator = UndefinedBits(Lanes()), OPERATORS[name]
    a, b, other_a, other_b = (grid.ravel() for grid in np.meshgrid(WORDS, WORDS, WORDS, WORDS))
    one = operator(o, shadowed(a, a ^ other_a), shadowed(b, b ^ other_b))
    other = operator(o, shadowed(other_a, a ^ other_a), shadowed(other_b, b ^ other_b))
    differ = one.word.unsigned ^ other.word.unsigned
    assert not (differ & ~one.undefined.unsigned).any()


def test_what_is_defined_stays_defined() -> None:
    o = UndefinedBits(Lanes())
    a, b = (grid.ravel() for grid in np.meshgrid(WORDS, WORDS))
    for operator in OPERATORS.values():
        result = operator(o, shadowed(a, 0 * a), shadowed(b, 0 * b))
        assert not result.undefined.bits.any()


@pytest.mark.parametrize("integral", [False, True])
def test_a_conversion_of_an_undefined_float_is_undefined(integral: bool) -> None:
    """An operator of the algebra with an argument by name."""
    o = UndefinedBits(Lanes())
    words = np.float32([1.5, 2.5]).view(np.uint32)
    given = Shadowed(BitVector.of(32, words), BitVector.of(32, np.array([0, 1 << 22])))
    result = o.float_to_float(64, given, FloatMode(), integral=integral)
    assert result.word.bits.view(np.float64)[0] == (2.0 if integral else 1.5)
    assert (result.undefined.bits != 0).tolist() == [False, True]


@pytest.mark.parametrize(
    "effect",
    [
        "st.global.u32 [%rd9], %r1;",
        "@%p9 st.global.u32 [%rd5], %r1;",
        "@%p9 bra OUT; st.global.u32 [%rd5], %r1;\nOUT:",
        "bar.sync %r8;",
        "red.global.add.u32 [%rd5], %r8;",
        "shfl.sync.idx.b32 %r9, %r1, 0, 31, %r8;",
    ],
)
def test_an_effect_of_an_undefined_word_is_a_fault(effect: str) -> None:
    body = """add.u32 %r8, %r40, 1; setp.eq.u32 %p9, %r8, 3; cvt.u64.u32 %rd8, %r8;
    add.u64 %rd9, %rd5, %rd8;
    """
    assert "undefined-register" in [fault.kind for fault in ran(body + effect, 32).faults]
