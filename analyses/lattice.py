"""Abstract domains: algebras whose values form a lattice.

The vocabulary is Cousot & Cousot's (POPL 1977): ``leq`` is inclusion of concretisations, ``join``
an upper bound, ``meet`` a lower bound that keeps every common element, ``widen`` an upper bound
that makes ascending chains finite. ``admits`` is membership in the concretisation. The laws are
tested once for all domains (``tests/laws``), the operators against the concrete machine
(``tests/oracle``).

A domain is a plural class, its element the singular: ``StridedIntervals``, ``StridedInterval``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Literal

from analyses.algebra import Algebra, V

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


class Bounded(Algebra[V], Generic[V]):
    """An algebra that knows the range of some of its words."""

    def bounds(self, a: V) -> tuple[int, int] | None:
        """The signed bounds if finite: widening thresholds."""
        return None


class Domain(Bounded[V], Generic[V]):
    """An abstract domain. Its elements are immutable and hashable and know their width."""

    def top(self, width: int) -> V:
        """All words of that width."""
        return self.unknown(width)

    def bottom(self, width: int) -> V:
        """The empty set of words: the value of unreachable code."""
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
        """An upper bound of both. ``thresholds`` are signed bounds to stop at, ascending (Blanchet
        et al., PLDI 2003)."""
        return self.join(old, new)

    def assume(self, a: V, relation: Relation, b: V) -> tuple[V, V]:
        """Refines both words by a relation that holds between them."""
        return a, b

    def admits(self, fact: V, words: Any) -> Any:
        """A numpy array of bool: true for each word of a ``BitVector`` that is in the
        concretisation."""
        raise NotImplementedError
