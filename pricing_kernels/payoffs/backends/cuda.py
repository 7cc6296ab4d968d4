"""The CUDA C back-end: the zones of a program as functions, for people who read them.

It is compiled without contraction of products and sums, so that each operation is rounded as in the
other back-ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from pricing_kernels.link import Fragment
from pricing_kernels.payoffs.language.expression import Applied, Expression, Literal
from pricing_kernels.payoffs.language.operators import BOOLEAN, INTEGER, REAL
from pricing_kernels.payoffs.language.walk import nodes
from pricing_kernels.payoffs.machine.program import (
    WORD,
    LoopRow,
    MachineStep,
    NormalInput,
    Program,
    Register,
    RowInput,
    RowLoop,
    RunInput,
    StoredPrice,
)

OPTIONS: Final = ("--fmad=false",)

C_TYPES: Final = {REAL: "float", INTEGER: "int", BOOLEAN: "bool"}

_FUNCTIONS: Final = """\
__device__ __forceinline__ float least(float a, float b)
{
    float y;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}
__device__ __forceinline__ float most(float a, float b)
{
    float y;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}
__device__ __forceinline__ float exp2_approximate(float x)
{
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float log2_approximate(float x)
{
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
"""


def zones(program: Program) -> Fragment:
    """The zones of a program as a fragment."""
    names = {register: f"{register.name}_{n}" for n, register in enumerate(program.registers)}
    members = [f"    {C_TYPES[register.type]} {name} = {{}};" for register, name in names.items()]
    if program.stored:
        members.append(f"    float path[{len(program.stored) * (program.rows + 1)}];")
    result, (value,) = _values(program, names, [program.result], "")
    given = "State& state, const unsigned* table, unsigned rows"
    rows = [
        *_FUNCTIONS.splitlines(),
        *("struct State {", "    const unsigned* run;", *members, "};"),
        *(f"__device__ __forceinline__ void before({given})", "{", "    state.run = table;"),
        *(line for step in program.pre for line in _step(program, names, step)),
        *_stored(program, names, [first for _, first in program.stored], "0"),
        *("}", f"__device__ __forceinline__ void row({given}, unsigned row, const float* z)", "{"),
        *(line for step in program.inside for line in _step(program, names, step)),
        *_stored(program, names, [register for register, _ in program.stored], "row + 1"),
        *("}", f"__device__ __forceinline__ float after({given})", "{"),
        *(line for part in program.after for line in _after(program, names, part, "    ")),
        *result,
        f"    return {value};",
        "}",
    ]
    return Fragment("zones", None, "\n".join(rows) + "\n")


def _step(
    program: Program, names: Mapping[Register, str], step: MachineStep, indent: str = "    "
) -> Iterator[str]:
    """A block: what the registers become, then their assignments."""
    condition = "" if step.when is None else f"if ({_bit(program, step.when, 'row')}) "
    yield f"{indent}{condition}{{"
    lines, values = _values(program, names, [value for _, value in step.assignments], indent)
    yield from lines
    for (register, _), value in zip(step.assignments, values, strict=True):
        yield f"{indent}    state.{names[register]} = {value};"
    yield f"{indent}}}"


def _bit(program: Program, rows: frozenset[int], row: str) -> str:
    """True at these rows."""
    number = program.sets.index(rows)
    return f"{_column(program, program.columns + number // WORD, row)} >> {number % WORD} & 1"


def _stored(
    program: Program, names: Mapping[Register, str], values: Sequence[Expression], slot: str
) -> Iterator[str]:
    """The prices of a row, to their place in the path."""
    for number, value in enumerate(values):
        place = f"({slot}) * {len(program.stored)} + {number}"
        yield f"    state.path[{place}] = {_text(program, names, value, {})};"


def _after(
    program: Program, names: Mapping[Register, str], part: MachineStep | RowLoop, indent: str
) -> Iterator[str]:
    """A step, or a loop over the rows of a fold's dates."""
    if isinstance(part, MachineStep):
        yield from _step(program, names, part, indent)
        return
    row, rows = _loop_name(part.row), part.row.rows
    yield f"{indent}for (unsigned {row} = {min(rows)}; {row} <= {max(rows)}; {row}++) {{"
    yield f"{indent}    if (!({_bit(program, rows, row)}))"
    yield f"{indent}        continue;"
    for each in part.body:
        yield from _after(program, names, each, indent + "    ")
    yield f"{indent}}}"


def _loop_name(row: LoopRow | None) -> str:
    return "row" if row is None else f"row{row.number}"


def _values(
    program: Program, names: Mapping[Register, str], roots: Sequence[Expression], indent: str
) -> tuple[list[str], list[str]]:
    """Declarations that compute expressions, and the text of each one's value."""
    done: dict[Expression, str] = {}
    lines: list[str] = []

    def declared(node: Expression, text: str) -> str:
        variable = f"t{len(lines)}"
        lines.append(f"{indent}    {C_TYPES[node.type]} {variable} = {text};")
        return variable

    for root in roots:
        for node in nodes(root):
            if node not in done:
                text = _text(program, names, node, done)
                done[node] = declared(node, text) if isinstance(node, Applied) else text
    # A register may be assigned before its old value is: its old value is kept.
    return lines, [declared(r, done[r]) if isinstance(r, Register) else done[r] for r in roots]


def _text(
    program: Program,
    names: Mapping[Register, str],
    node: Expression,
    done: Mapping[Expression, str],
) -> str:
    match node:
        case Literal():
            return _literal(node)
        case Register():
            return f"state.{names[node]}"
        case RunInput(number=number):
            return f"__uint_as_float(state.run[{number}])"
        case RowInput(column=column, row=row):
            return f"__uint_as_float({_column(program, column, _loop_name(row))})"
        case StoredPrice(number=number, slot=slot):
            if isinstance(slot, LoopRow):
                place = f"({_loop_name(slot)} + 1)"
            elif slot is None:
                place = f"min(unsigned({done[node.operands[0]]}), {program.rows}u)"
            else:
                place = str(slot)
            return f"state.path[{place} * {len(program.stored)} + {number}]"
        case NormalInput(number=number):
            return f"z[{number}]"
        case Applied(operator=operator):
            template = operator.c[node.operands[0].type]
            return template.format(*(done[operand] for operand in node.operands))
        case _:
            raise TypeError(f"{type(node).__name__} is no part of a program")


def _column(program: Program, column: int, row: str) -> str:
    return f"table[{program.run_words} + {column} * (size_t)rows + {row}]"


def _literal(node: Literal) -> str:
    if node.type is BOOLEAN:
        return "true" if node.value else "false"
    if node.type is INTEGER:
        return str(int(node.value))
    if math.isinf(node.value):
        return f"__int_as_float({'0xff800000' if node.value < 0 else '0x7f800000'})"
    rounded = np.float32(node.value)
    return f"{rounded}f" if "." in str(rounded) else f"{float(rounded).hex()}f"
