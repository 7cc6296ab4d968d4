"""The address of a thread's own variable is stored where other threads can read it.

What it does
    Reports stores to global or shared memory of an address that points into local memory.

Why it is bad
    Local memory is private to a thread: the same address is another variable in another thread,
    and invalid after the thread has exited. Another thread that dereferences the pointer accesses
    the wrong bytes.

How to fix
    Store the value, or keep the variable in shared or global memory.

Known limitations
    Addresses that pass through memory, or through a function that is not in the module, are not
    followed.

References
    PTX ISA, "Local State Space".
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlint.claim import Claim, Reached
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import defined_at, described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="escaping-local-pointer",
    severity=Severity.WARNING,
    tags=("memory",),
    summary="the address of a local variable is stored where other threads can read it",
    property=Property.SPACES,
)

BAD = """
.visible .entry publish(.param .u64 out) {
    .local .align 4 .b8 own[16];
    .reg .b32 %r<2>;
    .reg .b64 %rd<6>;
    mov.u64 %rd1, own;
    cvta.local.u64 %rd2, %rd1;
    ld.param.u64 %rd3, [out];
    cvta.to.global.u64 %rd4, %rd3;
    mov.u32 %r1, 7;
    st.local.u32 [%rd1], %r1;
    st.global.u64 [%rd4], %rd2;  // expect: escaping-local-pointer
    ret;
}
"""

GOOD = BAD.replace(
    "st.global.u64 [%rd4], %rd2;",
    "ld.local.u32 %r1, [%rd1];\n    st.global.u32 [%rd4], %r1;",
)

SEEN_BY_OTHERS = ("global", "shared")


def check(facts: Facts) -> Iterator[Claim]:
    regions = (*facts.kernel.regions, *facts.pointers.values())
    if all(region.space != "local" for region in regions):
        return
    for access in facts.accesses:
        place = access.place
        held = place.region.space if place.region is not None else place.access.space
        if place.access.kind != "store" or held not in SEEN_BY_OTHERS or not place.reached:
            continue
        for word in access.instr.uses[1:]:
            origin = facts.values.number(word).origin
            if origin is None or origin.region.space != "local":
                continue
            always = facts.unconditional(place.block, place.access.mask)
            yield RULE.claim(
                access.instr,
                f"stores the address of `{region_name(origin.region)}`, a local variable,"
                f" to {held} memory",
                always,
                access=described(access),
                harm=Reached(),
                related=defined_at(facts, word, "the address is computed here"),
                help="store the value, or keep the variable in shared or global memory",
                unless="the access may be unreachable",
            )
