"""What is decided stays decided: floors under the shares that ``python -m tests.costs`` prints."""

from __future__ import annotations

from collections import Counter

from .decided import share, tally


def test_most_accesses_of_the_corpus_are_decided() -> None:
    """Accesses by loaded words are left out: their cost depends on the data."""
    found = {
        space: Counter({k: n for k, n in counts.items() if k != "unknown: loaded-index"})
        for space, counts in tally().items()
    }
    assert share(found["shared"], "exact", "if") >= 0.985
    assert share(found["shared"], "exact") >= 0.7
    assert share(found["global"], "exact", "if") >= 0.96
    assert share(found["global"], "exact") >= 0.7
