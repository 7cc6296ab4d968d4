"""Every arithmetic row does what plain arithmetic says, and reads its modifiers in any order."""

from __future__ import annotations

import itertools

import pytest

from analyses.program import Effect
from ptxlint.isa.row import Row
from ptxlint.isa.table import decode
from tests.isa.case import Case, differences
from tests.isa.table import CASES, CHAPTERS, UNMODELLED
from tests.simt.programs import STORE, gives, ran

ROWS = [row for chapter in CHAPTERS for row in chapter.ROWS]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_row_gives_what_plain_arithmetic_says(case: Case) -> None:
    wrong = list(itertools.islice(differences(case), 5))
    assert not wrong, "\n".join(wrong)


def test_every_row_has_a_case() -> None:
    tried = {case.form.row for case in CASES}
    missing = [row.pattern for row in ROWS if row.modelled and row not in tried]
    assert not missing, "add a Case to a list of tests/isa/*_cases.py that says what each computes"


def test_what_is_not_modelled_says_so() -> None:
    named = {row_of(opcode) for opcode in UNMODELLED}
    missing = [row.pattern for row in ROWS if not row.modelled and row not in named]
    assert not missing, "add an opcode of each to UNMODELLED in tests/isa/table.py"
    assert named == {row for row in ROWS if not row.modelled}
    assert all(row.effects == Effect.UNMODELLED for row in named)


def row_of(opcode: str) -> Row:
    name, *modifiers = opcode.split(".")
    form = decode(name, tuple(modifiers))
    assert form is not None, opcode
    return form.row


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("add.sat.s8x4", "add.s8x4.sat"),
        ("fma.rn.relu.f16x2", "fma.relu.f16x2.rn"),
        ("cvt.rn.satfinite.relu.e4m3x2.f32", "cvt.relu.satfinite.rn.e4m3x2.f32"),
        ("prmt.b32.f4e", "prmt.f4e.b32"),
        ("max.ftz.NaN.xorsign.abs.f16", "max.abs.xorsign.NaN.ftz.f16"),
        ("set.gt.and.ftz.f16x2.f16x2", "set.ftz.and.gt.f16x2.f16x2"),
    ],
)
def test_modifiers_stand_in_any_order(one: str, other: str) -> None:
    assert row_of(one) is row_of(other)


def test_types_keep_their_order() -> None:
    assert row_of("cvt.rn.f16x2.e4m3x2") is not row_of("cvt.rn.satfinite.e4m3x2.f16x2")
    assert decode("vset", ("s32", "eq")) is None


SETUP = """
    mov.b32 %r8, 0x12347F80; mov.b32 %r7, 0x56789ABC; mov.b32 %r6, 0x0F0F0F0F;
    setp.ne.u32 %p0, %r8, %r8;
"""
PROGRAMS = {
    "vadd.u32.u32.u32.sat %r9.b1, %r8.b0, %r8.h1, %r7;": 0x5678FFBC,
    "vadd4.u32.u32.u32 %r9, %r8, %r7, %r7;": 0x68AC193C,
    "vset4.u32.u32.gt %r9.b20, %r8.b3210, %r7.b7654, %r7;": 0x56009A00,
    "lop3.or.b32 %r9|%p1, %r8, %r7, %r6, 0x80, !%p0; selp.b32 %r9, %r9, 7, %p1;": 0x02000A00,
    "lop3.and.b32 _|%p1, %r8, %r7, %r6, 0x80, %p0; selp.b32 %r9, 5, 6, %p1;": 6,
    "cvt.rn.f16x2.f32 %r9, 0f3F800000, 0fC0000000;": 0x3C00C000,
    "mov.b32 {%h1, %h2}, %r8; neg.bf16 %h1, %h1; mov.b32 %r9, {%h1, %h2};": 0x1234FF80,
    "{ .reg .b128 %q; mov.b128 %q, {%rd1, %rd4}; mov.b128 {%rd8, %rd9}, %q; "
    "sub.u64 %rd9, %rd9, %rd4; cvt.u32.u64 %r9, %rd9; }": 0,
    "dp4a.u32.s32 %r9, %r8, %r7, 5;": -13865 % 2**32,
    "setp.gt.f16x2 %p1|%p2, %r8, %r7; selp.b32 %r9, 1, 2, %p1;": 2,
    "fns.b32 %r9, %r8, 0, 3;": 9,
    "add.sat.s8x4 %r9, %r8, %r8;": 0x24687F80,
    "mov.b32 %r9, 3; @%p0 add.sat.s32 %r9, %r8, %r8;": 3,
    "add.cc.u32 %r9, 0xFFFFFFFF, %r6; addc.u32 %r9, %r6, 0;": 0x0F0F0F10,
}


@pytest.mark.parametrize("body", PROGRAMS)
def test_programs_reach_the_rows(body: str) -> None:
    gives(ran(f"{SETUP} {body} {STORE}", threads=1), [PROGRAMS[body]])
