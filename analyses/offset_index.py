"""Accesses by the bytes of an array that they touch."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf
from typing import Generic, TypeVar

T = TypeVar("T")

PART = 16  # bytes of a part of the array; the longest access has as many
FEW = 16  # parts: what touches more is looked at whatever is asked

Bytes = tuple[float, float]  # the first one, and the one behind the last
ANY: Bytes = (-inf, inf)


def touched(low: int | None, high: int | None, size: int) -> Bytes:
    """The bytes of an access of this size at offsets from ``low`` to ``high``, if these are
    known."""
    return ANY if low is None or high is None else (low, high + size)


class OffsetIndex(Generic[T]):
    """Items in the order in which they were added, each with the bytes that it may touch."""

    def __init__(self) -> None:
        self._added: list[tuple[Bytes, T]] = []
        self._near: dict[int, list[int]] = {}  # numbers of items by a part that they touch
        self._wide: list[int] = []

    def add(self, touches: Bytes, item: T) -> None:
        parts = _parts(touches)
        for part in parts or ():
            self._near.setdefault(part, []).append(len(self._added))
        if parts is None:
            self._wide.append(len(self._added))
        self._added.append((touches, item))

    def at(self, asked: Bytes) -> Iterator[T]:
        """The items that may touch one of the bytes."""
        parts, (low, end) = _parts(asked), asked
        near = (self._near.get(part, ()) for part in parts or ())
        numbers = range(len(self._added)) if parts is None else sorted({*chain(self._wide, *near)})
        for number in numbers:
            (first, behind), item = self._added[number]
            if first < end and low < behind:
                yield item


def _parts(touches: Bytes) -> range | None:
    """The parts of the array, if they are few."""
    low, end = touches
    if end - low > FEW * PART:
        return None
    return range(int(low // PART), int(-(-end // PART)))
