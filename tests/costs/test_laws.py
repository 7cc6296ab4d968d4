"""Strides and pitches that are parameters: the law says the condition, and it is true."""

from __future__ import annotations

import pytest

from analyses.traffic.cost_functions import CostFunction
from analyses.traffic.patterns import Pattern
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.requests import cost_function
from tests.observation.launches import kernels_of

from .kernels import accesses, exact, text

LOAD = "ld.param.u32 %n, [n];\n"
COLUMN = "mul.lo.u32 %i, %t, %n;\nshl.b32 %i, %i, 2;"
TILE = "mad.lo.u32 %i, %t, %n, %u;\nshl.b32 %i, %i, 2;"
ROWS = "mad.lo.u32 %i, %u, %n, %t;\nshl.b32 %i, %i, 2;"


def law(lines: str, block: str, space: str, size: int = 4, *arguments: str) -> CostFunction | None:
    (kernel,) = kernels_of(text(LOAD + lines, space, size, ", .param .u32 n"))
    contract = Contract.of(block=block, grid="2", buffer=["y=1048576"], arg=arguments)
    facts = Facts(kernel, resolved([contract], kernel), "sm_80")
    (access,) = (a for a in facts.accesses if a.place.access.kind == "store")
    return cost_function(facts, access)


@pytest.mark.parametrize(
    ("lines", "block", "space", "size", "said"),
    [
        (COLUMN, "32", "shared", 4, "gcd(n, 32) wavefronts"),
        (TILE, "32x32", "shared", 4, "gcd(n, 32) wavefronts"),
        (COLUMN.replace("2;", "3;"), "32", "shared", 8, "2*gcd(n, 16) wavefronts"),
        (COLUMN.replace("2;", "4;"), "32", "shared", 16, "4*gcd(n, 8) wavefronts"),
        (ROWS, "8x4", "global", 4, "4 sectors if n % 8 == 0, 6 if n % 8 == 4, else 7"),
        (ROWS, "16x2", "global", 4, "4 sectors if n % 8 == 0, else 5"),
    ],
)
def test_what_a_law_says(lines: str, block: str, space: str, size: int, said: str) -> None:
    found = law(lines, block, space, size)
    assert str(found) == said


@pytest.mark.parametrize("lines", [COLUMN, TILE, ROWS], ids=["column", "tile", "rows"])
@pytest.mark.parametrize("space", ["shared", "global"])
@pytest.mark.parametrize("block", ["32", "8x4", "16x2", "24x3", "32x8", "5x5"])
def test_a_law_is_what_each_of_its_launches_costs(lines: str, space: str, block: str) -> None:
    found = law(lines, block, space)
    if found is None or found.subject != "n":
        assert block in ("32", "32x8") and lines == ROWS  # a warp is in one row: it has no stride
        return
    assert set(found.assumptions) <= {"no-wrap"}  # a parameter of any size may wrap a wide index
    for n in [*range(found.least, found.least + 40), 1000, 1024, 4097]:
        ptx = text(LOAD + lines, space, 4, ", .param .u32 n")
        (access,) = accesses(ptx, block, f"n={n}")
        own, said = exact(access), found(n)
        assert (said.best, said.worst, said.ideal) == (own.best, own.worst, own.ideal), n


def test_the_place_of_a_base_decides_about_one_sector() -> None:
    """A buffer that nobody declared is aligned as its elements are."""
    (kernel,) = kernels_of(text("shl.b32 %i, %t, 2;", "global"))
    facts = Facts(kernel, resolved([Contract.of(block="64", grid="2")], kernel), "sm_80")
    (access,) = (a for a in facts.accesses if a.place.access.kind == "store")
    assert str(cost_function(facts, access)) == "4 sectors if first address % 32 == 0, else 5"


def test_a_warp_whose_row_begins_where_memory_says() -> None:
    """One load of one address gives all lanes one word, whatever it is."""
    lines = """
    ld.param.u64 %p, [y];
    cvta.to.global.u64 %p, %p;
    {row};
    mul.wide.u32 %q, %r1, 4;
    add.s64 %q, %p, %q;
    ld.global.u32 %r2, [%q];
    and.b32 %r2, %r2, 4095;
    and.b32 %r3, %t, 31;
    add.u32 %i, %r2, %r3;
    shl.b32 %i, %i, 2;
    """
    (by_warps,) = accesses(text(lines.format(row="shr.u32 %r1, %t, 5"), "global"), "64")
    (by_lanes,) = accesses(text(lines.format(row="mov.u32 %r1, %t"), "global"), "64")
    assert isinstance(by_warps.pattern, Pattern) and by_warps.pattern.exact
    assert by_warps.cost is not None and (by_warps.cost.best, by_warps.cost.worst) == (4, 5)
    assert by_lanes.pattern == "loaded-index"
