"""Tables of a module whose words decide addresses."""

from __future__ import annotations

from pathlib import Path

from ptxlint.checker import check
from ptxlint.contracts.resolution import resolved
from ptxlint.contracts.tables import tables
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.contract import contract_of
from ptxlint.ir import Kernel
from tests.observation.launches import kernels_of

from .kernels import Subject

PTX = """.version 8.0
.target sm_80
.address_size 64
SPACE .align 4 .b8 order[16] = {VALUES};
.visible .entry k(.param .u64 y, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [y]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; MASK
    cvt.u64.u32 %d2, %r2; mov.u64 %d3, order; add.s64 %d4, %d3, %d2;
    LOAD
    mul.wide.s32 %d6, %r3, 4; add.s64 %d7, %d1, %d6;
    st.global.u32 [%d7], %r2;
    ret;
}
"""
FEW = "3, 0, 7, 2"
BYTES = "ld.const.u8 %r3, [%d4];"
LOW = "and.b32 %r2, %r2, 15;"


def kernel(load: str = BYTES, mask: str = LOW, values: str = FEW, space: str = ".const") -> Kernel:
    by = {"SPACE": space, "VALUES": values, "LOAD": load, "MASK": mask}
    text = PTX
    for name, said in by.items():
        text = text.replace(name, said)
    (found,) = kernels_of(text)
    return found


def subject(of: Kernel) -> Subject:
    return Subject(Path("k.ptx"), of, contract_of(of, resolved([], of)))


def test_the_words_of_a_table_bound_an_address() -> None:
    """Elements without a value are 0."""
    found = subject(kernel())
    assert not found.contract.unknown
    assert found.result.buffers == {"y": "32@4"}
    assert [one.condition for one in found.contract.assumed] == ["order holds its initial values"]


def test_signed_bytes_and_words_are_read_as_such() -> None:
    of = kernel("ld.const.s8 %r3, [%d4];", values="255, 4")
    ((_, content),) = tables(of, Facts(of, resolved([], of), "sm_80").symbolic)
    assert (str(content.low), str(content.high)) == ("-1", "4")
    words = kernel("ld.const.s32 %r3, [%d4];", LOW + "and.b32 %r2, %r2, 12;", "1, 1, 0, 0, 9")
    ((_, content),) = tables(words, Facts(words, resolved([], words), "sm_80").symbolic)
    assert (content.width, str(content.low), str(content.high)) == (32, "0", "257")


def test_a_table_that_is_read_behind_its_end_bounds_nothing() -> None:
    anywhere = "ld.param.u32 %r4, [n]; xor.b32 %r2, %r2, %r4; not.b32 %r2, %r2;"
    found = subject(kernel(mask=anywhere)).contract
    assert found.unknown
    assert not found.assumed


def test_a_table_that_the_kernel_writes_bounds_nothing() -> None:
    found = subject(kernel("ld.global.u8 %r3, [%d4]; st.global.u8 [%d4], %r2;", space=".global"))
    assert found.result.buffers == {"y": "1024@4"}


def test_addresses_are_no_numbers() -> None:
    of = kernel(values="k2, 1")
    assert not dict(tables(of, Facts(of, resolved([], of), "sm_80").symbolic))


def test_floats_are_their_bits() -> None:
    """ptxas keeps the low ones where the element is smaller."""
    of = kernel(values="0f3F8000C0, 1")
    ((_, content),) = tables(of, Facts(of, resolved([], of), "sm_80").symbolic)
    assert (str(content.low), str(content.high)) == ("0", "192")


def test_a_check_says_that_a_condition_rests_on_a_table() -> None:
    of = kernel()
    assert of.source is not None
    (result,) = check([of.source]).kernels
    assert result.condition is not None
    assert "assumes order holds its initial values" in result.condition
