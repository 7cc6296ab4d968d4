"""How fast the interpreter runs: ``python -m bench.simt``

Prints millions of lane-instructions a second, and microseconds for one instruction of a batch, for
loops of a few kinds at 100 blocks of 256 threads and at one warp; then the time of a European
option. A lane-instruction is one PTX instruction in one active thread. One core.
"""

from __future__ import annotations

import time

from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.simt import Allocation, ConcreteLaunch, run
from ptxlint.source import Source
from ptxlint.syntax import parse

TURNS = 500
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y) {{
  .reg .pred %p<4>; .reg .b32 %r<30>; .reg .f32 %f<30>; .reg .b64 %rd<9>;
  ld.param.u64 %rd2, [y]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 256, %r1; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd2, %rd3;
  mov.u32 %r4, 0; mov.u32 %r5, %r3; cvt.rn.f32.u32 %f1, %r3; mov.f32 %f2, %f1;
LOOP:
  {body}
  add.s32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, {turns}; @%p1 bra LOOP;
  st.global.u32 [%rd4], %r5; st.global.f32 [%rd4], %f2; ret;
}}"""
BODIES = {
    "integers": """mad.lo.s32 %r5, %r5, 1664525, %r3; xor.b32 %r6, %r5, %r3; shl.b32 %r7, %r6, 3;
        add.s32 %r5, %r5, %r7; shr.u32 %r8, %r5, 7; and.b32 %r9, %r8, 255; sub.s32 %r5, %r5, %r9;
        min.s32 %r10, %r5, %r3; or.b32 %r5, %r10, 1;""",
    "floats": """fma.rn.f32 %f2, %f2, 0f3F000000, %f1; mul.f32 %f3, %f2, %f1; add.f32 %f4, %f3, %f2;
        max.f32 %f5, %f4, %f1; sub.f32 %f2, %f5, %f3;""",
    "approximate": """ex2.approx.f32 %f3, %f2; sin.approx.f32 %f2, %f3; sqrt.rn.f32 %f4, %f1;
        div.rn.f32 %f5, %f4, %f1; add.f32 %f2, %f2, %f5;""",
    "divergence": """and.b32 %r6, %r1, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra EVEN;
        add.s32 %r5, %r5, 3; mul.lo.s32 %r5, %r5, 5; bra JOIN;
        EVEN: add.s32 %r5, %r5, 7; xor.b32 %r5, %r5, 9; JOIN:""",
    "memory": "ld.global.u32 %r6, [%rd4]; add.s32 %r5, %r5, %r6; st.global.u32 [%rd4], %r5;",
    "atomics": """and.b32 %r6, %r5, 63; mul.wide.u32 %rd5, %r6, 4; add.s64 %rd6, %rd2, %rd5;
        atom.global.add.u32 %r7, [%rd6], 2; add.s32 %r5, %r5, %r7;""",
}


def kernel_of(text: str) -> Kernel:
    source = Source("bench.ptx", text)
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    return kernel


def loops() -> None:
    for blocks, threads in ((100, 256), (1, 32)):
        for name, body in BODIES.items():
            kernel = kernel_of(TEXT.format(body=body, turns=TURNS))
            arguments = (Allocation(4 * blocks * threads + 256),)
            launch = ConcreteLaunch((blocks, 1, 1), (threads, 1, 1), 0, arguments)
            start = time.perf_counter()
            outcome = run(kernel, launch)
            seconds = time.perf_counter() - start
            assert not outcome.faults, outcome.faults
            print(
                f"{blocks:4} x {threads:3}  {name:12}"
                f"{outcome.lane_instructions / seconds / 1e6:8.1f} M lane-instructions/s"
                f"{1e6 * seconds / outcome.steps:8.1f} us an instruction"
            )


def european() -> None:
    from pricing_kernels import european
    from pricing_kernels.engines import simt
    from pricing_kernels.gbm import Market

    ptx = european.kernel().ptx()
    for paths, steps in ((10_000, 1), (100_000, 4), (1_000_000, 1)):
        option = european.European(Market(100.0, 0.03, 0.3), 105.0, 1.0, True, paths, steps)
        start = time.perf_counter()
        simt.run(ptx, european.launch(option, 256, 64))
        print(f"European, {paths} paths of {steps} steps: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    loops()
    european()
