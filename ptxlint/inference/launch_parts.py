"""What the launch decides of a polynomial."""

from __future__ import annotations

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation
from ptxlint.facts.kernel_facts import Facts


def launch_part(facts: Facts, polynomial: Polynomial) -> Polynomial:
    """The terms, but for the constant, that the launch decides, if no word of it alone wraps."""
    names = facts.decided
    words = [s for s in polynomial.symbols if isinstance(s, Interpretation)]
    own: dict[Symbol, Polynomial] = {
        word: word.polynomial for word in words if word.polynomial.symbols <= names.keys()
    }
    terms = polynomial.replaced(own).terms.items()
    return Polynomial({m: c for m, c in terms if m and all(symbol in names for symbol in m)})


def decided_part(polynomial: Polynomial) -> Polynomial:
    """The same with quotients, of which none may be named yet."""
    words = [s for s in polynomial.symbols if isinstance(s, Interpretation) and not s.rank]
    own: dict[Symbol, Polynomial] = {word: word.polynomial for word in words}
    terms = polynomial.replaced(own).terms.items()
    return Polynomial({m: c for m, c in terms if m and not any(symbol.rank for symbol in m)})


def last_thread(facts: Facts, polynomial: Polynomial) -> Polynomial | None:
    """The value in the last thread of the launch, if that is the greatest."""
    last = {}
    for symbol in polynomial.symbols - facts.decided.keys():
        extent = facts.symbolic.specials.get((f"n{symbol.label}", 32))
        if symbol.label.partition(".")[0] not in ("tid", "ctaid") or extent is None:
            return None
        last[symbol] = extent - 1
    grows = all(c > 0 for m, c in polynomial.terms.items() if not set(m).isdisjoint(last))
    return polynomial.replaced(last) if grows else None
