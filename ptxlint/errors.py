"""The exceptions of the public functions."""

from __future__ import annotations

from collections.abc import Iterable


class Error(Exception):
    """Something that was given cannot be used: a source, a contract, a launch, a name."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean x?``, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


class NotClean(AssertionError):  # noqa: N818 (a verdict, no accident)
    """A report has findings that it should not have; the text is the concise report."""
