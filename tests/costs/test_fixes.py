"""Fixes are counted again: the kernel with the change, analysed anew, costs what was promised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pricing_kernels.flaws import FLAWS
from pricing_kernels.kernel import SHIPPED
from ptxlint.claim import Claim
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.fixes import fix_help, layout_fix, proposed_fix, transposed
from ptxlint.facts.kernel_facts import AccessFacts, Facts
from ptxlint.rules import shared_bank_conflict, uncoalesced_access
from tests.observation.launches import CORPUS, kernels_of

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
    return Facts(kernel, resolved([contract], kernel), "sm_80")


def stores(facts: Facts) -> list[AccessFacts]:
    return [a for a in facts.accesses if a.place.access.kind == "store"]


def test_a_column_is_fixed_by_a_padded_row() -> None:
    facts = facts_of(text(TILE.format(row=32)).replace("s[49152]", "s[4096]"), "32x32")
    row, column = stores(facts)
    found = layout_fix(facts, column)
    assert layout_fix(facts, row) is None
    assert found is not None and found.text == "pad the rows of 32 elements to 33"
    fixed = [a.cost for a in stores(facts_of(text(TILE.format(row=33)), "32x32"))]
    assert [c.worst for c in fixed if c is not None] == [1, found.cost] == [1, 1]


def test_every_second_row_is_no_longer_row() -> None:
    """t[i][x] and t[2*x][y] of rows of 32: seen from the second alone, the rows have 64."""
    every_second = TILE.replace("mad.lo.u32 %i, %t, {row}", "mad.lo.u32 %i, %t, {twice}")
    facts = facts_of(text(every_second.format(row=32, twice=64)), "32x32")
    assert layout_fix(facts, stores(facts)[1]) is None


@pytest.mark.parametrize(
    ("size", "fix"),
    [
        (47 * 1024, "swizzle the column: x ^ (y % 32)"),
        (46 * 1024, "pad the rows of 32 elements to 33"),
    ],
)
def test_rows_get_no_longer_than_a_block_has_room(size: int, fix: str) -> None:
    """A row of 128 bytes gets 132: 47 KiB would be 48.5, and a declaration has 48."""
    ptx = text(TILE.format(row=32)).replace("s[49152]", f"s[{size}]")
    facts = facts_of(ptx, "32x32")
    found = layout_fix(facts, stores(facts)[1])
    assert found is not None and found.text == fix


@pytest.mark.parametrize("words", [2, 3, 4, 5])
def test_a_structure_is_fixed_by_an_array_for_each_field(words: int) -> None:
    facts = facts_of(text(f"mul.lo.u32 %i, %t, {4 * words};", "global"), "64")
    (access,) = stores(facts)
    found = layout_fix(facts, access)
    assert found is not None and "structure of arrays" in found.text
    assert found.cost == cost_of("shl.b32 %i, %t, 2;", "64", "global").worst == 4


@pytest.mark.parametrize(
    ("space", "block", "lines", "help_", "good", "bad", "cost"),
    [
        ("shared", "32", "mul.lo.u32 %i, %t, %n;", "where n is odd it takes 1", 33, 32, 1),
        ("global", "8x4", "mad.lo.u32 %i, %u, %n, %t;", "where n % 8 == 0 it takes 4", 96, 90, 4),
        ("global", "16x2", "mad.lo.u32 %i, %u, %n, %t;", "where n % 8 == 0 it takes 4", 96, 90, 4),
    ],
    ids=["padded column", "aligned pitch, 4 rows", "aligned pitch, 2 rows"],
)
def test_a_pitch_that_is_a_parameter_is_fixed_by_the_pitches_of_the_least_cost(
    space: str, block: str, lines: str, help_: str, good: int, bad: int, cost: int
) -> None:
    whole = f"ld.param.u32 %n, [n];\n{lines}\nshl.b32 %i, %i, 2;"
    ptx = text(whole, space, 4, ", .param .u32 n")
    facts = facts_of(ptx, block)
    (access,) = stores(facts)
    assert fix_help(access, proposed_fix(facts, access), "") == help_
    (fixed,), (ill,) = (accesses(ptx, block, f"n={n}") for n in (good, bad))
    assert exact(fixed).worst == cost < exact(ill).worst


COLUMNS = "mad.lo.u32 %i, {x}, 32, {y};\nshl.b32 %i, %i, 2;\nSTORE\n"


LANE = "mov.u32 %l, %laneid;"


def columns(*axes: tuple[str, str]) -> str:
    """Stores by two axes each; no lane is named, so coordinates are free to be exchanged."""
    lines = "".join(COLUMNS.format(x=x, y=y) for x, y in axes)
    return text(lines, "global").replace(LANE, "")


def test_coordinates_are_exchanged_where_all_accesses_gain() -> None:
    """What is promised is what the kernel costs with tid.x and tid.y exchanged in its text."""
    facts = facts_of(columns(("%t", "%u")), "32x32")
    (access,) = stores(facts)
    help_ = (
        "threads along x are 128 bytes apart; exchange threadIdx.x and threadIdx.y, and it takes 4"
    )
    assert fix_help(access, proposed_fix(facts, access), "") == help_
    (fixed,) = stores(facts_of(columns(("%u", "%t")), "32x32"))
    assert exact(fixed).worst == 4 < exact(access).worst


@pytest.mark.parametrize("block", ["32x16", "32"])
def test_coordinates_of_other_blocks_are_not_exchanged(block: str) -> None:
    facts = facts_of(columns(("%t", "%u")), block)
    assert all(transposed(facts, access) is None for access in stores(facts))


def test_coordinates_stay_where_another_access_would_lose() -> None:
    """As in a transposition: one side or the other goes along columns."""
    facts = facts_of(columns(("%t", "%u"), ("%u", "%t")), "32x32")
    assert all(transposed(facts, access) is None for access in stores(facts))


def test_what_a_change_makes_dearer_is_no_fix() -> None:
    """A second access runs along the diagonal, which padding turns into a column."""
    lines = """
mul.lo.u32 %i, %t, 128;
STORE
mul.lo.u32 %i, %t, 124;
STORE
"""
    facts = facts_of(text(lines), "32")
    assert all(layout_fix(facts, a) is None for a in stores(facts))


@pytest.mark.parametrize("line", [LANE, "shfl.sync.bfly.b32 %v1, %t, 1, 31, -1;"])
def test_coordinates_stay_where_a_kernel_knows_its_lanes(line: str) -> None:
    """With its threads in other warps it would exchange other words."""
    facts = facts_of(columns(("%t", "%u")).replace("\nret;", f"\n{line}\nret;"), "32x32")
    assert all(transposed(facts, access) is None for access in stores(facts))


# --- twins of the corpus

TWINS = {
    "double_tile_32": "double_tile_33",
    "transpose_tile_32": "transpose_tile_33",
    "particles_array_of_structures": "particles_structure_of_arrays",
    "scaled_along_columns": "scaled_along_rows",
    "tiles_of_any_pitch": "tiles_of_whole_sectors",
    "shared_stride_four": "shared_stride_five",
    "stride_two": "evens_in_an_array",
}
"""Flawed kernels for which a change is proposed, and the clean ones in which it was made."""

WORDS_THREE_APART = (
    ("swap[1024]", "swap[1536]"),
    ("shl.b32 \t%r48, %r27, 1;", "mul.lo.s32 \t%r48, %r27, 3;"),
    ("xor.b32  \t%r49, %r48, 2;", "xor.b32 \t%r49, %r27, 1;\n\tmul.lo.s32 \t%r49, %r49, 3;"),
)
"""The change that is proposed for ``pair_two_words_apart``, made in its PTX."""


def of_corpus(
    folder: str, name: str, changes: Sequence[tuple[str, str]] = (), **declared: str
) -> Facts:
    """A kernel with some words changed, under its launch with some parameters declared anew."""
    path = CORPUS / folder / f"{name}.ptx"
    ptx = path.read_text("utf-8")
    for old, new in changes:
        assert ptx.count(old) == 1, old
        ptx = ptx.replace(old, new)
    (kernel,) = kernels_of(ptx, path.name)
    comments = (source if (source := path.with_suffix(".cu")).exists() else path).read_text("utf-8")
    for parameter, value in declared.items():
        comments = re.sub(rf"--arg {parameter}=\S+", f"--arg {parameter}={value}", comments)
    return Facts(kernel, resolved([Contract.from_comments(comments)], kernel), "sm_80")


def proposals(facts: Facts) -> list[tuple[AccessFacts, Claim]]:
    """What the rules on traffic find that has a change, in the order of the accesses."""
    at = {access.instr: access for access in facts.accesses}
    rules = (shared_bank_conflict, uncoalesced_access)
    found = [f for rule in rules for f in rule.check(facts) if f.fix is not None]
    return [(at[f.instr], f) for f in sorted(found, key=lambda f: f.instr.offset)]


@pytest.mark.parametrize(("flawed", "fixed"), TWINS.items(), ids=TWINS)
def test_the_cured_twin_costs_what_was_proposed(flawed: str, fixed: str) -> None:
    hold(of_corpus("flawed", flawed), of_corpus("clean", fixed))


def test_words_three_apart_cost_what_was_proposed() -> None:
    flawed = "pair_two_words_apart"
    hold(of_corpus("flawed", flawed), of_corpus("flawed", flawed, WORDS_THREE_APART))


EMITTED = ("portfolio_of_structures", "state_by_stream")
"""Flawed kernels of which the package emits the one in which the change was made."""


@pytest.mark.parametrize("name", EMITTED)
def test_a_kernel_that_is_emitted_costs_what_was_proposed(name: str) -> None:
    (flaw,) = [flaw for flaw in FLAWS if flaw.name == name]
    (kernel,) = kernels_of((SHIPPED / f"{flaw.twin.name}.ptx").read_text("utf-8"))
    launch = flaw.twin.contract.launch(**flaw.values).declared()
    hold(of_corpus("flawed", flaw.name), Facts(kernel, resolved([launch], kernel), "sm_80"))


WORDS_IN_FOUR_ARRAYS = (
    ("mul.wide.s32 \t%rd3, %r11, 4;", "mul.wide.s32 \t%rd3, %r1, 4;"),
    ("[%rd4+4]", "[%rd4+4096]"),
    ("[%rd4+8]", "[%rd4+8192]"),
    ("[%rd4+12]", "[%rd4+12288]"),
)
"""The change that is proposed for ``quads_of_any_length``, made in its PTX for 1,024 threads."""


def test_four_words_a_thread_cost_what_was_proposed() -> None:
    flawed = "quads_of_any_length"
    hold(of_corpus("flawed", flawed), of_corpus("flawed", flawed, WORDS_IN_FOUR_ARRAYS))


@pytest.mark.parametrize("pitch", [33, 35, 63])
def test_odd_pitches_cost_what_was_proposed(pitch: int) -> None:
    """The change of a pitch is one of the launch alone: the kernel is the same."""
    flawed = "column_of_any_pitch"
    proposed = {f.fix.after for _, f in proposals(of_corpus("flawed", flawed)) if f.fix}
    assert proposed == {"pitch is odd, pitch >= 33"}
    hold(of_corpus("flawed", flawed), of_corpus("flawed", flawed, pitch=str(pitch)))


def hold(before: Facts, after: Facts) -> None:
    """What is proposed before against what it costs after, access by access: each in its place
    among those that load or store in the same space."""

    def alike(facts: Facts, access: AccessFacts) -> list[AccessFacts]:
        kind, space = access.place.access.kind, access.space
        return [a for a in facts.accesses if (a.place.access.kind, a.space) == (kind, space)]

    found = proposals(before)
    assert found
    for access, finding in found:
        ill, well = alike(before, access), alike(after, access)
        assert len(ill) == len(well) and finding.fix is not None
        cost = well[ill.index(access)].cost
        assert cost is not None and cost.worst == finding.fix.cost == cost.ideal
    assert proposals(after) == []


def test_every_kernel_of_the_corpus_with_a_proposal_has_a_cured_twin() -> None:
    named = {path.stem for path in (CORPUS / "flawed").glob("*.ptx")}
    asked = {
        name
        for name in named
        if re.search("// expect:.*(bank-conflict|uncoalesced)", origin(name).read_text("utf-8"))
    }
    assert {name for name in asked if proposals(of_corpus("flawed", name))} == {
        *TWINS,
        "column_of_any_pitch",
        "pair_two_words_apart",
        "quads_of_any_length",
        *EMITTED,
    }


def origin(name: str) -> Path:
    source = CORPUS / "flawed" / f"{name}.cu"
    return source if source.exists() else source.with_suffix(".ptx")
