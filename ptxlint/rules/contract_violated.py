"""A launch, or the kernel itself, violates a declared contract.

What it does
    Reports a requirement of one source (``--contract FILE``) that every launch declared by another
    source (``--block 512``) violates; stores and atomics to buffers that the contract does not list
    as written (``--writes out``, or ``writes = ["out"]`` in the file); and buffers that may overlap
    (``--distinct x,y`` names those that may not) although that causes data races.

Why it is bad
    Caller and kernel rely on the contract. A launch that violates it may access memory out of
    bounds or divide the work wrongly; a kernel that writes a read-only buffer changes its caller's
    data.

How to fix
    Change the launch or the buffer, or correct the contract.

Known limitations
    Overlap is reported if a run with one buffer for two, or with the second 16 bytes into the
    first, has a race that it does not have with separate buffers. A range of launches of which some
    meet the requirement is narrowed to those. A contradictory contract is an error, not a finding.
    Accesses beyond the declared size of a buffer are out-of-bounds.

References
    Meyer, "Applying Design by Contract", Computer 25(10), 1992.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.proofs.path_condition import NOTHING
from ptxlint.claim import AliasingRace, Claim, Reached
from ptxlint.contracts.expression import conditions
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.inference.aliasing import InferredDistinct, distinct
from ptxlint.results.finding import VERBS, Severity
from ptxlint.rule import Rule

RULE = Rule(
    id="contract-violated",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="a launch or a kernel that violates its contract",
)

BAD = """
// params: in,out
// launch: --block 32 --grid 1 --buffer in=128 --buffer out=128 --writes out
.visible .entry doubled(.param .u64 in, .param .u64 out) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd3, %rd5;
    ld.global.u32 %r2, [%rd6];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%rd6], %r3;  // expect: contract-violated
    ret;
}
"""

GOOD = BAD.replace(
    "add.s64 %rd6, %rd3, %rd5;\n    ld.global.u32 %r2, [%rd6];",
    """\
add.s64 %rd6, %rd3, %rd5;
    ld.global.u32 %r2, [%rd6];
    add.s64 %rd6, %rd4, %rd5;""",
)


def check(facts: Facts) -> Iterator[Claim]:
    yield from launches(facts)
    yield from overlaps(facts)
    if facts.launch.written is not None:
        yield from accesses(facts, facts.launch.written)


def launches(facts: Facts) -> Iterator[Claim]:
    """A requirement violated by every launch that another source declares."""
    for violated in facts.launch.violated:
        yield RULE.claim(
            next(iter(facts.kernel.instructions)),
            f"every declared launch violates {violated.text}, required by {violated.origin}",
            True,
            harm=Reached(),
            condition=f"not ({violated.text})",
            help="change the launch, or correct the contract",
        )


def accesses(facts: Facts, written: frozenset[int]) -> Iterator[Claim]:
    """Writes to buffers that are not listed as written."""
    kept = {
        facts.pointers.get(parameter.word)
        for parameter in facts.kernel.words
        if parameter.index not in written
    }
    for access in facts.accesses:
        place = access.place
        if place.region is None or place.region not in kept or place.access.kind == "load":
            continue
        always = facts.unconditional(place.block, place.access.mask)
        name = region_name(place.region)
        yield RULE.claim(
            access.instr,
            f"{VERBS[place.access.kind]} `{name}`, which is read-only by contract",
            always,
            access=described(access),
            harm=Reached(),
            help=f"write another buffer, or declare {name} as written",
            unless="the access may be unreachable",
        )


def overlaps(facts: Facts) -> Iterator[Claim]:
    """Buffers that must be distinct but may overlap. Out-of-bounds accesses are another rule's."""
    if facts.launch.distinct is None:
        return
    index = {name: i for i, name in enumerate(facts.launch.names)}
    for needed in distinct(facts, NOTHING, (), facts.footprints.contents):
        one, other = (index[name] for name in needed.names)
        left = overlap(facts, one, other, needed)
        if left is not None:
            names, how = " and ".join(needed.names), "alias" if left.same else "overlap"
            yield RULE.claim(
                needed.instr,
                f"{names} must be distinct {needed.reason}, but may {how} by contract",
                False,
                harm=left,
                help=f"declare {needed.text!r} as distinct, or use each element in one thread only:"
                " where some buffers are declared distinct, all others may overlap",
                unless="the overlap may cause no race",
            )


def overlap(facts: Facts, one: int, other: int, needed: InferredDistinct) -> AliasingRace | None:
    """The overlap that the contract allows and the kernel does not, if there is one."""
    ptx = [parameter.name for parameter in facts.kernel.arguments]
    called = dict(zip(facts.launch.names, ptx, strict=True))

    def meaning(word: str) -> str:
        return called.get(word, word)

    said = conditions(needed.when) if needed.when else ()
    when = {condition.renamed(meaning) for condition in said}
    into = facts.launch.interior
    homes = {into[at].base if at in into else at for at in (one, other)}
    for apart in facts.launch.distinct or ():
        if not apart.same and len(homes) == 2 and {ptx[home] for home in homes} <= {*apart.names}:
            return None  # a pointer into a buffer is apart from what the buffer is apart from
        if {ptx[one], ptx[other]} <= {*apart.names}:
            enough = not apart.same or (needed.same and when <= {*apart.when})
            return None if enough else AliasingRace(one, other, True, apart.when)
    return AliasingRace(one, other, False)
