"""Does the time grow with the file? ``python -m bench.scale [--most N] [--shape NAME] [FILE ...]``

Generates files of 100, 300, 1,000, ... instructions in several shapes: straight arithmetic, code
between guards as nvcc unrolls it, loops in a row, a ladder of branches, early exits, a chain of
cases, chains of joins, selections and predicated instructions, many small kernels. Of each it
prints the milliseconds that each stage of a check takes, microseconds for each instruction, and the
ratio to ``ptxas -O3`` where it is found. The exponent at the end is that of the last step: 1.0 is
linear. Files of one's own are measured instead where they are named.

All figures are processor time of the fastest of ROUNDS rounds, so a machine that does other things
as well shows nearly the same ones.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import log
from pathlib import Path
from time import process_time

from bench.parse import HEAD, assembling
from ptxlint.cli import collect_rarely
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.lowering.module import lower_module
from ptxlint.rule import load_rules
from ptxlint.source import Source
from ptxlint.syntax import parse

ROUNDS = 5
PATIENCE = 10.0  # seconds after which no further round is begun
STAGES = ("parse", "assemble", "facts", "rules")
DECLARED = """.visible .entry {1}(.param .u64 in, .param .u64 out, .param .u32 n)
{{
.reg .pred %p<{0}>; .reg .b32 %r<{0}>; .reg .b64 %rd<{0}>; .reg .f32 %f<{0}>;
.shared .align 4 .b8 tile[4096];
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r0, [n];
cvta.to.global.u64 %rd2, %rd0; cvta.to.global.u64 %rd3, %rd1;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;
mov.f32 %f0, 0f00000000;
"""
STORE = "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd4, %rd3, %rd4; st.global.u32 [%rd4], %r4;\n"
END = "st.global.f32 [%rd3], %f0; ret;\n}\n"


def arithmetic(steps: int) -> Iterator[str]:
    """A chain of floats and one of integers, 8 instructions a step, one store at the end."""
    for at in range(steps):
        i = at + 5
        yield f"""mul.f32 %f{i}, %f0, 0f3F9D70A4; fma.rn.f32 %f0, %f{i}, %f0, %f{i};
shl.b32 %r{i}, %r1, {at % 31}; xor.b32 %r1, %r1, %r{i}; mad.lo.s32 %r1, %r1, 1664525, %r2;
cvt.rn.f32.u32 %f{i}, %r1; max.f32 %f0, %f0, %f{i}; sub.s32 %r2, %r2, %r1;
"""


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


def sums(steps: int) -> Iterator[str]:
    """Loops in a row that all add to one sum and store where it says, 8 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""mov.u32 %r{i}, 0;
L{at}: add.s32 %r2, %r2, %r{i}; and.b32 %r3, %r2, 255; shl.b32 %r3, %r3, 2;
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


def exits(steps: int) -> Iterator[str]:
    """A thread returns before each load whose index is not inside, 7 instructions a step."""
    for at in range(steps):
        i = at + 5
        yield f"""add.s32 %r{i}, %r4, {at}; setp.ge.s32 %p{i}, %r{i}, %r0; @%p{i} ret;
mul.wide.s32 %rd{i}, %r{i}, 4; add.s64 %rd{i}, %rd2, %rd{i};
ld.global.f32 %f{i}, [%rd{i}]; fma.rn.f32 %f0, %f{i}, %f{i}, %f0;
"""


def cases(steps: int) -> Iterator[str]:
    """One number compared with one after the other, 4 instructions each: the last choice joins
    all."""
    for at in range(steps):
        i = at + 5
        yield f"""setp.ne.s32 %p{i}, %r1, {at}; @%p{i} bra N{at}; mov.u32 %r3, {7 * at}; bra J;
N{at}:
"""
    yield f"mov.u32 %r3, 5;\nJ: add.s32 %r4, %r4, %r3;\n{STORE}"


def diamonds(steps: int) -> Iterator[str]:
    """Branches in a row that join again, 6 instructions each: every joined value depends on all
    before."""
    for at in range(steps):
        i = at + 5
        yield f"""setp.lt.s32 %p{i}, %r4, {7 * at % 1000}; @%p{i} bra L{at};
add.s32 %r4, %r4, {at % 13 + 1}; bra M{at};
L{at}: xor.b32 %r4, %r4, %r1;
M{at}: add.s32 %r4, %r4, %r2;
"""
    yield STORE


def selections(steps: int) -> Iterator[str]:
    """Selections, each from two values that depend on all before, 3 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""setp.lt.s32 %p{i}, %r4, {7 * at % 1000}; add.s32 %r{i}, %r4, {at % 13 + 1};
selp.b32 %r4, %r4, %r{i}, %p{i};
"""
    yield STORE


def bisection(steps: int) -> Iterator[str]:
    """The steps of a binary search, 8 instructions each: either end becomes the middle."""
    yield "mov.u32 %r2, 0; mov.u32 %r3, %r0;\n"
    for at in range(steps):
        i = at + 5
        yield f"""add.s32 %r{i}, %r2, %r3; shr.u32 %r{i}, %r{i}, 1;
mul.wide.u32 %rd{i}, %r{i}, 4; add.s64 %rd{i}, %rd2, %rd{i}; ld.global.f32 %f{i}, [%rd{i}];
setp.lt.f32 %p{i}, %f{i}, %f0; selp.b32 %r2, %r{i}, %r2, %p{i}; selp.b32 %r3, %r3, %r{i}, %p{i};
"""
    yield f"mov.u32 %r4, %r2;\n{STORE}"


def minima(steps: int) -> Iterator[str]:
    """Loads, each at the least of the integers loaded before, 5 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""mul.wide.s32 %rd{i}, %r4, 4; add.s64 %rd{i}, %rd2, %rd{i};
ld.global.u32 %r{i}, [%rd{i}]; setp.lt.s32 %p{i}, %r{i}, %r4; selp.b32 %r4, %r{i}, %r4, %p{i};
"""
    yield STORE


def predicated(steps: int) -> Iterator[str]:
    """Instructions under a predicate, each after those before, 4 instructions a step."""
    for at in range(steps):
        i = at + 5
        yield f"""setp.lt.s32 %p{i}, %r4, {7 * at % 1000}; @%p{i} add.s32 %r4, %r4, {at % 13 + 1};
@%p{i} ld.global.f32 %f{i}, [%rd2+{4 * at}]; add.f32 %f0, %f0, %f{i};
"""
    yield STORE


def nested_loops(steps: int) -> Iterator[str]:
    """Loops inside each other, 5 instructions each, and a store in the innermost."""
    for at in range(steps):
        yield f"mov.u32 %r{at + 5}, 0;\nL{at}:\n"
    yield "shl.b32 %r4, %r5, 2; mov.u32 %r3, tile; add.s32 %r4, %r4, %r3;\n"
    yield "st.shared.u32 [%r4], %r1;\n"
    for at in reversed(range(steps)):
        i = at + 5
        yield f"""add.s32 %r{i}, %r{i}, 1; add.s32 %r2, %r2, %r{i};
setp.lt.s32 %p{i}, %r{i}, %r0; @%p{i} bra L{at};
"""
    yield "mul.wide.s32 %rd4, %r2, 4; add.s64 %rd4, %rd3, %rd4; st.global.u32 [%rd4], %r2;\n"


def nested_ifs(steps: int) -> Iterator[str]:
    """Guards inside each other, each with a store, 7 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""add.s32 %r{i}, %r4, {at}; setp.ge.s32 %p{i}, %r{i}, %r0; @%p{i} bra L{at};
mul.wide.s32 %rd{i}, %r{i}, 4; add.s64 %rd{i}, %rd3, %rd{i}; st.global.u32 [%rd{i}], %r{i};
"""
    for at in reversed(range(steps)):
        yield f"L{at}: add.f32 %f0, %f0, %f0;\n"


def irreducible(steps: int) -> Iterator[str]:
    """One graph of blocks that branch anywhere, entered at two of them, 6 instructions each."""
    yield f"setp.lt.s32 %p0, %r1, 7; @%p0 bra L{steps // 2};\n"
    chance = random.Random(steps)
    for at in range(steps):
        i = at + 5
        yield f"""L{at}: add.s32 %r4, %r4, {at % 13};
shl.b32 %r{i}, %r4, 2; and.b32 %r{i}, %r{i}, 1020;
mov.u32 %r3, tile; add.s32 %r{i}, %r{i}, %r3; st.shared.u32 [%r{i}], %r4;
setp.lt.s32 %p{i}, %r4, {7 * at % 1000}; @%p{i} bra L{chance.randrange(steps)};
"""


def arrays(steps: int) -> Iterator[str]:
    """A shared array for each step of 7 instructions: stored to and loaded from."""
    for at in range(steps):
        i = at + 5
        yield f"""{{ .shared .align 4 .b8 a{at}[16];
shl.b32 %r{i}, %r1, 2; and.b32 %r{i}, %r{i}, 12; mov.u32 %r3, a{at}; add.s32 %r{i}, %r3, %r{i};
st.shared.f32 [%r{i}], %f0; ld.shared.f32 %f{i}, [%r{i}]; add.f32 %f0, %f0, %f{i}; }}
"""


def frame(steps: int) -> Iterator[str]:
    """A pointer that lies in a stack frame, as in debug builds, 4 instructions each."""
    yield f".local .align 8 .b8 frame[{8 * steps}]; mov.u64 %rd4, frame; cvta.local.u64 %rd4, %rd4;"
    for at in range(steps):
        i = at + 5
        yield f"""st.u64 [%rd4+{8 * at}], %rd0; ld.u64 %rd{i}, [%rd4+{8 * at}];
ld.f32 %f{i}, [%rd{i}]; add.f32 %f0, %f0, %f{i};
"""


def strided(steps: int) -> Iterator[str]:
    """Loads that are a parameter apart, without a guard, 4 instructions each."""
    for at in range(steps):
        i = at + 5
        yield f"""mul.wide.s32 %rd{i}, %r4, 4; add.s64 %rd{i}, %rd2, %rd{i};
ld.global.f32 %f{i}, [%rd{i}]; add.f32 %f0, %f0, %f{i}; add.s32 %r4, %r4, %r0;
"""


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {
    "straight": arithmetic,
    "guarded": guarded,
    "loops": loops,
    "sums": sums,
    "ladder": ladder,
    "exits": exits,
    "cases": cases,
    "diamonds": diamonds,
    "selections": selections,
    "bisection": bisection,
    "minima": minima,
    "predicated": predicated,
    "nested_loops": nested_loops,
    "nested_ifs": nested_ifs,
    "irreducible": irreducible,
    "arrays": arrays,
    "frame": frame,
    "strided": strided,
    "small": guarded,
}
DECLARES = Contract.of(block="256")
SMALL = 40  # instructions of one small kernel


def generated(shape: str, instructions: int) -> str:
    each = min(SMALL, instructions) if shape == "small" else instructions
    steps = max(1, (each - 12) // 8)
    body = "".join(SHAPES[shape](steps)) + END
    heads = (DECLARED.format(steps + 6, f"k{number}") for number in range(instructions // each))
    return HEAD + "".join(head + body for head in heads)


def stages(text: str, contract: Contract) -> tuple[int, list[float]]:
    """How many instructions there are, and the seconds of each stage."""
    rules = load_rules().values()  # as a check does: once, not for each kernel
    checks = [rule.check for rule in rules if rule.check is not None]
    marks = [process_time()]
    source = Source("scale.ptx", text)
    module = parse(source).module
    assert module is not None
    marks.append(process_time())
    program = lower_module(module, source)
    assert program.kernels, program.diagnostics
    marks.append(process_time())
    known = [Facts(kernel, resolved([contract], kernel), "sm_80") for kernel in program.kernels]
    for facts in known:
        assert facts.values and facts.divergence and facts.all_accesses is not None
    marks.append(process_time())
    for facts in known:
        for check in checks:
            list(check(facts))
    marks.append(process_time())
    count = sum(len(kernel.instructions) for kernel in program.kernels)
    return count, [after - before for before, after in pairwise(marks)]


def fastest(text: str, contract: Contract) -> tuple[int, list[float]]:
    """The round that took the least."""
    collect_rarely()
    rounds = [stages(text, contract)]
    while len(rounds) < ROUNDS and sum(sum(seconds) for _, seconds in rounds) < PATIENCE:
        rounds.append(stages(text, contract))
    return min(rounds, key=lambda found: sum(found[1]))


def measured(
    text: str, contract: Contract, before: tuple[int, float] | None = None
) -> tuple[int, float]:
    """Prints a line; gives back its instructions and seconds."""
    count, seconds = fastest(text, contract)
    total = sum(seconds)
    row = [f"{1e3 * of:10.1f}" for of in seconds] + [f"{1e6 * total / count:10.0f}"]
    assembled = assembling(text, ROUNDS)
    row += [f"{1e3 * assembled:10.1f}{total / assembled:10.2f}" if assembled else f"{'-':>20}"]
    if before is not None:
        row += [f"{log(total / before[1]) / log(count / before[0]):10.2f}"]
    print(f"{'':8} {count:7,}{''.join(row)}", flush=True)
    return count, total


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
    options.add_argument(
        "files", type=Path, nargs="*", help="PTX to measure instead, with nothing declared"
    )
    chosen = options.parse_args()
    head = "".join(f"{name:>10}" for name in (*STAGES, "us/instr", "ptxas", "ratio", "exponent"))
    for file in chosen.files:
        print(f"{file.stem:>8} {'instrs':>7}{head}")
        measured(file.read_text("utf-8"), Contract())
    for shape in () if chosen.files else chosen.shape or SHAPES:
        print(f"{shape:>8} {'instrs':>7}{head}")
        before: tuple[int, float] | None = None
        for size in sizes(chosen.most):
            before = measured(generated(shape, size), DECLARES, before)


if __name__ == "__main__":
    main()
