"""The bounds of integers that floats are converted to hold for every float, also for NaN and for
floats that lie next to the numbers that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product

import numpy as np
import pytest

from analyses.polynomials.polynomial import Symbol
from analyses.polynomials.symbols import Choice, Interpretation, Quotient
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.lowering.module import lower_module
from ptxlint.simt import RunOptions, run
from ptxlint.source import Source
from ptxlint.syntax import parse

UNTOUCHED = 777_777_777
HEAD = """// launch: --grid 1 --block {threads} --buffer at={bytes} --buffer out={bytes}
// params: at,out,n
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 out, .param .u32 n)
{{
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %e<9>;
    .reg .b64 %d<9>;
    ld.param.u64 %d1, [at]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
    ld.global.f32 %f1, [%d4]; cvt.rn.f32.s32 %f2, %r1; cvt.f64.f32 %e1, %f1;
    cvt.rn.f64.s32 %e2, %r1; cvt.rn.f16.f32 %h1, %f1; mov.f32 %f5, 0f41700000;
"""
TAIL = (
    "and.b32 %r5, %r4, 0; cvt.u64.u32 %d6, %r5; add.s64 %d7, %d5, %d6;"  # an address has it
    "st.global.u32 [%d7], %r4; DONE: ret; }}"
)
LEAST, MOST = -(2**31), 2**31 - 1
PASS = "@%p1 bra DONE;"
CLAMP = "setp.le{0}.f32 %p1, %f1, 0f00000000; selp.f32 %f3, 0f00000000, %f1, %p1;"
BELOW = "setp.leu.f32 %p1, %f1, 0fBF800000; @%p1 bra DONE; setp.geu.f32 %p2, %f1, %f2;"

BYTE = "and.b32 %r3, %r2, 255; cvt.rn.f32.u32 %f3, %r3;"

BODIES: dict[str, tuple[str, int, int, bool]] = {
    "any": ("cvt.rzi.s32.f32 %r4, %f1;", LEAST, MOST, False),
    "clamped": (CLAMP.format("") + "cvt.rzi.s32.f32 %r4, %f3;", 0, MOST, False),
    "clamped and flushed": (CLAMP.format(".ftz") + "cvt.rmi.s32.f32 %r4, %f3;", 0, MOST, False),
    "clamped on a way": (
        "mov.f32 %f3, %f1; setp.gtu.f32 %p1, %f1, 0f00000000; @%p1 bra A; mov.f32 %f3, 0f00000000;"
        "A: cvt.rzi.s32.f32 %r4, %f3;", 0, MOST, False),
    "clamped as a half": (
        "cvt.f32.f16 %f3, %h1; setp.gtu.f32 %p1, %f3, 0f00000000; mov.f32 %f4, 0f00000000;"
        "cvt.rn.f16.f32 %h2, %f4; selp.b16 %h3, %h1, %h2, %p1; cvt.f32.f16 %f6, %h3;"
        "cvt.rzi.s32.f32 %r4, %f6;", 0, MOST, False),
    "a double that may be NaN": (
        "setp.le.f64 %p1, %e1, 0d0000000000000000; selp.f64 %e3, 0d0000000000000000, %e1, %p1;"
        "cvt.rzi.s32.f64 %r4, %e3;", LEAST, MOST, False),
    "a double": (
        "max.f64 %e3, %e1, 0d0000000000000000; cvt.rzi.s32.f64 %r4, %e3;", 0, MOST, False),
    "between two numbers": (
        "max.f32 %f3, %f1, 0fC0000000; min.f32 %f4, %f3, %f5; cvt.rzi.s32.f32 %r4, %f4;",
        -2, 15, False),
    "up": ("setp.gt.f32 %p1, %f1, 0f3FC00000; @%p1 bra DONE; cvt.rpi.s32.f32 %r4, %f1;",
           LEAST, 2, False),
    "less than an integer": (BELOW + "@%p2 bra DONE; cvt.rmi.s32.f32 %r4, %f1;", -1, MOST, True),
    "less than an integer, floor first": (
        BELOW + "@%p2 bra DONE; cvt.rmi.f32.f32 %f3, %f1; cvt.rzi.s32.f32 %r4, %f3;",
        -1, MOST, True),
    "less, but towards zero": (
        BELOW + "@%p2 bra DONE; cvt.rzi.s32.f32 %r4, %f1;", -1, MOST, True),
    "less, not negative, towards zero": (
        "setp.geu.f32 %p1, %f1, %f2; setp.ltu.f32 %p2, %f1, 0f00000000; or.pred %p3, %p1, %p2;"
        "@%p3 bra DONE; cvt.rzi.s32.f32 %r4, %f1;", 0, MOST, True),
    "less, but from where is not known": (
        "setp.geu.f32 %p1, %f1, %f2; @%p1 bra DONE; cvt.rmi.s32.f32 %r4, %f1;",
        LEAST, MOST, True),
    "not greater": (
        "setp.ltu.f32 %p1, %f1, 0f00000000; @%p1 bra DONE; setp.gtu.f32 %p2, %f1, %f2;"
        "@%p2 bra DONE; cvt.rmi.s32.f32 %r4, %f1;", 0, MOST, True),
    "a double less than an integer": (
        "setp.ltu.f64 %p1, %e1, 0d0000000000000000; @%p1 bra DONE; setp.gt.f64 %p2, %e2, %e1;"
        "@!%p2 bra DONE; cvt.rmi.s32.f64 %r4, %e1;", 0, MOST, True),
    "a byte as a part of 15": (
        BYTE + "mov.f32 %f4, 0f437F0000; div.rn.f32 %f6, %f3, %f4; mul.f32 %f7, %f6, %f5;"
        "cvt.rzi.s32.f32 %r4, %f7;", 0, 15, False),
    "a byte between two others": (
        BYTE + "add.f32 %f4, %f3, 0f3F000000; fma.rn.f32 %f6, %f4, 0f3F000000, 0fBF000000;"
        "cvt.rmi.s32.f32 %r4, %f6;", -1, 127, False),
    "a clamped float of which two are taken": (
        "max.f32 %f3, %f1, 0f00000000; min.f32 %f4, %f3, %f5; sub.f32 %f6, %f5, %f4;"
        "sub.f32 %f7, %f6, 0f40000000; cvt.rzi.s32.f32 %r4, %f7;", -2, 13, False),
    "a product with what may be infinite": (
        "max.f32 %f3, %f1, 0f00000000; mul.f32 %f4, %f3, %f5; cvt.rzi.s32.f32 %r4, %f4;",
        LEAST, MOST, False),
    "a quotient by what may be zero": (
        BYTE + "div.rn.f32 %f4, %f5, %f3; cvt.rzi.s32.f32 %r4, %f4;", LEAST, MOST, False),
    "saturated": (
        "cvt.sat.f32.f32 %f3, %f1; fma.rn.f32 %f4, %f3, %f5, 0f3F000000; cvt.rzi.s32.f32 %r4, %f4;",
        0, 15, False),
    "a saturated product": (
        "mul.sat.f32 %f3, %f1, %f5; mul.f32 %f4, %f3, %f5; cvt.rzi.s32.f32 %r4, %f4;",
        0, 15, False),
    "an absolute value": (
        "max.f32 %f3, %f1, 0fC0000000; min.f32 %f4, %f3, 0f3F800000; abs.f32 %f6, %f4;"
        "cvt.rzi.s32.f32 %r4, %f6;", 0, 2, False),
    "of an absolute value that is less": (
        "abs.f32 %f3, %f1; setp.lt.f32 %p1, %f3, %f5; @!%p1 bra DONE; cvt.rzi.s32.f32 %r4, %f1;",
        -15, 15, False),
    "of an absolute value that is greater": (
        "abs.f32 %f3, %f1; setp.gt.f32 %p1, %f3, %f5; @!%p1 bra DONE; cvt.rzi.s32.f32 %r4, %f1;",
        LEAST, MOST, False),
    "of an absolute value that may be NaN": (
        "abs.f64 %e3, %e1; setp.gt.f64 %p1, %e3, 0d402E000000000000; @%p1 bra DONE;"
        "cvt.rzi.s32.f32 %r4, %f1;", -15, 15, False),
    "a double of an absolute value that may be NaN": (
        "abs.f64 %e3, %e1; setp.gt.f64 %p1, %e3, 0d402E000000000000; @%p1 bra DONE;"
        "cvt.rzi.s32.f64 %r4, %e1;", LEAST, 15, False),
    "less than an integer, or NaN": (
        "setp.le.f32 %p1, %f1, 0fBF800000; setp.ge.f32 %p2, %f1, %f2; or.pred %p3, %p1, %p2;"
        "@%p3 bra DONE; cvt.rmi.s32.f32 %r4, %f1;", -1, MOST, True),
    "at most an integer": (
        "setp.gt.f32 %p1, %f1, %f2; setp.lt.f32 %p2, %f1, 0f00000000; or.pred %p3, %p1, %p2;"
        "@%p3 bra DONE; cvt.rzi.s32.f32 %r4, %f1;", 0, MOST, True),
    "clamped by an integer": (
        "max.f32 %f3, %f1, 0f00000000; min.f32 %f4, %f3, %f2; cvt.rzi.s32.f32 %r4, %f4;",
        LEAST, MOST, True),
    "clamped by an integer, then by 0": (
        "min.ftz.f32 %f3, %f1, %f2; max.ftz.f32 %f4, %f3, 0f00000000;"
        "cvt.rmi.ftz.s32.f32 %r4, %f4;", 0, MOST, True),
    "clamped by an integer less one": (
        "add.f32 %f6, %f2, 0fBF800000; max.f32 %f3, %f1, 0f00000000; min.f32 %f4, %f3, %f6;"
        "cvt.rni.s32.f32 %r4, %f4;", LEAST, MOST, True),
    "clamped by an integer, rounded up": (
        "max.f32 %f3, %f1, 0f00000000; min.f32 %f4, %f3, %f2; cvt.rpi.s32.f32 %r4, %f4;",
        LEAST, MOST, False),
    "a double clamped by an integer": (
        "max.f64 %e3, %e1, 0d0000000000000000; min.f64 %e4, %e3, %e2; cvt.rmi.s32.f64 %r4, %e4;",
        LEAST, MOST, True),
    "selected below an integer": (
        "setp.lt.f32 %p1, %f1, 0f00000000; selp.f32 %f3, 0f00000000, %f1, %p1;"
        "setp.gt.f32 %p2, %f3, %f2; selp.f32 %f4, %f2, %f3, %p2; cvt.rzi.s32.f32 %r4, %f4;",
        LEAST, MOST, True),
    "a part of an integer": (
        "max.f32 %f3, %f1, 0f00000000; min.f32 %f4, %f3, 0f3F7FFFFF; mul.f32 %f6, %f4, %f2;"
        "cvt.rzi.s32.f32 %r4, %f6;", -(2**31) + 128, MOST, True),
    "a part of an integer, or the whole": (
        "cvt.sat.f32.f32 %f3, %f1; mul.f32 %f4, %f3, %f2; cvt.rmi.s32.f32 %r4, %f4;",
        LEAST, MOST, True),
    "less than an integer, towards zero": (
        "setp.leu.f32 %p1, %f1, 0fBF000000; @%p1 bra DONE; setp.geu.f32 %p2, %f1, %f2;"
        "@%p2 bra DONE; cvt.rzi.s32.f32 %r4, %f1;", 0, MOST, True),
}  # fmt: skip
INTEGERS = (-(2**31), -1, 0, 1, 5, 2**24 - 1, 2**24 + 1, 2**24 + 3, 2**31 - 65, 2**31 - 1)


def floats(n: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Floats next to n and to the numbers in the tests, subnormal ones, infinity and NaN."""
    near = [np.float32(at) for at in (n, n - 1, n + 1, -2, -1, 0, 1, 1.5, 2, 15, 2**31, -(2**31))]
    ends = [np.float32(np.inf), np.float32(-np.inf)]
    each = [np.nextafter(at, end) for at, end in product(near, ends)]
    more = [1e-40, -1e-40, 0.5, -0.5, -0.0, 65504, 65519, 1e30, -1e30, np.nan, -np.nan]
    return np.array([*near, *each, *ends, *more], dtype=np.float32)


@pytest.mark.parametrize("name", BODIES)
def test_an_integer_lies_between_its_bounds(name: str) -> None:
    body, low, high, limited = BODIES[name]
    threads = len(floats(0))
    text = (HEAD + body + TAIL).format(threads=threads, bytes=4 * threads)
    source = Source("k.ptx", text)
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    symbolic = Facts(kernel, resolved([Contract()], kernel), "sm_80").symbolic
    (symbol,) = {one for one, value in symbolic.opaque.items() if value.name.startswith("%r4")}
    assert (symbol.low, symbol.high) == (low, high)
    word = symbolic.words[symbolic.opaque[symbol]].offset.polynomial
    assert word is not None
    most = symbolic.upper_bounds.get(symbol, ())
    assert (word.alone is not symbol or bool(most)) is limited
    launch = resolved([Contract.from_comments(text)], kernel)
    for n in INTEGERS:
        out = np.full(threads, UNTOUCHED, dtype=np.int32)
        concrete = launch.concrete(kernel, {0: floats(n), 1: out}, values={2: n})
        found = run(kernel, concrete, RunOptions()).buffers[1].view(np.int32)
        values = found[found != UNTOUCHED]
        assert ((values >= low) & (values <= high)).all()
        for value in {*map(int, values)}:
            assert word.value(partial(number, {symbol: value}, n)) == value
            assert all(value <= limit.value(partial(number, {}, n)) for limit in most)


def number(known: Mapping[Symbol, int], n: int, symbol: Symbol) -> int:
    """What a symbol is if the parameter is n: what is known, or that, or what is made of it."""
    match symbol:
        case Choice():
            return max(case.polynomial.value(partial(number, known, n)) for case in symbol.cases)
        case Quotient():
            of = (symbol.dividend, symbol.divisor)
            dividend, divisor = (part.value(partial(number, known, n)) for part in of)
            return dividend // divisor
        case Interpretation():
            whole, half = 1 << symbol.width, 1 << (symbol.width - 1)
            return (symbol.polynomial.value(partial(number, known, n)) + half) % whole - half
    return known.get(symbol, n)
