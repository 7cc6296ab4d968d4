"""Accesses to neighbouring words that one vector access could replace.

What it does
    Reports loads (or stores) of neighbouring words in one basic block, with no other memory access
    between them, if the address is aligned for a vector of them.

Why it is bad
    Each instruction is a request: two or four of them instead of one ``ld.v2`` or ``ld.v4``.

How to fix
    Vector types: ``float2``, ``float4``, ``int4``.

Known limitations
    Global memory only, and only coalesced accesses: see uncoalesced-access. An undeclared
    buffer is taken to be aligned to its widest element that is accessed: neighbours of that width
    are not reported there, narrower ones are.

References
    CUDA Pro Tip, "Increase Performance with Vectorized Memory Access" (J. Luitjens).
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Effect
from ptxlint.claim import Claim
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.requests import request_cost
from ptxlint.facts.wording import described
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule
from ptxlint.thresholds import TOLERATED

RULE = Rule(
    id="unvectorized-access",
    severity=Severity.NOTE,
    tags=("work",),
    summary="accesses to neighbouring words that one vector access could replace",
    property=Property.COSTS,
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
TOUCHES = Effect.LOAD | Effect.STORE | Effect.ATOMIC | Effect.BARRIER | Effect.FENCE | Effect.AWAIT


def check(facts: Facts) -> Iterator[Claim]:
    for run in runs(facts):
        width = joined(run)
        first = run[0].place.access
        if width > first.bytes and not scattered(facts, run[0]):
            yield RULE.claim(
                run[0].instr,
                f"{width // first.bytes} adjacent {first.kind}s of {first.bytes} bytes could be one"
                f" of {width} bytes",
                True,
                access=described(run[0]),
                help="use a vector type",
            )


def scattered(facts: Facts, access: AccessFacts) -> bool:
    """True if the access is uncoalesced, which another rule reports."""
    price = request_cost(facts, access)
    return price is not None and (price.best or price.actual) > price.ideal + TOLERATED[price.unit]


def runs(facts: Facts) -> Iterator[list[AccessFacts]]:
    """Accesses to consecutive addresses without other memory accesses between them."""
    accesses = {a.instr: a for a in facts.accesses if a.space == "global"}
    for block in facts.kernel.blocks:
        run: list[AccessFacts] = []
        for instr in facts.instructions(block):
            if not instr.effects & TOUCHES and not instr.opaque:
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
    """The width in bytes of the widest aligned vector at the beginning of a run."""
    residue, modulus = run[0].place.residue
    size = run[0].place.access.bytes
    width = size
    while 2 * width <= min(WIDEST, size * len(run)):
        if modulus % (2 * width) or residue % (2 * width):
            break
        width *= 2
    return width
