"""What the statements of a body mean, each in the spellings that occur."""

from __future__ import annotations

import pytest

from ptxlint.syntax.ast import (
    Address,
    Arguments,
    CallPrototype,
    Declarator,
    Directive,
    Element,
    Float,
    GuardPredicate,
    InlinedAt,
    Instruction,
    Integer,
    Label,
    Loc,
    Name,
    Negated,
    Operand,
    Pair,
    Parameter,
    Pragma,
    Scope,
    Statement,
    SymbolOffset,
    Targets,
    Variable,
    Vector,
)

from .texts import statements_of

R1, R2, P = Name("%r1"), Name("%r2"), Name("%p1")


def call(*operands: Operand, modifiers: tuple[str, ...] = ()) -> Instruction:
    return Instruction("call", modifiers, operands)


STATEMENTS: list[tuple[str, Statement]] = [
    ("ret;", Instruction("ret", (), ())),
    ("@%p1 bra L;", Instruction("bra", (), (Name("L"),), GuardPredicate("%p1"))),
    (
        "@! %p1\nbra.uni L ;",
        Instruction("bra", ("uni",), (Name("L"),), GuardPredicate("%p1", True)),
    ),
    ("@!done bra L;", Instruction("bra", (), (Name("L"),), GuardPredicate("done", True))),
    ("lop3 .b32 %r1, -256;", Instruction("lop3", ("b32",), (R1, Integer(-256)))),
    ("ld // here\n .global /* and here */ .u32 %r1, [a];",
     Instruction("ld", ("global", "u32"), (R1, Address(Name("a"))))),
    ("mov.u32 %r1, %tid.x;", Instruction("mov", ("u32",), (R1, Name("%tid.x")))),
    ("mov.u32 %r1, WARP_SZ;", Instruction("mov", ("u32",), (R1, Integer(32)))),
    ("mov.b32 add, u32;", Instruction("mov", ("b32",), (Name("add"), Name("u32")))),
    ("st.v2.f32 [%r1+-4], {%f1,0f3F800000};",
     Instruction("st", ("v2", "f32"),
                 (Address(R1, -4), Vector((Name("%f1"), Float(0x3F800000, 32)))))),
    ("tcgen05.ld.x2.b32{%r1,_},[%r2];",
     Instruction("tcgen05", ("ld", "x2", "b32"), (Vector((R1, Name("_"))), Address(R2)))),
    ("tex.1d.v4.f32.s32 {%r1}|%p1, [t, s, {%r2}];",
     Instruction("tex", ("1d", "v4", "f32", "s32"),
                 (Pair(Vector((R1,)), P), Address(Name("t"), 0, (Name("s"), Vector((R2,))))))),
    ("setp.lt.s32 %p1|%p2, %r1, %r2, !%p3;",
     Instruction("setp", ("lt", "s32"), (Pair(P, Name("%p2")), R1, R2, Negated(Name("%p3"))))),
    ("mov.u64 %r1, tile+4*2;", Instruction("mov", ("u64",), (R1, SymbolOffset("tile", 8)))),
    ("mov.u32 %r1, v[%r2];", Instruction("mov", ("u32",), (R1, Element("v", R2)))),
    ("ld.u32 %r1, [v[4]+8].unified;",
     Instruction("ld", ("u32",), (R1, Address(Element("v", Integer(4)), 8, unified=True)))),
    ("vadd.s32 %r1, %r2.b0;", Instruction("vadd", ("s32",), (R1, Name("%r2.b0")))),
    ("call f;", call(Name("f"))),
    ("call f,(%r1,%r2);", call(Name("f"), Arguments((R1, R2)))),
    ("call (%r1),f;", call(Arguments((R1,)), Name("f"))),
    ("call %r41,$LCT0;", call(Name("%r41"), Name("$LCT0"))),
    ("call (retval0), %rd3, ( param0 ) , prototype_2;",
     call(Arguments((Name("retval0"),)), Name("%rd3"), Arguments((Name("param0"),)),
          Name("prototype_2"))),
    ("call.uni (_), f, (\na\n)\n;",
     call(Arguments((Name("_"),)), Name("f"), Arguments((Name("a"),)), modifiers=("uni",))),
    ("$L__BB0_1 :", Label("$L__BB0_1")),
    ("t: .branchtargets a, b;", Targets("t", "branchtargets", ("a", "b"))),
    ("t :\n.calltargets f;", Targets("t", "calltargets", ("f",))),
    ("p_2 : .callprototype (.param .b32 _) _ () .noreturn;",
     CallPrototype("p_2", (Parameter("param", "b32", "_"),), (), (Directive("noreturn"),))),
    (".loc 1 2 3", Loc(1, 2, 3)),
    (".loc\t1 2 3, function_name $Li+4, inlined_at 1 38 17",
     Loc(1, 2, 3, InlinedAt(1, 38, 17, "$Li+4"))),
    (".loc 1 2 3, function_name .debug_str+16, inlined_at 1 38 17",
     Loc(1, 2, 3, InlinedAt(1, 38, 17, ".debug_str+16"))),
    (".loc_intermediate 1 2 3", Loc(1, 2, 3, intermediate=True)),
    ('.pragma "nounroll", "x";', Pragma(("nounroll", "x"))),
    (".reg .b32 %r<100>, add;",
     Variable("reg", "b32", (Declarator("%r", 100), Declarator("add")))),
    (".shared .align 4 .v2 .f32 tile[2][16];",
     Variable("shared", "f32", (Declarator("tile", shape=(2, 16)),), 4, "v2")),
    ("{ .reg .pred p; }", Scope((Variable("reg", "pred", (Declarator("p"),)),))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), STATEMENTS, ids=[text for text, _ in STATEMENTS])
def test_a_statement_reads_as(text: str, tree: Statement) -> None:
    assert statements_of(text) == (tree,)


def test_several_statements_share_a_line() -> None:
    text = "a: b: .loc 1 2 3 { ret; } .reg .b32 x; trap; c:"
    kinds = [type(statement) for statement in statements_of(text)]
    assert kinds == [Label, Label, Loc, Scope, Variable, Instruction, Label]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 8),
        ("0x1F", 31),
        ("0b101", 5),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 & 3 | 8 ^ 1", 11),
        ("1 << 4 >> 1", 8),
        ("-8 >> 1", -4),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("1 < 2 && 2 != 2 || !0", 1),
        ("~0", -1),
        ("~0U", 2**64 - 1),
        ("-1 < 0U", 0),
        ("0xFFFFFFFFFFFFFFFF + 1", 0),
        ("-9223372036854775808", -(2**63)),
        ("(.s64) 0xFFFFFFFFFFFFFFFF", -1),
        ("(.u64) -1", 2**64 - 1),
        ("(.s64) 2.75", 2),
        ("2.5 > 2", 1),
        ("WARP_SZ - 1", 31),
    ],
)
def test_a_constant_expression_is_worth(text: str, value: int) -> None:
    """C's rules in 64 bits; the values are those of C with long long and unsigned long long."""
    (statement,) = statements_of(f"mov.u64 %rd1, {text};")
    assert isinstance(statement, Instruction)
    constant = statement.operands[1]
    assert isinstance(constant, Integer) and constant.value == value


@pytest.mark.parametrize(
    ("text", "bits"),
    [("1.5", 0x3FF8 << 48), (".5", 0x3FE0 << 48), ("1.", 0x3FF0 << 48), ("2e1", 0x4034 << 48),
     ("-1.5", 0xBFF8 << 48), ("1.0 + .5", 0x3FF8 << 48), ("0d3FF0000000000000", 0x3FF0 << 48)],
)  # fmt: skip
def test_a_float_is_kept_by_its_bits(text: str, bits: int) -> None:
    (statement,) = statements_of(f"mov.f64 %fd1, {text};")
    assert isinstance(statement, Instruction)
    assert statement.operands[1] == Float(bits, 64)
