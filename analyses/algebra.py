"""The primitive operators on bit vectors: the one vocabulary that all interpretations share.

The meaning of an instruction is a function that calls these operators on any algebra. The concrete
machine (``concrete.machine``) is one algebra; every abstract domain is another. The style is
tagless-final (Carette, Kiselyov & Shan 2009).

A word is a bit vector with a width in bits; a predicate is a word of width 1; a float is the bit
pattern of its IEEE 754 encoding. The width belongs to the value, so an operator works at 5 bits as
at 64: tests try every operand at small widths.

This base class defines every operator as ``unknown``: an operator that a domain leaves out gives
top, and a misspelt operator is an error instead of a silent top. Operators that compose exactly are
derived here once (``ne``, ``le_u`` ...). ``min`` and ``max`` are primitive, because derived from
compare and select they lose half of the precision.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, Generic, TypeVar

from msgspec import Struct

V = TypeVar("V")


class FloatMode(Struct, frozen=True):
    """The modifiers of a float operation: the rounding mode (``rn rz rm rp``, or ``ro``, round to
    odd, for a result that is rounded once more), flushing of subnormals, saturation to [0, 1]."""

    rounding: str = "rn"
    ftz: bool = False
    sat: bool = False


class MatrixProduct(Struct, frozen=True):
    """D = A*B + C by a warp: A is m x k, B is k x n, C and D are m x n. Element types are ``f16
    bf16 tf32 f64 s8 u8 s4 u4`` for A and B, ``f16 f32 f64 s32`` for C and D. If there are
    ``layouts``, ``row`` or ``col`` for A and for B, each lane holds as many neighbours in this
    order, and in the order of rows for C and D; else the lanes hold the fragments of ``mma``."""

    m: int
    n: int
    k: int
    a: str
    b: str
    d: str
    saturates: bool = False
    layouts: tuple[str, ...] = ()

    @property
    def registers_a(self) -> int:
        """Words of A in each lane: 64 bits each for ``f64``, else 32."""
        return max(self.m * self.k * element_bits(self.a) // WARP_BITS[self.a == "f64"], 1)

    @property
    def registers_b(self) -> int:
        return max(self.k * self.n * element_bits(self.b) // WARP_BITS[self.b == "f64"], 1)


WARP_BITS = (32 * 32, 32 * 64)  # in one register of 32 bits, of 64 bits, of all lanes of a warp


def element_bits(name: str) -> int:
    """Bits that an element of a matrix takes in a register: a tf32 takes 32."""
    return {"tf32": 32, "bf16": 16}.get(name) or int(name[1:])


class Algebra(Generic[V]):
    """Every primitive operator. A result has its first operand's width unless stated otherwise."""

    # --- a subclass must define these

    def width(self, a: V) -> int:
        """The width of a word, in bits."""
        raise NotImplementedError

    def unknown(self, width: int, *operands: V) -> V:
        """An unknown word that is a function of the operands alone."""
        raise NotImplementedError

    def havoc(self, width: int) -> V:
        """An unknown word, possibly different in each lane."""
        return self.unknown(width)

    def const(self, width: int, bits: int) -> V:
        """The word with this bit pattern, taken modulo 2**width."""
        return self.unknown(width)

    # --- integer arithmetic, modulo 2**width

    def add(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def sub(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def neg(self, a: V) -> V:
        return self.sub(self.const(self.width(a), 0), a)

    def mul(self, a: V, b: V) -> V:
        """The low half of the product."""
        return self.unknown(self.width(a), a, b)

    def mul_hi_u(self, a: V, b: V) -> V:
        """The high half of the product of two unsigned words."""
        return self.unknown(self.width(a), a, b)

    def mul_hi_s(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def div_u(self, a: V, b: V) -> V:
        """By zero an unspecified word, as is a remainder; the concrete machine gives all ones."""
        return self.unknown(self.width(a), a, b)

    def div_s(self, a: V, b: V) -> V:
        """Rounds towards zero."""
        return self.unknown(self.width(a), a, b)

    def rem_u(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def rem_s(self, a: V, b: V) -> V:
        """Has the sign of the dividend."""
        return self.unknown(self.width(a), a, b)

    def min_u(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def max_u(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def min_s(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def max_s(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def abs_(self, a: V) -> V:
        """The least word is its own absolute value."""
        return self.max_s(a, self.neg(a))

    # --- bits

    def and_(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def or_(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def xor(self, a: V, b: V) -> V:
        return self.unknown(self.width(a), a, b)

    def not_(self, a: V) -> V:
        return self.xor(a, self.const(self.width(a), -1))

    def shl(self, a: V, n: V) -> V:
        """``n`` has 32 bits and is unsigned; a shift by the width or more gives 0."""
        return self.unknown(self.width(a), a, n)

    def shr_u(self, a: V, n: V) -> V:
        return self.unknown(self.width(a), a, n)

    def shr_s(self, a: V, n: V) -> V:
        """A shift by the width or more gives the sign everywhere."""
        return self.unknown(self.width(a), a, n)

    def popc(self, a: V) -> V:
        """Number of ones, as a word of 32 bits."""
        return self.unknown(32, a)

    def clz(self, a: V) -> V:
        """Number of leading zeros, as a word of 32 bits."""
        return self.unknown(32, a)

    def brev(self, a: V) -> V:
        return self.unknown(self.width(a), a)

    def prmt(self, a: V, b: V, selector: V) -> V:
        """Each result byte is a byte of b:a chosen by a nibble, whose top bit replicates the
        sign."""
        return self.unknown(self.width(a), a, b, selector)

    # --- comparison and choice

    def eq(self, a: V, b: V) -> V:
        return self.unknown(1, a, b)

    def lt_u(self, a: V, b: V) -> V:
        return self.unknown(1, a, b)

    def lt_s(self, a: V, b: V) -> V:
        return self.unknown(1, a, b)

    def ne(self, a: V, b: V) -> V:
        return self.not_(self.eq(a, b))

    def le_u(self, a: V, b: V) -> V:
        return self.not_(self.lt_u(b, a))

    def le_s(self, a: V, b: V) -> V:
        return self.not_(self.lt_s(b, a))

    def select(self, p: V, a: V, b: V) -> V:
        """``a`` where p, else ``b``."""
        return self.unknown(self.width(a), p, a, b)

    # --- widths

    def zext(self, width: int, a: V) -> V:
        return self.unknown(width, a)

    def sext(self, width: int, a: V) -> V:
        return self.unknown(width, a)

    def extract(self, width: int, low: int, a: V) -> V:
        """The ``width`` bits from bit ``low`` on."""
        return self.unknown(width, a)

    def trunc(self, width: int, a: V) -> V:
        return self.extract(width, 0, a)

    def concat(self, *parts: V) -> V:
        """One word from parts, the least significant first."""
        return self.unknown(sum(self.width(part) for part in parts), *parts)

    # --- floating point: words of 16, 32 or 64 bits read as IEEE 754

    def fadd(self, a: V, b: V, mode: FloatMode) -> V:
        return self.unknown(self.width(a), a, b)

    def fmul(self, a: V, b: V, mode: FloatMode) -> V:
        return self.unknown(self.width(a), a, b)

    def fma(self, a: V, b: V, c: V, mode: FloatMode) -> V:
        """a*b + c, rounded once."""
        return self.unknown(self.width(a), a, b, c)

    def fdiv(self, a: V, b: V, mode: FloatMode) -> V:
        return self.unknown(self.width(a), a, b)

    def fsqrt(self, a: V, mode: FloatMode) -> V:
        return self.unknown(self.width(a), a)

    def fmin(self, a: V, b: V, mode: FloatMode) -> V:
        """The other operand where one is NaN."""
        return self.unknown(self.width(a), a, b)

    def fmax(self, a: V, b: V, mode: FloatMode) -> V:
        return self.unknown(self.width(a), a, b)

    def approx(self, function: str, a: V, mode: FloatMode) -> V:
        """``sin cos ex2 lg2 rcp rsqrt sqrt tanh``, within the ulps that the manual states."""
        return self.unknown(self.width(a), a)

    def feq(self, a: V, b: V, mode: FloatMode) -> V:
        """False where one is NaN."""
        return self.unknown(1, a, b)

    def flt(self, a: V, b: V, mode: FloatMode) -> V:
        return self.unknown(1, a, b)

    def funordered(self, a: V, b: V) -> V:
        """True if one of them is NaN."""
        return self.unknown(1, a, b)

    def float_to_float(self, width: int, a: V, mode: FloatMode, integral: bool = False) -> V:
        """Convert between float formats; ``integral`` rounds to an integer in the same format."""
        return self.unknown(width, a)

    def float_to_int(self, width: int, signed: bool, a: V, mode: FloatMode) -> V:
        """Clamps to the range of the integer. NaN gives 0, or the least signed word where one side
        has 64 bits."""
        return self.unknown(width, a)

    def int_to_float(self, width: int, signed: bool, a: V, mode: FloatMode) -> V:
        return self.unknown(width, a)

    # --- the world around a thread

    def special(self, name: str, width: int) -> V:
        """A special register by its PTX-free name: ``tid.x ctaid.y ntid.z laneid clock`` ..."""
        return self.unknown(width)

    def address(self, region: object, width: int) -> V:
        """The address of the first byte of a memory region, in its own state space."""
        return self.unknown(width)

    def parameter(self, name: str, offset: int, width: int) -> V:
        """The word at byte ``offset`` of a kernel parameter: a special register of that name."""
        return self.special(f"{name}+{offset}", width)

    def convert_address(self, space: str, to_generic: bool, a: V) -> V:
        """Converts between an address in ``space`` and the generic address of the same byte."""
        return self.unknown(self.width(a), a)

    def is_space(self, space: str, a: V) -> V:
        """True if a generic address points into ``space``."""
        return self.unknown(1, a)

    def loaded(self, width: int, space: str, address: V) -> V:
        """A word read from memory."""
        return self.unknown(width, address)

    def shuffle(self, mode: str, a: V, lane: V, clamp: V, members: V) -> tuple[V, V]:
        """The word of another lane of the warp; and a predicate, true if that lane was in range."""
        operands = (a, lane, clamp, members)
        return self.unknown(self.width(a), *operands), self.unknown(1, *operands)

    def vote(self, mode: str, p: V, members: V) -> V:
        """``all any uni`` give a predicate, ``ballot`` a word of 32 bits; the same in all
        members."""
        return self.unknown(32 if mode == "ballot" else 1, p, members)

    def active_mask(self) -> V:
        """The lanes of the warp that execute this instruction together, as a word of 32 bits."""
        return self.unknown(32)

    def match(self, a: V, members: V) -> V:
        """The active members whose word equals this lane's, as a word of 32 bits."""
        return self.unknown(32, a, members)

    def reduce(self, function: str, a: V, members: V) -> V:
        """``add and or xor min_u max_u min_s max_s`` over the words of the active members."""
        return self.unknown(self.width(a), a, members)

    def barrier_vote(self, mode: str, p: V, barrier: V) -> V:
        """A reduction over the threads at a barrier: ``and or`` give a predicate, ``popc`` a word
        of 32 bits; the same in all of them."""
        return self.unknown(32 if mode == "popc" else 1, p, barrier)

    def matrix_product(self, product: MatrixProduct, *words: V) -> tuple[V, ...]:
        """The lane's words of D, each as wide as in C, from all lanes' words of A, then B, then
        C."""
        third = words[product.registers_a + product.registers_b :]
        return tuple(self.unknown(self.width(word), *words) for word in third)


OPERATORS = tuple(
    name
    for name, value in vars(Algebra).items()
    if inspect.isfunction(value) and not name.startswith("_") and name not in ("width", "unknown")
)
"""The names of all operators, derived ones too: an algebra may be more precise."""


def has_several_results(operator: str) -> bool:
    signature = inspect.signature(getattr(Algebra, operator))
    return str(signature.return_annotation).startswith("tuple")


def implement(
    algebra: type[Any], make: Callable[[str], Callable[..., Any]], but: Collection[str] = ()
) -> None:
    """Gives a class the operators that it does not define, made by name, except some."""
    for name in OPERATORS:
        if name not in vars(algebra) and name not in but:
            operator = make(name)
            operator.__name__ = name
            operator.__doc__ = getattr(Algebra, name).__doc__
            setattr(algebra, name, operator)
