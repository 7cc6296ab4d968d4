"""A guard of a multiple of a number bounds it by a parameter in whole groups: an upper bound that
is a sum has no more bytes than that."""

from __future__ import annotations

import pytest

from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.polynomial import Polynomial, Symbol
from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.expression import value
from ptxlint.options import Options
from ptxlint.source import Source

from .__main__ import assert_exact
from .kernels import ROOT, subjects
from .launches import launches_of

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s32 n, .param .s32 s) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s32 %r1, [n];
    ld.param.s32 %r2, [s];
    mov.u32 %r3, %tid.x;
    {first}
    setp.ge.s32 %p0, %r4, %r1;
    @%p0 bra done;
    mov.u32 %r5, %ctaid.x;
    mul.wide.s32 %d1, %r5, %r2;
    cvt.s64.s32 %d2, %r4;
    add.s64 %d1, %d1, %d2;
    shl.b64 %d1, %d1, 2;
    add.s64 %d0, %d0, %d1;
    ld.global.f32 %f0, [%d0{behind}];
done:
    ret;
}}
"""
ROWS = "4*nctaid.x*s"
CASES = {
    "a pair": ("shl.b32 %r4, %r3, 1;", "+4", f"{ROWS} + 8*((n + 1)//2) - 4*s"),
    "its first": ("shl.b32 %r4, %r3, 1;", "", f"{ROWS} + 4*n - 4*s"),
    "four, from the second": (
        "shl.b32 %r4, %r3, 2; add.s32 %r4, %r4, 1;",
        "+8",
        f"{ROWS} + 16*((n + 2)//4) - 4*s",
    ),
    "one and the next": ("mov.b32 %r4, %r3;", "+4", f"{ROWS} + 4*n - 4*s + 4"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_row_ends_with_a_whole_group(name: str) -> None:
    first, behind, expected = CASES[name]
    assert_exact(launches_of(KERNEL.format(first=first, behind=behind), "x", "n", "s"), expected)


@pytest.mark.parametrize("first, by", [(1, 8), (4, 32), (6, 9), (3, 32)])
def test_a_quotient_of_the_launch_is_written_in_the_least_numbers(first: int, by: int) -> None:
    integers, n = FastDivisions(lambda *_: None, lambda *_: None), Symbol("n")
    inner = Polynomial.of(integers.launch_quotient(Polynomial.of(n), Polynomial.of(4)))
    for constant in range(-by, by):
        found = integers.launch_quotient(inner.scaled(first) + constant, Polynomial.of(by))
        for number in range(-70, 70):
            values = {n: number, **dict.fromkeys(inner.symbols, number // 4)}
            parts = (part.value(values.__getitem__) for part in (found.dividend, found.divisor))
            assert next(parts) // next(parts) == (first * (number // 4) + constant) // by


BESIDE_VECTORS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .s32 n) {
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<8>;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    cvta.to.global.u64 %d0, %d0;
    cvta.to.global.u64 %d1, %d1;
    ld.param.s32 %r1, [n];
    mov.u32 %r2, %tid.x;
    shl.b32 %r2, %r2, 2;
    setp.ge.s32 %p0, %r2, %r1;
    @%p0 bra done;
    mov.u32 %r3, %ctaid.x;
    mul.wide.s32 %d2, %r3, %r1;
    cvt.s64.s32 %d3, %r2;
    add.s64 %d2, %d2, %d3;
    shl.b64 %d2, %d2, 2;
    add.s64 %d0, %d0, %d2;
    add.s64 %d1, %d1, %d2;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];
    st.global.f32 [%d0], %f1;
    st.global.f32 [%d0+12], %f4;
done:
    ret;
}
"""


def test_nothing_is_rounded_that_another_access_requires_to_be_whole() -> None:
    launches = launches_of(BESIDE_VECTORS, "x", "y", "n")
    assert "n % 4 == 0" in [need.condition for need in launches.subject.contract.needs]
    assert_exact(launches, "4*n*nctaid.x")


def test_the_groups_of_a_declared_block_are_a_number() -> None:
    """A number times a parameter ends a row: no bound is less where the groups are whole."""
    text = (ROOT / "flawed/half_warp_rows_shifted.ptx").read_text("utf-8")
    declared = Contract(block=64, grid=2)
    report = check([Source("k.ptx", text)], Options(contracts=(declared,)))
    assert report.diagnostics == () and len(report.kernels) == 1


def test_rounded_bytes_are_said_to_begin_with_the_first_element() -> None:
    path = ROOT / "clean/one_weight_of_nine.ptx"
    report = check([Source(path.name, path.read_text("utf-8"))], Options(infer=True, rules=False))
    found = {one.high: one.when for one in report.contracts[0].touched}
    assert found["4*((param_2 + param_3 + 8)//9)"] == "param_2 + param_3 >= 1"
    assert found["4*param_2"] == "param_2 >= 0"


def test_a_block_of_codes_ends_with_the_last_thread() -> None:
    """Whole blocks have no byte that no thread reads, and others none that it does not need."""
    path = ROOT / "clean/codes_of_four_bits_in_blocks.ptx"
    (subject,) = subjects(path)
    sizes = {name: subject.result.contract().buffers[name].extent for name in ("blocks", "y")}
    for n in range(1, 200):
        threads = [(i // 16, i % 16) for i in range((n + 1) // 2)]
        read = max(20 * block + 4 + at + 1 for block, at in threads)
        written = max(4 * (32 * block + at + 16 + 1) for block, at in threads)
        assert value(sizes["blocks"], {"n": n}.__getitem__) == read
        assert value(sizes["y"], {"n": n}.__getitem__) == written
