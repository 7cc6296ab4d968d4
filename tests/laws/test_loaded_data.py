"""The slice of loaded data: which accesses have an address that depends on it."""

from __future__ import annotations

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n, .param .u64 at, .param .u64 x)
{
    .reg .pred %p, %q; .reg .b32 %r<20>; .reg .b64 %d<20>;
    .shared .align 4 .b8 s[1024];
    ld.param.u32 %r1, [n]; ld.param.u64 %d1, [at]; ld.param.u64 %d2, [x];
    mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 4; add.s64 %d4, %d1, %d3;
    ld.global.u32 %r3, [%d4]; mov.u32 %r4, 0; mov.u32 %r9, s;
"""
TAIL = "mul.wide.u32 %d5, %r4, 4; add.s64 %d6, %d2, %d5; st.global.u32 [%d6], %r3; DONE: ret; }"

DATA = {
    "an index": "mov.u32 %r4, %r3;",
    "a clamped index": "min.u32 %r4, %r3, 100;",
    "a selection": "setp.gt.s32 %p, %r3, 0; selp.b32 %r4, 1, 2, %p;",
    "a branch that decides which word it is": (
        "setp.gt.s32 %p, %r3, 0; @%p bra A; mov.u32 %r4, 1; bra B; A: mov.u32 %r4, 2; B:"
    ),
    "what a loop counts that data ends": (
        "L: add.u32 %r4, %r4, 1; mul.wide.u32 %d7, %r4, 4; add.s64 %d8, %d1, %d7;"
        "ld.global.u32 %r5, [%d8]; setp.ne.s32 %p, %r5, 0; @%p bra L;"
    ),
    "where data leaves a loop": (
        "L: mul.wide.u32 %d7, %r4, 4; add.s64 %d8, %d1, %d7; ld.global.u32 %r5, [%d8];"
        "setp.eq.s32 %p, %r5, 0; @%p bra A; add.u32 %r4, %r4, 1; setp.lt.u32 %q, %r4, %r1;"
        "@%q bra L; A:"
    ),
    "a shuffle": "shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;",
    "a vote": "setp.gt.s32 %p, %r3, 0; vote.sync.ballot.b32 %r4, %p, -1;",
    "an atomic": "atom.global.add.u32 %r4, [%d4], 1;",
    "shared memory": "st.shared.u32 [%r9], %r3; bar.sync 0; ld.shared.u32 %r4, [%r9];",
    "shared memory whose store data places": (
        "shl.b32 %r5, %r3, 2; and.b32 %r5, %r5, 1020; add.u32 %r5, %r5, %r9;"
        "st.shared.u32 [%r5], %r2; bar.sync 0; ld.shared.u32 %r4, [%r9];"
    ),
    "shared memory that data writes or not": (
        "setp.gt.s32 %p, %r3, 0; @!%p bra A; st.shared.u32 [%r9], %r2; A: bar.sync 0;"
        "ld.shared.u32 %r4, [%r9];"
    ),
    "shared memory, written behind the load": (
        "L: ld.shared.u32 %r4, [%r9]; st.shared.u32 [%r9], %r3; add.u32 %r5, %r5, 1;"
        "setp.lt.u32 %q, %r5, %r1; @%q bra L;"
    ),
}
NONE = {
    "a word that is only stored": "mov.u32 %r4, %r2;",
    "a parameter": "mov.u32 %r4, %r1;",
    "a branch around the access": "setp.gt.s32 %p, %r3, 0; @%p bra DONE; mov.u32 %r4, %r2;",
    "a branch around arithmetic on data": (
        "setp.gt.s32 %p, %r3, 0; @%p bra A; add.u32 %r3, %r3, 1; A: mov.u32 %r4, %r2;"
    ),
    "a shuffle of thread indices": "shfl.sync.idx.b32 %r4, %r2, 0, 31, -1;",
    "shared memory": "st.shared.u32 [%r9], %r2; bar.sync 0; ld.shared.u32 %r4, [%r9];",
    "a loop that data may leave before its bound": (
        "L: setp.eq.s32 %p, %r3, 0; @%p bra DONE; mul.wide.u32 %d7, %r4, 4;"
        "add.s64 %d8, %d2, %d7; ld.global.u32 %r3, [%d8]; add.u32 %r4, %r4, 1;"
        "setp.lt.u32 %q, %r4, %r1; @%q bra L; mov.u32 %r4, 0;"
    ),
    "a loop that data may end, in one condition with its bound": (
        "L: mul.wide.u32 %d7, %r4, 4; add.s64 %d8, %d2, %d7; ld.global.u32 %r3, [%d8];"
        "add.u32 %r4, %r4, 1; setp.ne.s32 %p, %r3, 0; setp.lt.and.u32 %q, %r4, %r1, %p;"
        "@%q bra L; mov.u32 %r4, 0;"
    ),
}


def from_data(body: str) -> list[str]:
    """The accesses with such an address, as written."""
    source = Source("k.ptx", HEAD + body + TAIL)
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    facts = Facts(kernel, resolved([Contract()], kernel), "sm_80")
    return [instr.text for instr in facts.loaded_data.accesses()]  # type: ignore[attr-defined]


@pytest.mark.parametrize("body", DATA.values(), ids=DATA)
def test_an_address_that_depends_on_data(body: str) -> None:
    assert any(text.startswith("st.global") for text in from_data(body))


@pytest.mark.parametrize("body", NONE.values(), ids=NONE)
def test_an_address_that_does_not(body: str) -> None:
    assert from_data(body) == []
