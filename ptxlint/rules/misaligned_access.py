"""A memory access at an address that is not a multiple of its width.

What it does
    Reports accesses that are misaligned in some thread: in every launch, or on the interpreter.

Why it is bad
    The kernel fails with ``misaligned address``, and the context is lost.

How to fix
    An index in units of the vector, a buffer offset that is a multiple of its size, or a narrower
    access.

Known limitations
    A pointer parameter without a declared buffer is assumed to be aligned to its elements; its
    vector accesses are reported only if not all threads can be aligned.

References
    PTX ISA, "Alignment of Variables" and "ld": the address must be aligned to the access size.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import sources
from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="misaligned-access",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="a memory access at an address that is not a multiple of its width",
    property=Property.ALIGNMENT,
)

BAD = """
// launch: --block 32 --grid 1 --buffer x=160 --params x
.visible .entry vectors(.param .u64 x) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];  // expect: misaligned-access
    ret;
}
"""

GOOD = BAD.replace("%r1, 4;", "%r1, 16;").replace("x=160", "x=512")


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.all_accesses:
        place = access.place
        regions = sources(facts.guarded, place) if not access.aligned else ()
        if access.mismatch or not regions:
            continue
        residue, modulus = place.residue
        made = facts.unconditional(place.block, place.access.mask)
        never = made and modulus % place.access.align == 0
        shown = never or not facts.aligned_in_allocations(access)  # a replay may show it
        name = "` or `".join(map(region_name, regions))
        yield RULE.claim(
            access.instr,
            f"{place.access.bytes}-byte {place.access.kind} of `{name}` at an address that is "
            + (f"{residue} modulo {place.access.align}" if never else
               f"only known to be {residue} modulo {modulus}"),
            never,
            access=described(access),
            harm=Faulting(("misaligned-access",)) if shown else None,
            help=f"make the address a multiple of {place.access.align} bytes, or access "
            "narrower words",
            unless="every thread may be aligned",
        )  # fmt: skip
