"""Floating-point instructions (PTX ISA 9.4, "Floating Point Instructions").

``abs`` and ``neg`` act on the sign bit, also of NaN. The approximate functions are primitives: the
concrete machine rounds them correctly, which lies within the error that the manual allows.
"""

from __future__ import annotations

from typing import Any

from ptxlint.isa.row import Form, op


def sign(o: Any, f: Form) -> Any:
    return o.const(f.type.bits, 1 << (f.type.bits - 1))


def flushed(o: Any, f: Form, a: Any) -> Any:
    """Subnormals become zero under .ftz: one exact multiplication by 1 says so."""
    one = o.const(32, 0x3F800000)
    return o.fmul(a, one, f.mode) if f.has("ftz") else a


def negated(o: Any, f: Form, a: Any) -> Any:
    return o.xor(a, sign(o, f))


def reciprocal(o: Any, f: Form, a: Any) -> Any:
    one = o.const(f.type.bits, 0x3F800000 if f.type.bits == 32 else 0x3FF0000000000000)
    return o.fdiv(one, a, f.mode)


def testp(o: Any, f: Form, a: Any) -> Any:
    bits = f.type.bits
    fraction = 23 if bits == 32 else 52
    magnitude = o.and_(a, o.not_(sign(o, f)))
    infinity = o.const(bits, ((1 << (bits - 1 - fraction)) - 1) << fraction)
    least_normal = o.const(bits, 1 << fraction)
    if f.has("number"):
        return o.le_u(magnitude, infinity)
    if f.has("notanumber"):
        return o.lt_u(infinity, magnitude)
    if f.has("infinite"):
        return o.eq(magnitude, infinity)
    if f.has("finite"):
        return o.lt_u(magnitude, infinity)
    normal = o.and_(o.le_u(least_normal, magnitude), o.lt_u(magnitude, infinity))
    if f.has("normal"):
        return normal
    return o.lt_u(magnitude, least_normal)


F32_64 = "f32 f64"
AT = "floating-point-instructions-"

ROWS = (
    op("testp.test.type p, a", at=AT + "testp", types=F32_64, sem=testp,
       test="finite infinite number notanumber normal subnormal"),
    op("copysign.type d, a, b", at=AT + "copysign", types=F32_64,
       sem=lambda o, f, a, b: o.or_(o.and_(a, sign(o, f)), o.and_(b, o.not_(sign(o, f))))),
    op("add{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "add", types=F32_64,
       sem=lambda o, f, a, b: o.fadd(a, b, f.mode)),
    op("sub{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "sub", types=F32_64,
       sem=lambda o, f, a, b: o.fadd(a, negated(o, f, b), f.mode)),
    op("mul{.rnd}{.ftz}{.sat}.type d, a, b", at=AT + "mul", types=F32_64,
       sem=lambda o, f, a, b: o.fmul(a, b, f.mode)),
    op("fma.rnd{.ftz}{.sat}.type d, a, b, c", at=AT + "fma", types=F32_64,
       sem=lambda o, f, a, b, c: o.fma(a, b, c, f.mode)),
    op("mad{.rnd}{.ftz}{.sat}.type d, a, b, c", at=AT + "mad", types=F32_64,
       sem=lambda o, f, a, b, c: o.fma(a, b, c, f.mode)),
    op("div.rnd{.ftz}.type d, a, b", at=AT + "div", types=F32_64,
       sem=lambda o, f, a, b: o.fdiv(a, b, f.mode)),
    op("div.kind{.ftz}.type d, a, b", at=AT + "div", kind="approx full", types="f32",
       sem=lambda o, f, a, b: o.fdiv(a, b, f.mode)),
    op("abs{.ftz}.type d, a", at=AT + "abs", types=F32_64,
       sem=lambda o, f, a: o.and_(flushed(o, f, a), o.not_(sign(o, f)))),
    op("neg{.ftz}.type d, a", at=AT + "neg", types=F32_64,
       sem=lambda o, f, a: negated(o, f, flushed(o, f, a))),
    op("min{.ftz}.type d, a, b", at=AT + "min", types=F32_64,
       sem=lambda o, f, a, b: o.fmin(a, b, f.mode)),
    op("max{.ftz}.type d, a, b", at=AT + "max", types=F32_64,
       sem=lambda o, f, a, b: o.fmax(a, b, f.mode)),
    op("rcp.rnd{.ftz}.type d, a", at=AT + "rcp", types=F32_64, sem=reciprocal),
    op("rcp.approx{.ftz}.type d, a", at=AT + "rcp", types=F32_64,
       sem=lambda o, f, a: o.approx("rcp", a, f.mode)),
    op("sqrt.rnd{.ftz}.type d, a", at=AT + "sqrt", types=F32_64,
       sem=lambda o, f, a: o.fsqrt(a, f.mode)),
    op("sqrt.approx{.ftz}.type d, a", at=AT + "sqrt", types="f32",
       sem=lambda o, f, a: o.approx("sqrt", a, f.mode)),
    op("rsqrt.approx{.ftz}.type d, a", at=AT + "rsqrt", types=F32_64,
       sem=lambda o, f, a: o.approx("rsqrt", a, f.mode)),
    *(op(f"{name}.approx{{.ftz}}.type d, a", at=AT + name, types="f32",
         sem=lambda o, f, a, name=name: o.approx(name, a, f.mode))
      for name in ("sin", "cos", "lg2", "ex2")),
    op("tanh.approx.type d, a", at=AT + "tanh", types="f32",
       sem=lambda o, f, a: o.approx("tanh", a, f.mode)),
)  # fmt: skip
