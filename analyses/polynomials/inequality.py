"""One polynomial inequality, with its origin."""

from __future__ import annotations

from dataclasses import dataclass

from analyses.polynomials.polynomial import Polynomial


@dataclass(frozen=True, eq=False, slots=True)
class Inequality:
    """``polynomial >= 0``. ``what`` is any object that names its origin."""

    polynomial: Polynomial
    what: object = None
