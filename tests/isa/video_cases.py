"""What video instructions should give, in Python integers, as the manual's pseudocode tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.isa.case import Case
from tests.isa.integer_cases import clamp, signed

M32 = (1 << 32) - 1
FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vabsdiff": lambda a, b: abs(a - b),
    "vmin": min,
    "vmax": max,
    "vavrg": lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else (a + b) >> 1,
}
TESTS: dict[str, Callable[[int, int], int]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
WORDS = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0x7FFFFFFF,
    0x80000000,
    M32,
    0x80FF7F01,
    0x12F45678,
)


def field(kind: str, selector: str, word: int) -> int:
    bits = {"b": 8, "h": 16, "": 32}[selector[:1]]
    low = bits * int(selector[1:] or 0)
    part = word >> low & ((1 << bits) - 1)
    return signed(bits, part) if kind[0] == "s" else part


def finish(
    kind: str, selectors: tuple[str, ...], sat: bool, second: str, value: int, c: int | None
) -> int:
    bits = {"b": 8, "h": 16, "": 32}[selectors[0][:1]]
    value = clamp(f"{kind[0]}{bits}")(value) if sat else value
    value %= 1 << bits
    value = signed(bits, value) if kind[0] == "s" else value
    if c is None:
        return value
    like = signed(32, c) if kind[0] == "s" else c
    if second == "add":
        return value + c
    if second:
        return {"min": min, "max": max}[second](value, like)
    low = bits * int(selectors[0][1:] or 0)
    mask = ((1 << bits) - 1) << low
    return c & ~mask | (value << low) & mask


def scalar(name: str, function: Callable[[int, int], int], kinds: tuple[str, str, str],
           sat: bool, second: str, selectors: tuple[str, ...]) -> Case:  # fmt: skip
    to, left, right = kinds

    def expect(a: int, b: int, c: int | None = None) -> int:
        result = function(field(left, selectors[1], a), field(right, selectors[2], b))
        return finish(to, selectors, sat, second, result, c)

    given = int(bool(second or selectors[0]))
    return Case(name, expect, raw=True, given=given, selectors=selectors, samples=WORDS)


def scalars() -> list[Case]:
    cases: list[Case] = []
    plain, picked = ("", "", ""), ("", "b3", "h1")
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        f = FUNCTIONS[name]
        for kinds in (("s32", "s32", "s32"), ("u32", "u32", "u32"), ("s32", "u32", "s32")):
            op = ".".join((name, *kinds))
            cases += [
                scalar(op, f, kinds, False, "", plain),
                scalar(f"{op}.sat", f, kinds, True, "", picked),
                scalar(f"{op}.sat.min", f, kinds, True, "min", picked),
                scalar(f"{op}.add", f, kinds, False, "add", ("", "b0", "b2")),
                scalar(f"{op}.sat", f, kinds, True, "", ("b2", "h0", "")),
                scalar(op, f, kinds, False, "", ("h1", "b1", "h0")),
            ]
    for name, left in (("vshl", True), ("vshr", False)):
        for kind in ("s32", "u32"):
            for mode in ("clamp", "wrap"):

                def shift(a: int, n: int, left: bool = left, wrap: bool = mode == "wrap") -> int:
                    n = n % 32 if wrap else min(n, 32)
                    return a << n if left else a >> n

                kinds = (kind, kind, "u32")
                op = f"{name}.{kind}.{kind}.u32"
                cases += [
                    scalar(f"{op}.{mode}", shift, kinds, False, "", plain),
                    scalar(f"{op}.sat.{mode}.max", shift, kinds, True, "max", picked),
                ]
    for test, f in TESTS.items():
        for kind in ("s32", "u32"):
            kinds = ("u32", kind, kind)
            cases += [
                scalar(f"vset.{kind}.{kind}.{test}", f, kinds, False, "", picked),
                scalar(f"vset.{kind}.{kind}.{test}.add", f, kinds, False, "add", plain),
                scalar(f"vset.{kind}.{kind}.{test}", f, kinds, False, "", ("b1", "", "")),
            ]
    return [*cases, *multiplications()]


def multiplications() -> list[Case]:
    cases: list[Case] = []
    for left, right in (("u32", "u32"), ("s32", "s32"), ("u32", "s32")):
        sign = "s32" in (left, right)
        for words, selectors in (("", ("", "")), (".sat", ("", "h0")), (".po", ("b1", "h1")),
                                 (".po.sat.shr15", ("", "")), (".shr7", ("h0", ""))):  # fmt: skip

            def expect(a: int, b: int, c: int, l: str = left, r: str = right, w: str = words,  # noqa: E741
                       sel: Any = selectors, s: bool = sign) -> int:  # fmt: skip
                result = field(l, sel[0], a) * field(r, sel[1], b) + (signed(32, c) if s else c)
                result += "po" in w
                result >>= 7 if "shr7" in w else 15 if "shr15" in w else 0
                return clamp("s32" if s else "u32")(result) if "sat" in w else result

            to = "s32" if sign else "u32"
            cases.append(Case(f"vmad.{to}.{left}.{right}{words}", expect, raw=True,
                              selectors=selectors, samples=WORDS))  # fmt: skip
    return [*cases, *negations()]


def negations() -> list[Case]:
    """Either the product or the third operand is negated; two signs of a product are none. Then the
    sum is signed, and so is its third operand, once it is negated bit by bit."""
    cases: list[Case] = []
    for left, right in (("u32", "u32"), ("s32", "s32"), ("s32", "u32")):
        for negated in ("a", "b", "c", "ab", "abc"):
            for words in ("", ".sat", ".sat.shr15", ".shr7"):

                def expect(a: int, b: int, c: int, l: str = left, r: str = right, w: str = words,  # noqa: E741
                           n: str = negated) -> int:  # fmt: skip
                    product = field(l, "", a) * field(r, "", b)
                    kept = n == "ab" and "s32" not in (l, r)
                    third = signed(32, ~c & M32) + 1 if "c" in n else c if kept else signed(32, c)
                    result = third - product if n in ("a", "b") else third + product
                    result >>= 7 if "shr7" in w else 15 if "shr15" in w else 0
                    return clamp("u32" if kept else "s32")(result) if "sat" in w else result

                to = "u32" if "s32" not in (left, right) and negated == "ab" else "s32"
                cases.append(Case(f"vmad.{to}.{left}.{right}{words}", expect, raw=True,
                                  negated=negated, samples=WORDS))  # fmt: skip
    return cases


def simd(name: str, function: Callable[[int, int], int], kinds: tuple[str, str, str], size: int,
         words: str, selectors: tuple[str, str, str]) -> Case:  # fmt: skip
    to, left, right = kinds
    letter, bits = ("h", 16) if size == 2 else ("b", 8)
    usual = ("h10", "h10", "h32") if size == 2 else ("b3210", "b3210", "b7654")
    mask, first, second = (
        given or default for given, default in zip(selectors, usual, strict=True)
    )

    def expect(a: int, b: int, c: int) -> int:
        both, total, merged = b << 32 | a, c, 0
        for i in range(size):
            x, y = (
                field(kind, letter, both >> (bits * int(chosen[-1 - i])))
                for kind, chosen in ((left, first), (right, second))
            )
            value = function(x, y)
            value = clamp(f"{to[0]}{bits}")(value) if "sat" in words else value
            if str(i) in mask:
                total += value
            else:
                value = c >> (bits * i)
            merged |= value % (1 << bits) << (bits * i)
        return total if "add" in words else merged

    return Case(name, expect, raw=True, selectors=selectors, samples=WORDS)


def simds() -> list[Case]:
    cases: list[Case] = []
    for size, picked in ((2, ("h1", "h03", "h21")), (4, ("b20", "b0246", "b7315"))):
        none = ("", "", "")
        for name, f in FUNCTIONS.items():
            for kinds in (("s32", "s32", "s32"), ("u32", "u32", "u32"), ("u32", "s32", "u32")):
                op = f"{name}{size}." + ".".join(kinds)
                cases += [simd(f"{op}{w}", f, kinds, size, w, s)
                          for w in ("", ".sat", ".add") for s in (none, picked)]  # fmt: skip
        for test, f in TESTS.items():
            for kind in ("s32", "u32"):
                kinds = ("u32", kind, kind)
                cases += [simd(f"vset{size}.{kind}.{kind}.{test}{w}", f, kinds, size, w, picked)
                          for w in ("", ".add")]  # fmt: skip
    return cases


CASES = [*scalars(), *simds()]
