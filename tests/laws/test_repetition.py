"""Runs that repeat, against a search of every place and period."""

from __future__ import annotations

import random

from analyses.repetition import Repetition, repetition


def test_the_run_is_found() -> None:
    text = "hexx" + 20 * "abcd" + "tail"
    assert repetition(text, range(2, 9), 10, 40) == Repetition(4, 4, 20)
    assert repetition(text, range(2, 9), 21, 40) is None
    assert repetition(text, range(2, 9), 10, 81) is None


def test_it_is_that_of_brute_force() -> None:
    """Whether there is one, and its period; the run is one of the longest."""
    found_any = 0
    for seed in range(300):
        text = "".join(random.Random(seed).choices("ab", (1, 3), k=40))
        found = repetition(text, range(2, 6), 4, 9)
        expected = [p for p in range(2, 6) if copies(text, p) >= max(4, -(-9 // p))]
        assert (found.period if found else None) == (expected[0] if expected else None)
        if found:
            found_any += 1
            run = text[found.start : found.start + found.period * found.times]
            assert run == run[: found.period] * found.times
            assert found.times == copies(text, found.period)
    assert 50 < found_any < 300


def copies(text: str, period: int) -> int:
    """The most copies of one piece that follow each other."""
    most = 0
    for start in range(len(text) - period + 1):
        piece, times = text[start : start + period], 0
        while text[start + times * period :].startswith(piece):
            times += 1
        most = max(most, times)
    return most
