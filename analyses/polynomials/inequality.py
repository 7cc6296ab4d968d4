"""One polynomial inequality, with its origin."""

from __future__ import annotations

from msgspec import Struct

from analyses.polynomials.polynomial import Polynomial


class Inequality(Struct, frozen=True, eq=False):
    """``polynomial >= 0``. ``origin`` is any object: an instruction, a symbol."""

    polynomial: Polynomial
    origin: object = None
