"""Does the time grow with the kernel? ``python -m bench.scale [--most N]``

Generates one kernel of 100, 300, 1,000, ... instructions in three shapes (straight code between
guards as nvcc unrolls it, loops in a row, a ladder of branches), and prints the seconds that each
stage takes, microseconds for each instruction, and the ratio to ``ptxas -O3`` where it is found.
The exponent at the end is that of the last step: 1.0 is linear.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from math import log
from time import perf_counter

from bench.parse import HEAD, assembling
from ptxlint.assemble import assemble
from ptxlint.contract import Contract
from ptxlint.facts import Facts
from ptxlint.ir import Kernel
from ptxlint.rule import load_rules
from ptxlint.source import Source
from ptxlint.syntax import parse

STAGES = ("parse", "assemble", "facts", "rules")
DECLARED = """.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{{
.reg .pred %p<{0}>; .reg .b32 %r<{0}>; .reg .b64 %rd<{0}>; .reg .f32 %f<{0}>;
.shared .align 4 .b8 tile[4096];
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r0, [n];
cvta.to.global.u64 %rd2, %rd0; cvta.to.global.u64 %rd3, %rd1;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
mov.f32 %f0, 0f00000000;
"""
END = "st.global.f32 [%rd3], %f0; ret;\n}\n"


def guarded(steps: int) -> Iterator[str]:
    """Straight code: every step of 8 instructions skips the next unless its index is inside."""
    chance = random.Random(steps)
    for at in range(steps):
        i = at + 5
        yield f"""add.s32 %r{i}, %r4, {at}; setp.ge.s32 %p{i}, %r{i}, %r0; @%p{i} bra L{at};
mul.wide.s32 %rd{i}, %r{i}, 4; add.s64 %rd{i}, %rd2, %rd{i};
ld.global.f32 %f{i}, [%rd{i}+{4 * chance.randrange(64)}]; fma.rn.f32 %f0, %f{i}, %f{i}, %f0;
L{at}: add.f32 %f0, %f0, %f0;
"""


def loops(steps: int) -> Iterator[str]:
    """Loops in a row, 8 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""mov.u32 %r{i}, 0;
L{at}: shl.b32 %r4, %r{i}, 2; mov.u32 %r3, tile; add.s32 %r3, %r3, %r4;
st.shared.u32 [%r3], %r1; add.s32 %r{i}, %r{i}, 1; setp.lt.s32 %p{i}, %r{i}, %r0;
@%p{i} bra L{at};
"""


def ladder(steps: int) -> Iterator[str]:
    """Branches that all leave for the same place, with a store under each."""
    for at in range(steps):
        i = at + 5
        yield f"""add.s32 %r{i}, %r4, {at}; setp.eq.s32 %p{i}, %r{i}, %r0; @%p{i} bra OUT;
mul.wide.s32 %rd{i}, %r{i}, 4; add.s64 %rd{i}, %rd3, %rd{i}; st.global.u32 [%rd{i}], %r{i};
and.b32 %r1, %r{i}, 31; xor.b32 %r4, %r4, %r1;
"""
    yield "OUT:\n"


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {
    "guarded": guarded,
    "loops": loops,
    "ladder": ladder,
}


def generated(shape: str, instructions: int) -> str:
    steps = max(1, (instructions - 12) // 8)
    body = "".join(SHAPES[shape](steps))
    return HEAD + DECLARED.format(steps + 6) + body + END


def stages(text: str) -> tuple[Kernel, dict[str, float]]:
    """Seconds of each stage."""
    marks = [perf_counter()]
    source = Source("scale.ptx", text)
    module = parse(source).module
    assert module is not None
    marks.append(perf_counter())
    program = assemble(module, source)
    assert program.kernels, program.diagnostics
    kernel = program.kernels[0]
    marks.append(perf_counter())
    facts = Facts(kernel, Contract.of(block="256").for_kernel(kernel), "sm_80")
    assert facts.values and facts.divergence and facts.all_accesses is not None
    marks.append(perf_counter())
    for module_ in load_rules().values():
        list(module_.check(facts))
    marks.append(perf_counter())
    return kernel, {
        name: after - before
        for name, before, after in zip(STAGES, marks, marks[1:], strict=False)
    }


def sizes(most: int) -> Iterator[int]:
    size = 100
    while size <= most:
        yield size
        size = size * 3 if str(size)[0] == "1" else size // 3 * 10


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser(description=__doc__, prog="python -m bench.scale")
    options.add_argument("--most", type=int, default=30_000, help="instructions of the largest")
    options.add_argument("--shape", choices=sorted(SHAPES), action="append")
    chosen = options.parse_args()
    head = "".join(f"{name:>10}" for name in (*STAGES, "us/instr", "ptxas", "ratio", "exponent"))
    for shape in chosen.shape or SHAPES:
        print(f"{shape:>8} {'instrs':>7}{head}")
        before: tuple[int, float] | None = None
        for size in sizes(chosen.most):
            text = generated(shape, size)
            kernel, seconds = stages(text)
            count, total = len(kernel.instructions), sum(seconds.values())
            assembled = assembling(text)
            row = [f"{seconds[name]:10.3f}" for name in STAGES] + [f"{total / count * 1e6:10.0f}"]
            row += [f"{assembled:10.2f}{total / assembled:10.2f}" if assembled else f"{'-':>20}"]
            if before is not None:
                row += [f"{log(total / before[1]) / log(count / before[0]):10.2f}"]
            print(f"{'':8} {count:7,}{''.join(row)}", flush=True)
            before = count, total


if __name__ == "__main__":
    main()
