"""Control flow instructions (PTX ISA 9.4, section of that name).

``lower`` turns branches and exits into edges of the graph; the rows say what it needs to know.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "control-flow-instructions-"

ROWS = (
    op("bra{.uni} label", at=AT + "bra", effects=Effect.BRANCH),
    op("brx.idx{.uni} a:u32, label", at=AT + "brx-idx", effects=Effect.BRANCH),
    op("call{.uni} label", at=AT + "call", effects=Effect.CALL | Effect.UNMODELLED),
    op("ret{.uni}", at=AT + "ret", effects=Effect.EXIT),
    op("exit", at=AT + "exit", effects=Effect.EXIT),
)  # fmt: skip
