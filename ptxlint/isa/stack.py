"""Stack manipulation instructions (PTX ISA 9.4, section of that name).

Not modelled: memory that a thread allocates while it runs.
"""

from __future__ import annotations

from analyses.program import Effect
from ptxlint.isa.row import op

AT = "stack-manipulation-instructions-"

ROWS = (
    op("stacksave.type d", at=AT + "stacksave", types="u32 u64", effects=Effect.UNMODELLED),
    op("stackrestore.type a", at=AT + "stackrestore", types="u32 u64",
       effects=Effect.UNMODELLED),
    op("alloca.type d, a{, b:int}", at=AT + "alloca", types="u32 u64",
       effects=Effect.UNMODELLED),
)  # fmt: skip
