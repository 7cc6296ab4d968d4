"""Races of two buffers that overlap."""

from __future__ import annotations

import pytest

from ptxlint.claim import AliasingRace
from ptxlint.replay.overlap import first_race
from ptxlint.replay.replays import Replays
from ptxlint.simt import Allocation, ConcreteLaunch, Interpreter, RunOptions

from .judging import kernel_of

NEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry next(.param .u64 x, .param .u64 y) {
    .reg .b32 %r<2>;
    .reg .b64 %d<4>;
    .reg .pred %p;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    setp.eq.u64 %p, %d1, 0;
    @%p ret;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d2, %r0, 4;
    add.s64 %d0, %d0, %d2;
    add.s64 %d1, %d1, %d2;
    ld.global.u32 %r1, [%d0+4];
    st.global.u32 [%d1], %r1;
    ret;
}
"""


@pytest.mark.parametrize(
    ("y", "raced"), [(Allocation(128), True), (0, False)], ids=("a buffer", "null")
)
def test_only_memory_overlaps(y: Allocation | int, raced: bool) -> None:
    launch = ConcreteLaunch((1, 1, 1), (32, 1, 1), 0, (Allocation(132), y), ("x", "y"))
    replays = Replays(Interpreter(kernel_of(NEXT)))
    for one, other in ((0, 1), (1, 0)):
        fault = first_race(replays, launch, RunOptions(), AliasingRace(one, other, False))
        assert (fault is not None) == raced
