"""What an access costs by its instruction: loads, of which not all may be used, and atomics."""

from __future__ import annotations

import pytest

from analyses.traffic.costs import Cost
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
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
    facts = Facts(kernel, resolved([contract], kernel), "sm_80")
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


ATOMIC = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k() {{
.shared .align 16 .b8 s[4096];
.reg .b16 %h<3>; .reg .b32 %r<8>; .reg .f32 %f<3>; .reg .b64 %d<3>; .reg .f64 %e<3>;
mov.u32 %r0, %tid.x;
mov.u32 %r1, s;
mad.lo.u32 %r1, %r0, {stride}, %r1;
{line}
ret;
}}
"""


def atomic(line: str, stride: int, arch: str = "sm_90") -> Cost | None:
    (kernel,) = kernels_of(ATOMIC.format(line=line, stride=stride))
    contract = Contract.of(block="32", grid="1")
    (access,) = Facts(kernel, resolved([contract], kernel), arch).accesses
    return access.cost


@pytest.mark.parametrize(
    ("line", "unit", "passes"),
    [
        ("atom.shared.add.u32 %r2, [%r1], 1;", "wavefronts", 1),
        ("red.shared.max.s32 [%r1], 1;", "wavefronts", 1),
        ("atom.shared.exch.b64 %d1, [%r1], %d2;", "wavefronts", 2),
        ("atom.shared.cas.b32 %r2, [%r1], %r3, %r4;", "wavefronts", 2),
        ("atom.shared.cas.b64 %d1, [%r1], %d2, %d0;", "wavefronts", 4),
        ("atom.shared.add.f32 %f1, [%r1], %f2;", "wavefronts per try", 3),
        ("red.shared.add.u64 [%r1], %d2;", "wavefronts per try", 6),
        ("atom.shared.min.s64 %d1, [%r1], %d2;", "wavefronts per try", 6),
        ("atom.shared.or.b64 %d1, [%r1], %d2;", "wavefronts per try", 6),
        ("atom.shared.add.f64 %e1, [%r1], %e2;", "wavefronts per try", 6),
        ("atom.shared.add.noftz.f16x2 %r2, [%r1], %r3;", "wavefronts per try", 3),
        ("atom.shared.cas.b16 %h1, [%r1], %h2, %h0;", "wavefronts per try", 3),
    ],
)  # fmt: skip
def test_an_atomic_of_shared_memory_is_an_instruction_or_a_loop(
    line: str, unit: str, passes: int
) -> None:
    """Of neighbouring words; a try is a load and a compare-and-swap, which has each pass twice.
    Before 5.0 a word is locked, which is not counted."""
    found = atomic(line, 8 if "64 " in line else 4)
    assert found == Cost(unit, passes, passes, passes)
    assert atomic(line, 8, "sm_30") is None


@pytest.mark.parametrize(
    ("line", "best", "worst"),
    [
        ("red.shared.max.u32 [%r1], %r2;", 32, 32),
        ("atom.shared.cas.b32 %r2, [%r1], %r3, %r4;", 64, 64),
        ("red.shared.add.u32 [%r1], %r2;", 1, 32),
    ],
)
def test_an_atomic_serves_one_lane_after_the_other(line: str, best: int, worst: int) -> None:
    """At one address as well; but an addition of 1 may be another instruction. Devices before 9.0
    were not measured."""
    for stride in (0, 128):
        found = atomic(line, stride)
        assert found is not None
        assert (found.best, found.worst) == (worst if stride else best, worst)
    old = atomic(line, 0, "sm_80")
    assert old is not None and (old.best, old.worst) == (1, worst)


def test_lanes_that_update_one_word_try_again() -> None:
    """How often is not said: a try costs a load of one word, and a compare-and-swap for the halves
    of the warp."""
    found = atomic("red.shared.add.u64 [%r1], %d2;", 0)
    assert found == Cost("wavefronts per try", 4, 5, 5)


@pytest.mark.parametrize(
    ("index", "arch", "wanted"),
    [
        ("shr.u32 %r2, %r0, 1;", "sm_90", (1, 1, 1)),
        (
            "and.b32 %r2, %r0, 1; shr.u32 %r3, %r0, 2; mad.lo.u32 %r2, %r3, 2, %r2;",
            "sm_90",
            (1, 1, 1),
        ),
        ("mov.u32 %r2, 0;", "sm_90", (1, 1, 1)),
        ("shr.u32 %r2, %r0, 2;", "sm_90", (1, 1, 1)),
        ("and.b32 %r2, %r0, -5;", "sm_90", (2, 2, 2)),
        ("and.b32 %r2, %r0, 3;", "sm_90", (2, 2, 2)),
        ("mov.u32 %r2, %r0;", "sm_90", (2, 2, 2)),
        ("shr.u32 %r2, %r0, 1;", "sm_80", (1, 1, 1)),
        ("shr.u32 %r2, %r0, 1;", "sm_60", (1, 2, 1)),
    ],
)
def test_pairs_of_lanes_at_one_address_load_together(
    index: str, arch: str, wanted: tuple[int, int, int]
) -> None:
    """Lanes n and n^1, or n and n^2: half as many wavefronts, for loads alone. Before 7.0 it is
    not documented."""
    address = f"{index} mad.lo.u32 %r1, %r2, 8, %r1; "
    found = atomic(f"{address} ld.shared.u64 %d1, [%r1];", 0, arch)
    assert found is not None and (found.best, found.worst, found.ideal) == wanted
    stored = atomic(f"{address} st.shared.u64 [%r1], %d1;", 0, arch)
    assert stored is not None and (stored.best, stored.worst) == (2, 2)
