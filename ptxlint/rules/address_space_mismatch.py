"""An address of one state space used by an instruction of another.

What it does
    Reports instructions that use an address in another state space than that of its array or
    parameter, also through ``cvta``: a shared address by ``ld.global``, a generic one by
    ``ld.shared``, an unconverted shared one by a generic ``ld``, and a pointer that is local or
    global, as a condition decides, by ``ld.global``.

Why it is bad
    Each space has its own addresses from zero on. The access goes to the wrong bytes, or faults.

How to fix
    ``cvta.to.SPACE`` before a space's own instructions, ``cvta.SPACE`` before generic ones, or the
    instruction of the space that the address belongs to.

Known limitations
    A dereferenced 64-bit parameter counts as a pointer to global memory, unless ``.ptr`` says
    otherwise. Addresses loaded from memory are not followed.

References
    PTX ISA, "Generic Addressing" and "cvta".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, Faulting
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="address-space-mismatch",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="an address of one state space used by an instruction of another",
    property=Property.SPACES,
)

BAD = """
// launch: --block 32 --grid 1
.visible .entry confused() {
    .shared .align 4 .b8 tile[128];
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    mov.u32 %r1, %ntid.x;
    mov.u64 %rd1, tile;
    st.global.u32 [%rd1], %r1;  // expect: address-space-mismatch
    ret;
}
"""

GOOD = BAD.replace("st.global.u32 [%rd1], %r1;", "st.shared.u32 [%rd1], %r1;")


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.all_accesses:
        place = access.place
        if access.mismatch is None:
            for origin, crossed in facts.mixed(access).items():
                text = f"where it points into `{region_name(origin.region)}`: {crossed}"
                yield claim(access, text, False, "it may never point there")
                break
            continue
        assert place.region is not None
        made = facts.unconditional(place.block, place.access.mask)
        certain = made and place.region.size is not None
        text = f"{region_name(place.region)}: {access.mismatch}"
        yield claim(access, text, certain, "the access may be unreachable")


def claim(access: AccessFacts, text: str, certain: bool, unless: str) -> Claim:
    return RULE.claim(
        access.instr,
        text,
        certain,
        access=described(access),
        harm=Faulting(("address-space-mismatch", "out-of-bounds")),
        help="convert the address with cvta, or use the instruction of its own space",
        unless=unless,
    )
