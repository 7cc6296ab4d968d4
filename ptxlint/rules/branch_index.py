"""An indexed branch with an index past the end of its targets.

What it does
    Reports ``brx.idx`` where a thread has an index that its list of targets does not have. Only
    ``ptxlint run`` finds this.

Why it is bad
    What happens is undefined: the thread goes on anywhere.

How to fix
    A comparison of the index with the number of targets before the branch, as compilers write it
    for the default of a ``switch``.

Known limitations
    The thread ends here, so what it would have done later is not judged.

References
    PTX ISA, "brx.idx".
"""

from __future__ import annotations

from ptxlint.results.finding import Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="branch-index",
    severity=Severity.ERROR,
    tags=("run",),
    summary="an indexed branch past the end of its targets",
)

BAD = """
// launch: --block 4 --grid 1
.visible .entry chosen() {
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    TABLE: .branchtargets A, B;
    brx.idx %r, TABLE;  // expect: branch-index
A:
    ret;
B:
    ret;
}
"""

GOOD = BAD.replace("    TABLE", "    and.b32 %r, %r, 1;\n    TABLE")
