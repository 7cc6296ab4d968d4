"""Random programs of branches and loops in each other leave in each thread what Python says.

A program works on four registers of 32 bits. Python runs it thread by thread; the interpreter runs
all threads at once, some of them apart. Barriers stand only where every thread comes by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from .programs import gives, ran

NAMES = range(10, 14)
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add.u32": lambda a, b: a + b,
    "sub.u32": lambda a, b: a - b,
    "mul.lo.u32": lambda a, b: a * b,
    "xor.b32": lambda a, b: a ^ b,
    "min.u32": min,
}
Registers = dict[int, int]


@dataclass(frozen=True)
class Assign:
    operation: str
    target: int
    left: int
    right: int

    def run(self, r: Registers) -> None:
        r[self.target] = OPERATIONS[self.operation](r[self.left], r[self.right]) % 2**32

    def text(self, fresh: Callable[[], str]) -> str:
        return f"{self.operation} %r{self.target}, %r{self.left}, %r{self.right};\n"


@dataclass(frozen=True)
class If:
    bit: int
    name: int
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]

    def run(self, r: Registers) -> None:
        run(self.yes if r[self.name] >> self.bit & 1 else self.no, r)

    def text(self, fresh: Callable[[], str]) -> str:
        other, join = fresh(), fresh()
        return (
            f"and.b32 %r20, %r{self.name}, {1 << self.bit}; setp.eq.u32 %p1, %r20, 0;\n"
            f"@%p1 bra {other};\n{text(self.yes, fresh)}bra {join};\n"
            f"{other}:\n{text(self.no, fresh)}{join}:\n"
        )


@dataclass(frozen=True)
class Loop:
    """At most four turns, counted in a register of the loop's own; may be left in the middle."""

    name: int
    before: tuple[Statement, ...]
    after: tuple[Statement, ...]

    def run(self, r: Registers) -> None:
        for turn in range(1, 5):
            run(self.before, r)
            if r[self.name] & 3 < turn:
                return
            run(self.after, r)

    def text(self, fresh: Callable[[], str]) -> str:
        head, out = fresh(), fresh()
        turn = f"%r{30 + int(head[1:]) % 30}"
        return (
            f"mov.u32 {turn}, 1;\n{head}:\n{text(self.before, fresh)}"
            f"and.b32 %r21, %r{self.name}, 3; setp.lt.u32 %p2, %r21, {turn}; @%p2 bra {out};\n"
            f"{text(self.after, fresh)}add.u32 {turn}, {turn}, 1; setp.le.u32 %p3, {turn}, 4;\n"
            f"@%p3 bra {head};\n{out}:\n"
        )


Statement = Assign | If | Loop


def run(body: tuple[Statement, ...], r: Registers) -> None:
    for statement in body:
        statement.run(r)


def text(body: tuple[Statement, ...], fresh: Callable[[], str]) -> str:
    return "".join(statement.text(fresh) for statement in body)


names = st.sampled_from(NAMES)
assignments = st.builds(Assign, st.sampled_from(sorted(OPERATIONS)), names, names, names)


def bodies(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[tuple[Statement, ...]]:
    return st.lists(inner, max_size=3).map(tuple)


statements: st.SearchStrategy[Statement] = st.recursive(
    assignments,
    lambda inner: st.one_of(
        st.builds(If, st.integers(0, 4), names, bodies(inner), bodies(inner)),
        st.builds(Loop, names, bodies(inner), bodies(inner)),
    ),
    max_leaves=12,
)


phases = st.lists(st.lists(statements, max_size=4).map(tuple), min_size=1, max_size=3)
Phases = list[tuple[Statement, ...]]


def whole(phases: Phases) -> str:
    """The body of a kernel: the phases with barriers between them, and what a thread leaves."""
    labels = iter(range(10_000))
    body = "mov.u32 %r10, %r4; mul.lo.u32 %r11, %r4, 2654435761; not.b32 %r12, %r4;\n"
    body += "shr.u32 %r13, %r11, 7;\n"
    body += "bar.sync 0;\n".join(text(phase, lambda: f"L{next(labels)}") for phase in phases)
    body += "xor.b32 %r9, %r10, %r11; add.u32 %r9, %r9, %r12; xor.b32 %r9, %r9, %r13;\n"
    return f"{body}st.global.u32 [%rd5], %r9;"


def expected(phases: Phases) -> list[int]:
    """What 80 threads leave, each run alone."""
    left = []
    for i in range(80):
        mixed = i * 2654435761 % 2**32
        r = {10: i, 11: mixed, 12: ~i % 2**32, 13: mixed >> 7}
        for phase in phases:
            run(phase, r)
        left.append((((r[10] ^ r[11]) + r[12]) % 2**32) ^ r[13])
    return left


@settings(max_examples=100, deadline=None, derandomize=True)
@given(phases)
def test_threads_do_what_each_would_do_alone(phases: Phases) -> None:
    gives(ran(whole(phases), 40, 2), expected(phases))
