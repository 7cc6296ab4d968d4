"""What the analyses claim of memory, warp, barrier and matrix instructions holds on a run: every
fact of a small kernel is held against the interpreter, with two blocks of two warps."""

from __future__ import annotations

import pytest

from ptxlint.contracts.launch import Launch
from ptxlint.simt import Allocation, ConcreteLaunch
from tests.observation.observe import observe
from tests.simt.programs import STORE, kernel_of, text_of

SHARED = ".shared .align 128 .b8 tile[4096]; mov.u32 %r10, tile; mad.lo.u32 %r11, %r1, 16, %r10;"

BODIES = {
    "match": "rem.u32 %r8, %r2, 3; match.any.sync.b32 %r9, %r8, -1;",
    "match of lanes": "and.b32 %r8, %r1, 5; match.any.sync.b32 %r9, %r8, -1;",
    "match all": "match.all.sync.b32 %r9|%p1, %r3, -1; @!%p1 mov.u32 %r9, 1;",
    "redux": "redux.sync.add.u32 %r9, %r4, -1;",
    "redux of a constant": "mov.u32 %r8, 3; redux.sync.max.u32 %r9, %r8, -1;",
    "elect": "elect.sync %r9|%p1, -1; @%p1 add.u32 %r9, %r9, 100;",
    "elected branch": "mov.u32 %r9, 0; elect.sync _|%p1, -1; @!%p1 bra OUT; mov.u32 %r9, 1; OUT:",
    "popc": "setp.gt.u32 %p1, %r4, 70; bar.red.popc.u32 %r9, 0, %p1;",
    "and": "setp.gt.u32 %p1, %r4, 5; bar.red.and.pred %p2, 0, %p1; selp.u32 %r9, 1, 2, %p2;",
    "a branch on a vote": """mov.u32 %r9, 0; setp.gt.u32 %p1, %r4, 70;
        bar.red.or.pred %p2, 0, %p1; @!%p2 bra OUT; bar.sync 0; mov.u32 %r9, %r1; OUT:""",
    "votes of warps": "shr.u32 %r8, %r1, 5; setp.eq.u32 %p1, %r8, 0; add.u32 %r8, %r8, 1;"
    " bar.red.popc.u32 %r9, %r8, 32, %p1;",
    "cp.async": f"{SHARED} cp.async.ca.shared.global [%r11], [%rd6], 4; cp.async.wait_all;"
    " bar.sync 0; ld.shared.u32 %r9, [%r11];",
    "cp.async of some": f"""{SHARED} setp.lt.u32 %p1, %r1, 8; selp.u32 %r12, 4, 0, %p1;
        @%p1 cp.async.ca.shared.global [%r11], [%rd6], 4, %r12; cp.async.wait_all;
        ld.shared.u32 %r9, [%r11];""",
    "cp.async of a length": f"""{SHARED} rem.u32 %r12, %r1, 5;
        cp.async.ca.shared.global [%r11], [%rd6], 4, %r12; cp.async.wait_all;
        ld.shared.u32 %r9, [%r11];""",
    "ldmatrix": f"{SHARED} ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r20, %r9}}, [%r11];",
    "stmatrix": f"{SHARED} stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r11], {{%r1}};"
    " ld.shared.u32 %r9, [%r11];",
    "movmatrix": "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r2;",
    "mma": """mov.u32 %r20, 0; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
        {%r9, %r21}, {%r2}, {%r2}, {%r20, %r20};""",
    "vector atomics": "red.global.v2.f32.add [%rd1], {%f1, %f2}; mov.u32 %r9, 0;",
    "packed atomics": "atom.global.add.noftz.f16x2 %r9, [%rd5], %r1;",
    "policy": "createpolicy.fractional.L2::evict_last.b64 %rd20; cvt.u32.u64 %r9, %rd20;",
}


@pytest.mark.parametrize("name", BODIES)
def test_facts_hold(name: str) -> None:
    text = text_of(f"mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; {BODIES[name]} {STORE}")
    kernel = kernel_of(text)
    arguments = (Allocation(4 * 128), Allocation(4 * 128), 0)
    one = ConcreteLaunch((2, 1, 1), (64, 1, 1), 0, arguments)
    for launch in (Launch(grid=(2, 1, 1), block=(64, 1, 1)), Launch()):
        seen = observe(kernel, launch, one)
        assert seen.checks
        assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)
