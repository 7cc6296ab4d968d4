"""One polynomial inequality, with its origin."""

from __future__ import annotations

from dataclasses import dataclass

from analyses.polynomials.polynomial import Polynomial


@dataclass(frozen=True, eq=False, slots=True)
class Inequality:
    """``polynomial >= 0``. ``origin`` is any object: an instruction, a symbol."""

    polynomial: Polynomial
    origin: object = None
