"""Polynomials over what a launch decides, in the words of ``ptxlint.contracts.expression``."""

from __future__ import annotations

from collections.abc import Mapping

from analyses.polynomials.polynomial import Monomial, Polynomial, Symbol

Names = Mapping[Symbol, str]
SMALL = 2**16  # greater numbers that lie beside a power of two are written by it


def number(value: int) -> str:
    """``256``, ``2**31``, ``2**31 - 1``, ``2**32 + 2``, ``-2**31``."""
    size = abs(value)
    near = 1 << (4 * size // 3 | 1).bit_length() - 1  # the nearest: halfway is at 3 * 2**k
    if near < SMALL or abs(size - near) * SMALL > near:
        return str(value)
    rest = value - near if value > 0 else value + near
    power = f"{'-' * (value < 0)}2**{near.bit_length() - 1}"
    return power if not rest else f"{power} {'-' if rest < 0 else '+'} {abs(rest)}"


def product_of(monomial: Monomial, factor: int, names: Names) -> str:
    words = sorted(names[symbol] for symbol in monomial)
    if not words:
        return number(factor)
    return "*".join(words if factor == 1 else [bracketed(number(factor)), *words])


def sum_of(polynomial: Polynomial, names: Names) -> str:
    """``4*n*m + 4*n - 8``: products first, the constant last."""
    items = [(m, c) for m, c in polynomial.terms.items() if c]
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


def bracketed(text: str) -> str:
    return f"({text})" if " " in text else text


def at_least(polynomial: Polynomial, names: Names) -> str:
    """``polynomial >= 0`` with nothing negative in it: ``ntid.x <= 256``, ``n >= 1``."""
    plus = Polynomial({m: c for m, c in polynomial.terms.items() if c > 0 and m})
    minus = Polynomial({m: -c for m, c in polynomial.terms.items() if c < 0 and m})
    constant = polynomial.terms.get((), 0)
    if not minus.terms:
        return f"{sum_of(plus, names)} >= {number(-constant)}"
    if constant < 0:
        return f"{sum_of(minus - constant, names)} <= {sum_of(plus, names)}"
    return f"{sum_of(minus, names)} <= {sum_of(plus + constant, names)}"


def multiple(symbols: Monomial, of: int, names: Names) -> str:
    product = product_of(symbols, 1, names)
    return f"{product} % {of} == 0" if len(symbols) == 1 else f"({product}) % {of} == 0"
