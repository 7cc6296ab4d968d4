"""The table of what the oracle tries: for each operator its kinds of operands and its variants.

Kinds: ``w`` a word of the width under test, ``p`` a predicate, ``n`` a shift amount of 32 bits,
``b`` a word of 32 bits for the operators that know bytes. An operator of ``Algebra`` that has no
row here and is not named in ``NOT_APPLICABLE`` fails the completeness test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from analyses.algebra import Algebra

SAME_WIDTH = """add sub mul mul_hi_u mul_hi_s div_u div_s rem_u rem_s min_u max_u min_s max_s
                and_ or_ xor eq ne lt_u le_u lt_s le_s"""
UNARY = "neg abs_ not_ popc clz brev"
SHIFTS = "shl shr_u shr_s"
SELECTORS = (0x3210, 0x7654, 0x0123, 0x89AB, 0xFEDC, 0x5410, 0x4444)
UNSPECIFIED = {"div_u", "div_s", "rem_u", "rem_s"}  # unspecified where the divisor is 0

FLOATS = """fadd fmul fma fdiv fsqrt fmin fmax approx feq flt funordered
            float_to_float float_to_int int_to_float"""
WORLD = """special parameter address convert_address is_space loaded shuffle vote active_mask
           havoc match reduce barrier_vote matrix_product"""
NOT_APPLICABLE = frozenset((FLOATS + " " + WORLD + " width unknown").split())
"""The numeric domains answer these with an unknown word, and lanes need a world to run them."""


@dataclass(frozen=True)
class Case:
    """One way to call an operator: ``apply(algebra, width, *operands)``."""

    operator: str
    kinds: str
    apply: Callable[..., Any]
    variant: str = ""
    least_width: int = 1

    @property
    def partial(self) -> bool:
        return self.operator in UNSPECIFIED

    def __str__(self) -> str:
        return f"{self.operator}{self.variant}"


def _plain(name: str, kinds: str) -> Case:
    return Case(name, kinds, lambda o, w, *operands: getattr(o, name)(*operands))


def _extension(name: str, more: int) -> Case:
    return Case(name, "w", lambda o, w, a: getattr(o, name)(w + more, a), f" to w+{more}")


def _part(take: int, low: int) -> Case:
    return Case(
        "extract", "w", lambda o, w, a: o.extract(take, low, a), f" {take}@{low}", take + low
    )


def _permutation(selector: int) -> Case:
    return Case(
        "prmt",
        "bb",
        lambda o, w, a, b: o.prmt(a, b, o.const(32, selector)),
        f" {selector:#06x}",
        3,
    )


CASES: tuple[Case, ...] = (
    *(_plain(name, "ww") for name in SAME_WIDTH.split()),
    *(_plain(name, "w") for name in UNARY.split()),
    *(_plain(name, "wn") for name in SHIFTS.split()),
    _plain("select", "pww"),
    *(_extension(name, more) for name in ("zext", "sext") for more in (0, 1, 3)),
    *(_part(take, low) for take, low in ((1, 0), (1, 2), (2, 1), (3, 0), (2, 2), (3, 1))),
    Case("trunc", "w", lambda o, w, a: o.trunc(w - 1, a), " to w-1", 2),
    Case("const", "w", lambda o, w, a: o.xor(a, o.const(w, -3)), " by xor"),
    _plain("concat", "ww"),
    _plain("concat", "pw"),
    *(_permutation(selector) for selector in SELECTORS),
)


def operators_of_algebra() -> set[str]:
    return {
        name
        for name, value in vars(Algebra).items()
        if callable(value) and not name.startswith("_")
    }
