"""The instruction table for a device: a kernel for each case, a thread for each row of operands."""

from __future__ import annotations

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


def instructions() -> Iterator[Case]:
    """Those that ptxas takes for sm_90a."""
    with TemporaryDirectory() as folder:
        gone = refused(CASES, "sm_90a", Path(folder))
    for number, case in enumerate(CASES):
        if case not in gone and not any(role.type == "words" for role in case.roles):
            yield instruction(number, case)
