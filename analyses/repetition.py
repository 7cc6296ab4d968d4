"""Runs of a sequence that repeat, as those of instructions that a compiler wrote out.

A run with period p is where each element equals the one p places on. The least period with the
longest run is found by comparing the sequence with itself, moved by each period: n P comparisons of
a sequence of n elements for periods up to P (the thesis that factors payoffs looks for the shortest
run; Crochemore, 1981, finds all runs in n log n).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np


class Repetition(NamedTuple):
    """``times`` copies of ``period`` elements stand one after the other from ``start`` on."""

    start: int
    period: int
    times: int


def repetition(
    elements: Sequence[Hashable], periods: range, least_times: int, least_elements: int
) -> Repetition | None:
    """The run of the least of these periods with so many copies and so many elements, if any."""
    known: dict[Hashable, int] = {}
    numbers = np.array([known.setdefault(each, len(known)) for each in elements])
    for period in periods:
        if len(numbers) < max(least_elements, least_times * period):
            break
        differs = np.flatnonzero(numbers[period:] != numbers[:-period])
        ends = np.concatenate([differs, [len(numbers) - period]])
        lengths = np.diff(ends, prepend=-1) - 1
        longest = int(lengths.argmax())
        times = int(lengths[longest]) // period + 1
        if times >= least_times and times * period >= least_elements:
            return Repetition(int(ends[longest] - lengths[longest]), period, times)
    return None
