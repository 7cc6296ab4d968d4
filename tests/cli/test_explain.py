"""``ptxlint explain``: what it says of an instruction, and that the generated pages are fresh."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from ptxlint.cli.explain import explanation, spelled
from ptxlint.isa.row import Row
from ptxlint.isa.table import CHAPTERS, decode
from ptxlint.isa.text_algebra import example, meaning

from .conftest import Ptxlint

DOCS = Path(__file__).parents[2] / "docs"
ROWS = [row for chapter in CHAPTERS for row in chapter.ROWS]


@pytest.mark.parametrize(
    ("opcode", "lines"),
    [
        ("mad.lo.u32", ["mad.mode.type d, a, b, c", "d = add(mul(a, b), c)"]),
        ("setp.lt.s32", ["p = lt_s(a, b)"]),
        ("atom.global.inc.u32", ["[a] = select(lt_u(old, b), add(old, 1), 0)"]),
        ("addc.cc.u32", ["d = add(add(a, b), zext(32, carry))", "carry = or("]),
        ("ld.global.u32", ["effects   loads from memory", "d = [a], 32 bits"]),
        ("ld", ["effects   loads from memory", "d = [a], 32 bits"]),
        ("ld.global.v4.f32", [".vec      v4", ".type     f32", "d3 = [a + 12], 32 bits"]),
        ("st.shared.u8", ["[a] = b, 8 bits"]),
        ("bar", ["meaning   what its effects say: no result"]),
        ("prefetch", ["effects   none", "meaning   none: no result"]),
        ("tex", ["unmodelled", "#texture-instructions-tex"]),
        ("cp.async.bulk", ["cp.async.bulk.prefetch.L2.global", "bulk_group"]),
        ("movmatrix", ["meaning   of movmatrix.sync.aligned.m8n8.trans.b16:", "shuffle(idx, "]),
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
            ["matrix_product(m16n8k16 f32 f16 f16, a0, a1, a2, a3, b0, b1, c0, c1, c2, c3)"],
        ),
        ("cvt.rni.f32.f32", ["float_to_float(32, a, rn, integral)"]),
    ],
)
def test_an_instruction_is_explained(ptxlint: Ptxlint, opcode: str, lines: list[str]) -> None:
    result = ptxlint("explain", opcode)
    assert result.code == 0, result.err
    for line in lines:
        assert line in result.out


@pytest.mark.parametrize(
    ("opcode", "message"),
    [
        ("mda", "instruction mda: no such instruction"),
        ("setpp.lt", "did you mean setp?"),
        ("ld.globl.u32", "ld has no .globl; did you mean global?"),
    ],
)
def test_a_wrong_name_is_refused(ptxlint: Ptxlint, opcode: str, message: str) -> None:
    result = ptxlint("explain", opcode)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_without_a_name_all_are_listed(ptxlint: Ptxlint) -> None:
    words = set(ptxlint("explain").out.split())
    assert {row.opcode for row in ROWS} <= words


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pattern)
def test_every_meaning_can_be_written_down(row: Row) -> None:
    lines = meaning(example(row))
    assert all(" = " in line and "?" not in line for line in lines)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pattern)
def test_an_example_is_a_form_of_its_row(row: Row) -> None:
    opcode, *modifiers = spelled(example(row)).split(".")
    form = decode(opcode, tuple(modifiers))
    assert form is not None, spelled(example(row))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_fresh() -> None:
    fresh = generator().pages()
    stale = [name for name, text in fresh.items() if (DOCS / name).read_text() != text]
    assert stale == [], "run python docs/generate.py"
    rules = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("rules/*")}
    assert rules == {name for name in fresh if name.startswith("rules/")}


def test_the_meaning_is_that_of_the_modifiers() -> None:
    first, *_ = explanation("mad.hi").split("\n\n")
    assert "meaning   of mad.hi.s32" in first and "mul_hi_s(a, b)" in first


@pytest.mark.parametrize("opcode", ["cvt", "mad", "ld", "setp"])
def test_no_pattern_is_printed_twice(opcode: str) -> None:
    patterns = [line for line in explanation(opcode).splitlines() if line.startswith(opcode)]
    assert len(patterns) == len({*patterns})


@pytest.mark.parametrize("opcode", ["wgmma", "ld", "cvt"])
def test_words_to_choose_from_are_wrapped(opcode: str) -> None:
    words = [line for line in explanation(opcode).splitlines() if line.startswith("    .")]
    assert words and max(map(len, words)) <= 96


def test_of_a_whole_instruction_no_other_words_are_listed() -> None:
    text = explanation("ld.global.v4.f32")
    assert "u32" not in text and ".hint " not in text and "param" not in text
