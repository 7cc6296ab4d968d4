"""Float formats that have no operators in the algebra, and operations on packed words.

A number of such a format (bfloat16, tf32, fp8, fp6, fp4) is a 32-bit float with fewer bits. An
operation widens its operands, which is exact, computes in 32 bits rounding to odd (mode ``ro``),
and then rounds to the format. That gives the correctly rounded result: the intermediate format has
two bits more than any of these, and down to exponents as small (Boldo & Melquiond, IEEE Trans.
Computers 57(4), 2008). The last rounding is integer arithmetic on the bit pattern.

Fewer bits of exponent are reached by an exact multiplication with a power of two, which lays the
smallest numbers of the narrow format upon those of the wide one.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from analyses.algebra import Algebra, FloatMode, V
from ptxlint.isa.row import Form, Type, WordSemantics

TO_ODD = FloatMode("ro")
SIGN, MAGNITUDE, NAN, INFINITY = 0x80000000, 0x7FFFFFFF, 0x7FFFFFFF, 0x7F800000
FRACTION = 23  # bits of a 32-bit float


class Format(Struct, frozen=True):
    """Bits of exponent and fraction, and as bit patterns the greatest number, infinity (or what
    stands in for it) and NaN (0: there is none). A word of ``bits`` holds it."""

    exponent: int
    fraction: int
    greatest: int
    infinity: int
    nan: int
    bits: int = 8

    @property
    def scale(self) -> int:
        """The difference of the exponent biases of a 32-bit float and of this format."""
        return 127 - ((1 << (self.exponent - 1)) - 1)

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.fraction)


BFLOAT = Format(8, 7, 0x7F7F, 0x7F80, 0x7FFF, 16)
TF32 = Format(8, 10, 0x3FBFF, 0x3FC00, 0x3FFFF, 32)
NARROW = {
    "e4m3": Format(4, 3, 0x7E, 0x7E, 0x7F),
    "e5m2": Format(5, 2, 0x7B, 0x7C, 0x7F),
    "e2m3": Format(2, 3, 0x1F, 0x1F, 0),
    "e3m2": Format(3, 2, 0x1F, 0x1F, 0),
    "e2m1": Format(2, 1, 0x7, 0x7, 0, 4),
}


def scaled(o: Algebra[V], a: V, power: int) -> V:
    """A 32-bit float times a power of two, rounded to odd."""
    return o.fmul(a, o.const(32, (127 + power) << FRACTION), TO_ODD) if power else a


def increment(o: Algebra[V], sign: V, magnitude: V, drop: int, rounding: str) -> V:
    """The number to add to a magnitude before its lowest bits are dropped."""
    none, ones = o.const(32, 0), o.const(32, (1 << drop) - 1)
    half = 1 << (drop - 1)
    positive = o.eq(sign, none)
    match rounding:
        case "rn":  # a tie goes to the even one
            last = o.and_(o.shr_u(magnitude, o.const(32, drop)), o.const(32, 1))
            return o.add(o.const(32, half - 1), last)
        case "rna":
            return o.const(32, half)
        case "rz":
            return none
        case "rp":
            return o.select(positive, ones, none)
        case "rm":
            return o.select(positive, none, ones)
    raise ValueError(f"no rounding mode {rounding!r}")


def narrowed(
    o: Algebra[V], form: Format, a: V, rounding: str, finite: bool = False, relu: bool = False
) -> V:
    """A 32-bit float rounded to the format: ``finite`` puts its greatest number in the place of
    infinity, ``relu`` +0 in the place of what is negative. tf32 keeps its place in the word; under
    ``rna``, for which a device has no instruction, a NaN keeps its upper bits."""
    sign = o.and_(a, o.const(32, SIGN))
    magnitude = o.and_(scaled(o, a, -form.scale), o.const(32, MAGNITUDE))
    drop = FRACTION - form.fraction
    code = o.add(magnitude, increment(o, sign, magnitude, drop, rounding))
    limit = form.greatest if finite else form.infinity
    code = o.min_u(o.shr_u(code, o.const(32, drop)), o.const(32, limit))
    signed = o.or_(code, o.shr_u(sign, o.const(32, 31 - form.exponent - form.fraction)))
    if relu:
        signed = o.select(o.eq(sign, o.const(32, 0)), code, o.const(32, 0))
    unordered = o.funordered(a, a)
    result = o.select(unordered, o.const(32, form.nan or form.greatest), signed)
    if form.bits < 32:
        return o.trunc(form.bits, result)
    result = o.shl(result, o.const(32, drop))
    if rounding != "rna":
        return result
    kept = o.sub(o.and_(a, o.const(32, -1 << drop)), o.const(32, finite << drop))
    return o.select(unordered, kept, result)


def widened(o: Algebra[V], form: Format, a: V) -> V:
    """The same number as a 32-bit float."""
    if form.exponent == 8:
        return o.concat(o.const(32 - form.bits, 0), a)
    word = o.zext(32, a)
    magnitude = o.and_(word, o.const(32, form.sign - 1))
    number = scaled(o, o.shl(magnitude, o.const(32, FRACTION - form.fraction)), form.scale)
    if form.infinity != form.greatest:
        number = o.select(
            o.eq(magnitude, o.const(32, form.infinity)), o.const(32, INFINITY), number
        )
    sign = o.and_(word, o.const(32, form.sign))
    number = o.or_(number, o.shl(sign, o.const(32, 31 - form.exponent - form.fraction)))
    if not form.nan:
        return number
    return o.select(o.lt_u(o.const(32, form.infinity), magnitude), o.const(32, NAN), number)


def single(o: Algebra[V], kind: Type, a: V) -> V:
    """A float of the type as one of 32 bits: exact, but from 64 bits, which round to odd."""
    if kind.kind == "bf":
        return widened(o, BFLOAT, a)
    return a if kind.bits == 32 else o.float_to_float(32, a, TO_ODD)


# --- packed words


def elementwise(o: Algebra[V], f: Form, function: WordSemantics, *words: V) -> list[V]:
    """The results of the function on every element of packed words, or just on the words."""
    parts = f.type.parts
    if parts == 1:
        return [function(o, f, *words)]
    form = f.of(*(kind.element or kind for kind in f.types))
    results = []
    for i in range(parts):
        sizes = [o.width(word) // parts for word in words]
        results.append(function(o, form, *map(o.extract, sizes, [i * n for n in sizes], words)))
    return results


def joined(o: Algebra[V], elements: Sequence[V]) -> V:
    """One word of its elements."""
    return elements[0] if len(elements) == 1 else o.concat(*elements)


def packed(function: WordSemantics) -> WordSemantics:
    """The meaning of an instruction that may be packed, from its meaning for one element."""

    def all_elements(o: Algebra[V], f: Form, *words: V) -> V:
        return joined(o, elementwise(o, f, function, *words))

    return all_elements


def floating(operation: WordSemantics) -> WordSemantics:
    """The meaning of a float instruction in any format, packed or not. The operation takes a
    ``FloatMode``, then words that are all floats of 16, 32 or 64 bits."""

    def one(o: Algebra[V], f: Form, *words: V) -> V:
        if f.type.kind != "bf":
            return rectified(o, f, operation(o, f, f.mode, *words))
        mode = FloatMode("ro", f.mode.ftz, f.mode.sat)
        result = operation(o, f, mode, *(widened(o, BFLOAT, word) for word in words))
        return rectified(o, f, narrowed(o, BFLOAT, result, f.mode.rounding))

    return packed(one)


def sign_of(o: Algebra[V], a: V) -> V:
    """The constant that has only the sign bit of such a word."""
    return o.const(o.width(a), 1 << (o.width(a) - 1))


def rectified(o: Algebra[V], f: Form, a: V) -> V:
    """Under .relu +0 stands for what is negative; NaN stays."""
    if not f.has("relu"):
        return a
    zero = o.const(o.width(a), 0)
    number = widened(o, BFLOAT, a) if f.type.kind == "bf" else a
    ordered = o.not_(o.funordered(number, number))
    return o.select(o.and_(o.ne(o.and_(a, sign_of(o, a)), zero), ordered), zero, a)
