"""Every instruction of the manual has a row, and every row outside of arithmetic an example.

``opcodes.txt`` lists the instructions of PTX ISA 9.4 as its table of contents does; a line names
the words that a row must have. ``examples.ptx`` is decoded and lowered here and, where ptxas is
found, assembled: a row is then known to describe PTX that exists.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ptxlint.isa import (
    async_copy,
    control_flow,
    fabric,
    matrix,
    mbarrier,
    memory,
    miscellaneous,
    sparse,
    stack,
    synchronization,
    tensor_core,
    texture_surface,
    warp,
    warpgroup,
)
from ptxlint.isa.row import Row
from ptxlint.isa.table import decode, rows
from tests.simt.programs import kernel_of

HERE = Path(__file__).parent
OPCODES = [line for line in (HERE / "opcodes.txt").read_text().splitlines() if line[:1].isalpha()]
CHAPTERS = (
    async_copy, control_flow, fabric, matrix, mbarrier, memory, miscellaneous, sparse, stack,
    synchronization, tensor_core, texture_surface, warp, warpgroup,
)  # fmt: skip

PRELUDE = """
.version {version}
.target {target}, texmode_independent
.address_size 64
.global .texref texture; .global .samplerref sampler; .global .surfref surface;
.global .align 16 .b32 garray[64];
.func (.reg .b32 out) func (.reg .b32 in) {{ mov.b32 out, in; ret; }}
.visible .entry k() {{
    .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b128 %q<8>;
    .reg .f32 %f<16>; .reg .f64 %fd<16>;
    .shared .align 16 .b32 smem[64]; .shared .align 8 .b64 mbar;
    TABLE: .branchtargets END, END;
"""
VERSIONS = {"sm_80": "8.5", "sm_90a": "8.6", "sm_100a": "9.0", "sm_120a": "9.0", "later": "9.4"}


def sections() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    target = ""
    for line in (HERE / "examples.ptx").read_text().splitlines():
        if line.startswith("// target "):
            target = line.removeprefix("// target ")
        elif line and not line.startswith("//"):
            found.setdefault(target, []).append(line)
    return found


SECTIONS = sections()
EXAMPLES = [example for examples in SECTIONS.values() for example in examples]


def program(target: str, examples: list[str]) -> str:
    """All examples in one kernel; one that ends a block stands behind a guard."""
    lines = [
        f"@%p7 {line}" if line.startswith(("bra", "ret", "exit", "trap", "brx")) else line
        for line in examples
    ]
    name = "sm_100a" if target == "later" else target
    prelude = PRELUDE.format(version=VERSIONS[target], target=name)
    return prelude + "\n".join(lines) + "\nEND: ret;\n}\n"


def row_of(example: str) -> Row | None:
    opcode, *modifiers = example.rstrip(";").split()[0].split(".")
    form = decode(opcode, tuple(modifiers))
    return None if form is None else form.row


@pytest.mark.parametrize("name", OPCODES)
def test_an_instruction_of_the_manual_has_a_row(name: str) -> None:
    opcode, *words = name.split(".")
    listed = rows().get(opcode, ())

    def has(row: Row, word: str) -> bool:
        return word in row.required or any(word in allowed for allowed, _ in row.choices)

    assert any(all(has(row, word) for word in words) for row in listed)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split()[0])
def test_an_example_has_a_row_and_can_be_lowered(example: str) -> None:
    assert row_of(example) is not None
    kernel = kernel_of(program("sm_100a", [example]))
    opcode = example.split()[0].rstrip(";")
    assert opcode.startswith(("bra", "brx", "ret", "exit", "call")) or any(
        instr.text == opcode for instr in kernel.instructions
    )


def test_every_row_has_an_example() -> None:
    shown = {row_of(example) for example in EXAMPLES}
    missing = [row.pattern for chapter in CHAPTERS for row in chapter.ROWS if row not in shown]
    assert not missing, "add a line to tests/isa/examples.ptx for each of:\n" + "\n".join(missing)


@pytest.mark.skipif(shutil.which("ptxas") is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", [target for target in SECTIONS if target != "later"])
def test_ptxas_takes_the_examples(target: str, tmp_path: Path) -> None:
    path = tmp_path / "examples.ptx"
    path.write_text(program(target, SECTIONS[target]))
    command = ["ptxas", "-arch", target, "-O0", "-o", str(tmp_path / "out"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = path.read_text().splitlines()
    wrong = [
        f"{lines[int(number) - 1]}  // {message}"
        for number, message in re.findall(r"line (\d+); error\s*: (.*)", done.stderr)
    ]
    if "is not defined for option" in done.stderr or "Unsupported .version" in done.stderr:
        pytest.skip(f"this ptxas does not know {target}")
    assert done.returncode == 0, "\n".join(wrong) or done.stderr


def test_what_an_unmodelled_row_does_to_memory_is_at_addresses_of_its_pattern() -> None:
    every = [row for chapter in CHAPTERS for row in chapter.ROWS]
    for row in every:
        places = {role.name for role in row.roles if role.address}
        for effect in row.memory:
            assert effect.operand or not effect.bytes, row.pattern
            assert not effect.operand or effect.operand in places, row.pattern
            assert not row.modelled, row.pattern
