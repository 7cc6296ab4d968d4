"""The output of ``cuobjdump -ptx``: several modules in one text, each under a description."""

from __future__ import annotations

import pytest

import ptxlint
from ptxlint import api
from ptxlint.source import Source
from ptxlint.syntax import modules, parse

from .texts import HEAD

KERNEL = ".visible .entry k() {\nret;\n}\n"
OTHER = ".visible .entry other() {\nret;\n}\n"
ELF = """
Fatbin elf code:
================
arch = sm_80
code version = [1,8]
host = linux
compile_size = 64bit
identifier = a.cu
"""
PTX = """
Fatbin ptx code:
================
arch = sm_80
code version = [9,0]
host = linux
compile_size = 64bit
compressed
identifier = a.cu
ptxasOptions =  --generate-line-info\x20


"""


def firsts(text: str) -> list[int]:
    """The first lines of the modules, which all have the words that stand in the text there."""
    lines = text.split("\n")
    found = modules(Source("f", text))
    for module in found:
        if len(found) > 1:
            assert module.text.startswith(lines[module.first - 1])
        assert parse(module).ok
    return [module.first for module in found]


def test_one_module_is_the_source() -> None:
    source = Source("f", HEAD + KERNEL)
    assert modules(source) == [source]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ELF + PTX + HEAD + KERNEL, [21]),
        (ELF + PTX + HEAD + KERNEL + ELF + PTX + HEAD + OTHER, [21, 47]),
        ("\nmember lib.a:a.o:\n" + ELF + PTX + HEAD + KERNEL + PTX + HEAD + OTHER, [23, 41]),
        (HEAD + KERNEL + HEAD + OTHER, [1, 7]),
    ],
)
def test_descriptions_belong_to_no_module(text: str, expected: list[int]) -> None:
    assert firsts(text) == expected


def test_a_comment_is_no_module() -> None:
    text = "/*\n.version 9.0\n*/" + HEAD + KERNEL
    assert modules(Source("f", text)) == [Source("f", text)]


def test_kernels_of_all_modules_are_checked_at_their_lines() -> None:
    bad = ".visible .entry k(.param .u64 p) {\n.reg .b64 %r;\nmov.u64 %r, %lost;\nret;\n}\n"
    text = ELF + PTX + HEAD + KERNEL + PTX + HEAD + OTHER + PTX + HEAD + bad
    report = api.check(text)
    (problem,) = report.diagnostics
    assert "register %lost is not declared" in problem.message
    assert problem.line == text.split("\n").index("mov.u64 %r, %lost;") + 1
    assert (report.summary.files, report.summary.analysed, report.summary.present) == (1, 2, 3)


def test_the_same_kernel_for_two_architectures_counts_twice() -> None:
    report = api.check(PTX + HEAD + KERNEL + PTX + HEAD + KERNEL)
    assert (report.summary.analysed, report.summary.present) == (2, 2)
    ran = ptxlint.run(PTX + HEAD + KERNEL + PTX + HEAD + KERNEL, ptxlint.Contract(block=1))
    assert ran.report.findings == ()


def test_what_precedes_and_is_no_description_is_an_error() -> None:
    report = api.check("Dear reader,\n" + PTX + HEAD + KERNEL)
    assert "not PTX: found 'Dear'" in str(report.diagnostics[0])


def test_a_binary_without_ptx() -> None:
    report = api.check(ELF + ELF)
    assert "cuobjdump found no PTX in the binary" in str(report.diagnostics[0])
