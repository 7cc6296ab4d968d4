"""What an abstract domain is: an algebra whose values form a lattice and say what they cover.

The vocabulary is Cousot & Cousot's (POPL 1977): ``leq`` is inclusion of meanings, ``join`` an upper
bound, ``meet`` a lower one that keeps every common element, ``widen`` an upper bound that makes
ascending chains finite. ``admits`` is concretisation put to work: it answers, for words that the
concrete machine produced, which of them the fact covers. The laws are tested once for all domains
(``tests/laws``), the operators against the concrete machine (``tests/oracle``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

from analyses.algebra import Algebra

V = TypeVar("V")

Relation = Literal["eq", "ne", "lt_u", "le_u", "lt_s", "le_s"]

NEGATED: dict[Relation, tuple[Relation, bool]] = {
    # not (a R b)  is  a R' b, or with True  b R' a
    "eq": ("ne", False),
    "ne": ("eq", False),
    "lt_u": ("le_u", True),
    "le_u": ("lt_u", True),
    "lt_s": ("le_s", True),
    "le_s": ("lt_s", True),
}


class Domain(Algebra[V], Generic[V]):
    """An abstract domain. Values are immutable and hashable and know their width."""

    def top(self, width: int) -> V:
        """Every word of that width."""
        return self.unknown(width)

    def bottom(self, width: int) -> V:
        """No word: the value of a name that is never computed."""
        raise NotImplementedError

    def is_bottom(self, a: V) -> bool:
        raise NotImplementedError

    def leq(self, a: V, b: V) -> bool:
        raise NotImplementedError

    def join(self, a: V, b: V) -> V:
        raise NotImplementedError

    def meet(self, a: V, b: V) -> V:
        raise NotImplementedError

    def widen(self, old: V, new: V, thresholds: Sequence[int] = ()) -> V:
        """An upper bound of both. ``thresholds`` are bounds worth stopping at, ascending,
        signed."""
        return self.join(old, new)

    def assume(self, a: V, relation: Relation, b: V) -> tuple[V, V]:
        """Refine both words by a relation that is known to hold between them."""
        return a, b

    symbolic = False
    """Whether ``fresh`` does anything."""

    def fresh(self, a: V, name: object) -> V:
        """Give an unknown word a name of its own, if the domain can use one (symbolic domains)."""
        return a

    def bounds(self, a: V) -> tuple[int, int] | None:
        """Signed least and greatest element where the domain knows them: widening thresholds."""
        return None

    def admits(self, fact: V, words: Any) -> Any:
        """For each word of a ``lanes.Word``, whether the fact covers it (a numpy array of bool)."""
        raise NotImplementedError
