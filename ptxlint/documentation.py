"""The address of the documentation, for links out of reports."""

from __future__ import annotations

ADDRESS = "https://ptxlint.readthedocs.io/en/latest"
"""Of the site that ``docs/build.py`` builds; a test holds it to pyproject.toml."""


def rule_page(rule: str) -> str:
    """The address of the page about a rule."""
    return f"{ADDRESS}/rules/{rule}.html"
