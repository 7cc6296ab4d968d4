"""The words of a phi of a loop head: what it is now, at first, and by how much more it is next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.polynomial import Polynomial


class Moved(NamedTuple):
    """A phi of a loop head: a word that is ``symbol`` now, ``first`` in the first iteration and by
    ``step`` more in the next one, all from one origin."""

    now: BasePlusOffset
    symbol: Polynomial
    first: Polynomial
    step: Polynomial

    @property
    def width(self) -> int:
        width: int = self.now.offset.width
        return width

    @classmethod
    def of(
        cls, now: BasePlusOffset, start: BasePlusOffset | None, back: BasePlusOffset | None
    ) -> Moved | None:
        """None if a word is unknown, or they have several origins."""
        if start is None or back is None or not start.origin == back.origin == now.origin:
            return None
        found = polynomials((now, start, back))
        return None if found is None else cls(now, found[0], found[1], found[2] - found[0])


def polynomials(words: Iterable[BasePlusOffset | None]) -> list[Polynomial] | None:
    """The offsets of the words; None if one is unknown."""
    found: list[Polynomial] = []
    for word in words:
        if word is None or word.offset.polynomial is None:
            return None
        found.append(word.offset.polynomial)
    return found
