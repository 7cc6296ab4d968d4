"""Neighbouring words that a thread loads or stores one by one, although it could do so at once.

What it does
    Looks for loads (or stores) of one block of code from the same base, side by side, with nothing
    between them that touches memory otherwise; and proves that their address is aligned for a
    vector of them.

Why it is bad
    Each instruction is a request of its own: two or four of them for what one ``ld.v2`` or
    ``ld.v4`` would bring.

Use instead
    ``float2``, ``float4``, ``int4``: types whose alignment the compiler knows.

Limits
    Global memory only, and not where lanes are scattered: see uncoalesced-access. Alignment comes
    from the declared buffers: what nobody declared is aligned as its elements are, and nothing is
    reported.

References
    CUDA Pro Tip, "Increase Performance with Vectorized Memory Access" (J. Luitjens).
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Effect
from ptxlint.claim import Claim
from ptxlint.facts import AccessFacts, Facts
from ptxlint.finding import Severity
from ptxlint.requests import request_cost
from ptxlint.rule import Rule
from ptxlint.thresholds import TOLERATED
from ptxlint.wording import described

RULE = Rule(
    id="unvectorized-access",
    severity=Severity.NOTE,
    tags=("work",),
    summary="neighbouring words that one vector access would move",
)

BAD = """
// launch: --block 32 --grid 2 --buffer x=64 --buffer y=128 --params x,y
.visible .entry pairs(.param .u64 x, .param .u64 y) {
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd3, %r1, 8;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];  // expect: unvectorized-access
    ld.global.u32 %r3, [%rd4+4];
    add.u32 %r4, %r2, %r3;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd5, %rd2, %rd5;
    st.global.u32 [%rd5], %r4;
    ret;
}
"""

GOOD = BAD.replace(
    "ld.global.u32 %r2, [%rd4];",
    "ld.global.v2.u32 {%r2, %r3}, [%rd4];",
).replace("    ld.global.u32 %r3, [%rd4+4];\n", "")


WIDEST = 16  # bytes of a vector
TOUCHES = Effect.LOAD | Effect.STORE | Effect.ATOMIC | Effect.BARRIER | Effect.FENCE | Effect.CALL


def check(facts: Facts) -> Iterator[Claim]:
    for run in runs(facts):
        width = joined(run)
        first = run[0].place.access
        if width > first.bytes and not scattered(facts, run[0]):
            yield RULE.claim(
                run[0].instr,
                f"{width // first.bytes} {first.kind}s of {first.bytes} bytes side by side,"
                f" where one of {width} would do",
                True,
                access=described(run[0]),
                help="use a vector type, whose alignment the compiler knows",
            )


def scattered(facts: Facts, access: AccessFacts) -> bool:
    """Whether the layout is at fault, of which another rule speaks."""
    price = request_cost(facts, access)
    return price is not None and (price.best or price.actual) > price.ideal + TOLERATED[price.unit]


def runs(facts: Facts) -> Iterator[list[AccessFacts]]:
    """Accesses that follow each other in memory, and in the code but for what only computes."""
    accesses = {a.instr: a for a in facts.accesses if a.space == "global"}
    for block in facts.kernel.blocks:
        run: list[AccessFacts] = []
        for instr in facts.instructions(block):
            if not instr.effects & TOUCHES:
                continue
            access = accesses.get(instr)
            if access is not None and run and follows(run[-1], access):
                run.append(access)
                continue
            if run:
                yield run
            run = [access] if access is not None and access.place.reached else []
        if run:
            yield run


def follows(before: AccessFacts, after: AccessFacts) -> bool:
    one, other = before.place.access, after.place.access
    return (
        one.base == other.base
        and one.mask == other.mask
        and one.kind == other.kind != "atomic"
        and before.instr.text == after.instr.text
        and ".volatile" not in before.instr.text
        and one.offset + one.bytes == other.offset
    )


def joined(run: list[AccessFacts]) -> int:
    """The bytes of the widest vector that the first accesses of a run make."""
    residue, modulus = run[0].place.residue
    size = run[0].place.access.bytes
    width = size
    while 2 * width <= min(WIDEST, size * len(run)):
        if modulus % (2 * width) or residue % (2 * width):
            break
        width *= 2
    return width
