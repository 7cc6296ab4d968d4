"""A memory access outside of the array or buffer that its address belongs to.

What it does
    Reports loads, stores and atomics by which a thread accesses bytes outside of the region that
    the address was computed from: shared, local, constant and module-scope arrays, and buffers
    of declared size (``--buffer out=4*n``).

Why it is bad
    The hardware checks pages, not arrays. Most of these accesses do not fault: they read or
    overwrite the data of a neighbour, and a later crash names another line.

How to fix
    A guard on the index before the access, or an array as large as the greatest index plus one.

Known limitations
    A pointer parameter of undeclared size has no bounds: its accesses are undecided.
    Addresses loaded from memory are not followed. The access range that is printed has every byte
    that may be touched, and may be wider than what threads touch; the witness names a byte that
    one does.

References
    PTX ISA, "Addresses as Operands"; Balakrishnan & Reps, CC 2004.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import sources
from ptxlint.claim import Claim, StrayAccess
from ptxlint.facts.agreement import gathered, must_agree
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.touched import ends
from ptxlint.facts.wording import described, region_name, touched_bytes
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="out-of-bounds",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="a memory access outside of its array or buffer",
    property=Property.BOUNDS,
)

BAD = """
// launch: --block 256 --grid 1
.visible .entry neighbour() {
    .shared .align 4 .b8 tile[1024];
    .reg .b32 %r<6>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.s32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    bar.sync 0;
    ld.shared.u32 %r5, [%r4+4];  // expect: out-of-bounds
    ret;
}
"""

GOOD = BAD.replace(
    "    ld.shared",
    "    .reg .pred %p;\n    setp.gt.u32 %p, %r1, 254;\n    @%p bra $done;\n    ld.shared",
).replace("    ret;", "$done:\n    ret;")

KINDS = ("out-of-bounds", "address-space-mismatch")
"""The faults of the interpreter: a distant address may be outside of every space."""

NOUNS = {"load": "read", "store": "write", "atomic": "update"}


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.accesses:
        place = access.place
        if access.in_bounds or access.mismatch:
            continue
        regions = sources(facts.guarded, place)
        if (
            not regions
            or facts.mixed(access)
            or any(facts.values.size(region) is None for region in regions)
        ):
            continue
        noun, name = NOUNS[place.access.kind], "` or `".join(map(region_name, regions))
        made = facts.unconditional(place.block, place.access.mask)
        always = made and facts.never_in_bounds(access)
        touched = (
            touched_bytes(facts, access) if len(regions) == 1 else "the address may be in either"
        )
        counterexample = {} if always else facts.footprints.counterexample(place)
        yield RULE.claim(
            access.instr,
            f"out-of-bounds {noun} of `{name}`: {touched}",
            always,
            access=described(access, ends(facts, place)),
            harm=StrayAccess(
                KINDS,
                counterexample=counterexample,
                must_agree=must_agree(facts, place),
                gathered=gathered(facts, place),
                nowhere=place.never_in_bounds,
            ),
            help="guard the index, or size the array for the largest index",
        )
