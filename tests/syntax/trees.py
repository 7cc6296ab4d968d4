"""Random syntax trees, every kind of node, and random spellings of a text.

The trees are those a parser can give: constants are folded, so no address adds to a constant.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import strategies as st
from msgspec.structs import replace

from ptxlint.syntax import ast

bare_names = st.from_regex(r"[A-Za-z][A-Za-z0-9_$]{0,6}|[_$%][A-Za-z0-9_$]{1,6}", fullmatch=True)
names = bare_names.filter(lambda name: name not in ("WARP_SZ", "generic"))
words = st.sampled_from(
    ["u32", "global", "x4", "1d", "shared::cta", "a::b::c", "sp::2:4", "f16x2", "16x256b"]
)
opcodes = st.sampled_from(["ld", "mad", "bra", "tcgen05", "cp", "_mm", "unheard_of9"])
strings = st.text("abc /*\\#.{};", max_size=8)
integers = st.builds(ast.Integer, st.integers(-(2**63), 2**64 - 1)) | st.builds(
    ast.Integer, st.integers(0, 2**64 - 1), st.just(True)
)
floats = st.builds(ast.Float, st.integers(0, 2**32 - 1), st.just(32)) | st.builds(
    ast.Float, st.integers(0, 2**64 - 1), st.just(64)
)
small = st.integers(0, 99)
offsets = st.integers(-(2**40), 2**40)

plain = st.builds(ast.Name, names)
members = st.builds("{}.{}".format, names, st.sampled_from(["x", "w", "b0", "h1"]))
registers = plain | st.builds(ast.Name, members)
elements = st.builds(ast.Element, names, registers | integers)
vectors = st.builds(ast.Vector, st.lists(registers | integers | floats, max_size=4).map(tuple))
generic = st.builds(ast.SymbolOffset, names, generic=st.just(True))
bases = registers | elements | generic
rest = st.lists(registers | vectors, max_size=2).map(tuple)
addresses = st.builds(ast.Address, bases, offsets, rest, st.booleans()) | st.builds(
    ast.Address, integers, rest=rest
)
operands = st.one_of(
    registers,
    integers,
    floats,
    st.builds(ast.Negated, plain),
    st.builds(ast.Minus, registers),
    st.builds(ast.Pair, registers | vectors, plain),
    vectors,
    addresses,
    elements,
    st.builds(ast.SymbolOffset, names, offsets, st.booleans()),
)
guards = st.none() | st.builds(ast.GuardPredicate, names, st.booleans())
modifiers = st.lists(words, max_size=3).map(tuple)
calls = st.builds(
    ast.Instruction,
    st.just("call"),
    modifiers,
    st.lists(
        st.builds(ast.Arguments, st.lists(plain | integers, max_size=3).map(tuple)) | plain,
        min_size=1,
        max_size=4,
    ).map(tuple),
    guards,
)
instructions = calls | st.builds(
    ast.Instruction, opcodes, modifiers, st.lists(operands, max_size=4).map(tuple), guards
)

masked = st.builds(
    ast.SymbolOffset, names, offsets, st.booleans(), mask=st.sampled_from([0xFF, 0xFF00])
)
constants = st.builds(ast.SymbolOffset, st.just(""), small, mask=st.just(0xFF))
leaves = st.one_of(integers, floats, plain, masked, constants, generic)
initials = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)
shapes = st.lists(st.none() | small, max_size=2).map(tuple)
declarators = st.builds(ast.Declarator, names, st.none() | small, shapes, st.none() | initials)
kinds = st.sampled_from(["b8", "f32", "pred", "texref", "f16x2"])
variables = st.builds(
    ast.Variable,
    st.sampled_from(["reg", "global", "shared", "const", "local", "param", "tex"]),
    kinds,
    st.lists(declarators, min_size=1, max_size=2).map(tuple),
    st.none() | small,
    st.none() | st.just("v2"),
    st.lists(st.sampled_from(["visible", "extern", "weak"]), max_size=1).map(tuple),
    st.lists(st.sampled_from(["managed", "unified(1,2)"]), max_size=2).map(tuple),
)
pointers = st.tuples(st.none() | st.just("global"), st.none() | small)
parameter = st.builds(
    ast.Parameter, st.sampled_from(["param", "reg"]), kinds, names, st.none() | small
)
parameters = st.lists(
    parameter
    | st.builds(
        lambda node, ptr: replace(node, pointer=True, pointer_space=ptr[0], pointer_align=ptr[1]),
        parameter,
        pointers,
    )
    | st.builds(lambda node, shape: replace(node, shape=shape), parameter, shapes),
    max_size=3,
).map(tuple)
inlined = st.builds(ast.InlinedAt, small, small, small, names | names.map("{}+4".format))
locs = st.builds(ast.Loc, small, small, small, st.none() | inlined) | st.builds(
    ast.Loc, small, small, small, intermediate=st.just(True)
)
pragmas = st.builds(ast.Pragma, st.lists(strings, min_size=1, max_size=2).map(tuple))
prototype_directives = st.lists(
    st.sampled_from([ast.Directive("noreturn"), ast.Directive("abi_preserve", (3,))]), max_size=2
).map(tuple)
flat_statements = st.one_of(
    instructions,
    instructions,
    instructions,
    st.builds(ast.Label, names),
    variables,
    locs,
    pragmas,
    st.builds(
        ast.Targets,
        names,
        st.sampled_from(["branchtargets", "calltargets"]),
        st.lists(names, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(ast.CallPrototype, names, parameters, parameters, prototype_directives),
)
scopes = st.builds(
    ast.Scope,
    st.lists(
        st.recursive(
            flat_statements,
            lambda inner: st.builds(ast.Scope, st.lists(inner, max_size=3).map(tuple)),
            max_leaves=4,
        ),
        max_size=5,
    ).map(tuple),
)
header_directives = st.lists(
    st.sampled_from(
        [
            ast.Directive("maxntid", (128, 1, 1)),
            ast.Directive("noreturn"),
            ast.Directive("pragma", ('"nounroll"',)),
            ast.Directive("language", ('"C"', 1)),
        ]
    ),
    max_size=2,
).map(tuple)
functions = st.builds(
    ast.Function,
    st.just(False),
    names,
    parameters,
    parameters,
    st.lists(st.sampled_from(["visible", "weak"]), max_size=1).map(tuple),
    header_directives,
    st.lists(st.just("managed"), max_size=1).map(tuple),
    st.none() | scopes,
)
entries = functions.map(lambda function: replace(function, entry=True, returns=()))
items = st.one_of(
    functions,
    entries,
    variables,
    pragmas,
    st.builds(ast.File, small, st.tuples(strings), st.just(()) | st.tuples(small, small)),
    st.builds(ast.Section, st.just(".debug_str"), st.sampled_from(["", "$l:\n.b8 1,2\n.b64 $l+4"])),
    st.builds(ast.Section, st.just("@@DWARF"), st.just(".byte 0x1")),
    st.builds(ast.Alias, names, names),
)
modules = st.builds(
    ast.Module,
    st.sampled_from([(6, 0), (7, 8), (9, 4)]),
    st.just(("sm_90", "texmode_unified")) | st.just(("sm_75",)),
    st.none() | st.just(64),
    st.lists(items, max_size=4, unique_by=lambda item: getattr(item, "name", id(item))).map(tuple),
)

_TOKEN = re.compile(
    r'"[^"]*"|[0-9][A-Za-z0-9]*|\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+(?::[0-9]+)?)*|[A-Za-z_$%][A-Za-z0-9_$]*|\S'
)
_GAPS = ["", "", " ", "\t", "\n", "\r\n", "/* a; } */", '// b "{\n', " /**/ "]


@st.composite
def respelt(draw: st.DrawFn, text: str) -> str:
    """The same tokens with other white space and comments between them."""
    tokens = _TOKEN.findall(text)
    parts = tokens[:1]
    for before, token in pairwise(tokens):
        gap = draw(st.sampled_from(_GAPS))
        word, after = before[-1].isalnum() or before[-1] in "_$", token[0].isalnum()
        glued = before[0].isdigit() and token[0] == "."
        separate = (word and (after or token[0] in "_$%")) or glued
        parts += [gap or " " if separate else gap, token]
    return "".join(parts)
