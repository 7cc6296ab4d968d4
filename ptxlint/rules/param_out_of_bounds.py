"""An out-of-bounds read of a kernel parameter.

What it does
    Reports ``ld.param`` that reads bytes outside of the parameter named in its address, also
    through an index into a struct passed by value.

Why it is bad
    The load returns bits of another parameter, or padding. No device reports a fault.

How to fix
    Name the right parameter, or guard the index into the struct.

Known limitations
    Parameters of device functions are checked where these are called.

References
    PTX ISA, "Kernel Function Parameters".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, StrayAccess
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import described, region_name, touched_bytes
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="param-out-of-bounds",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="an out-of-bounds read of a kernel parameter",
    property=Property.BOUNDS,
)

BAD = """
.visible .entry last(.param .align 4 .b8 weights[16], .param .u64 out) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u32 %r1, [weights+16];  // expect: param-out-of-bounds
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""

GOOD = BAD.replace("weights+16", "weights+12")


def check(facts: Facts) -> Iterator[Claim]:
    for access in facts.all_accesses:
        place, region = access.place, access.place.region
        if region is None or not region.parameter or access.in_bounds:
            continue
        made = facts.unconditional(place.block, place.access.mask)
        always = made and facts.never_in_bounds(access)
        yield RULE.claim(
            access.instr,
            f"out-of-bounds read of parameter `{region_name(region)}`:"
            f" {touched_bytes(facts, access)}",
            always,
            access=described(access),
            harm=StrayAccess(("param-out-of-bounds",)),
            help="name the right parameter, or guard the index into it",
        )
