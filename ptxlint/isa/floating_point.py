"""Floating-point instructions (PTX ISA 9.4, "Floating Point Instructions").

The manual leaves ``abs`` and ``neg`` of NaN open. They are a device's here: at 64 bits NaN itself,
made quiet, else the canonical NaN. Only ``abs`` keeps the fraction of another NaN, where a device
sets it: analyses of indices that are made of an exponent rest on its being a mask. The approximate
functions are primitives: the concrete machine rounds them correctly, which lies within the error
that the manual allows. ``f32x2`` is computed element by element. Meanings shared with half
precision work at any width.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from analyses.algebra import Algebra, FloatMode, V
from ptxlint.isa.formats import BFLOAT, floating, sign_of, widened
from ptxlint.isa.row import Form, WordSemantics, op

ONE = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}
CANONICAL_NAN = {16: 0x7FFF, 32: 0x7FFFFFFF}
QUIET = 1 << 51
"""The bit of a NaN of 64 bits that is quiet."""


def flushed(o: Algebra[V], f: Form, a: V) -> V:
    """Subnormals become zero under .ftz, by an exact multiplication by 1."""
    one = o.const(f.type.bits, ONE[f.type.bits])
    return o.fmul(a, one, f.mode) if f.has("ftz") else a


def absolute(o: Algebra[V], f: Form, a: V) -> V:
    a = flushed(o, f, a)
    return magnitude(o, a) if f.type.bits < 64 else if_ordered(o, f, a, magnitude(o, a))


def opposite(o: Algebra[V], f: Form, a: V) -> V:
    a = flushed(o, f, a)
    return if_ordered(o, f, a, o.xor(a, sign_of(o, a)))


def if_ordered(o: Algebra[V], f: Form, a: V, result: V) -> V:
    """The result of a sign operation, or what that is of NaN."""
    number = widened(o, BFLOAT, a) if f.type.kind == "bf" else a
    if f.type.bits == 64:
        nan = o.or_(a, o.const(64, QUIET))
    else:
        nan = o.const(f.type.bits, CANONICAL_NAN[f.type.bits])
    return o.select(o.funordered(number, number), nan, result)


def magnitude(o: Algebra[V], a: V) -> V:
    return o.and_(a, o.not_(sign_of(o, a)))


def rounded(operator: Callable[..., object]) -> WordSemantics:
    """The operation that is one operator of the algebra: ``rounded(Algebra.fadd)``."""
    name = operator.__name__

    def operation(o: Algebra[V], f: Form, mode: FloatMode, *words: V) -> V:
        word: V = getattr(o, name)(*words, mode)
        return word

    return operation


add, mul, fma = rounded(Algebra.fadd), rounded(Algebra.fmul), rounded(Algebra.fma)
div, sqrt = rounded(Algebra.fdiv), rounded(Algebra.fsqrt)


def sub(o: Algebra[V], f: Form, mode: FloatMode, a: V, b: V) -> V:
    """The sum with the opposite; a NaN of 64 bits keeps its sign."""
    minus = o.xor(b, sign_of(o, b))
    if o.width(b) == 64:
        minus = o.select(o.funordered(b, b), b, minus)
    return o.fadd(a, minus, mode)


def reciprocal(o: Algebra[V], f: Form, mode: FloatMode, a: V) -> V:
    return o.fdiv(o.const(f.type.bits, ONE[f.type.bits]), a, mode)


def approximate(name: str) -> WordSemantics:
    """The meaning of an approximate function, by its name in the algebra."""

    def one(o: Algebra[V], f: Form, mode: FloatMode, a: V) -> V:
        return o.approx(name, a, mode)

    return floating(one)


def least(o: Algebra[V], f: Form, mode: FloatMode, *words: V) -> V:
    return extreme(o, f, words, lambda a, b: o.fmin(a, b, mode))


def greatest(o: Algebra[V], f: Form, mode: FloatMode, *words: V) -> V:
    return extreme(o, f, words, lambda a, b: o.fmax(a, b, mode))


def extreme(o: Algebra[V], f: Form, words: tuple[V, ...], choose: Callable[[V, V], V]) -> V:
    """Under .abs of the absolute values, with .xorsign under the product of the signs; a NaN among
    the operands is the result only under .NaN."""
    result = reduce(choose, [magnitude(o, a) for a in words] if f.has("abs") else words)
    if f.has("xorsign"):
        result = o.or_(result, o.and_(reduce(o.xor, words), sign_of(o, result)))
    if f.has("NaN"):
        bits = o.width(result)
        unordered = reduce(o.or_, [o.funordered(a, words[0]) for a in words])
        result = o.select(unordered, o.const(bits, CANONICAL_NAN[bits]), result)
    return result


def copysign(o: Algebra[V], f: Form, a: V, b: V) -> V:
    """The sign of a with the magnitude of b."""
    return o.or_(o.and_(a, sign_of(o, a)), magnitude(o, b))


def testp(o: Algebra[V], f: Form, a: V) -> V:
    """Zero is normal."""
    bits = f.type.bits
    fraction = 23 if bits == 32 else 52
    size = magnitude(o, a)
    infinity = o.const(bits, ((1 << (bits - 1 - fraction)) - 1) << fraction)
    least_normal = o.const(bits, 1 << fraction)
    if f.has("number"):
        return o.le_u(size, infinity)
    if f.has("notanumber"):
        return o.lt_u(infinity, size)
    if f.has("infinite"):
        return o.eq(size, infinity)
    if f.has("finite"):
        return o.lt_u(size, infinity)
    subnormal = o.and_(o.lt_u(size, least_normal), o.ne(size, o.const(bits, 0)))
    if f.has("subnormal"):
        return subnormal
    return o.and_(o.lt_u(size, infinity), o.not_(subnormal))


F32_64 = "f32 f64"
AT = "floating-point-instructions-"

ROWS = (
    op("testp.test.type p, a", at=AT + "testp", types=F32_64, sem=testp,
       test="finite infinite number notanumber normal subnormal"),
    op("copysign.type d, a, b", at=AT + "copysign", types=F32_64, sem=copysign),
    op("add{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "add", types="f32 f64 f32x2",
       sem=floating(add)),
    op("sub{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "sub", types="f32 f64 f32x2",
       sem=floating(sub)),
    op("mul{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "mul", types="f32 f64 f32x2",
       sem=floating(mul)),
    op("fma.rnd{.ftz}{.sat}.type d, a, b, c", at=AT + "fma", types="f32 f64 f32x2",
       sem=floating(fma)),
    op("mad{.rnd}{.ftz}{.sat}.type d, a, b, c", at=AT + "mad", types=F32_64, sem=floating(fma)),
    op("div.rnd{.ftz}.type d, a, b", at=AT + "div", types=F32_64,
       sem=floating(div)),
    op("div.kind{.ftz}.type d, a, b", at=AT + "div", kind="approx full", types="f32",
       sem=floating(div)),
    op("abs{.ftz}.type d, a", at=AT + "abs", types=F32_64, sem=absolute),
    op("neg{.ftz}.type d, a", at=AT + "neg", types=F32_64, sem=opposite),
    *(row for name, operation in (("min", least), ("max", greatest)) for row in (
        op(f"{name}{{.ftz}}{{.NaN}}{{.abs}}.type d, a, b{{, c}}", at=AT + name, types="f32",
           sem=floating(operation)),
        op(f"{name}{{.ftz}}{{.NaN}}.xorsign.abs.type d, a, b", at=AT + name, types="f32",
           sem=floating(operation)),
        op(f"{name}.type d, a, b", at=AT + name, types="f64", sem=floating(operation)),
    )),
    op("rcp.rnd{.ftz}.type d, a", at=AT + "rcp", types=F32_64, sem=floating(reciprocal)),
    op("rcp.approx{.ftz}.type d, a", at=AT + "rcp", types=F32_64,
       sem=approximate("rcp")),
    op("sqrt.rnd{.ftz}.type d, a", at=AT + "sqrt", types=F32_64,
       sem=floating(sqrt)),
    op("sqrt.approx{.ftz}.type d, a", at=AT + "sqrt", types="f32",
       sem=approximate("sqrt")),
    op("rsqrt.approx{.ftz}.type d, a", at=AT + "rsqrt", types=F32_64,
       sem=approximate("rsqrt")),
    *(op(f"{name}.approx{{.ftz}}.type d, a", at=AT + name, types="f32", sem=approximate(name))
      for name in ("sin", "cos", "lg2", "ex2")),
    op("tanh.approx.type d, a", at=AT + "tanh", types="f32", sem=approximate("tanh")),
)  # fmt: skip
