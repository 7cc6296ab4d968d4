"""The instruction table for a device: a kernel for each case, a thread for each row of operands.

In a second kernel of a case over integers all operands but the first are constants, which ptxas
folds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ptxlint.contracts.contract import Contract
from tests.isa import case as isa
from tests.isa.table import CASES
from tests.isa.test_assembles import PREFIX, REGISTERS, refused, statement

from .launches import Case

SLOT = 16  # bytes of each operand and of each result
THREADS = 128
TEXT = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{
{registers} .reg .b32 %x<3>; .reg .b64 %in, %out; .reg .pred %end;
mov.u32 %x0, %ctaid.x;
mov.u32 %x1, %tid.x;
mad.lo.u32 %x0, %x0, {threads}, %x1;
ld.param.u32 %x1, [n];
setp.ge.u32 %end, %x0, %x1;
@%end bra END;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mad.wide.u32 %in, %x0, {taken}, %in;
mad.wide.u32 %out, %x0, {given}, %out;
{lines}
END:
ret;
}}
"""


def loaded(bits: int, number: int, place: int) -> str:
    """An operand in its register; a predicate is a word of 0 or 1."""
    if bits == 1:
        return f"ld.global.u32 %x0, [%in+{place}];\nsetp.ne.u32 %p{number}, %x0, 0;"
    return f"ld.global.b{bits} %{PREFIX[bits]}{number}, [%in+{place}];"


def stored(bits: int, number: int, place: int) -> str:
    if bits == 1:
        return f"selp.u32 %x2, 1, 0, %p{number};\nst.global.u32 [%out+{place}], %x2;"
    return f"st.global.b{bits} [%out+{place}], %{PREFIX[bits]}{number};"


def results(case: isa.Case) -> list[tuple[int, int]]:
    """The bits and the number of each result's register, without the carry."""
    found = []
    for number, role in enumerate(case.roles):
        if role.result and case.parts > 1 and case.form.row.opcode == "mov":
            bits = case.form.role_type(role).bits // case.parts
            found += [(bits, i) for i in range(case.parts)]
        elif role.result:
            found.append((case.form.role_type(role).bits, number))
            found += [(1, 8)] * (case.parts > 1)
    return found


def written(case: isa.Case) -> list[str]:
    """The instruction between its loads and its stores; a carry is made before, and read first."""
    row, sub = case.form.row, case.opcode.startswith("sub")
    taken = [(case.form.role_type(role).bits, number) for number, role in enumerate(case.roles)
             if not role.result and role.type != "int"]  # fmt: skip
    lines = [loaded(bits, number, SLOT * i) for i, (bits, number) in enumerate(taken)]
    if row.carry_in:
        made = "sub.cc.u32 %x1, 0, %x0;" if sub else "add.cc.u32 %x1, %x0, 0xFFFFFFFF;"
        lines += [f"ld.global.u32 %x0, [%in+{SLOT * len(taken)}];", made]
    lines.append(statement(case))
    left = results(case)
    if row.carry_out:
        read = "subc.u32 %x1, 0, 0;\nneg.s32 %x1, %x1;" if sub else "addc.u32 %x1, 0, 0;"
        lines += [read, f"st.global.u32 [%out+{SLOT * len(left)}], %x1;"]
    return lines + [stored(bits, number, SLOT * i) for i, (bits, number) in enumerate(left)]


def instruction(number: int, case: isa.Case) -> Case:
    kinds, rows = isa.arguments(case)
    given, taken = SLOT * len(isa.result_types(case)), SLOT * len(kinds)
    text = TEXT.format(registers=REGISTERS, threads=THREADS, taken=taken, given=given,
                       lines="\n".join(written(case)))  # fmt: skip
    data = b"".join(int(word).to_bytes(SLOT, "little") for row in rows for word in row)
    contract = Contract.of(
        block=str(THREADS), grid=str(-(-len(rows) // THREADS)), arg=[f"n={len(rows)}"],
        buffer=[f"in={max(1, len(data))}", f"out={given * len(rows)}"],
    )  # fmt: skip
    return Case.of(f"isa/{number} {case}", text, contract, {0: np.frombuffer(data, np.uint8)})


def approximated(case: isa.Case, left: bytes) -> bool:
    """True if the case is an approximation, and each result is within the manual's error."""
    if case.error is None:
        return False
    kinds, rows = isa.arguments(case)
    results = (left[i : i + SLOT] for i in range(0, len(left), SLOT))
    return all(
        isa.approximates(case, kinds, row, int.from_bytes(result, "little"))
        for row, result in zip(rows, results, strict=True)
    )


def instructions() -> Iterator[Case]:
    """Those that ptxas takes for sm_90a."""
    with TemporaryDirectory() as folder:
        gone = refused(CASES, "sm_90a", Path(folder))
    for number, case in enumerate(CASES):
        if case not in gone and not any(role.type == "words" for role in case.roles):
            yield instruction(number, case)


# --- constants

FIRSTS = 32  # values of the first operand, one for each thread
MOST_PLACE = 255  # the greatest place and length of a field that ptxas takes
CONSTANTS = 24  # choices of the other operands
FOLDED = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {{
{registers} .reg .b32 %x<3>; .reg .b64 %in, %out;
mov.u32 %x1, %tid.x;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mad.wide.u32 %in, %x1, {slot}, %in;
mad.wide.u32 %out, %x1, {given}, %out;
{lines}
ret;
}}
"""


def folded(number: int, case: isa.Case) -> Case | None:
    """A thread for each first operand does the instruction with every choice of the others; None
    if the case has other than integers there."""
    row, types = case.form.row, {
        i: case.form.role_type(role) for i, role in enumerate(case.roles) if role.type != "int"
    }  # fmt: skip
    taken = [i for i in types if not case.roles[i].result]
    integers = all(t.kind in "bus" and t.bits > 8 and t.parts == 1 for t in types.values())
    if not integers or len(taken) < 2 or row.carry_in or row.carry_out or case.form.selectors:
        return None
    _, rows = isa.arguments(case)
    firsts = [*dict.fromkeys(int(row[0]) for row in rows)][:FIRSTS]
    others = [*dict.fromkeys(tuple(map(int, row[1:])) for row in rows)]
    if row.opcode in ("bfe", "bfi"):
        others = [words for words in others if max(words[-2:]) <= MOST_PLACE]
    lines = [loaded(types[taken[0]].bits, taken[0], 0)]
    for place, words in enumerate(others[:: -(-len(others) // CONSTANTS)]):
        text = statement(case)
        for i, word in zip(taken[1:], words, strict=True):
            text = re.sub(rf"%\w{i}\b", hex(word), text)
        lines += [text, stored(types[0].bits, 0, SLOT * place)]
    given = SLOT * CONSTANTS
    text = FOLDED.format(registers=REGISTERS, slot=SLOT, given=given, lines="\n".join(lines))
    data = b"".join(word.to_bytes(SLOT, "little") for word in firsts)
    contract = Contract.of(
        block=str(len(firsts)), grid="1", buffer=[f"in={len(data)}", f"out={given * len(firsts)}"]
    )
    return Case.of(f"folded/{number} {case}", text, contract, {0: np.frombuffer(data, np.uint8)})


def folded_instructions() -> Iterator[Case]:
    yield from filter(None, (folded(number, case) for number, case in enumerate(CASES)))
