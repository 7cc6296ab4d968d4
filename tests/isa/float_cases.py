"""What float, half, comparison and conversion instructions should give, by exact fractions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ptxlint.isa.row import TYPES
from tests.isa.case import Case, Error, edges
from tests.isa.formats import (
    FORMATS,
    Number,
    encoded,
    fused,
    greatest,
    least,
    product,
    relu,
    total,
    value,
)
from tests.isa.integer_cases import clamp, signed

NEWER = (  # than PTX 9.0: ptxas may refuse them
    r"set\.\w\w\.([us]8x4|[us]16x2)|f32x2\.b?f16x2\.f32x2|"
    r"satfinite(\.relu)?\.(e\dm\dx2\.bf16x2|(e2m1|e2m3|e3m2)x2\.f16x2)|\.bf16x2\.e\dm\dx2"
)
NAN = math.nan
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip


def minus(a: float, b: float) -> Number:
    return total(a, -b)


def ratio(a: float, b: float) -> Number:
    if b == 0 or not (math.isfinite(a) and math.isfinite(b)) or a == 0:
        sign = math.copysign(1, a) * math.copysign(1, b)
        if a != a or b != b or (a == b == 0) or (math.isinf(a) and math.isinf(b)):
            return NAN
        return sign * (math.inf if b == 0 or math.isinf(a) else 0.0)
    return Fraction(a) / Fraction(b)


def unit(a: Number) -> Number:
    """Clamped to [0, 1]; NaN gives 0."""
    return min(Fraction(1), a) if a > 0 and a != math.inf else Fraction(1) if a > 0 else 0.0


def flush(name: str) -> Callable[[float], float]:
    normal = value(name, 1 << FORMATS[name].fraction)
    return lambda a: math.copysign(0.0, a) if abs(a) < normal else a


def rooted(a: float) -> Number:
    """The square root, by an integer root of many bits and one more for what is left."""
    if not (math.isfinite(a) and a > 0):
        return a if a == 0 or a == math.inf else NAN
    size = Fraction(a) * 4**1200
    root = math.isqrt(size.numerator // size.denominator)
    return Fraction(2 * root + (root * root != size), 2**1201)


def with_nan(choose: Callable[..., float]) -> Callable[..., float]:
    return lambda *words: NAN if any(x != x for x in words) else choose(*words)


def xorsign(choose: Callable[..., float]) -> Callable[..., float]:
    def chosen(a: float, b: float) -> float:
        sign = math.copysign(1, a) * math.copysign(1, b)
        return math.copysign(choose(abs(a), abs(b)), sign)

    return chosen


def three(choose: Callable[..., float]) -> Callable[..., float]:
    return lambda a, b, c: choose(choose(a, b), c)


def holds(test: str, a: Any, b: Any) -> bool:
    """A float comparison by its name."""
    unordered = a != a or b != b
    match test:
        case "num" | "nan":
            return unordered == (test == "nan")
        case "ne":
            return a != b and not unordered
        case "neu":
            return bool(a != b)
    return TESTS[test[:2]](a, b) or (test.endswith("u") and unordered)


ORDERED = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOAT_TESTS = [*ORDERED, *(f"{name}u" for name in ORDERED), "num", "nan"]


def arithmetic() -> list[Case]:
    cases: list[Case] = []
    for t in ("f32", "f64", "f16", "bf16", "f32x2", "f16x2", "bf16x2"):
        rounded = "" if "16" in t else ".rn"
        cases += [
            Case(f"add{rounded}.{t}", total),
            Case(f"sub.{t}", minus),
            Case(f"mul.rn.{t}", product),
            Case(f"fma.rn.{t}", fused),
        ]
        if "16" in t:
            cases += [
                Case(f"fma.rn.relu.{t}", lambda a, b, c: relu(fused(a, b, c))),
                Case(
                    f"tanh.approx.{t}",
                    lambda a: near(math.tanh, a),
                    error=Error(2**-8 if t.startswith("b") else 2**-10.987),
                ),
                Case(
                    f"ex2.approx{'.ftz' * t.startswith('b')}.{t}",
                    lambda a: near(exp2, a),
                    error=Error(0, 2**-7 if t.startswith("b") else 2**-9.9),
                ),
            ]
    for t in ("f32", "f64"):
        for mode in ("rz", "rm", "rp"):
            if mode != "rm":  # where the sum of x and -x is -0
                cases.append(Case(f"add.{mode}.{t}", total))
            cases += [Case(f"mul.{mode}.{t}", product), Case(f"div.{mode}.{t}", ratio),
                      Case(f"sqrt.{mode}.{t}", rooted)]  # fmt: skip
        cases += [
            Case(f"mad.rn.{t}", fused),
            Case(f"div.rn.{t}", ratio),
            Case(f"rcp.rn.{t}", lambda a: ratio(1.0, a)),
            Case(f"sqrt.rn.{t}", rooted),
        ]
    for t in ("f32", "f16", "f16x2"):
        small = flush(t[:3])
        cases += [
            Case(f"add.sat.{t}", lambda a, b: unit(total(a, b))),
            Case(f"mul.ftz.{t}", lambda a, b, s=small, t=t[:3]: flushed(t, product(s(a), s(b)))),
        ]
    return cases


def flushed(name: str, a: Number) -> Number:
    """What .ftz makes of a result: it is rounded first."""
    return flush(name)(value(name, encoded(name, a)))


def exp2(a: float) -> float:
    try:
        return 2.0**a
    except OverflowError:
        return math.inf


def near(function: Callable[[float], float], a: float) -> Number:
    """An approximation: here that of the C library, which the concrete machine rounds alike."""
    return NAN if a != a else function(a)


def approximations() -> list[Case]:
    def log2(a: float) -> float:
        return math.log2(a) if a > 0 else -math.inf if a == 0 else NAN

    def wave(f: Callable[[float], float]) -> Callable[[float], float]:
        return lambda a: f(a) if math.isfinite(a) else NAN

    numbers = [value("f32", x) for x in edges(TYPES["f32"])]
    tame = tuple(encoded("f32", x) for x in numbers if abs(x) < 100 or x != x)
    functions = {"sin": wave(math.sin), "cos": wave(math.cos), "lg2": log2, "ex2": exp2}
    errors = {
        "sin": Error(2**-20.5), "cos": Error(2**-20.5), "lg2": Error(2**-22, 2**-22),
        "ex2": Error(steps=2),
    }  # fmt: skip

    def upper(f: Callable[[float], Number]) -> Callable[[int], int]:
        """Only the upper halves of operand and result count."""
        return lambda bits: encoded("f64", f(value("f64", bits >> 32 << 32))) >> 32 << 32

    return [
        *(Case(f"{name}.approx.f32", lambda a, f=f: near(f, a), samples=tame, error=errors[name])
          for name, f in functions.items()),
        Case("tanh.approx.f32", lambda a: near(math.tanh, a), error=Error(0, 2**-11)),
        Case("rcp.approx.f32", lambda a: ratio(1.0, a), error=Error(steps=1)),
        Case("sqrt.approx.f32", rooted, error=Error(0, 2**-23)),
        Case("rsqrt.approx.f32", lambda a: ratio_of_root(a), error=Error(0, 2**-22.9)),
        Case("div.full.f32", ratio, error=Error(steps=2)),
        Case("rcp.approx.ftz.f64", upper(lambda a: ratio(1.0, flush("f64")(a))), raw=True,
             samples=(0, 1 << 63, 0x3FF0000000000000, 0xC008000000000000, 0x7FF0000000000000)),
        Case("rsqrt.approx.f64", upper(lambda a: ratio_of_root(a)), raw=True,
             samples=(0, 0x3FF0000000000000, 0x4010000000000000, 0x7FF0000000000000)),
    ]  # fmt: skip


def ratio_of_root(a: float) -> Number:
    root = rooted(a)
    if isinstance(root, float):
        return ratio(1.0, root)
    return 1 / root


def masked(t: str) -> Case:
    """The absolute value of a word whose NaN keep their fraction."""
    mask = {"f32": 0x7FFFFFFF, "f16": 0x7FFF, "bf16": 0x7FFF}.get(t, 0x7FFF7FFF)
    return Case(f"abs.{t}", lambda a: a & mask, raw=True)


def signs_and_extremes() -> list[Case]:
    cases: list[Case] = []
    for t in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
        cases += [
            masked(t) if t != "f64" else Case("abs.f64", abs),
            Case(f"neg.{t}", lambda a: -a),
            Case(f"min.{t}", least),
            Case(f"max.{t}", greatest),
        ]
        if t != "f64":
            for name, choose in (("min", least), ("max", greatest)):
                cases += [
                    Case(f"{name}.NaN.{t}", with_nan(choose)),
                    Case(f"{name}.NaN.xorsign.abs.{t}", with_nan(xorsign(choose))),
                ]
    for t in ("f32", "f16"):
        small = flush(t)
        ordered = tuple(x for x in edges(TYPES[t]) if value(t, x) == value(t, x))
        cases.append(Case(f"neg.ftz.{t}", lambda a, s=small: -s(a), samples=ordered))
    for name, choose in (("min", least), ("max", greatest)):
        both: Any = lambda a, b, c, f=choose: three(f)(abs(a), abs(b), abs(c))  # noqa: E731
        cases += [
            Case(f"{name}.f32", three(choose), given=1),
            Case(f"{name}.NaN.f32", with_nan(three(choose)), given=1),
            Case(f"{name}.NaN.abs.f32", with_nan(both), given=1),
        ]
    classes: dict[str, Callable[[float, float], bool]] = {
        "finite": lambda a, n: math.isfinite(a),
        "infinite": lambda a, n: math.isinf(a),
        "number": lambda a, n: a == a,
        "notanumber": lambda a, n: a != a,
        "normal": lambda a, n: a == 0 or (math.isfinite(a) and abs(a) >= n),
        "subnormal": lambda a, n: 0 < abs(a) < n,
    }
    for t in ("f32", "f64"):
        normal, sign = value(t, 1 << FORMATS[t].fraction), FORMATS[t].sign
        cases += [Case(f"testp.{name}.{t}", lambda a, f=f, n=normal: f(a, n))
                  for name, f in classes.items()]  # fmt: skip
        cases.append(Case(f"copysign.{t}", lambda a, b, s=sign: a & s | b & ~s, raw=True))
    return cases


def mixed() -> list[Case]:
    return [
        case
        for t in ("f16", "bf16")
        for case in (
            Case(f"add.f32.{t}", total),
            Case(f"add.rz.f32.{t}", total),
            Case(f"sub.rn.f32.{t}", minus),
            Case(f"fma.rn.f32.{t}", fused),
            Case(f"add.rn.f32x2.{t}x2.f32x2", total),
            Case(f"sub.rn.f32x2.{t}x2.f32x2", minus),
            Case(f"fma.rn.f32x2.{t}x2.f32x2.f32x2", fused),
        )
    ]


def ones(found: tuple[bool, ...]) -> int:
    """A half of ones for each that holds."""
    return sum((0xFFFF if x else 0) << 16 * i for i, x in enumerate(found))


def comparisons() -> list[Case]:
    cases: list[Case] = []
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        cases += [Case(f"setp.{n}.{t}", f) for n, f in TESTS.items()]
        cases.append(Case(f"setp.ne.{t}", lambda a, b: (a != b, a == b), parts=2))
        cases.append(Case(f"set.lt.u32.{t}", lambda a, b: -int(a < b)))
        cases.append(Case(f"set.ge.xor.f32.{t}", lambda a, b, c: float((a >= b) != c), given=1))
    for n, like in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")):
        cases.append(Case(f"setp.{n}.u32", TESTS[like]))
    for t in ("f32", "f64", "f16", "bf16"):
        cases += [Case(f"setp.{n}.{t}", lambda a, b, n=n: holds(n, a, b)) for n in FLOAT_TESTS]
        cases += [
            Case(f"setp.lt.and.{t}", lambda a, b, c: a < b and c, given=1),
            Case(f"set.gt.{t if '16' in t else 'f32'}.{t}", lambda a, b: float(a > b)),
            Case(f"set.leu.or.s32.{t}", lambda a, b, c: -int(holds("leu", a, b) or c), given=1),
        ]
    for t in ("f16", "bf16"):
        pair: Any = lambda n, a, b, t=t: tuple(  # noqa: E731
            holds(n, value(t, a >> low & 0xFFFF), value(t, b >> low & 0xFFFF)) for low in (0, 16)
        )
        cases += [
            Case(f"set.eq.{t}.{t}", lambda a, b: float(a == b)),
            Case(f"set.ne.u16.{t}", lambda a, b: -int(holds("ne", a, b))),
            Case(f"set.ge.{t}x2.{t}x2", lambda a, b: float(a >= b)),
            Case(f"set.ltu.u32.{t}x2", lambda a, b, p=pair: ones(p("ltu", a, b)), raw=True),
            Case(f"set.gt.and.s32.{t}x2", lambda a, b, c, p=pair: ones(p("gt", a, b)) * c, raw=True,
                 given=1),
            Case(f"setp.le.{t}x2", lambda a, b, p=pair: p("le", a, b), raw=True, parts=2),
            Case(f"setp.nan.or.{t}x2", raw=True, parts=2, given=1,
                 expect=lambda a, b, c, p=pair: tuple(x or c for x in p("nan", a, b))),
        ]  # fmt: skip
    for t in ("u8x4", "s8x4", "u16x2", "s16x2"):
        cases += [Case(f"set.{n}.{t}", lambda a, b, f=f: -int(f(a, b))) for n, f in TESTS.items()]
    for t in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"]:
        cases.append(Case(f"selp.{t}", lambda a, b, c: a if c else b, raw=True))
    for t in ("b32", "f64", "s16"):
        cases += [
            Case(f"slct.{t}.s32", lambda a, b, c: a if signed(32, c) >= 0 else b, raw=True),
            Case(f"slct.{t}.f32", lambda a, b, c: a if value("f32", c) >= 0 else b, raw=True),
        ]
    return cases


WHOLE: dict[str, Callable[[float], int]] = {
    "rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil,
}  # fmt: skip


def to_whole(name: str, mode: str, wide: bool, a: float) -> int:
    low, high = clamp(name)(-(1 << 70)), clamp(name)(1 << 70)
    if a != a:
        return 1 << (int(name[1:]) - 1) if wide else 0
    return clamp(name)(WHOLE[mode](a)) if math.isfinite(a) else high if a > 0 else low


def conversions() -> list[Case]:
    cases: list[Case] = []
    whole = [f"{k}{n}" for k in "us" for n in (8, 16, 32, 64)]
    reals = ["f16", "bf16", "f32", "f64"]
    for to in whole:
        for source in whole:
            cases.append(Case(f"cvt.{to}.{source}", lambda a: a))
            if any(clamp(to)(x) != x for x in (clamp(source)(-(1 << 70)), clamp(source)(1 << 70))):
                cases.append(Case(f"cvt.sat.{to}.{source}", clamp(to)))
        for source in reals:
            wide = "64" in to or "64" in source
            for m in WHOLE:
                whole_of: Any = lambda a, t=to, m=m, w=wide: to_whole(t, m, w, a)  # noqa: E731
                cases.append(Case(f"cvt.{m}.{to}.{source}", whole_of))
    modes = ("rn", "rz", "rm", "rp")
    exact = {(a, b) for i, b in enumerate(("f16", "f32", "f64")) for a in ("f16", "f32", "f64")[i:]}
    for to in reals:
        for source in whole:
            cases += [Case(f"cvt.{m}.{to}.{source}", lambda a: Fraction(a) or 0.0) for m in modes]
        for source in reals:
            if (to, source) in (("f32", "f32"), ("f64", "f64")):
                cases.append(Case(f"cvt.{to}.{source}", lambda a: a, raw=True))
            elif (to, source) in exact:
                cases.append(Case(f"cvt.{to}.{source}", lambda a: a))
            elif (to, source) == ("f32", "bf16"):
                cases += [Case(f"cvt.{m}.f32.bf16", lambda a: a << 16, raw=True) for m in modes]
            elif (to, source) != ("bf16", "bf16"):
                cases += [Case(f"cvt.{m}.{to}.{source}", lambda a: a) for m in modes]
        cases += [Case(f"cvt.{m}.{to}.{to}", lambda a, m=m: integral(m, a)) for m in WHOLE]
    cases += [
        Case(f"cvt.{words}", unit) for words in ("rn.sat.f16.f32", "sat.f32.f32", "sat.f64.f32")
    ]
    cases.append(Case("cvt.ftz.f32.bf16", flush("f32")))
    cases.append(Case("cvt.rn.ftz.f16.f32", flush("f32")))
    return cases


def integral(mode: str, a: float) -> float:
    return math.copysign(float(WHOLE[mode](a)), a) if math.isfinite(a) else a


def rounded(name: str, mode: str, finite: bool, only: bool, bits: int) -> int:
    """A 32-bit float in another format."""
    number = value("f32", bits)
    return encoded(name, relu(number) if only and number == number else number, mode, finite)


def narrow() -> list[Case]:
    cases: list[Case] = []
    for mode in ("rn", "rz"):
        for words in ("", "relu", "satfinite", "relu.satfinite"):
            finite, only = "satfinite" in words, "relu" in words
            dots = f".{mode}.{words}" if words else f".{mode}"
            for t in ("f16", "bf16"):
                one: Any = lambda a, t=t, m=mode, f=finite, r=only: rounded(t, m, f, r, a)  # noqa: E731
                cases += [
                    Case(f"cvt{dots}.{t}.f32", one, raw=True),
                    Case(f"cvt{dots}.{t}x2.f32", lambda a, b, g=one: g(a) << 16 | g(b), raw=True),
                ]
            cases.append(Case(f"cvt{dots}.tf32.f32", tf32(mode, finite, only), raw=True))
    cases += [Case("cvt.rna.tf32.f32", tf32("rna", False, False), raw=True),
              Case("cvt.rna.satfinite.tf32.f32", tf32("rna", True, False), raw=True)]  # fmt: skip
    for t in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1"):
        size = 4 if t == "e2m1" else 8
        near_edges = tuple(edges(TYPES["f32"])) + tuple(between(t))
        for only in (False, True):
            dots = ".relu" * only
            code: Any = lambda a, t=t, r=only: rounded(t, "rn", True, r, a)  # noqa: E731
            cases.append(Case(f"cvt.rn.satfinite{dots}.{t}x2.f32", raw=True, samples=near_edges,
                              expect=lambda a, b, g=code, n=size: g(a) << n | g(b)))  # fmt: skip
            for half in ("f16", "bf16"):
                wide: Any = lambda x, h=half: encoded("f32", value(h, x & 0xFFFF))  # noqa: E731
                cases.append(Case(
                    f"cvt.rn.satfinite{dots}.{t}x2.{half}x2", raw=True,
                    expect=lambda a, g=code, n=size, w=wide: g(w(a >> 16)) << n | g(w(a)),
                ))  # fmt: skip
                back: Any = lambda x, t=t, h=half, r=only, n=size: encoded(  # noqa: E731
                    h, (relu if r else float)(value(t, x % (1 << n)))
                )
                both: Any = lambda a, g=back, n=size: g(a >> n) << 16 | g(a)  # noqa: E731
                name = f"cvt.rn{dots}.{half}x2.{t}x2"
                cases.append(Case(name, both, raw=True, samples=codes(t, size)))
    return cases


def codes(t: str, size: int) -> tuple[int, ...]:
    """Every code in either place."""
    form = FORMATS[t]
    each = range(2 * form.sign)
    return tuple(x << size | (5 * x + 1) % (2 * form.sign) for x in each)


def between(t: str) -> list[int]:
    """32-bit floats on, halfway between and beside the numbers of a narrow format."""
    form, found = FORMATS[t], []
    for code in {0, 1, 2, form.top // 2, form.top - 1, form.top}:
        low = value(t, code)
        high = value(t, code + 1) if code < form.top else 2 * low - value(t, code - 1)
        half = encoded("f32", (low + high) / 2)
        found += [encoded("f32", low), half - 1, half, half + 1]
    return found


def tf32(mode: str, finite: bool, only: bool) -> Callable[[int], int]:
    """tf32 stands in the upper 19 bits. NaN keeps them under ``rna``, less one if ``finite``."""

    def convert(bits: int) -> int:
        if mode == "rna" and value("f32", bits) != value("f32", bits):
            return ((bits >> 13) - finite) << 13
        return rounded("tf32", mode, finite, only, bits) << 13

    return convert


def others() -> list[Case]:
    def power(code: int) -> int:
        return 0x7FFF if code == 255 else encoded("bf16", Fraction(2) ** (code - 127))

    cases = [
        Case("cvt.rn.bf16x2.ue8m0x2", lambda a: power(a >> 8) << 16 | power(a & 255), raw=True)
    ]
    for t in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        n, limit = int(t[1:]), clamp(t)

        def pack(a: int, b: int, c: int = 0, n: int = n, limit: Any = limit) -> int:
            high, low = (limit(signed(32, x)) % (1 << n) for x in (a, b))
            return c << (2 * n) | high << n | low

        tail = "" if n == 16 else ".b32"
        cases.append(Case(f"cvt.pack.sat.{t}.s32{tail}", pack, raw=True))
    return cases


CASES = [
    *arithmetic(), *approximations(), *signs_and_extremes(), *mixed(), *comparisons(),
    *conversions(), *narrow(), *others(),
]  # fmt: skip
