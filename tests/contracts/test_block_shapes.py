"""Limits of the block that follow from no offset: tiles that are swizzled."""

from __future__ import annotations

from collections import Counter
from random import Random

from ptxlint.contracts.launch import MAX_BLOCK
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.block_shapes import shapes

from .__main__ import held
from .kernels import ROOT, subjects
from .launches import Launches

(SWIZZLED,) = subjects(ROOT / "clean" / "transpose_tile_swizzled.ptx")


def test_a_swizzled_tile_limits_the_block() -> None:
    needs = [need.condition for need in SWIZZLED.contract.needs]
    assert not SWIZZLED.contract.unknown
    assert needs[:2] == ["ntid.x <= 32", "ntid.y <= 8"]
    assert not any(need.startswith("ntid") for need in needs[2:])


def test_blocks_have_as_many_rows_as_fit_into_the_threads_of_the_kernel() -> None:
    (subject,) = subjects(ROOT / "clean" / "largest_of_rows_by_warps.ptx")
    needs = [need.condition for need in subject.contract.needs]
    assert not subject.contract.unknown
    assert needs[:2] == ["ntid.x <= 32", "ntid.y <= 4"]
    assert [one.condition for one in subject.contract.assumed] == [
        "shuffles read lanes that take part"
    ]


def test_launches_within_the_limits_do_not_fault() -> None:
    count: Counter[str] = Counter()
    assert held(Launches(SWIZZLED, Random(3)), 6, count) == []
    assert count["launches"]


def test_only_the_axes_that_a_kernel_reads_are_limited() -> None:
    (subject,) = subjects(ROOT / "clean" / "stride_one.ptx")
    facts = Facts(subject.kernel, resolved([], subject.kernel), "sm_80")
    assert {shape[1:] for shape in shapes(facts)} == {MAX_BLOCK[1:]}
