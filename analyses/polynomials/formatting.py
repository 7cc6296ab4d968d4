"""Polynomials as text, in the language of ``ptxlint.contracts.expression``.

A polynomial is given by its terms; ``names`` has the name of every symbol in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

S = TypeVar("S")
SMALL = 2**16  # larger numbers next to a power of two are printed with that power


def number(value: int) -> str:
    """``256``, ``2**31``, ``2**31 - 1``, ``2**32 + 2``, ``-2**31``."""
    size = abs(value)
    near = 1 << (4 * size // 3 | 1).bit_length() - 1  # the nearest: halfway is at 3 * 2**k
    if near < SMALL or abs(size - near) * SMALL > near:
        return str(value)
    rest = value - near if value > 0 else value + near
    power = f"{'-' * (value < 0)}2**{near.bit_length() - 1}"
    return power if not rest else f"{power} {'-' if rest < 0 else '+'} {abs(rest)}"


def product_of(monomial: Sequence[S], factor: int, names: Mapping[S, str]) -> str:
    words = sorted(names[symbol] for symbol in monomial)
    if not words:
        return number(factor)
    return "*".join(words if factor == 1 else [bracketed(number(factor)), *words])


def sum_of(terms: Mapping[tuple[S, ...], int], names: Mapping[S, str]) -> str:
    """``4*n*m + 4*n - 8``: products first, the constant last."""
    items = [(m, c) for m, c in terms.items() if c]
    items.sort(key=lambda item: (-len(item[0]), item[1] < 0, [names[s] for s in item[0]]))
    if items and items[0][1] < 0:  # begin with what is added, if anything is
        items.sort(key=lambda item: item[1] < 0)
    text = ""
    for monomial, factor in items:
        part = product_of(monomial, abs(factor), names)
        if not text:
            text = f"-{part}" if factor < 0 else part
        else:
            text += f" {'-' if factor < 0 else '+'} {bracketed(part) if factor < 0 else part}"
    return text or "0"


def division_of(
    dividend: Mapping[tuple[S, ...], int],
    divisor: Mapping[tuple[S, ...], int],
    names: Mapping[S, str],
    sign: str = "//",
) -> str:
    """``((n - 1)//(4*m))``: a divisor that is a product stands in brackets, as a sum does."""
    by = sum_of(divisor, names)
    product = any(len(monomial) + (abs(factor) > 1) > 1 for monomial, factor in divisor.items())
    by = f"({by})" if product or len(divisor) > 1 else by
    return f"({bracketed(sum_of(dividend, names))}{sign}{by})"


def bracketed(text: str) -> str:
    """In brackets if it is a sum, which has a blank outside of brackets."""
    before = (text[:i] for i, character in enumerate(text) if character == " ")
    is_sum = any(part.count("(") == part.count(")") for part in before)
    return f"({text})" if is_sum else text


def at_least(terms: Mapping[tuple[S, ...], int], names: Mapping[S, str]) -> str:
    """``sum >= 0`` with no negative number in it: ``ntid.x <= 256``, ``n >= 1``."""
    plus = {m: c for m, c in terms.items() if c > 0 and m}
    minus = {m: -c for m, c in terms.items() if c < 0 and m}
    constant = terms.get((), 0)
    if not minus:
        return f"{sum_of(plus, names)} >= {number(-constant)}"
    (minus if constant < 0 else plus)[()] = abs(constant)
    return f"{sum_of(minus, names)} <= {sum_of(plus, names)}"


def multiple(symbols: Sequence[S], of: int, names: Mapping[S, str]) -> str:
    product = product_of(symbols, 1, names)
    return f"{product} % {of} == 0" if len(symbols) == 1 else f"({product}) % {of} == 0"
