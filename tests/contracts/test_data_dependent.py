"""Accesses that no contract decides because data decides their address: the contract says so, and
names the load, also where few steps are left."""

from __future__ import annotations

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import Inferences
from ptxlint.inference.inferred_contract import Unknown
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n, .param .u64 at, .param .u64 x, .param .align 4 .b8 table[64])
{
.reg .pred %p, %q; .reg .b32 %r<20>; .reg .b64 %d<20>;
ld.param.u32 %r1, [n]; ld.param.u64 %d1, [at]; ld.param.u64 %d2, [x];
mov.u32 %r2, %tid.x; mov.u32 %r4, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;
"""
AT = "mul.wide.s32 %d5, {0}, 4; add.s64 %d6, %d1, %d5; ld.global.u32 %r3, [%d6];\n"
TAIL = "mul.wide.s32 %d7, %r4, 4; add.s64 %d8, %d2, %d7; st.global.u32 [%d8], %r2;\nDONE: ret;\n}\n"
OWN = AT.format("%r2")

KEPT = f"""L: {AT.format("%r7")}add.u32 %r7, %r7, 1; setp.gt.s32 %p, %r3, 0;
@!%p bra A; mul.wide.s32 %d9, %r4, 12; add.s64 %d10, %d2, %d9; st.global.u32 [%d10], %r7;
add.u32 %r4, %r4, {{0}}; A: setp.lt.s32 %q, %r7, 100; @%q bra L; bra DONE;
"""
COUNTED, ADDED_UP = KEPT.format(2), KEPT.format("%r3")
LOOKED_BACK = """mov.u32 %r4, %r2;
L: mul.wide.s32 %d9, %r4, 4; add.s64 %d10, %d1, %d9;
ld.global.u32 %r3, [%d10];
add.s32 %r4, %r4, 32; setp.ne.s32 %p, %r3, 0; @%p bra L; bra DONE;
"""
SHARED = f"""{OWN}.shared .align 4 .b8 s[1024]; mov.u32 %r9, s;
st.shared.u32 [%r9], %r3; bar.sync 0;
ld.shared.u32 %r5, [%r9];
shfl.sync.idx.b32 %r8, %r5, 0, 31, -1; add.u32 %r4, %r8, %r2;
"""
TABLE = """and.b32 %r5, %r2, 15; mul.wide.u32 %d3, %r5, 4; mov.b64 %d4, table;
add.s64 %d4, %d4, %d3; ld.param.u32 %r4, [%d4];
"""
FIELD = "ld.param.u32 %r4, [table+8]; and.b32 %r4, %r4, 1023;\n"
CLAMPED = f"{OWN}max.s32 %r3, %r3, 0; min.s32 %r4, %r3, 100;\n"
SELECTED = f"{OWN}setp.lt.u32 %p, %r3, 100; selp.b32 %r4, %r3, 0, %p;\n"
GUARDED = f"""{OWN}setp.lt.s32 %p, %r3, 0; @%p bra DONE; setp.ge.s32 %q, %r3, %r1; @%q bra DONE;
mov.u32 %r4, %r3;
"""
REMAINDER = f"{OWN}rem.u32 %r4, %r3, 100;\n"
STEPPED = f"""L: setp.ge.s32 %p, %r4, %r1; @%p bra DONE; {AT.format("%r4")}
setp.gt.s32 %q, %r3, 0; selp.b32 %r5, 2, 1, %q; add.s32 %r4, %r4, %r5; bra L;
"""
BYTE = "cvt.s64.s32 %d3, {1}; add.s64 %d3, {0}, %d3; ld.global.u8 %r6, [%d3];\n"
ROW = "mul.lo.s32 %r5, {1}, %r2; add.s32 %r5, %r5, %r6;\n" + BYTE.format("{0}", "%r5")
STATES, OTHERS, BYTES = (
    f"{BYTE.format('%d1', '%r2')}{ROW.format(table, columns)}bra DONE;\n"
    for table, columns in (("%d1", "%r1"), ("%d2", "%r1"), ("%d1", "256"))
)
ROW_OF_A_LENGTH = f"""{OWN}ld.global.u32 %r9, [%d6+4]; sub.s32 %r9, %r9, %r3;
L: setp.ge.s32 %p, %r4, %r9; @%p bra DONE;
mul.wide.s32 %d9, %r4, 4; add.s64 %d10, %d2, %d9; st.global.u32 [%d10], %r7;
add.u32 %r4, %r4, 1; bra L;
"""
OF_TWO = f"{OWN}setp.gt.s32 %p, %r3, 0; selp.b32 %r4, 1, 2, %p;\n"


def kernel_of(body: str) -> Kernel:
    source = Source("k.ptx", HEAD + body + TAIL)
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    return kernel


def launch_of(kernel: Kernel) -> Launch:
    return resolved([Contract()], kernel)


def unknown(body: str, steps: int = 100_000) -> list[Unknown]:
    """The accesses that are left open in so many steps."""
    kernel = kernel_of(body)
    return Inferences(kernel, None, steps).under(launch_of(kernel)).unknown


@pytest.mark.parametrize("steps", [100_000, 300])
@pytest.mark.parametrize(
    ("body", "decided"),
    [
        (ADDED_UP, "a bound of %r4, which depends on loaded data"),
        (LOOKED_BACK, "the number of iterations, which loaded data decides"),
        (SHARED, "a bound of %r8, which depends on loaded data"),
        (TABLE, "the range of the integers in table"),
        (STATES, "the range of the integers in at"),
    ],
    ids=["added up", "looked back", "shared", "table by value", "states of a table"],
)
def test_data_is_the_reason_and_not_the_steps(body: str, decided: str, steps: int) -> None:
    found = unknown(body, steps)
    assert {(one.reason, one.missing.text) for one in found} == {("loaded-index", decided)}
    assert all(one.missing.instr.text.startswith("ld.") for one in found if one.missing.instr)


def test_a_loop_that_compares_what_data_adds_up_is_no_reason() -> None:
    assert {one.reason for one in unknown(STEPPED)} <= {"loop"}


@pytest.mark.parametrize(
    "body",
    [COUNTED, CLAMPED, SELECTED, GUARDED, REMAINDER, OF_TWO, FIELD, OTHERS, BYTES],
    ids=[
        "counted",
        "clamped",
        "selected",
        "guarded",
        "remainder",
        "of-two",
        "field-of-a-structure",
        "rows-of-another-table",
        "rows-of-256-bytes",
    ],
)
def test_data_that_something_bounds_is_no_reason(body: str) -> None:
    assert unknown(body) == []


def test_no_row_is_as_long_as_all_rows_are_together() -> None:
    """A row that ends where the next begins is not longer than the greatest start less the least,
    but a buffer of one row is never as long, so a contract does not say so."""
    (one,) = unknown(ROW_OF_A_LENGTH)
    assert (one.name, one.reason) == ("x", "loaded-index")
