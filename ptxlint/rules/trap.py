"""A thread executes ``trap``.

What it does
    Reports ``trap`` instructions that a thread comes to. Only ``ptxlint run`` finds this.

Why it is bad
    The kernel is aborted and its results are lost. Compilers write ``trap`` where an assertion
    fails and where control must not come.

How to fix
    Arguments for which the assertion holds, or a check before the launch.

Known limitations
    A thread that stops here does nothing more, so what it would have done later is not judged.

References
    PTX ISA, "trap".
"""

from __future__ import annotations

from ptxlint.results.finding import Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="trap",
    severity=Severity.ERROR,
    tags=("run",),
    summary="a thread executes trap",
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry checked() {
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    setp.gt.u32 %p, %r, 30;
    @%p trap;  // expect: trap
    ret;
}
"""

GOOD = BAD.replace("%r, 30;", "%r, 31;")
