"""Kernels made of chance: right in their syntax more often than not, odd in everything else.

Registers of every width, arrays in every space, opcodes from the instruction table with operands
that may or may not fit, and labels that anything may branch to: itself, into loops, across them,
past the end.
"""

from __future__ import annotations

from random import Random

from ptxlint.isa.row import Row
from ptxlint.isa.table import rows

REGISTERS = {
    "p": ".pred", "r": ".b32", "rd": ".b64", "rs": ".b16", "f": ".f32", "fd": ".f64", "h": ".b16",
    "q": ".b128",
}  # fmt: skip
COUNT = 5
SPECIALS = (
    "%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%nctaid.x", "%laneid", "%lanemask_lt", "%clock64",
    "%warpid",
)  # fmt: skip
ARRAYS = {"s": ".shared", "l": ".local", "g": ".global", "c": ".const"}


def program(chance: Random) -> str:
    """A module of one kernel."""
    labels = [f"L{number}" for number in range(chance.randrange(6))]
    length = chance.choice([0, 1, 3, 8, 20, 60])
    lines = [statement(chance, labels) for _ in range(length)]
    for label in labels:
        lines.insert(chance.randrange(len(lines) + 1), f"{label}:")
    if chance.random() < 0.8:
        lines.append("ret;")
    return "\n".join([*head(chance), *(f"    {line}" for line in lines), "}", ""])


def head(chance: Random) -> list[str]:
    extent = chance.choice([0, 1, 4, 64, 1024, 49152, 2**31, 2**63])
    arrays = [f"{space} .align {chance.choice([1, 4, 16])} .b8 {name}[{extent}];"
              for name, space in ARRAYS.items() if chance.random() < 0.8]  # fmt: skip
    outside = [line for line in arrays if ".local" not in line]
    declared = [f"    .reg {kind} %{name}<{COUNT}>;" for name, kind in REGISTERS.items()]
    version, target = chance.choice(["6.0", "7.8", "9.0"]), chance.choice(["sm_50", "sm_90a"])
    formals = [".param .u64 in", ".param .u32 n", ".param .f32 a"]
    parameters = ", ".join(formals[: chance.choice([1, 2, 3, 3, chance.randrange(4)])])
    local = [f"    {array}" for array in arrays if ".local" in array]
    return [
        f".version {version}", f".target {target}", ".address_size 64", *outside,
        f".visible .entry k({parameters}) {{", *local, *declared,
    ]  # fmt: skip


def statement(chance: Random, labels: list[str]) -> str:
    kind = chance.random()
    guard = f"@{chance.choice(['', '!'])}%p{chance.randrange(COUNT)} "
    guard = guard if chance.random() < 0.25 else ""
    if kind < 0.12 and labels:
        return f"{guard}bra{chance.choice(['', '', '.uni'])} {chance.choice(labels)};"
    if kind < 0.2:
        return f"mov.u32 %r{chance.randrange(COUNT)}, {chance.choice(SPECIALS)};"
    if kind < 0.3:
        where, name = chance.choice(["r", "rd"]), chance.choice([*ARRAYS, "in"])
        size = "u32" if where == "r" else "u64"
        return f"{guard}mov.{size} %{where}{chance.randrange(COUNT)}, {name};"
    if kind < 0.42:
        return guard + access(chance)
    if kind < 0.45:
        return guard + chance.choice(["ret;", "exit;", "trap;", "bar.sync 0;", "bar.warp.sync -1;"])
    found = chance.choice([row for listed in rows().values() for row in listed])
    return guard + instruction(chance, found)


def access(chance: Random) -> str:
    space = chance.choice(["", ".shared", ".global", ".local", ".const", ".param"])
    bits = chance.choice([8, 16, 32, 64])
    number = chance.randrange(COUNT)
    base = chance.choice([chance.choice([*ARRAYS]), f"%rd{number}", f"%r{number}"])
    offset = chance.choice(["", "", "+4", "+1", "+-8", "+2147483644", "+-9223372036854775808"])
    name = {8: "rs", 16: "rs", 32: "r", 64: "rd"}[bits]
    word = f"%{name}{chance.randrange(COUNT)}"
    vector = chance.choice(["", "", "", ".v2"])
    data = f"{{{word}, %{name}{chance.randrange(COUNT)}}}" if vector else word
    if chance.random() < 0.5:
        return f"ld{space}{vector}.u{bits} {data}, [{base}{offset}];"
    return f"st{space}{vector}.u{bits} [{base}{offset}], {data};"


def instruction(chance: Random, row: Row) -> str:
    """An opcode with modifiers of its row, and operands as its pattern has them."""
    words = sorted(row.required)
    words += [chance.choice(sorted(listed)) for listed, must in row.choices
              if must or chance.random() < 0.3]  # fmt: skip
    chance.shuffle(words)
    types = [chance.choice(sorted(listed)) for listed in row.types]
    operands = []
    for role in row.roles:
        if role.optional and chance.random() < 0.6:
            break
        kind = role.type if role.type not in ("", "dtype") else (types or ["b32"])[0]
        word = operand(chance, kind)
        operands.append(f"[{word}]" if role.address else word)
    return f"{'.'.join([row.opcode, *words, *types])} {', '.join(operands)};"


def operand(chance: Random, kind: str) -> str:
    """A register that fits the type, most of the time."""
    bits = int("".join(filter(str.isdigit, kind.partition("x")[0]))[:3] or "32")
    name = {1: "p", 8: "rs", 16: "rs", 32: "r", 64: "rd", 128: "q"}.get(bits, "r")
    if kind == "pred":
        name = "p"
    if kind in ("f32", "f64"):
        name = chance.choice([name, {"f32": "f", "f64": "fd"}[kind]])
    luck = chance.random()
    if luck < 0.1:
        return chance.choice(["0", "1", "-1", "31", "65536", "0f3F800000", "0d7FF0000000000000"])
    if luck < 0.15:
        return chance.choice([*(f"%{name}0" for name in REGISTERS), "s", "k", "L0", "%tid.x", "_"])
    if luck < 0.18:
        return f"{{%{name}0, %{name}1}}"
    return f"%{name}{chance.randrange(COUNT)}"
