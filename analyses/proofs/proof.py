"""A proof, as reports spell it out."""

from __future__ import annotations

from msgspec import Struct

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.symbols import Interpretation


class Proof(Struct, frozen=True):
    """A proof that a goal is non-negative: the inequalities ``used`` besides the ranges of symbols,
    the interpretations proved not to wrap, and a proof for each case of a choice."""

    used: tuple[Inequality, ...] = ()
    no_wrap: tuple[Interpretation, ...] = ()
    cases: tuple[Proof, ...] = ()
