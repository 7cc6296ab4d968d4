"""What share of the kernel's traffic an access makes, over the iterations of its loops."""

from __future__ import annotations

from analyses.traffic.share import TrafficShare
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.requests import traffic_share
from tests.observation.launches import kernels_of

from .kernels import text

LOOP = """
shl.b32 %i, %t, 2;
STORE
{rounds}
mov.u32 %r1, 0;
mul.lo.u32 %i, %t, 128;
L:
STORE
add.u32 %r1, %r1, 1;
setp.lt.u32 %c1, %r1, %n;
@%c1 bra L;
"""


def shares(lines: str) -> list[TrafficShare | None]:
    (kernel,) = kernels_of(text(lines, "global", 4, ", .param .u32 n"))
    contract = Contract.of(block="32", grid="1", buffer=["y=1048576"])
    facts = Facts(kernel, resolved([contract], kernel), "sm_80")
    return [traffic_share(facts, a) for a in facts.accesses if a.place.access.kind == "store"]


def test_iterations_that_are_told_apart_are_counted() -> None:
    first, second = shares(LOOP.format(rounds="mov.u32 %n, 3;"))
    assert first is not None and second is not None
    assert (first.own, second.own) == ({(): 4}, {(): 96})
    assert first.whole == second.whole == {(): 100}
    assert (first.percent, second.percent) == (4, 96)


def test_iterations_that_nobody_knows_have_a_symbol() -> None:
    """As their number grows, what stands before the loop is nothing beside it."""
    first, second = shares(LOOP.format(rounds="ld.param.u32 %n, [n];"))
    assert first is not None and second is not None
    ((loops, count),) = second.own.items()
    assert len(loops) == 1 and count == 32
    assert second.whole == {(): 4, loops: 32}
    assert (first.percent, second.percent) == (0, 100)


def test_two_loops_of_unlike_length_have_no_percentage() -> None:
    first = LOOP.format(rounds="ld.param.u32 %n, [n];")
    found = shares(first + LOOP.format(rounds="").replace("L:", "M:").replace("bra L", "bra M"))
    assert len(found) == 4
    assert all(share is not None and share.percent is None for share in found)


def test_a_cost_that_is_not_known_leaves_the_share_open() -> None:
    scattered = """
    ld.param.u64 %p, [y];
    cvta.to.global.u64 %p, %p;
    mul.wide.u32 %q, %t, 4;
    add.s64 %p, %p, %q;
    ld.global.u32 %r2, [%p];
    and.b32 %i, %r2, 1020;
    STORE
    """
    found = shares(LOOP.format(rounds="mov.u32 %n, 3;") + scattered)
    assert found[-1] is None
    assert found[0] is not None and found[0].unknown == 1 and found[0].percent is None


def test_of_no_traffic_nobody_has_a_share() -> None:
    """A loop that no lane enters: as in a mutant of numba_range_loop."""
    assert TrafficShare({(): 0}, {(): 0}, "sectors", 0).percent is None
    assert TrafficShare({(): 0}, {(): 8}, "sectors", 0).percent == 0
