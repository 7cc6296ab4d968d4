"""Miscellaneous instructions (PTX ISA 9.4, section of that name).

A breakpoint, a sleep, an event counter and the size of the register file change nothing that a
thread computes with.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "miscellaneous-instructions-"

ROWS = (
    op("brkpt", at=AT + "brkpt", effects=Effect.FENCE),
    op("nanosleep.type a", at=AT + "nanosleep", types="u32", effects=Effect.FENCE),
    op("pmevent{.mask} a:u32", at=AT + "pmevent", effects=Effect.FENCE),
    op("trap", at=AT + "trap", effects=Effect.TRAP),
    op("setmaxnreg.action.sync.aligned.type a", at=AT + "setmaxnreg", action="inc dec",
       types="u32", effects=Effect.FENCE | Effect.CONVERGENT | Effect.ALIGNED),
)  # fmt: skip
