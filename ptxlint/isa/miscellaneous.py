"""Miscellaneous instructions (PTX ISA 9.4, section of that name)."""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "miscellaneous-instructions-"

ROWS = (
    op("trap", at=AT + "trap", effects=Effect.TRAP),
    op("brkpt", at=AT + "brkpt", effects=Effect.FENCE),
    op("nanosleep.type a", at=AT + "nanosleep", types="u32", effects=Effect.FENCE),
)
