"""Pointers of other spaces and sizes than 64-bit pointers to global memory."""

from __future__ import annotations

import pytest

import ptxlint
from ptxlint import Contract, api
from ptxlint.errors import Error
from ptxlint.results.report import Status

NARROW = """
.version 9.0
.target sm_80
.address_size 32
.visible .entry k(.param .u32 out, .param .u32 n) {
    .reg .b32 %r<6>;
    .reg .pred %p;
    ld.param.u32 %r1, [out];
    ld.param.u32 %r5, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r5;
    @%p bra done;
    shl.b32 %r3, %r2, 2;
    add.s32 %r4, %r1, %r3;
    st.global.u32 [%r4], %r2;
done:
    ret;
}
"""


@pytest.mark.parametrize(("size", "proved"), [("4*n", True), (124, False)])
def test_addresses_of_32_bits(size: str | int, proved: bool) -> None:
    """A parameter of 32 bits may be declared a buffer; what no run can show stays undecided."""
    contract = Contract(block=32, grid=1, args={"n": 32}, buffers={"out": size})
    report = api.check(NARROW, contract=contract)
    (access,) = report.accesses
    assert (access.status is Status.PROVED, report.findings) == (proved, ())


def test_a_run_has_no_memory_for_them() -> None:
    contract = Contract(block=32, args={"n": 32}, buffers={"out": 128})
    with pytest.raises(Error, match="address_size 32 is analysed, but cannot be run"):
        ptxlint.run(NARROW, contract)


INSIDE = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 .ptr .shared .align 4 p, .param .u64 .ptr .global .align 4 out) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [out];
    ld.shared.u32 %r1, [%rd1+AT];
    st.global.u32 [%rd2], %r1;
    ret;
}
"""


def test_a_pointer_to_shared_memory_stays_in_bounds() -> None:
    contract = Contract(block=1, grid=1, buffers={"p": 8, "out": 4})
    report = api.check(INSIDE.replace("AT", "4"), contract=contract)
    assert report.findings == ()
    assert [access.status for access in report.accesses] == [Status.PROVED] * 2
    assert ptxlint.run(INSIDE.replace("AT", "4"), contract).report.findings == ()


def test_a_pointer_to_shared_memory_leaves_it() -> None:
    contract = Contract(block=1, grid=1, buffers={"p": 8, "out": 4})
    (found,) = api.check(INSIDE.replace("AT", "8"), contract=contract).findings
    assert found.rule == "out-of-bounds"
    assert found.witness is not None and found.witness.address == 8
    (seen,) = ptxlint.run(INSIDE.replace("AT", "8"), contract).report.findings
    assert seen.rule == "out-of-bounds"


def test_what_a_pointer_to_shared_memory_requires_goes_by_its_name() -> None:
    (contract,) = ptxlint.infer(INSIDE.replace("AT", "4"))
    assert contract.reads == {"p": "8"}
    assert contract.shared is None
