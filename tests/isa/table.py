"""The chapters of arithmetic, the cases of their rows, and an opcode of each unmodelled row."""

from __future__ import annotations

import re

from ptxlint.isa import (
    comparison,
    conversion,
    data_movement,
    extended_precision,
    floating_point,
    half_precision,
    integer,
    logic_and_shift,
    video,
)
from tests.isa import float_cases, integer_cases, video_cases

CHAPTERS = (
    integer, extended_precision, floating_point, half_precision, comparison, logic_and_shift,
    data_movement, conversion, video,
)  # fmt: skip

# Opcodes of cases and of unmodelled rows that a ptxas for PTX 9.0 does not know.
NEWER = re.compile(
    rf"{integer_cases.NEWER}|{float_cases.NEWER}|oob|s2f6|ue5m3|pzo|scaled::n|f16x2\.f32x2\.f32x2"
)

CASES = (*integer_cases.CASES, *float_cases.CASES, *video_cases.CASES)

UNMODELLED = (
    "fma.rn.oob.f16",
    "add.rz.ftz.f16x2.f32x2.f32x2",
    "sub.rz.ftz.f16x2.f32x2.f32x2",
    "mul.rz.bf16x2.f32x2.f32x2",
    "fma.rz.bf16x2.f32x2.f32x2.f32x2",
    "cvt.rs.f16x2.f32",
    "cvt.rs.satfinite.e4m3x4.f32",
    "cvt.rp.satfinite.ue8m0x2.f32",
    "cvt.rz.ue8m0x2.bf16x2",
    "cvt.rn.satfinite.s2f6x2.f32",
    "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.bf16x2",
    "cvt.rn.bf16x2.s2f6x2",
    "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2",
    "cvt.rn.satfinite.ue5m3x2.f32",
    "cvt.rn.satfinite.pzo.e4m3x2.f16x2",
    "cvt.rn.f16x2.ue5m3x2",
)
