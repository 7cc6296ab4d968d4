"""Random kernels with barriers in branches of all kinds, run in several orders: what races was a
candidate, and what diverges was claimed to be possible."""

from __future__ import annotations

from random import Random

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.rule import load_rule
from ptxlint.simt import RunOptions, run

from .programs import kernel_of, text_of

THREADS = 96
CONDITIONS = {
    "uniform": "setp.lt.u32 {p}, %r0, {n};",
    "warp": "shr.u32 %r40, %r1, 5; setp.lt.u32 {p}, %r40, {n};",
    "lane": "and.b32 %r40, %r1, 31; setp.lt.u32 {p}, %r40, {n};",
}
COPIES = (
    "cp.async.ca.shared.global [%rd9], [%rd6], 4;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.wait_group 1;",
    "cp.async.wait_all;",
)
ACCESSES = (
    "st.shared.u32 [%rd9], %r1;",
    "ld.shared.u32 %r9, [%rd9];",
    "ld.shared.u32 %r9, [%rd11];",
    "ld.shared.u32 %r9, [%rd13];",
    "st.shared.u32 [%rd13], %r1;",
)
S = """.shared .align 4 .b8 s[512]; mov.u64 %rd7, s; mul.wide.u32 %rd8, %r1, 4;
    add.u64 %rd9, %rd7, %rd8; xor.b32 %r8, %r1, 1; mul.wide.u32 %rd10, %r8, 4;
    add.u64 %rd11, %rd7, %rd10; xor.b32 %r7, %r1, 32; mul.wide.u32 %rd12, %r7, 4;
    add.u64 %rd13, %rd7, %rd12;
"""


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.labels = 0
        self.copies = self.random.choice((0, 0, 0.5))

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def body(self, depth: int = 2) -> str:
        return "\n".join(self.statement(depth) for _ in range(self.random.randint(1, 4)))

    def statement(self, depth: int) -> str:
        choice = self.random.random()
        if choice < 0.35:
            return self.access()
        if choice < 0.65 or not depth:
            return self.barrier()
        if choice < 0.72:
            return f"{self.condition()} @%p{depth} exit;".replace("%p0", f"%p{depth}")
        if choice < 0.8:
            return self.loop(depth)
        return self.branch(depth)

    def access(self) -> str:
        return self.random.choice(COPIES if self.random.random() < self.copies else ACCESSES)

    def barrier(self) -> str:
        forms = ["bar.sync 0;"] * 5
        forms += ["barrier.sync 0;", "bar.sync 1;", f"bar.sync 1, {THREADS};", "bar.warp.sync -1;"]
        forms += ["bar.arrive 2, 64;", "bar.sync 2, 64;", "bar.sync 0, 32;"]
        return self.random.choice(forms)

    def condition(self) -> str:
        kind = self.random.choice(("uniform", "warp", "warp", "warp", "lane"))
        return CONDITIONS[kind].format(p="%p0", n=self.random.randint(1, 3))

    def branch(self, depth: int) -> str:
        """Two sides of any kind, or with as many barriers of all threads in either."""
        other, end = self.label(), self.label()
        condition = self.condition().replace("%p0", f"%p{depth}")
        bodies = [self.body(depth - 1), self.body(depth - 1)]
        if self.random.random() < 0.6:
            numbers = [self.random.randint(0, 1) for _ in range(self.random.randint(1, 2))]
            bodies = [self.paired(numbers), self.paired(numbers)]
        return (
            f"{condition} @%p{depth} bra {other};\n{bodies[0]}\nbra {end};\n"
            f"{other}:\n{bodies[1]}\n{end}:"
        )

    def paired(self, numbers: list[int]) -> str:
        lines = [self.access()]
        for number in numbers:
            lines.append(f"{self.random.choice(('bar.sync', 'barrier.sync'))} {number};")
            lines += [self.access() for _ in range(self.random.randint(0, 2))]
        return "\n".join(lines)

    def loop(self, depth: int) -> str:
        head = self.label()
        bound = self.random.choice(("2", "2", "%r41"))
        return (
            f"mov.u32 %r5{depth}, 0; shr.u32 %r41, %r1, 5;\n{head}:\n{self.body(depth - 1)}\n"
            f"add.u32 %r5{depth}, %r5{depth}, 1; setp.lt.u32 %p{depth}, %r5{depth}, {bound};\n"
            f"@%p{depth} bra {head};"
        )


def judged(seed: int, schedules: int = 4) -> None:
    text = text_of(S + Generator(seed).body())
    kernel = kernel_of(text)
    contract = Contract.from_options(
        f"--grid 1 --block {THREADS} --arg n=1 --buffer x=4096 --buffer y=4096".split()
    )
    launch = resolved([contract], kernel)
    facts = Facts(kernel, launch, "sm_80")
    claimed = {claim.instr for claim in load_rule("divergent-barrier").check(facts)}  # type: ignore[misc]
    for schedule in (None, *range(schedules)):
        options = RunOptions(max_steps=5000, schedule=schedule, checks=frozenset({"race", "sync"}))
        outcome = run(kernel, launch.concrete(kernel), options)
        for fault in outcome.faults:
            if fault.kind == "data-race":
                assert fault.instr in facts.race_candidates, f"{schedule} {fault}\n{text}"
        if "bad-barrier" in outcome.kinds():
            continue
        diverged = {f.instr for f in outcome.faults if f.kind == "divergent-barrier"}
        assert not diverged or diverged & claimed, f"{schedule} {outcome.faults}\n{text}"


@pytest.mark.parametrize("seed", range(80))
def test_what_happens_was_not_excluded(seed: int) -> None:
    judged(seed)
