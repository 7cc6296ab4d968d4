"""Bad input of every sort: a message at a place, never a traceback, never a wait."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlint.syntax import parse, read_source

from .texts import FILES, HEAD, read

BODY = HEAD + ".visible .entry k(.param .u64 a)\n{\n"
"""Five lines, so the text that follows begins in line 6."""

REFUSED_WHOLE: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "1:1: error: empty: expected .version"),
    ("white space", b" \n\t\n", "1:1: error: empty: expected .version"),
    ("a comment", b"// .version 9.0", "1:1: error: empty: expected .version"),
    ("a cubin", b"\x7fELF\2\1\1" + bytes(99), "1:1: error: this is a compiled binary (cubin"),
    ("a fat binary", b"\x50\xed\x55\xba" + bytes(99), "1:1: error: this is a fat binary"),
    ("random bytes", bytes(range(256)) * 9, "1:1: error: this is binary data"),
    ("zeros", bytes(99), "1:1: error: this is binary data"),
    ("UTF-16 without a mark", HEAD.encode("utf-16-be"), "1:1: error: this is UTF-16"),
    ("UTF-16", HEAD.encode("utf-16"), "1:1: error: this is UTF-16"),
    ("prose", b"Dear reader,\n", "1:1: error: not PTX: found 'Dear', expected .version"),
    ("CUDA", b"\n__global__ void f();", "2:1: error: not PTX: found '__global__'"),
    ("HTML", b"<!DOCTYPE html>", "1:1: error: not PTX: found '<'"),
    ("no version", b".target sm_90\n", "1:1: error: not PTX: found '.target'"),
    ("an open comment", b" /* .version 9.0", "1:2: error: this comment has no closing '*/'"),
]


@pytest.mark.parametrize(
    ("data", "message"),
    [case[1:] for case in REFUSED_WHOLE],
    ids=[case[0] for case in REFUSED_WHOLE],
)
def test_what_is_not_ptx_is_told_once(data: bytes, message: str) -> None:
    parsed = parse(read_source("f", data))
    assert parsed.module is None
    assert [str(found)[: len(message) + 2] for found in parsed.diagnostics] == [f"f:{message}"]


ERRORS: list[tuple[str, str]] = [
    ("mov.u32 %r1, 3\nret;}", "7:1: error: found 'ret', expected ',' or ';'"),
    ("mov.u32 %r1 %r2;}", "6:13: error: found '%r2', expected ',' or ';'"),
    ("mov.u32 %r1, ;}", "6:14: error: found ';', expected an operand"),
    ("mov.u32 %r1, -;}", "6:15: error: found ';', expected a constant"),
    ("mov.u32 %r1, 08;}", "6:14: error: found '08', expected a constant"),
    ("mov.f32 %f1, 0f12;}", "6:14: error: found '0f12', expected a constant"),
    ("mov.u32 %r1, 1/0;}", "6:15: error: division by zero in a constant expression"),
    ("ld.u32 %r1, [%r2+%r3];}", "6:18: error: found '%r3', expected a constant offset"),
    ("ld.u32 %r1, [%r2;}", "6:17: error: found ';', expected '+', ',' or ']'"),
    ("ld.v2.u32 {%r1, %r2, [%r3];}", "6:27: error: found ';', expected ',' or '}'"),
    ("@%p { ret; } ret;}", "6:5: error: found '{', expected an instruction"),
    (";}", "6:1: error: found ';', expected a statement"),
    ("a: 1: ret;}", "6:4: error: found '1', expected a statement"),
    (".reg .b32;}", "6:10: error: found ';', expected a name"),
    (".reg %r1;}", "6:6: error: found '%r1', expected a type"),
    (".branchtargets a;}", "6:1: error: found '.branchtargets', expected a label before"),
    (".loc 1 2\nret;}", "7:1: error: found 'ret', expected a column number"),
    (".loc 1 2 3;}", "6:11: error: found ';', expected a statement"),
    ('.pragma "x\n;}', "6:9: error: found a string without its closing quote, expected a string"),
    ("ret;}}", "6:6: error: found '}', expected a directive"),
    ("ret;} .func f(.reg .b32) {}", "6:24: error: found ')', expected a name"),
    ("ret;} .foo x;", "6:7: error: found '.foo', expected a directive"),
    ("ret;} .entry k2() maxntid 2 { ret; }", "6:19: error: found 'maxntid', expected '{' or ';'"),
    ("ret;} .global .u32 x = {1, 2;", "6:29: error: found ';', expected ',' or '}'"),
    ("ret;} .entry k() { ret; }", "6:7: error: a second definition of 'k' (the first at line 4)"),
    ("ret;} .version 9.0", "6:7: error: .version stands twice"),
    # cut off
    ("mov.u32 %r1, %r", "6:16: error: found the end of the file, expected ',' or ';'"),
    ("ret;\n", "7:1: error: found the end of the file, expected '}' (the block opens at line 5)"),
    ("ret; /* abc", "6:6: error: this comment has no closing '*/'"),
    ('ret;} .file 1 "abc', "6:15: error: found a string without its closing quote"),
    ("ret;} .global .u32 x[3] = {1, 2", "6:32: error: found the end of the file, expected ',' or"),
    ("ret;} .section .debug_str { .b8 1", "6:27: error: the '{' of section .debug_str is never"),
    ("ret;} .entry k2(.param", "6:23: error: found the end of the file, expected a type"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS, ids=[text for text, _ in ERRORS])
def test_an_error_has_a_place_and_says_what_was_expected(text: str, message: str) -> None:
    parsed = read(BODY + text)
    assert [str(found)[: len(message) + 6] for found in parsed.diagnostics] == [f"t.ptx:{message}"]


WARNED: list[tuple[str, str]] = [
    ("ret; // é\n}", "6:9: warning: non-ASCII character U+00E9: ptxas refuses this"),
    ("ret;\u00a0}", "6:5: warning: non-ASCII character U+00A0"),
    ("ret;\0}", "6:5: warning: control character 0x00"),
    ("ret;\f}", "6:5: warning: control character 0x0C"),
    ("#pragma once\nret;}", "6:1: warning: a line with '#': ptxas refuses this"),
]


@pytest.mark.parametrize(("text", "message"), WARNED)
def test_what_only_ptxas_minds_is_a_warning(text: str, message: str) -> None:
    parsed = parse(read_source("f", (BODY + text).encode()))
    assert parsed.ok and parsed.module is not None and len(parsed.module.items) == 1
    assert [str(found)[: len(message) + 2] for found in parsed.diagnostics] == [f"f:{message}"]


def test_a_byte_order_mark_and_bytes_that_are_not_utf8_are_warnings() -> None:
    for data in (b"\xef\xbb\xbf" + HEAD.encode(), HEAD.encode() + b"// \xe9\n"):
        parsed = parse(read_source("f", data))
        assert parsed.ok and [found.severity for found in parsed.diagnostics] == ["warning"]


def test_text_may_end_with_a_zero_as_that_of_nvrtc_does() -> None:
    for end, number in ((b"", 0), (b"\0", 0), (b"\0\0", 1)):
        parsed = parse(read_source("f", (BODY + "ret;\n}\n").encode() + end))
        assert parsed.ok and len(parsed.diagnostics) == number


def test_carriage_returns_are_white_space() -> None:
    parsed = read((BODY + "ret;\n}\n").replace("\n", "\r\n"))
    assert parsed.diagnostics == ()


def test_many_errors_are_counted_not_listed() -> None:
    parsed = read(BODY + "add.s32 %r1 %r2;\n" * 100 + "}")
    assert len(parsed.diagnostics) == 21
    assert parsed.diagnostics[-1].message == "and 80 more"


def test_braces_in_a_row_that_close_nothing_are_one_error() -> None:
    parsed = read(BODY + "ret;\n}\n}}\n } // a comment\n } @@\n")
    assert [str(one).partition(",")[0] for one in parsed.diagnostics] == [
        "t.ptx:8:1: error: found '}'", "t.ptx:10:4: error: found '@'"
    ]  # fmt: skip


LARGE = 100_000
TRAPS: dict[str, str] = {
    "one long line": BODY + "mov.u32 %r1, 2; " * (LARGE // 8) + "ret;}",
    "one long word": BODY + "mov.u32 " + "x" * 2 * LARGE + ", 2;}",
    "no word at all": BODY + "?" * 2 * LARGE,
    "a long number": BODY + "mov.u32 %r1, " + "9" * 2 * LARGE + ";}",
    "a vector without end": BODY + "mov {" + "%r1, " * LARGE,
    "braces": BODY + "{" * LARGE + "}" * LARGE,
    "open braces": BODY + "{" * LARGE,
    "brackets": BODY + "mov.u32 %r1, " + "[" * LARGE,
    "parentheses": BODY + "mov.u32 %r1, " + "(" * LARGE + "1" + ")" * LARGE + ";}",
    "signs": BODY + "mov.u32 %r1, " + "-" * LARGE + "1;}",
    "conditions": BODY + "mov.u32 %r1, " + "1?2:" * LARGE + "1;}",
    "elements": BODY + "mov.u32 %r1, " + "v[" * LARGE,
    "an initialiser": HEAD + ".global .u32 x = " + "{" * LARGE,
    "open comments": BODY + "/* " * LARGE,
    "quotes": BODY + '"' * (LARGE + 1),
    "lines of quotes": BODY + '"\n' * LARGE,
    "errors": BODY + "?;\n" * LARGE,
    "semicolons": HEAD + ";" * LARGE,
    "headers": HEAD + ".entry " * LARGE,
    "linkages": HEAD + ".visible " * LARGE,
    "open functions": HEAD + ".entry k(){ mov {\n" * (LARGE // 10),
    "open sections": HEAD + ".section .debug_str {" * LARGE,
    "open sources": HEAD + ".nv_intermediate_source_section { .source_begin " * (LARGE // 5),
    "labels": BODY + "a:" * LARGE,
    "spaces": BODY + " " * LARGE * 5 + "ret;}",
    "a large table": HEAD + ".global .u32 x[] = {" + "1, " * LARGE + "1};",
}


@pytest.mark.parametrize("text", TRAPS.values(), ids=TRAPS.keys())
def test_size_costs_time_in_proportion(text: str) -> None:
    """None of these takes a second; whatever is quadratic takes minutes."""
    start = time.perf_counter()
    read(text)
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("opening", ["{", "[", "(", "{{[(", "mov {", "v["])
def test_deep_nesting_is_an_error_not_a_crash(opening: str) -> None:
    parsed = read(f"{BODY}mov.u32 %r1, {opening * LARGE}")
    assert parsed.broken == {"k"} and not parsed.ok


def test_moderate_nesting_is_fine() -> None:
    constant = "(" * 100 + "1" + ")" * 100
    parsed = read(BODY + "{" * 100 + f"mov.u32 %r1, {constant};" + "}" * 101)
    assert parsed.diagnostics == ()


@given(st.text(), st.data())
def test_no_damage_to_a_real_file_makes_a_traceback(junk: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(FILES)).read_text()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    parsed = read(text[:start] + junk + text[end:])
    for diagnostic in parsed.diagnostics:
        assert diagnostic.line >= 1 and diagnostic.column >= 1 and diagnostic.message


@given(st.binary())
def test_no_bytes_make_a_traceback(data: bytes) -> None:
    assert not parse(read_source("f", data)).ok
