"""A 32-bit index that overflows before it is widened to an address.

What it does
    Reports accesses whose index is computed in 32 bits and then widened (``p[i*stride]`` with
    ``int i``), if it overflows in some thread of a declared launch. If one parameter decides, the
    least value that overflows is reported.

Why it is bad
    The address is off by a multiple of 2**32 elements. An unsigned index wraps to 0 and stays
    inside the buffer: nothing faults, and elements are accessed twice, or not at all.

How to fix
    Compute in 64 bits from the first product on: ``(size_t)i * stride``,
    ``(size_t)row * columns + column``.

Known limitations
    An index that is shifted, masked or divided before it is widened may be intended to wrap and is
    not reported. The block, the grid and every scalar must be declared; ``ptxlint contract`` prints
    the preconditions of other launches. Products of two constants are not reported.

References
    PTX ISA, "Integer Arithmetic Instructions: mad". CUDA C++ Programming Guide, "Size of Indices".
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Interpretation, remainders
from analyses.proofs.preconditions import Precondition
from ptxlint.claim import Claim, IntegerOverflow
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.facts.wording import described, region_name
from ptxlint.results.finding import Severity
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule

RULE = Rule(
    id="index-overflow",
    severity=Severity.ERROR,
    tags=("memory",),
    summary="a 32-bit index that overflows before it is widened to an address",
    property=Property.BOUNDS,
)

BAD = """
// launch: --grid 65536 --block 32 --arg pitch=1024..131072 --buffer rows=4*pitch*nctaid.x
// params: rows,pitch
.visible .entry row(.param .u64 rows, .param .u32 pitch) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [rows];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u32 %r1, [pitch];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r2, %r1, %r3;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;  // expect: index-overflow
    ret;
}
"""

GOOD = BAD.replace(
    "    mad.lo.s32 %r4, %r2, %r1, %r3;\n    mul.wide.u32 %rd2, %r4, 4;\n",
    "    cvt.u64.u32 %rd2, %r3;\n    mad.wide.u32 %rd2, %r2, %r1, %rd2;\n"
    "    shl.b64 %rd2, %rd2, 2;\n",
)

NARROW, ADDRESS = 32, 64  # bits


def check(facts: Facts) -> Iterator[Claim]:
    if not facts.launch.has_grid or not facts.launch.decided(facts.kernel):
        return
    for access in facts.accesses:
        if access.place.reached and access.mismatch is None:
            for interpretation, needs in wrapping(facts, access):
                yield claim(facts, access, interpretation, needs)


def wrapping(
    facts: Facts, access: AccessFacts
) -> Iterator[tuple[Interpretation, list[Precondition]]]:
    """The narrow interpretations in an address that may wrap, and preconditions under which they do
    not."""
    footprints, place = facts.footprints, access.place
    offset = footprints.offset(place)
    if offset is None:
        return
    rest = remainders(ADDRESS, offset).rest
    narrow = [s for s in rest.symbols if isinstance(s, Interpretation) and s.width <= NARROW]
    if not narrow:
        return
    premises = footprints.premises(place)
    shown = footprints.proofs.no_wrap(premises, offset, needed=False).by
    for interpretation in sorted(narrow, key=order):
        if interpretation not in shown:
            fit = footprints.proofs.fitting.fits(interpretation, premises, needed=True)
            yield interpretation, fit.preconditions if fit is not None else []


def claim(
    facts: Facts, access: AccessFacts, interpretation: Interpretation, needs: list[Precondition]
) -> Claim:
    region = access.place.region
    name = region_name(region) if region is not None else access.space
    firsts = [first for need in needs if (first := failing(facts, need.polynomial)) is not None]
    alone = min(firsts) if len(firsts) == len(needs) and len(set(dict(firsts))) == 1 else None
    return RULE.claim(
        access.instr,
        f"index of `{name}` overflows {'u' * (not interpretation.signed)}int{interpretation.width}",
        False,
        condition=condition(facts, needs),
        access=described(access),
        harm=IntegerOverflow(interpretation, facts.footprints.symbolic, alone),
        help="compute it in 64 bits from the first product on",
        unless="no thread may overflow",
    )


def condition(facts: Facts, needs: list[Precondition]) -> str | None:
    """The condition under which it overflows."""
    names = facts.decided
    if not needs or any(not need.polynomial.symbols <= names.keys() for need in needs):
        return None
    if len(needs) == 1:
        return at_least((-needs[0].polynomial - 1).terms, names)
    return f"not ({' and '.join(at_least(need.polynomial.terms, names) for need in needs)})"


def failing(facts: Facts, least: Polynomial) -> tuple[int, int] | None:
    """For ``-c*n + d`` with one parameter n: its position, and the first n that makes it
    negative."""
    symbol = next(iter(least.symbols), None)
    factor = least.terms.get((symbol,), 0) if symbol is not None else 0
    if len(least.terms) > 2 or len(least.symbols) != 1 or factor >= 0:
        return None
    value = least.terms.get((), 0) // -factor + 1
    called = facts.launch.names
    name = facts.decided.get(symbol) if symbol is not None else None
    return (called.index(name), value) if name in called else None
