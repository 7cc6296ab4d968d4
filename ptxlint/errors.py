"""What the public functions raise."""

from __future__ import annotations


class Error(Exception):
    """Something that was given cannot be used: a source, a contract, a launch, a name."""


class NotClean(AssertionError):  # noqa: N818 (a verdict, no accident)
    """A report has findings that it should not have; the text is the concise report."""
