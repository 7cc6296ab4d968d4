"""Each flaw of the corpus does harm, or costs, what its twin does not: a run shows it, not a rule.

What ptxlint reports about them is tested with the rest of the corpus; that the twins are clean,
with the kernels of the package."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyses.traffic.costs import lines, sectors
from pricing_kernels.catalogue import kernels
from pricing_kernels.contract import Contents, ContractError
from pricing_kernels.engines import EngineError, Results, simt
from pricing_kernels.exercise.quantization import normal_grid
from pricing_kernels.flaws import FLAWS, Flaw
from pricing_kernels.kernel import SHIPPED
from pricing_kernels.layouts import stored
from pricing_kernels.rng import lcg32, lcg_mersenne, mrg32k3a, mt19937_warp, xorwow
from pricing_kernels.stencil.tiles import TILES
from ptxlint.checker import check
from ptxlint.options import Options
from ptxlint.source import Source

ROOT = Path(__file__).parents[2] / "corpus"
BY_NAME = {flaw.name: flaw for flaw in FLAWS}
RACE = frozenset({"race"})


def flawed(flaw: Flaw, checks: frozenset[str] = frozenset(), **contents: Any) -> Results:
    return run(flaw, ROOT / "flawed", flaw.name, checks, contents)


def clean(flaw: Flaw, checks: frozenset[str] = frozenset(), **contents: Any) -> Results:
    return run(flaw, SHIPPED, flaw.twin.name, checks, contents)


def run(
    flaw: Flaw,
    folder: Path,
    name: str,
    checks: frozenset[str] = frozenset(),
    given: Contents | None = None,
) -> Results:
    """The launch of a flaw, with its own PTX of the corpus or its twin's."""
    launch = flaw.launch
    launch = replace(launch, contract=replace(launch.contract, kernel=name))
    contents = dict(given or {})
    for generator in (lcg32.GENERATOR, lcg_mersenne.GENERATOR, xorwow.GENERATOR):
        if flaw.twin.name.startswith(f"{generator.name}_"):
            contents = {"state": generator.start(1, int(launch.values["streams"]))}
    return simt.run((folder / f"{name}.ptx").read_text(), launch, contents, checks)


@pytest.mark.parametrize(
    "name",
    ["pair_without_barrier", "sums_without_barrier", "counts_not_atomic", "tile_without_barrier"],
)
def test_without_a_barrier_or_an_atomic_there_is_a_race(name: str) -> None:
    clean(BY_NAME[name], RACE)
    with pytest.raises(EngineError, match="race"):
        flawed(BY_NAME[name], RACE)


@pytest.mark.parametrize(
    "name",
    [
        "streams_unguarded",
        "ring_one_round_too_many",
        "column_one_word_too_long",
        "jacobi_unguarded",
    ],
)
def test_a_bound_that_is_missing_is_missed(name: str) -> None:
    clean(BY_NAME[name])
    with pytest.raises(EngineError, match="out-of-bounds"):
        flawed(BY_NAME[name])


def test_threads_that_wait_at_another_barrier_are_missed() -> None:
    flaw = BY_NAME["jacobi_barrier_inside"]
    clean(flaw)
    with pytest.raises(EngineError, match="divergent-barrier"):
        flawed(flaw)


def test_a_product_that_is_not_reduced_is_above_the_modulus() -> None:
    flaw = BY_NAME["product_not_reduced"]
    before = lcg_mersenne.GENERATOR.start(1, 64)
    assert np.array_equal(
        clean(flaw)["numbers"], lcg_mersenne.GENERATOR.generate(before, 16)[0].ravel()
    )
    assert (flawed(flaw)["numbers"] >= lcg_mersenne.P).mean() > 0.2


def test_a_table_by_lane_is_the_wrong_table() -> None:
    """The flaw costs time, and here the numbers are others, too."""
    flaw = BY_NAME["table_by_lane"]
    assert np.array_equal(clean(flaw)["state"], mrg32k3a.GENERATOR.start(1, 128).ravel())
    assert not np.array_equal(flawed(flaw)["state"], clean(flaw)["state"])


@pytest.mark.parametrize("name", ["pair_two_words_apart", "pair_in_a_large_array"])
def test_the_numbers_of_a_warp_do_not_depend_on_where_it_exchanges_them(name: str) -> None:
    flaw = BY_NAME[name]
    assert np.array_equal(flawed(flaw)["numbers"], clean(flaw)["numbers"])


def test_groups_of_four_read_past_a_number_that_is_no_multiple() -> None:
    """Two gains past the end; the twin's contract has multiples of four alone."""
    flaw = BY_NAME["four_paths_of_any_number"]
    with pytest.raises(EngineError, match="out-of-bounds"):
        flawed(flaw)
    with pytest.raises(ContractError, match=r"requires paths % 4 == 0, given paths=150"):
        flaw.twin.contract.launch(**flaw.values)


def test_thresholds_by_particle_are_the_same_thresholds_elsewhere() -> None:
    flaw = BY_NAME["thresholds_by_particle"]
    random = np.random.default_rng(1)
    gains, thresholds = random.random((2, 16, 64)).astype(np.float32) * 1000
    ours = run(
        flaw, SHIPPED, flaw.twin.name, given={"gains": gains[:, :8], "thresholds": thresholds}
    )
    theirs = run(
        flaw, ROOT / "flawed", flaw.name, given={"gains": gains[:, :8], "thresholds": thresholds.T}
    )
    assert np.array_equal(ours["fitness"], theirs["fitness"])
    assert ours["fitness"].any()


def test_a_stack_is_local_memory_and_finds_the_same_cells() -> None:
    flaw = BY_NAME["tree_with_a_stack"]
    given = {
        "grid": normal_grid(128, 2).T.astype(np.float32),
        "state": np.random.default_rng(2).standard_normal((2, 64)).astype(np.float32),
    }
    places = (SHIPPED, flaw.twin.name), (ROOT / "flawed", flaw.name)
    ours, theirs = (run(flaw, *place, given=given)["cells"] for place in places)
    assert np.array_equal(ours, theirs)
    texts = [(folder / f"{name}.ptx").read_text() for folder, name in places]
    assert [".local" in text for text in texts] == [False, True]


def test_numbers_by_stream_are_the_same_numbers_elsewhere() -> None:
    flaw = BY_NAME["numbers_by_stream"]
    count, streams = int(flaw.values["count"]), int(flaw.values["streams"])
    ours = clean(flaw)["numbers"].reshape(count, streams)
    assert np.array_equal(flawed(flaw)["numbers"].reshape(streams, count).T, ours)


def test_a_portfolio_of_structures_has_the_same_values() -> None:
    flaw = BY_NAME["portfolio_of_structures"]
    options = np.random.default_rng(4).uniform(1, 2, (3, 1000)).astype(np.float32)
    ours = clean(flaw, options=stored(options, "soa"))["values"]
    assert np.array_equal(flawed(flaw, options=stored(options, "aos"))["values"], ours)


def test_a_constant_of_type_double_brings_double_arithmetic() -> None:
    flaw = BY_NAME["angle_in_double"]
    texts = [SHIPPED / f"{flaw.twin.name}.ptx", ROOT / "flawed" / f"{flaw.name}.ptx"]
    assert [".f64" in path.read_text() for path in texts] == [False, True]


def test_a_switch_that_is_not_there_is_refused() -> None:
    flaw = replace(FLAWS[0], right="return nothing;")
    with pytest.raises(ValueError, match="state_by_stream: the piece to replace is there 0x"):
        flaw.cuda()


def test_reads_that_begin_inside_of_a_line() -> None:
    """MT-LIGHT reads 32 words from 16, 17 and 29 words into a line on. Each touches two lines; two
    of them a fifth sector, which no rule minds, and on the thesis's device 32 segments, not 2."""
    starts = [range(4 * first, 4 * first + 128, 4) for first in (16, 17, 29)]
    assert [lines(start, 4) for start in starts] == [2, 2, 2]
    assert [sectors(start, 4) for start in starts] == [4, 5, 5]
    assert told("mt19937_light_generate", "sm_10") == [("next", 32, 2), ("middle", 32, 2)]
    assert told("mt19937_light_generate", "sm_80") == []
    assert told("mt19937_fast_generate", "sm_10") == []


def test_rows_of_a_tile_that_begin_anywhere() -> None:
    """The paper's tile of Jacobi reads 32 doubles from a multiple of 30 on: 9 sectors for 8, which
    no rule minds, and on the first devices a transaction a thread. Our rows are aligned."""
    assert sectors(range(240, 240 + 8 * 32, 8), 8) == 9
    for name, arch, costs in (
        ("paper", "sm_10", [(32, 2), (30, 2)]), ("paper", "sm_80", []), ("walk", "sm_10", []),
    ):  # fmt: skip
        kernel = TILES[name].kernel
        launch = kernel.contract.launch(rows=20, columns=1000).declared()
        options = Options((launch,), select=("uncoalesced-access",), arch=arch)
        report = check([Source(f"{name}.ptx", kernel.ptx())], options)
        found = [f.cost for f in report.findings]
        assert [(c.actual, c.ideal) for c in found if c is not None] == costs


def told(name: str, arch: str) -> list[tuple[str, int, int]]:
    """What is reported as uncoalesced of 100 numbers of 128 streams: the word, cost and ideal."""
    kernel = kernels()[name]
    launch = kernel.contract.launch(streams=128, count=100)
    beside = Path(mt19937_warp.__file__).with_name(f"{name}.ptx")
    source = Source(str(beside), (SHIPPED / f"{name}.ptx").read_text())
    options = Options((launch.declared(),), select=("uncoalesced-access",), arch=arch)
    report = check([source], options)
    texts = Path(mt19937_warp.__file__).read_text().split("\n")
    found = []
    for finding in report.findings:
        assert finding.in_source and finding.cost is not None
        word = texts[finding.location.line - 1].split()[1]
        found.append((word, finding.cost.actual, finding.cost.ideal))
    return found
