"""The options that the marker ``ptxlint`` sets for a test."""

from __future__ import annotations

from typing import Any

import pytest

JUDGING = ("fail_on", "strict", "require")
"""Those that say when a report fails a test; the others are of ``ptxlint.check``."""


def options_of(item: pytest.Item) -> dict[str, Any]:
    """The options of a test's markers, the nearest counting most. Raises UsageError."""
    marked: dict[str, Any] = {}
    for mark in item.iter_markers("ptxlint"):
        if mark.args:
            raise pytest.UsageError(f"{item.nodeid}: the marker is ptxlint(option=value)")
        marked = {**mark.kwargs, **marked}
    return marked
