"""Which bytes of a region an access touches, for every launch: its part of the kernel's contract.

Offsets are bytes from the start of the region. A 64-bit address is ``region + offset`` modulo
2**64, so an offset that is shown to lie inside the region over the integers lies inside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyses.addresses import Place
from analyses.polynomial import Polynomial
from analyses.premises import NOTHING, Premises
from analyses.program import Region
from analyses.proofs import Proofs, Under
from analyses.symbolic import Symbolic
from analyses.values import Values

Extent = Sequence[tuple[int, Sequence[tuple[str, int]]]]
"""A sum of products: a factor, and parameters by name and width."""


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes [low, high) that an access touches: ``low`` is not less than the least of its
    bounds, ``-high`` not less than the least of its own. Empty where nothing is known."""

    low: tuple[Under, ...]
    high: tuple[Under, ...]


class Footprints:
    """``extents`` are the sizes of regions as polynomials over parameters, where the launch
    declares them."""

    def __init__(
        self,
        values: Values,
        pointers: Mapping[str, Region],
        extents: Mapping[Region, Extent],
        general: Premises = NOTHING,
    ) -> None:
        self.values = values
        self.symbolic = Symbolic(values, pointers)
        self.proofs = Proofs(self.symbolic, general)
        self.extents: dict[Region, Polynomial] = {
            region: self._polynomial(terms) for region, terms in extents.items()
        }

    def _polynomial(self, terms: Extent) -> Polynomial:
        total = Polynomial.of(0)
        for factor, names in terms:
            part = Polynomial.of(factor)
            for name, width in names:
                part = part * self.symbolic.named(name, width)
            total = total + part
        return total

    def size(self, region: Region) -> Polynomial | None:
        if region in self.extents:
            return self.extents[region]
        size: int | None = self.values.size(region)
        return Polynomial.of(size) if size is not None else None

    def premises(self, place: Place) -> Premises:
        return self.proofs.places.masked(place.block, place.access.mask)

    def offset(self, place: Place) -> Polynomial | None:
        """Of the first byte from the start of the region that the place belongs to."""
        word = self.symbolic.word(place.access.base)
        polynomial: Polynomial | None = word.offset.polynomial
        if word.origin != place.origin or word.origin is None or polynomial is None:
            return None
        return polynomial + place.access.offset

    def in_bounds(self, place: Place) -> bool:
        """Whether every thread of every launch stays inside."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if size is None or offset is None:
            return False
        premises = self.premises(place)
        return self.proofs.proves(premises, offset) and self.proofs.proves(
            premises, size - offset - place.access.bytes
        )

    def never_in_bounds(self, place: Place) -> bool:
        """Whether no thread of any launch that gets there stays inside."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if size is None or offset is None:
            return False
        premises = self.premises(place)
        return self.proofs.proves(premises, -offset - 1) or self.proofs.proves(
            premises, offset + place.access.bytes - size - 1
        )

    def span(self, place: Place) -> Span:
        offset = self.offset(place)
        if offset is None:
            return Span((), ())
        premises = self.premises(place)
        return Span(
            tuple(self.proofs.bounds(premises, offset)),
            tuple(self.proofs.bounds(premises, -offset - place.access.bytes)),
        )
