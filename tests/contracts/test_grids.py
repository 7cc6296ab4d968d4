"""No contract takes for granted that a grid is small: a limit of it is a requirement."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.expression import conditions
from ptxlint.contracts.grids import few, grid_limits
from ptxlint.contracts.launch import MAX_GRID
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts

from .kernels import ROOT, subjects
from .launches import Draw, Launches

LIMIT = "nctaid.x*ntid.x <= 2**31"
LIMITS = {
    "guard_unsigned_index": (),
    "guard_signed_64": (),
    "packed_complex_product": (),
    "saxpy_guarded": (LIMIT,),
    "index_reversed": (LIMIT,),
}
"""Requirements of kernels that guard an index: unsigned, of 64 bits, or signed, which may wrap."""


def in_the_largest_grid(name: str) -> tuple[Launches, Draw]:
    """A launch of blocks of 1024 threads, as many as the hardware allows along x."""
    (subject,) = subjects(ROOT / f"clean/{name}.ptx")
    launches = Launches(subject, Random(name))
    draw = launches.draw().but("ntid.x", 1024).but("ntid.y", 1).but("nctaid.x", MAX_GRID[0])
    for scalar in launches.scalars:
        draw = draw.but(scalar, 1000)
    return launches, draw


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_of_the_threads_is_stated_where_an_index_may_wrap(name: str) -> None:
    """Without one, the largest grid stays inside. With one, the largest grid is refused, and the
    first block behind the limit leaves the buffers."""
    launches, draw = in_the_largest_grid(name)
    assert tuple(need.condition for need in launches.subject.contract.needs) == LIMITS[name]
    sizes = launches.sizes(draw)
    candidate = launches.concrete(draw, sizes)
    assert candidate is not None
    launch, options = candidate
    behind = replace(options, blocks=[(2**31 // 1024, 0, 0)])
    if LIMITS[name]:
        assert any(LIMIT in said for said in launches.refusals(draw, sizes))
        assert launches.faults((launch, behind))
    else:
        assert launches.refusals(draw, sizes) == []
        assert launches.faults(candidate) + launches.faults((launch, behind)) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("nctaid.x <= 24", [("nctaid.x", 24)]),
        ("24 > nctaid.x", [("nctaid.x", 23)]),
        ("1 <= nctaid.y == 3*8", [("nctaid.y", 24)]),
        ("nctaid.z >= 24 and nctaid.z != 30", []),
        ("nctaid.x <= n and 2*nctaid.x <= 24 and ntid.x <= 24", []),
    ],
)
def test_a_condition_limits_an_extent_of_the_grid(said: str, found: list[tuple[str, int]]) -> None:
    assert list(grid_limits(conditions(said))) == found


def test_a_limit_of_the_grid_bounds_what_depends_on_the_number_of_a_block() -> None:
    """Its sign is a bit of that number: as declared, the access needs no more than a row."""
    (subject,) = subjects(ROOT / "clean/sign_by_a_bit_of_the_block.ptx")
    declared = Contract(buffers={"param_0": 256, "param_1": 12800}, requires=["nctaid.x <= 2**24"])
    facts = Facts(subject.kernel, resolved([declared], subject.kernel), "sm_80")
    assert all(access.in_bounds for access in facts.accesses)


def test_a_limit_of_the_grid_is_stated_though_it_bounds_the_number_of_blocks() -> None:
    (subject,) = subjects(ROOT / "regressions/blocks_behind_an_offset.ptx")
    assert "nctaid.x <= 2**31 - 65" in subject.result.needs


def test_conditions_limit_a_count_to_a_few() -> None:
    """From 0 on, or what a parameter that is read as unsigned is at most."""
    said = conditions("0 <= n <= 4 and m < 4 and 4 >= k and i <= 2**20 and 2*j <= 4")
    assert few(said) == {"n": (4, 0), "m": (3, None), "k": (4, None)}
