"""What a load costs by the way it loads, and by how much of it is used."""

from __future__ import annotations

import pytest

from analyses.traffic.costs import Cost
from ptxlint.contracts.contract import Contract
from ptxlint.facts import Facts
from tests.observation.launches import kernels_of

KERNEL = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {{
.reg .b32 %r<8>; .reg .b64 %p<4>; .reg .pred %c;
mov.u32 %r0, %tid.x;
setp.lt.u32 %c, %r0, 64;
mul.wide.u32 %p0, %r0, {stride};
ld.param.u64 %p1, [x];
cvta.to.global.u64 %p1, %p1;
add.s64 %p1, %p1, %p0;
{lines}
ret;
}}
"""
WHOLE = "{%r1, %r2, %r3, %r4}"


def costs(lines: str, stride: int = 16) -> list[tuple[int, int]]:
    """Of each load, the sectors that it takes and those that would do."""
    (kernel,) = kernels_of(KERNEL.format(lines=lines, stride=stride))
    contract = Contract.of(block="64", grid="1", buffer=["x=65536"])
    facts = Facts(kernel, contract.for_kernel(kernel), "sm_80")
    found = [access.cost for access in facts.accesses]
    assert all(isinstance(cost, Cost) and cost.exact for cost in found)
    return [(cost.best, cost.ideal) for cost in found if cost is not None]


@pytest.mark.parametrize("load", ["ld.global", "ld.global.nc", "ldu.global", "ld.global.cg"])
def test_every_load_of_global_memory_moves_sectors(load: str) -> None:
    assert costs(f"{load}.u32 %r1, [%p1];", stride=4) == [(4, 4)]
    assert costs(f"{load}.u32 %r1, [%p1];", stride=16) == [(16, 4)]
    assert costs(f"{load}.v4.u32 {WHOLE}, [%p1];") == [(16, 16)]


@pytest.mark.parametrize(
    ("mask", "ideal"),
    [("0xffff", 16), ("0xfff", 12), ("4095", 12), ("0xf0f0", 8), ("0xf", 4), ("0x1", 1), ("0", 1),
     ("0xf000f", 4)],
)  # fmt: skip
def test_bytes_that_are_not_used_are_moved_for_nothing(mask: str, ideal: int) -> None:
    """A sector moves as a whole. Bits past the width of the load say nothing."""
    assert costs(f'.pragma "used_bytes_mask {mask}";\nld.global.v4.u32 {WHOLE}, [%p1];') == [
        (16, ideal)
    ]


def test_a_mask_speaks_of_the_next_instruction_alone() -> None:
    mask, load = '.pragma "used_bytes_mask 0xf";', f"ld.global.v4.u32 {WHOLE}, [%p1];"
    assert costs(f"{mask}\n@%c {load}\n{load}") == [(16, 4), (16, 16)]
    assert costs(f"{mask}\nmov.u32 %r0, 1;\n{load}") == [(16, 16)]
    assert costs(f"{mask}\nst.global.v4.u32 [%p1], {WHOLE};") == [(16, 16)]
    assert costs(f'.pragma "nounroll", "used_bytes_mask 0xf";\n{load}') == [(16, 4)]


@pytest.mark.parametrize("mask", ["", "zz", "0xff 3"])
def test_a_mask_is_a_number(mask: str) -> None:
    with pytest.raises(AssertionError, match="expected a number after used_bytes_mask"):
        costs(f'.pragma "used_bytes_mask {mask}";\nld.global.u32 %r1, [%p1];')
