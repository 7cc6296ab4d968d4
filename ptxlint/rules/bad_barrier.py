"""A barrier with operands that no barrier has, or used against its protocol.

What it does
    Reports ``bar`` and ``barrier`` whose number is above 15, whose thread count is no multiple of
    32, and ``arrive`` with a count of 0; and if the interpreter finds them, warps that give one
    barrier different counts, and a warp that arrives again before the barrier has opened.

Why it is bad
    The behaviour is undefined: the kernel hangs, or a barrier opens too early and orders nothing.
    ``ptxas`` refuses such operands where they are constants.

How to fix
    Numbers from 0 to 15, and a count of whole warps, the same in all warps. Between two arrivals a
    warp must wait at another barrier until the first has opened.

Known limitations
    A count above the threads of the CTA is reported as ``divergent-barrier``: that barrier never
    opens.

References
    PTX ISA, "bar, barrier".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.hardware import BARRIERS, WARP
from analyses.program import Constant, Effect, barrier_operands
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.barriers import count_legal, number_legal
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import PtxInstr
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="bad-barrier",
    severity=Severity.ERROR,
    tags=("sync",),
    summary="a barrier number above 15, or a thread count that is not in whole warps",
    property=Property.BARRIERS,
)

BAD = """
// launch: --block 64 --grid 1
.visible .entry produce() {
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    or.b32 %r2, %r1, 16;
    bar.arrive %r2, 64;  // expect: bad-barrier
    bar.sync 1, 48;  // expect: bad-barrier
    ret;
}
"""

GOOD = """
// launch: --block 64 --grid 1
.visible .entry produce() {
    .reg .pred %p;
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 32;
    @%p bra $wait;
    bar.arrive 1, 64;
    ret;
$wait:
    bar.sync 1, 64;
    ret;
}
"""


def check(facts: Facts) -> Iterator[Claim]:
    for block in facts.kernel.blocks:
        if not facts.values.reached(block.index):
            continue
        for instr in facts.instructions(block):
            if not instr.effects & (Effect.BARRIER | Effect.ARRIVE):
                continue
            wrong = list(operands_of(facts, instr, block.index))
            yield from wrong
            if not wrong and instr not in facts.cta_barriers.all:
                yield RULE.claim(
                    instr,
                    "warps use this barrier in different ways",
                    False,
                    harm=Faulting(("bad-barrier",)),
                    unless="each warp may arrive once, with the same count",
                )


def operands_of(facts: Facts, instr: PtxInstr, block: int) -> Iterator[Claim]:
    number, threads = barrier_operands(instr)
    least = 1 if instr.effects & Effect.ARRIVE else 0
    numbers = f"0 to {BARRIERS - 1}"
    known = [("barrier number", number, number_legal(facts, number, block), numbers)]
    if threads is not None:
        counts = f"a multiple of {WARP}" + (" above 0" if least else "")
        legal = count_legal(facts, threads, block, least)
        known.append(("thread count", threads, legal, counts))
    for name, operand, legal, expected in known:
        if legal is True:
            continue
        constant = isinstance(operand, Constant)
        said = f" {operand.bits}" if isinstance(operand, Constant) else ""
        yield RULE.claim(
            instr,
            f"{name}{said} is not legal: expected {expected}",
            legal is False and (constant or facts.unconditional(block)),
            harm=Faulting(("bad-barrier",)),
            unless=f"the {name} may be legal",
        )
