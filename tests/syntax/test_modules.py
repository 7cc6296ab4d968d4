"""What stands outside of bodies: headers, directives, variables, sections."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from ptxlint.syntax import ast, initial_values
from ptxlint.syntax.ast import Declarator, Directive, Integer, Name, Parameter, SymbolOffset

from .texts import HEAD, read, tree_of


def item_of(text: str) -> ast.Item:
    return tree_of(HEAD + text).items[0]


def declared(text: str) -> Declarator:
    variable = item_of(f".global .u64 {text};")
    assert isinstance(variable, ast.Variable)
    return variable.declarators[0]


def test_a_module_has_a_version_targets_and_an_address_size() -> None:
    module = tree_of(".version 8.7 .target sm_90a, debug\n.address_size 64")
    assert module.version == (8, 7)
    assert module.targets == ("sm_90a", "debug")
    assert module.address_size == 64
    assert tree_of(".version 1.4\n.target sm_10").address_size is None


ITEMS: list[tuple[str, ast.Item]] = [
    (".entry k { ret; }",
     ast.Function(True, "k", (), body=ast.Scope((ast.Instruction("ret", (), ()),)))),
    (".visible .entry k(.param .u64 .ptr .global .align 4 a,\n.param .align 8 .b8 b[16]);",
     ast.Function(True, "k",
                  (Parameter("param", "u64", "a", None, None, True, "global", 4),
                   Parameter("param", "b8", "b", 8, shape=(16,))),
                  linkage=("visible",))),
    (".func (.param .b32 r) f (.reg .b32 x) .noreturn ;",
     ast.Function(False, "f", (Parameter("reg", "b32", "x"),), (Parameter("param", "b32", "r"),),
                  directives=(Directive("noreturn"),))),
    (".extern .func f", ast.Function(False, "f", (), linkage=("extern",))),
    ('.entry k() .maxntid 128, 1, 1 .minnctapersm 2 .pragma "nounroll"; { }',
     ast.Function(True, "k", (), directives=(
         Directive("maxntid", (128, 1, 1)), Directive("minnctapersm", (2,)),
         Directive("pragma", ('"nounroll"',))), body=ast.Scope(()))),
    (".weak .func .attribute(.unified(0x1, 2)) f();",
     ast.Function(False, "f", (), linkage=("weak",), attributes=("unified(1,2)",))),
    (".extern .shared .align 16 .b8 s[];",
     ast.Variable("shared", "b8", (Declarator("s", shape=(None,)),), 16, linkage=("extern",))),
    (".global .attribute(.managed) .u32 x;",
     ast.Variable("global", "u32", (Declarator("x"),), attributes=("managed",))),
    ('.file 1 "/a//b.cu", 1700000000, 12', ast.File(1, ("/a//b.cu",), (1700000000, 12))),
    (".alias f, g;", ast.Alias("f", "g")),
    ('.pragma "a", "b";', ast.Pragma(("a", "b"))),
    (".section .debug_str { a: .b8 1\n.b64 a+4 }",
     ast.Section(".debug_str", "a: .b8 1\n.b64 a+4")),
    ("@@DWARF .byte 0x01\n.global .u32 x;", ast.Section("@@DWARF", ".byte 0x01")),
    (".nv_intermediate_source_section { .code_block { .source_begin }{ /* \" .source_end } }",
     ast.Section(".nv_intermediate_source_section",
                 ".code_block { .source_begin }{ /* \" .source_end }")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "item"), ITEMS, ids=[text for text, _ in ITEMS])
def test_an_item_reads_as(text: str, item: ast.Item) -> None:
    assert item_of(text) == item


@pytest.mark.parametrize(
    ("text", "initial"),
    [
        ("x = 1 << 3", Integer(8)),
        ("x = table", Name("table")),
        ("x = table+8", SymbolOffset("table", 8)),
        ("x = generic(table)", SymbolOffset("table", 0, True)),
        ("x[] = {{1, 2}, {table}}", ((Integer(1), Integer(2)), (Name("table"),))),
        ("x[] = {0xFF(t), 0xFF00(generic(t)+4)}",
         (SymbolOffset("t", mask=0xFF), SymbolOffset("t", 4, True, 0xFF00))),
    ],
)  # fmt: skip
def test_a_variable_begins_as(text: str, initial: ast.Initial) -> None:
    assert declared(text).initial == initial


def test_a_long_initialiser_is_read_when_it_is_asked_for() -> None:
    values = range(-3, 5000)
    text = "x[5003] = { " + " ,\n".join(map(str, values)) + " }"
    assert isinstance(declared(text).initial, str)
    assert initial_values(declared(text)) == tuple(map(Integer, values))


def test_a_short_initialiser_and_none_have_values_too() -> None:
    assert initial_values(declared("x[2] = {1, 0x10}")) == (Integer(1), Integer(16))
    assert initial_values(declared("x = 7")) == (Integer(7),)
    assert initial_values(declared("x")) == ()


def test_a_bad_function_leaves_the_others_whole() -> None:
    parsed = read(
        f"{HEAD}.entry good1() {{ ret; }}\n"
        ".entry bad1() { add.s32 %r1 %r2; sub %r3, ; ret; }\n"
        ".func bad2(.parm .u32 x) { ret; }\n"
        ".entry good2() { ret; }\n"
    )
    assert parsed.module is not None
    functions = [item for item in parsed.module.items if isinstance(item, ast.Function)]
    assert [function.name for function in functions if function.body] == ["good1", "good2"]
    assert parsed.broken == {"bad1", "bad2"}
    assert [diagnostic.line for diagnostic in parsed.diagnostics] == [5, 5, 6]


def test_a_missing_brace_costs_one_function() -> None:
    parsed = read(f"{HEAD}.entry a() {{ ret;\n.entry b() {{ ret; }}")
    assert parsed.broken == {"a"}
    assert [str(diagnostic) for diagnostic in parsed.diagnostics] == [
        "t.ptx:5:1: error: found '.entry', expected '}' (the block opens at line 4)"
    ]


def test_offsets_point_at_the_text() -> None:
    text = f"{HEAD}/* c */ .visible .entry k() {{ // c\n  @%p ret;\n}}"
    function = tree_of(text).items[0]
    assert isinstance(function, ast.Function) and function.body is not None
    (instruction,) = function.body.statements
    assert text.startswith(".visible", function.offset)
    assert text.startswith("@%p ret", instruction.offset)
    assert text.startswith("{", function.body.offset)
    assert function.body.end == len(text)


def test_garbage_collection_is_as_it_was_afterwards() -> None:
    for wanted in (True, False):
        (gc.enable if wanted else gc.disable)()
        try:
            read(HEAD)
            assert gc.isenabled() is wanted
        finally:
            gc.enable()


def test_the_front_end_loads_neither_numpy_nor_networkx() -> None:
    code = "import sys, ptxlint.syntax; sys.exit(bool({'numpy', 'networkx'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
