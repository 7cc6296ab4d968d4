"""Contracts of indices as compilers write them: each is what the source says, and no launch that
meets it faults."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from tests.corpus import judging

from .__main__ import held
from .kernels import Subject
from .launches import Launches

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .s{bits} n) {{
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    ld.param.s{bits} {n}, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    {body}
    shl.b64 %d9, %d9, 2;
    add.s64 %d0, %d0, %d9;
    ld.global.f32 %f0, [%d0];
done:
    ret;
}}
"""
GUARD = """mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p0, %r4, %r0;
    @%p0 bra done;"""
WIDE_GUARD = """mul.wide.s32 %d2, %r2, %r1;
    cvt.s64.s32 %d3, %r3;
    add.s64 %d2, %d2, %d3;
    setp.ge.s64 %p0, %d2, %d1;
    @%p0 bra done;"""

INDICES = {
    # x[n - 1 - i] of a language in which a negative index counts from the end
    "from the end": (64, f"""{WIDE_GUARD}
    not.b64 %d4, %d2;
    add.s64 %d4, %d4, %d1;
    shr.s64 %d5, %d4, 63;
    and.b64 %d5, %d5, %d1;
    add.s64 %d9, %d5, %d4;""", "4*n"),
    # x[(i + 7) % n]
    "rotated": (32, f"""{GUARD}
    add.s32 %r5, %r4, 7;
    rem.s32 %r6, %r5, %r0;
    cvt.s64.s32 %d9, %r6;""", "4*n"),
    # x[ctaid.x / n], where several blocks share an element
    "shared by blocks": (32, """div.s32 %r6, %r1, %r0;
    cvt.s64.s32 %d9, %r6;""", "4*((nctaid.x - 1)//n) + 4"),
    # x[ctaid.x / n] in 64 bits
    "shared by blocks, in 64 bits": (64, """cvt.u64.u32 %d2, %r1;
    div.s64 %d9, %d2, %d1;""", "4*((nctaid.x - 1)//n) + 4"),
    # x[i % n], of as many threads as there are
    "column": (32, """mad.lo.s32 %r4, %r1, %r2, %r3;
    rem.s32 %r6, %r4, %r0;
    cvt.s64.s32 %d9, %r6;""", "4*n"),
    # x[2*i + 1] where i < n/2
    "half": (32, """mad.lo.s32 %r4, %r1, %r2, %r3;
    shr.u32 %r5, %r0, 31;
    add.s32 %r5, %r0, %r5;
    shr.s32 %r5, %r5, 1;
    setp.ge.s32 %p0, %r4, %r5;
    @%p0 bra done;
    shl.b32 %r6, %r4, 1;
    add.s32 %r6, %r6, 1;
    cvt.s64.s32 %d9, %r6;""", "8*(n//2)"),
    # x[(int)(i/32)], where the quotient is a field of bits
    "field": (64, f"""{WIDE_GUARD}
    shl.b64 %d4, %d2, 27;
    shr.s64 %d9, %d4, 32;""", "4*((n + 31)//32)"),
    # x[(e - 128)/32] by the exponent e of a float that is at least 2
    "exponent": (32, """mad.lo.s32 %r4, %r1, %r2, %r3;
    cvt.rn.f32.s32 %f1, %r4;
    abs.f32 %f2, %f1;
    setp.ltu.f32 %p0, %f2, 0f40000000;
    @%p0 bra done;
    mov.b32 %r5, %f1;
    shr.u32 %r6, %r5, 23;
    and.b32 %r7, %r6, 255;
    add.s32 %r8, %r7, -128;
    shr.u32 %r9, %r8, 5;
    cvt.u64.u32 %d9, %r9;""", "16"),
    # x[n - 1 - 2*i], the negative of an even number written as a row of bits that are changed
    "complement": (32, f"""{GUARD}
    and.b32 %r5, %r4, -2;
    cvt.s64.s32 %d4, %r5;
    xor.b64 %d4, %d4, 4611686018427387902;
    cvt.s64.s32 %d5, %r0;
    add.s64 %d4, %d4, %d5;
    add.s64 %d9, %d4, 1;""", "4*n"),
}  # fmt: skip


def subject(name: str) -> Subject:
    bits, body, _ = INDICES[name]
    text = KERNEL.format(bits=bits, n="%r0" if bits == 32 else "%d1", body=body)
    program = judging.assembled(text)
    assert program is not None
    (kernel,) = program.kernels
    launch = resolved([Contract(params=("x", "n"))], kernel)
    return Subject(Path(f"{name}.ptx"), kernel, contract_of(kernel, launch))


@pytest.mark.parametrize("name", INDICES)
def test_a_buffer_has_as_many_elements_as_are_indexed(name: str) -> None:
    found = subject(name)
    assert not found.contract.unknown
    assert found.result.reads == {"x": INDICES[name][2]}
    launches = Launches(found, Random(name))
    assert held(launches, 20, Counter()) == []
