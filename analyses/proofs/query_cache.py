"""Answers of queries that ask each other: the least fixpoint, only what has a proof holds.

A query that is asked again while it is open fails there, as no proof needs itself. Failures that
are found meanwhile assume that failure. If the query fails in the end, they were right and stay; if
it succeeds, they are forgotten. These are the strongly connected components of the queries, found
on the way (Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1(2), 1972). A
success assumes nothing, since more answers never break a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")

Facts = tuple[frozenset[Any], ...]

TOO_DEEP = 1  # assumed: that a query fails which is nested too deep to be asked


class Answers:
    """The answers so far. ``nested`` is the greatest number of open queries; a set of them, which
    an answer assumes to fail, is an integer with a bit for each."""

    def __init__(self, nested: int) -> None:
        self.nested = nested
        self._known: dict[Hashable, Any] = {}
        self._provisional: dict[Hashable, int] = {}  # failures, with what they assume
        self._open: dict[Hashable, int] = {}
        self._assumed = 0  # by the query that is being answered

    def of(
        self, key: Hashable, find: Callable[[], Answer | None], opens: bool = False
    ) -> Answer | None:
        """The answer to a query, None for a failure. Every cycle of queries has one that
        ``opens``."""
        if key in self._known:
            known: Answer | None = self._known[key]
            return known
        if key in self._provisional:
            self._assumed |= self._provisional[key]
            return None
        if opens and (key in self._open or len(self._open) >= self.nested):
            self._assumed |= self._open.get(key, TOO_DEEP)
            return None
        before, self._assumed, own = self._assumed, 0, 0
        if opens:
            own = self._open[key] = 2 << len(self._open)
        found = find()
        if opens:
            del self._open[key]
        assumed = self._assumed & ~own if found is None and self._open else 0
        if opens:
            self._closed(own, found is not None, assumed)
        self._assumed = before | assumed
        if assumed:
            self._provisional[key] = assumed
        else:
            self._known[key] = found
        return found

    def forget(self, key: Hashable) -> None:
        """The query was cut: it may be asked again."""
        self._known.pop(key, None)
        self._provisional.pop(key, None)

    def _closed(self, own: int, holds: bool, assumed: int) -> None:
        """Settles the failures that assume a query which has its answer now."""
        for key, sets in list(self._provisional.items()):
            if self._open and not sets & own:
                continue
            del self._provisional[key]
            left = sets & ~own | assumed
            if holds or (left & TOO_DEEP and not self._open):
                continue
            if left:
                self._provisional[key] = left
            else:
                self._known[key] = None


class Shown(Generic[Answer]):
    """What was shown where some facts hold: it holds wherever these and others do. So one proof
    serves all accesses, and all cases of a split, whose path conditions contain these facts."""

    def __init__(self) -> None:
        self._under: dict[Hashable, list[tuple[Facts, Answer]]] = {}

    def of(self, asked: Hashable, facts: Facts) -> Answer | None:
        """What was shown first under some of these facts; None if nothing was."""
        for fewer, answer in self._under.get(asked, ()):
            if all(part <= whole for part, whole in zip(fewer, facts, strict=True)):
                return answer
        return None

    def add(self, asked: Hashable, facts: Facts, answer: Answer) -> None:
        self._under.setdefault(asked, []).append((facts, answer))
