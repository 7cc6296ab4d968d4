"""Links from reports into the documentation, where it is served."""

from __future__ import annotations


def rule_page(site: str, rule: str) -> str:
    """The address of the page about a rule, on the site that ``docs/build.py`` builds."""
    return f"{site.rstrip('/')}/rules/{rule}.html"
