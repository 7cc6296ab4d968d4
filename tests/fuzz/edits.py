"""Edits of PTX text, from one bit to a second file pasted into the first.

An edit is a function from a text and a source of chance to another text. ``edited`` does a few of
them in a row. Words are found by a pattern of our own and not by the lexer under test; an edit that
finds nothing to change gives the text back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from ptxlint.isa.table import rows

WORD = re.compile(r"[%$]?[A-Za-z_][\w$]*|\.[A-Za-z_][\w:]*|\d\w*|[^\s\w]|\s+")
NAME = re.compile(r"%?[A-Za-z_$][\w$]*")
STATEMENT = re.compile(r"[^;{}\n]*;")
NUMBER = re.compile(r"-?\b\d[\w.]*\b")
MODIFIER = re.compile(r"\.[a-z]\w*(?:::\w+)*")
OPCODE = re.compile(r"(?<=[\s;{])[a-z]\w*(?=[.\s;])")
DECLARATION = re.compile(r"\.(?:reg|shared|local|global|const|param)\b[^;,)]*[;,)]")
split = str.split
NUMBERS = split("""
    0 1 -1 2 3 5 7 8 16 31 32 33 63 64 127 128 255 256 1024 4095 65535 65536 2147483647
    2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808
    18446744073709551615 18446744073709551616 99999999999999999999999 0x0 0xFFFFFFFF
    0xFFFFFFFFFFFFFFFF 0f3F800000 0f7FC00000 0fFF800000 0d7FF0000000000000 0d0000000000000001
    1.5 1e400 0b1 017 08 -2147483648 -9223372036854775808 1U (1/0) (1<<64) WARP_SZ 0f 0x
""")
MODIFIERS = split("""
    .u8 .s8 .b8 .u16 .s16 .b16 .f16 .bf16 .f16x2 .u32 .s32 .b32 .f32 .u64 .s64 .b64 .f64 .b128
    .pred .v2 .v4 .v8 .global .shared .local .const .param .generic .shared::cta
    .shared::cluster .volatile .relaxed .acquire .release .lo .hi .wide .rn .rz .ftz .sat .cc
    .to .sync .uni .aligned .x .y .z .lt .le .eq .ne .gt .ge .and .or .xor .add .min .cas
    .exch .inc .idx .shfl .bfly .nc .cg .wt .ca
""")
MARKS = [*"{}[]()<>,;:.@!|+-*/%$_=\"'#\\?&^~ \n\t\0\r\x7f", "//", "/*", "*/", "\u00e9", "\ufeff"]
STRUCTURES = [
    "{", "}", ";", ",", "bar.sync 0;", "bra.uni L;", "L:", "ret;", "exit;", "trap;", "call f;",
    ".reg .b32 %r<2147483647>;", ".reg .b32 %r<-1>;", ".reg .b32 %r<0>;", ".reg .b32 %r1;",
    ".shared .b8 x[99999999999];", ".shared .b8 x[-4];", ".shared .b8 x[0];", ".shared .b8 x[];",
    ".local .align 0 .b8 y[4];", ".local .align 3 .b8 y[4];", ".param .b32 p<1000000>;",
    ".shared .b8 z[1000][1000][1000][1000];", ".maxntid 0,0,0", ".reqntid 99999",
    ".reqntid 1,2,3,4",
    ".global .b8 g[4] = {1,2,3,4,5};", ".loc 1 1 1", ".loc 9 99999 1", ".pragma \"x\";",
    "{{{", "}}}",
    "ts: .branchtargets L, M;", "brx.idx %r1, ts;", "atom.shared.add.u32 %r1, [x], 1;",
    "mov.u32 %r1, %tid.x;", "ld.shared.u32 %r1, [%r1];",
    "st.local.v4.u32 [%rd1], {%r1,%r2,%r3,%r4};",
    "mov.b64 {%r1, %r2}, %rd1;", "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p1;", ".func f () { ret; }",
    ".visible .entry k2() { ret; }", ".extern .func (.param .b32 r) vprintf (.param .b64 a);",
    "shfl.sync.idx.b32 %r1|%p1, %r1, %r2, %r3, -1;", "@%p1 bar.sync 0;", "@%p1 ret;",
    ".target sm_80",
    "cvta.to.shared.u64 %rd1, %rd1;", "@!%p1 exit;", "barrier.cta.sync 0, 64;", ".version 9.0",
]  # fmt: skip

Edit = Callable[[str, Random, Sequence[str]], str]


def spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def one_of(pattern: re.Pattern[str], words: Sequence[str]) -> Edit:
    """The edit that puts one of the words in the place of a match."""

    def edit(text: str, chance: Random, others: Sequence[str]) -> str:
        found = spans(pattern, text)
        return replaced(text, chance.choice(found), chance.choice(words)) if found else text

    return edit


def swapped(pattern: re.Pattern[str]) -> Edit:
    """The edit that exchanges two matches."""

    def edit(text: str, chance: Random, others: Sequence[str]) -> str:
        found = spans(pattern, text)
        if len(found) < 2:
            return text
        a, b = sorted(chance.sample(found, 2))
        first, second = text[slice(*a)], text[slice(*b)]
        return replaced(replaced(text, b, first), a, second)

    return edit


def repeated(pattern: re.Pattern[str]) -> Edit:
    """The edit that puts a copy of a match behind another, or where it stands."""

    def edit(text: str, chance: Random, others: Sequence[str]) -> str:
        found = spans(pattern, text)
        if not found:
            return text
        copy, (_, end) = text[slice(*chance.choice(found))], chance.choice(found)
        return replaced(text, (end, end), copy)

    return edit


def character(text: str, chance: Random, others: Sequence[str]) -> str:
    """A character gone, doubled, or another."""
    at = chance.randrange(len(text) + 1)
    other = [chance.choice(MARKS), chr(chance.randrange(128))]
    new = chance.choice(["", text[at : at + 1] * 2, *other])
    return replaced(text, (at, min(at + 1, len(text))), new)


def flipped_bit(text: str, chance: Random, others: Sequence[str]) -> str:
    data = bytearray(text.encode("latin-1", "replace"))
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data.decode("latin-1")


def cut(text: str, chance: Random, others: Sequence[str]) -> str:
    return text[: chance.randrange(len(text) + 1)]


def hole(text: str, chance: Random, others: Sequence[str]) -> str:
    start = chance.randrange(len(text) + 1)
    return replaced(text, (start, start + chance.randrange(1, 200)), "")


def spliced(text: str, chance: Random, others: Sequence[str]) -> str:
    """The head of one file and the tail of another, or a piece of it in the middle."""
    other = chance.choice(others)
    start = chance.randrange(len(other) + 1)
    piece = other[start:] if chance.random() < 0.5 else other[start : start + 300]
    at = chance.randrange(len(text) + 1)
    return text[:at] + piece + (text[at:] if chance.random() < 0.5 else "")


def structure(text: str, chance: Random, others: Sequence[str]) -> str:
    """A statement or a mark behind some statement."""
    found = spans(re.compile(r"[;{}]"), text)
    at = chance.choice(found)[1] if found else chance.randrange(len(text) + 1)
    return replaced(text, (at, at), f"\n{chance.choice(STRUCTURES)}\n")


def renamed(text: str, chance: Random, others: Sequence[str]) -> str:
    """One name becomes another of the same text, here or everywhere."""
    names = sorted(set(NAME.findall(text)))
    if len(names) < 2:
        return text
    old, new = chance.sample(names, 2)
    where = re.compile(rf"(?<![\w$%]){re.escape(old)}(?![\w$])")
    return where.sub(lambda _: new, text, count=chance.choice([0, 1, 2]))


def guarded(text: str, chance: Random, others: Sequence[str]) -> str:
    """A guard on many instructions, or none on any."""
    if chance.random() < 0.3:
        return re.sub(r"@!?%\w+\s", "", text)
    guard = chance.choice(["@%p1 ", "@!%p1 ", "@%p2 ", "@%p0 ", "@%r1 "])
    share = chance.random()
    add = lambda m: m[0] + (guard if chance.random() < share else "")  # noqa: E731
    return re.sub(r"(?<=[;{:]\n)\s*(?=[a-z])", add, text)


def relabelled(text: str, chance: Random, others: Sequence[str]) -> str:
    """Branches go elsewhere: to themselves, into loops, past the end."""
    labels = re.findall(r"(?m)^\s*([$\w]+):", text)
    if not labels:
        return text
    share = chance.random()
    aim = lambda m: m[1] + (chance.choice(labels) if chance.random() < share else m[2])  # noqa: E731
    return re.sub(r"(\bbra(?:\.uni)?\s+)([$\w]+)", aim, text)


def wrapped(text: str, chance: Random, others: Sequence[str]) -> str:
    """A statement in many braces."""
    found = spans(STATEMENT, text)
    if not found:
        return text
    span, deep = chance.choice(found), chance.choice([1, 2, 30, 255, 256, 3000])
    return replaced(text, span, "{" * deep + text[slice(*span)] + "}" * deep)


OPCODES = sorted(rows())
EDITS: tuple[Edit, ...] = (
    character, character, flipped_bit, cut, hole, spliced, structure, structure, structure, renamed,
    renamed, guarded, relabelled, relabelled, wrapped, one_of(NUMBER, NUMBERS),
    one_of(NUMBER, NUMBERS), one_of(MODIFIER, MODIFIERS), one_of(MODIFIER, MODIFIERS),
    one_of(OPCODE, OPCODES), one_of(OPCODE, OPCODES), one_of(WORD, MARKS), one_of(WORD, [""]),
    one_of(STATEMENT, [""]), one_of(DECLARATION, [""]), swapped(WORD), swapped(NAME),
    swapped(NUMBER), swapped(OPCODE), swapped(MODIFIER), swapped(STATEMENT), repeated(WORD),
    repeated(STATEMENT), repeated(DECLARATION),
)  # fmt: skip


def edited(text: str, chance: Random, others: Sequence[str]) -> str:
    """The text after one to eight edits, mostly few."""
    for _ in range(min(1 + int(chance.expovariate(0.7)), 8)):
        text = chance.choice(EDITS)(text, chance, others)
    return text
