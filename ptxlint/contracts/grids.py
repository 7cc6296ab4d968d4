"""Limits of the grid: ``nctaid.x <= 16`` bounds a block's number wherever it is computed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlint.contracts.expression import Condition, Identifier, names, value

EXTENTS = ("nctaid.x", "nctaid.y", "nctaid.z")
MIRRORED = {">": "<", ">=": "<=", "==": "=="}


def grid_limits(said: Iterable[Condition]) -> Iterator[tuple[str, int]]:
    """The extents of the grid that conditions compare with a number, each with the greatest value
    that meets the condition."""
    for one in said:
        extent, relation, most = one.left, one.relation, one.right
        if isinstance(most, Identifier):
            extent, relation, most = most, MIRRORED.get(relation, ""), extent
        limited = isinstance(extent, Identifier) and extent.text in EXTENTS and not names(most)
        if limited and relation in ("<", "<=", "=="):
            yield extent.text, value(most, int) - (relation == "<")  # type: ignore[union-attr]
