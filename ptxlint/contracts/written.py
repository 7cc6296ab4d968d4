"""Polynomials over what a launch decides, in the words of ``ptxlint.contracts.expression``."""

from __future__ import annotations

from collections.abc import Mapping

from analyses.symbolic.polynomial import Monomial, Polynomial, Symbol

Names = Mapping[Symbol, str]
SMALL = 2**16  # greater powers of two are written as such


def number(value: int) -> str:
    """``256``, ``2**31``, ``2**31 - 1``."""
    for near, rest in ((value, ""), (value + 1, " - 1")):
        if value >= SMALL and near & (near - 1) == 0:
            return f"2**{near.bit_length() - 1}{rest}"
    return str(value)


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
        return f"{sum_of(plus, names)} >= {number(-constant) if constant < 0 else -constant}"
    if constant < 0:
        return f"{sum_of(minus - constant, names)} <= {sum_of(plus, names)}"
    return f"{sum_of(minus, names)} <= {sum_of(plus + constant, names)}"


def multiple(symbols: Monomial, of: int, names: Names) -> str:
    product = product_of(symbols, 1, names)
    return f"{product} % {of} == 0" if len(symbols) == 1 else f"({product}) % {of} == 0"
