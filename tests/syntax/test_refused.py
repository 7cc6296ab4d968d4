"""Texts that ptxas refuses although their grammar is right: each is an error, and what differs from
it in one word is none. All were tried on ptxas 13.0."""

from __future__ import annotations

import pytest

from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

REGISTERS = """.reg .pred %p<4>; .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .b64 %rd<9>;
.reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b16 %h<5>; .reg .v2 .f32 %v;
"""


def said(
    body: str = "",
    module: str = "",
    version: str = "8.0",
    target: str = "sm_80",
    parameters: str = ".param .u64 x",
) -> str:
    text = (
        f".version {version}\n.target {target}\n.address_size 64\n{module}\n"
        f".visible .entry k({parameters})\n{{\n{REGISTERS}{body}\nret;\n}}\n"
    )
    source = Source("k.ptx", text)
    parsed = parse(source)
    found = list(parsed.diagnostics)
    if parsed.module is not None:
        found += lower_module(parsed.module, source).diagnostics
    return "\n".join(map(str, found))


INSTRUCTIONS = [
    ("mov.u32 %rd2, 1;", "mov: %rd2 has 64 bits, expected 32", "mov.u64 %rd2, 1;"),
    ("mov.u32 %f1, %r1;", "mov: %f1 has type .f32, expected .u32", "mov.b32 %f1, %u1;"),
    ("add.f32 %f1, %u1, %f2;", "add: %u1 has type .u32, expected .f32", "add.f32 %f1, %r1, %f2;"),
    ("add.u64 %rd1, %r1, %rd2;", "add: %r1 has 32 bits", "add.u64 %rd1, %rd3, %rd2;"),
    ("mul.wide.u32 %r1, %r1, %r2;", "mul: %r1 has 32 bits", "mul.wide.u32 %rd1, %r1, %u2;"),
    ("shl.b64 %rd1, %rd2, %rd3;", "shl: %rd3 has 64 bits", "shl.b64 %rd1, %rd2, %r3;"),
    ("setp.eq.u32 %r1, %r2, 1;", "setp: %r1 has type .b32, expected .pred",
     "setp.eq.u32 %p1|%p2, %r2, 1;"),
    ("selp.u32 %r1, 1, 2, %r3;", "selp: %r3 has type .b32", "selp.u32 %r1, 1, 2, %p3;"),
    ("and.pred %p1, %p2, %r1;", "and: %r1 has type .b32", "and.pred %p1, %p2, !%p3;"),
    ("mov.b32 %r1, %p1;", "mov: %p1 has type .pred, expected .b32", "mov.pred %p2, %p1;"),
    ("@%r1 mov.u32 %r2, 1;", "the predicate %r1 has type .b32, expected .pred",
     "@!%p1 mov.u32 %r2, 1;"),
    ("@%r1 bra L; L:", "the predicate %r1 has type .b32", "@%p1 bra L; L:"),
    ("st.global.u32 [%f1], 1;", "%f1 has type .f32, and holds no address",
     "st.global.u32 [%rd1], 1;"),
    ("ld.global.u32 %p1, [%rd1];", "ld: %p1 has type .pred", "ld.global.f32 %rd1, [%rd1];"),
    ("ld.global.u32 %f1, [%rd1];", "ld: %f1 has type .f32", "ld.global.u8 %u1, [%rd1];"),
    ("st.global.u32 [%rd1], %h1;", "st: %h1 has 16 bits, expected 32 or more",
     "st.global.u32 [%rd1], %rd2;"),
    ("st.global.u32 [%rd1], 1, 2;", "a cache policy needs .L2::cache_hint",
     "st.global.L2::cache_hint.u32 [%rd1], 1, %rd2;"),
    ("ld.global.u32 %r1, [%rd1], %rd2;", "a cache policy needs", "ld.global.u32 %r1, [%rd1];"),
    ("atom.global.add.u32 %r1, [%rd1], %f1;", "atom: %f1", "atom.global.add.f32 %r1, [%rd1], %f1;"),
    ("cvt.u64.u32 %r1, %r1;", "cvt: %r1 has 32 bits", "cvt.u8.u32 %r1, %r2;"),
    ("mov.b64 {%h1, %r1}, %rd1;", "mov: %h1 has 16 bits", "mov.b64 {%r1, %f1}, %fd1;"),
    ("mov.f32 %f1, 1e999;", "a constant that a double cannot hold", "mov.f32 %f1, 1e39;"),
    ("mov.f64 %fd1, 1e-999;", "a constant that a double", "mov.f64 %fd1, 0e-999;"),
    ("st.global.u32 [%rd1+-99999999999999999999], 1;", "a constant of more than 64 bits",
     "st.global.u32 [%rd1+-2147483649], 1;"),
    ("mov.u64 %rd1, 0xFFFFFFFFFFFFFFFFF;", "a constant of more",
     "mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF;"),
    (".reg .b32 %r1;", "%r1: declared twice", "{ .reg .b32 %r1; }"),
    (".reg .b32 %q2; .reg .b32 %q<3>;", "%q: declared twice", ".reg .b32 %q5; .reg .b32 %q<3>;"),
    (".local .align 3 .b8 l[4];", ".align 3: expected a power", ".local .align 4 .b8 l[4];"),
]  # fmt: skip
"""What is refused, what is said, and what is taken."""


@pytest.mark.parametrize(("refused", "message", "taken"), INSTRUCTIONS)
def test_an_operand_has_the_class_that_the_instruction_takes(
    refused: str, message: str, taken: str
) -> None:
    assert message in said(refused) and "error" in said(refused)
    assert said(taken) == ""


VARIABLES = [
    (".global .u32 s[2] = {1, 2, 3};", ".global .u32 s[2] = {1, 2};"),
    (".global .u32 s[2][2] = {1, 2, 3, 4};", ".global .u32 s[2][2] = {{1, 2}, {3}};"),
    (".global .u32 s[2][2] = {{1, 2, 3}};", ".global .u32 s[][2] = {{1, 2}, {1, 2}, {3}};"),
    (".global .u32 s = {1};", ".global .u32 s = 1;"),
    (f".global .b8 s[600] = {{{','.join(['1'] * 601)}}};",
     f".global .b8 s[600] = {{{','.join(['1'] * 600)}}};"),
    (".global .v2 .f32 s = {1.0, 2.0, 3.0};", ".global .v2 .f32 s[2] = {{1.0, 2.0}, {1.0, 2.0}};"),
    (".global .align 3 .b8 s[4];", ".global .align 1024 .b8 s[4];"),
]  # fmt: skip


@pytest.mark.parametrize(("refused", "taken"), VARIABLES)
def test_a_variable_holds_its_initial_values(refused: str, taken: str) -> None:
    told = said(module=refused)
    assert "more initial values than elements" in told or "expected a power of two" in told
    assert said(module=taken) == ""


def test_versions_and_targets_are_known_ones() -> None:
    for version in ("0.0", "0.9", "1.6", "4.4", "6.6", "8.9"):
        assert f"k.ptx:1:1: error: there is no PTX ISA {version}" in said(version=version)
    for version in ("1.4", "6.0", "8.8", "9.4"):
        assert said(version=version, target="sm_80, debug") == ""
    for target in ("gfx900", "sm_0", "sm_81", "debug, sm_80", "sm_80, foo"):
        assert "k.ptx:2:1: error: .target " in said(target=target)
    for target in ("sm_90a", "sm_103f", "sm_75, texmode_unified", "compute_80", "sm_130"):
        assert said(target=target) == ""
    assert "note: PTX ISA 99.0: 9.4 is the newest" in said(version="99.0")


def test_parameters_have_the_room_of_the_version_and_the_target() -> None:
    def bytes_of(count: int) -> str:
        return f".param .b8 c, .param .align 8 .b8 x[{count}]"

    for version, target, most in (
        ("8.0", "sm_90", 4352), ("8.1", "sm_90", 32764), ("8.1", "sm_60", 4352),
    ):  # fmt: skip
        fits, more = (
            said(version=version, target=target, parameters=bytes_of(count))
            for count in (most - 8, most - 7)
        )
        assert fits == "" and f"its parameters have {most + 1} bytes, at most {most}" in more
