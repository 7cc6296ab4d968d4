"""Running PTX in a test: a body, a launch, numpy arrays in and out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlint.contracts.declaration import Triple
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.simt import (
    Allocation,
    Argument,
    ConcreteLaunch,
    Fault,
    Observer,
    Outcome,
    RunOptions,
    run,
)
from ptxlint.source import Source
from ptxlint.syntax import parse

HEAD = ".version 8.5\n.target sm_80\n.address_size 64\n"
STORE = "st.global.u32 [%rd5], %r9;"
REGISTERS = """
    .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>;
    .reg .f32 %f<16>; .reg .f64 %fd<16>;
    ld.param.u64 %rd1, [y];  ld.param.u64 %rd2, [x];  ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;  mov.u32 %r2, %ctaid.x;  mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %rd4, %r4, 4;
    add.u64 %rd5, %rd1, %rd4;    // &y[i], i = %r4, t = %r1, block = %r2, n = %r0
    add.u64 %rd6, %rd2, %rd4;    // &x[i]
"""


def kernel_of(text: str, path: str = "test.ptx", recursion: int = 0) -> Kernel:
    """The one kernel of a PTX text; an error of the text is an error of the test."""
    source = Source(path, text)
    parsed = parse(source)
    assert parsed.module is not None, parsed.diagnostics
    program = lower_module(parsed.module, source, recursion)
    problems = [str(d) for d in (*parsed.diagnostics, *program.diagnostics)]
    assert len(program.kernels) == 1, problems
    return program.kernels[0]


def text_of(body: str, module: str = "") -> str:
    """A kernel (y, x, n) with the names above ready, the body, and a return."""
    return (
        f"{HEAD}{module}\n.visible .entry k(.param .u64 y, .param .u64 x, .param .u32 n)\n"
        f"{{{REGISTERS}{body}\n    ret;\n}}\n"
    )


@dataclass(frozen=True)
class Ran:
    """What became of y, and the whole outcome."""

    text: str
    outcome: Outcome

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.outcome.faults

    def y(self, dtype: str = "u4") -> NDArray[Any]:
        return self.outcome.buffers[0].view(np.dtype(dtype))

    def line(self, fault: Fault) -> str:
        """The text of the line on which a fault happened."""
        start = self.text.rindex("\n", 0, fault.offset) + 1
        return re.sub(r"\s+", " ", self.text[start:].partition("\n")[0]).strip()


def ran(
    body: str,
    threads: int | Triple = 32,
    blocks: int | Triple = 1,
    *,
    x: NDArray[Any] | Allocation | None = None,
    y: int | Allocation | None = None,
    n: int = 0,
    module: str = "",
    observer: Observer | None = None,
    shared: int = 0,
    some: list[Triple] | None = None,
    max_steps: int = 100_000,
    schedule: int | None = None,
    checks: str = "",
) -> Ran:
    """The body in ``blocks`` blocks. ``y`` has one word for each thread, if nobody says more."""
    block = (threads, 1, 1) if isinstance(threads, int) else threads
    grid = (blocks, 1, 1) if isinstance(blocks, int) else blocks
    words = int(np.prod(block) * np.prod(grid)) if y is None else y
    out = Allocation(4 * words) if isinstance(words, int) else words
    given = x if isinstance(x, Allocation) else Allocation(0) if x is None else Allocation.of(x)
    arguments: tuple[Argument, ...] = (out, given, n)
    text = text_of(body, module)
    launch = ConcreteLaunch(grid, block, shared, arguments)
    options = RunOptions(some, max_steps, schedule=schedule, checks=frozenset(checks.split()))
    return Ran(text, run(kernel_of(text), launch, options, observer))


def gives(result: Ran, expected: NDArray[Any] | list[int], dtype: str = "u4") -> None:
    """No fault, and y holds these words."""
    assert not result.faults, "\n".join(map(str, result.faults))
    assert not result.outcome.exhausted
    assert result.y(dtype).tolist() == np.asarray(expected).astype(dtype).tolist()
