"""Cures are counted again: the kernel with the change, analysed anew, costs what was promised."""

from __future__ import annotations

import pytest

from ptxlint.advice import advice, transposed
from ptxlint.contracts.contract import Contract
from ptxlint.facts import AccessFacts, Facts
from tests.observation.launches import CORPUS, contract_of, kernels_of

from .kernels import accesses, cost_of, exact, text

TILE = """
mad.lo.u32 %i, %u, {row}, %t;
shl.b32 %i, %i, 2;
STORE
mad.lo.u32 %i, %t, {row}, %u;
shl.b32 %i, %i, 2;
STORE
"""


def facts_of(ptx: str, block: str) -> Facts:
    (kernel,) = kernels_of(ptx)
    contract = Contract.of(block=block, grid="2", buffer=["y=1048576"])
    return Facts(kernel, contract.for_kernel(kernel), "sm_80")


def stores(facts: Facts) -> list[AccessFacts]:
    return [a for a in facts.accesses if a.place.access.kind == "store"]


def test_a_column_is_cured_by_a_padded_row() -> None:
    facts = facts_of(text(TILE.format(row=32)), "32x32")
    row, column = stores(facts)
    cure = facts.cure(column)
    assert facts.cure(row) is None
    assert cure is not None and cure.text == "pad the rows of 32 elements to 33"
    cured = [a.cost for a in stores(facts_of(text(TILE.format(row=33)), "32x32"))]
    assert [c.worst for c in cured if c is not None] == [1, cure.after.worst] == [1, 1]


@pytest.mark.parametrize("words", [2, 3, 4, 5])
def test_a_structure_is_cured_by_an_array_for_each_field(words: int) -> None:
    facts = facts_of(text(f"mul.lo.u32 %i, %t, {4 * words};", "global"), "64")
    (access,) = stores(facts)
    cure = facts.cure(access)
    assert cure is not None and "arrays of their own" in cure.text
    assert cure.after.worst == cost_of("shl.b32 %i, %t, 2;", "64", "global").worst == 4


@pytest.mark.parametrize(
    ("space", "block", "lines", "help_", "good", "bad", "cost"),
    [
        ("shared", "32", "mul.lo.u32 %i, %t, %n;", "where n is odd it takes 1", 33, 32, 1),
        ("global", "8x4", "mad.lo.u32 %i, %u, %n, %t;", "where n % 8 == 0 it takes 4", 96, 90, 4),
        ("global", "16x2", "mad.lo.u32 %i, %u, %n, %t;", "where n % 8 == 0 it takes 4", 96, 90, 4),
    ],
    ids=["padded column", "aligned pitch, 4 rows", "aligned pitch, 2 rows"],
)
def test_a_pitch_that_is_a_parameter_is_cured_by_the_pitches_of_the_least_cost(
    space: str, block: str, lines: str, help_: str, good: int, bad: int, cost: int
) -> None:
    whole = f"ld.param.u32 %n, [n];\n{lines}\nshl.b32 %i, %i, 2;"
    ptx = text(whole, space, 4, ", .param .u32 n")
    facts = facts_of(ptx, block)
    (access,) = stores(facts)
    assert advice(facts, access, "") == help_
    (cured,), (ill,) = (accesses(ptx, block, f"n={n}") for n in (good, bad))
    assert exact(cured).worst == cost < exact(ill).worst


COLUMNS = "mad.lo.u32 %i, {x}, 32, {y};\nshl.b32 %i, %i, 2;\nSTORE\n"


def test_coordinates_are_exchanged_where_all_accesses_gain() -> None:
    """What is promised is what the kernel costs with tid.x and tid.y exchanged in its text."""
    facts = facts_of(text(COLUMNS.format(x="%t", y="%u"), "global"), "32x32")
    (access,) = stores(facts)
    help_ = (
        "threads along x are 128 bytes apart; exchange threadIdx.x and threadIdx.y, and it takes 4"
    )
    assert advice(facts, access, "") == help_
    (cured,) = stores(facts_of(text(COLUMNS.format(x="%u", y="%t"), "global"), "32x32"))
    assert exact(cured).worst == 4 < exact(access).worst


@pytest.mark.parametrize("block", ["32x16", "32"])
def test_coordinates_of_other_blocks_are_not_exchanged(block: str) -> None:
    facts = facts_of(text(COLUMNS.format(x="%t", y="%u"), "global"), block)
    assert all(transposed(facts, access) is None for access in stores(facts))


def test_coordinates_stay_where_another_access_would_lose() -> None:
    """As in a transposition: one side or the other goes along columns."""
    both = COLUMNS.format(x="%t", y="%u") + COLUMNS.format(x="%u", y="%t")
    facts = facts_of(text(both, "global"), "32x32")
    assert all(transposed(facts, access) is None for access in stores(facts))


def test_what_a_change_makes_dearer_is_no_cure() -> None:
    """A second access runs along the diagonal, which padding turns into a column."""
    lines = """
mul.lo.u32 %i, %t, 128;
STORE
mul.lo.u32 %i, %t, 124;
STORE
"""
    facts = facts_of(text(lines), "32")
    assert all(facts.cure(a) is None for a in stores(facts))


@pytest.mark.parametrize(
    ("flawed", "cured"),
    [("transpose_tile_32", "transpose_tile_33"), ("double_tile_32", "double_tile_33")],
)
def test_the_cured_twin_of_the_corpus_has_what_is_promised(flawed: str, cured: str) -> None:
    def conflicts(name: str, folder: str) -> list[tuple[int, str]]:
        path = CORPUS / folder / f"{name}.ptx"
        (kernel,) = kernels_of(path.read_text("utf-8"), path.name)
        facts = Facts(kernel, contract_of(path).for_kernel(kernel), "sm_80")
        return [
            (a.cost.worst - a.cost.ideal, cure.text if (cure := facts.cure(a)) else "")
            for a in facts.accesses
            if a.space == "shared" and a.cost is not None and a.cost.worst > a.cost.ideal
        ]

    found = conflicts(flawed, "flawed")
    assert found and all("pad the rows of 32 elements to 33" in text for _, text in found)
    assert conflicts(cured, "clean") == []
