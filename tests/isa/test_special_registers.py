"""Special registers that go by number, and those of a type of their own (PTX ISA 9.4, "Special
Registers"); what ptxas takes was tried on ptxas 13.0."""

from __future__ import annotations

import pytest

from analyses.domains.uniformity import Level, Uniformities
from analyses.program import Constant, Special
from ptxlint.lowering.names import special


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("reserved_smem_offset_0", 32),
        ("reserved_smem_offset_1", 32),
        ("reserved_smem_offset_begin", 32),
        ("envreg0", 32),
        ("envreg31", 32),
        ("pm7", 32),
        ("pm7_64", 64),
        ("is_explicit_cluster", 1),
    ],
)
def test_registers(name: str, width: int) -> None:
    assert special(f"%{name}") == Special(name, width)


@pytest.mark.parametrize("name", ["pm8", "pm1_32", "envreg32", "envreg00", "reserved_smem_offset_"])
def test_what_is_none(name: str) -> None:
    assert special(f"%{name}") is None


def test_the_fourth_element_is_zero() -> None:
    assert special("%tid.w") == special("%nclusterid.w") == Constant(32, 0)


def test_reserved_memory_begins_at_one_place_for_all_threads() -> None:
    for name in ("reserved_smem_offset_begin", "reserved_smem_offset_1", "envreg3"):
        assert Uniformities().level(name) is Level.GRID
