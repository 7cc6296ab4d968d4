"""What is decided stays decided: floors under the shares that ``python -m tests.costs`` prints."""

from __future__ import annotations

from collections import Counter

from .decided import share, tally


def test_most_accesses_of_the_corpus_are_decided() -> None:
    """Of global memory, what depends on loaded words is counted apart: nobody can decide it."""
    found = tally()
    assert share(found["shared"], "exact", "if") >= 0.98
    assert share(found["shared"], "exact") >= 0.7
    reachable = {k: n for k, n in found["global"].items() if k != "unknown: loaded-index"}
    assert share(Counter(reachable), "exact", "if") >= 0.96
    assert share(Counter(reachable), "exact") >= 0.7
