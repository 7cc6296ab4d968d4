"""Interpretations that equal their polynomials because these do not wrap (LLVM's nsw and nuw)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from analyses.polynomials.modular import ModularPolynomials
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Interpretation
from analyses.proofs.preconditions import Precondition, unique


class Fits(NamedTuple):
    """An interpretation equals ``polynomial`` in launches that meet the preconditions ``needs``."""

    polynomial: Polynomial
    needs: list[Precondition]


@dataclass(eq=False)
class NoWrap:
    """Interpretations replaced by polynomials together. ``fits`` says why each may be replaced;
    ``by`` maps each to a polynomial without any of them."""

    fits: Mapping[Interpretation, Fits]
    by: Mapping[Symbol, Polynomial]

    @classmethod
    def of(cls, fits: Mapping[Interpretation, Fits], integers: ModularPolynomials) -> NoWrap:
        """Replaces in order of rank, then once more by what came later."""
        by: dict[Symbol, Polynomial] = {}
        for reading in sorted(fits, key=order):
            by[reading] = integers.respelt(fits[reading].polynomial, by)
        return cls(fits, {reading: integers.respelt(spelt, by) for reading, spelt in by.items()})

    def only(self, chosen: Collection[Interpretation], integers: ModularPolynomials) -> NoWrap:
        return self.of({r: fit for r, fit in self.fits.items() if r in chosen}, integers)

    @property
    def needs(self) -> tuple[Precondition, ...]:
        return tuple(unique(need for fit in self.fits.values() for need in fit.needs))
