"""The table of instructions: the rows of all chapters, and the decoder that finds one.

A chapter of the manual is a module with a tuple ``ROWS``. Parser, printer, lowering, interpreter,
domains and ``explain`` ask here and nowhere else what an opcode is.
"""

from __future__ import annotations

from functools import cache

from ptxlint.isa import (
    async_copy,
    comparison,
    control_flow,
    conversion,
    data_movement,
    extended_precision,
    fabric,
    floating_point,
    half_precision,
    integer,
    logic_and_shift,
    matrix,
    mbarrier,
    memory,
    miscellaneous,
    sparse,
    stack,
    synchronization,
    tensor_core,
    texture_surface,
    video,
    warp,
    warpgroup,
    wmma,
)
from ptxlint.isa.row import TYPES, Form, Row, Type

CHAPTERS = (
    integer,
    extended_precision,
    floating_point,
    half_precision,
    comparison,
    logic_and_shift,
    data_movement,
    conversion,
    memory,
    async_copy,
    sparse,
    fabric,
    texture_surface,
    control_flow,
    synchronization,
    warp,
    mbarrier,
    wmma,
    matrix,
    warpgroup,
    tensor_core,
    video,
    stack,
    miscellaneous,
)


@cache
def rows() -> dict[str, tuple[Row, ...]]:
    """All rows by opcode, in the order of the manual's chapters."""
    table: dict[str, tuple[Row, ...]] = {}
    for chapter in CHAPTERS:
        for row in chapter.ROWS:
            table[row.opcode] = (*table.get(row.opcode, ()), row)
    return table


@cache
def decode(opcode: str, modifiers: tuple[str, ...]) -> Form | None:
    """The first row whose pattern the modifiers fit, or None: then nothing is known of it."""
    types = tuple(TYPES[word] for word in modifiers if word in TYPES)
    words = frozenset(word for word in modifiers if word not in TYPES)
    for row in rows().get(opcode, ()):
        if _fits(row, types, words):
            selectors = ("",) * sum(role.selector for role in row.roles)
            return Form(row, words, types, selectors=selectors, written=modifiers)
    return None


def _fits(row: Row, types: tuple[Type, ...], words: frozenset[str]) -> bool:
    if len(types) != len(row.types) or not row.required <= words:
        return False
    if any(t.name not in allowed for t, allowed in zip(types, row.types, strict=True)):
        return False
    rest = words - row.required
    for allowed, mandatory in row.choices:
        if mandatory and not words & allowed:
            return False
        rest -= allowed
    return not rest
