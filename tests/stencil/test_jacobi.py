"""The Jacobi relaxation against closed forms; and any division of its rows."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from pricing_kernels.contract import ContractError
from pricing_kernels.engines import EngineError, simt
from pricing_kernels.lint import lint
from pricing_kernels.stencil.jacobi import Division, DivisionError, relax
from pricing_kernels.stencil.tiles import TILES, Grid
from ptxlint.simt import RunOptions, run
from tests.device.counts import Counted
from tests.observation.launches import kernels_of

ROWS, COLUMNS = 41, 147  # neither is a multiple of a tile's
LINE, COLUMN = np.mgrid[: ROWS + 2, : COLUMNS + 2].astype(float)


def mode(p: int, q: int) -> tuple[Grid, float]:
    """The mode that vanishes on the frame, and the factor of one step."""
    height, width = np.pi / (ROWS + 1), np.pi / (COLUMNS + 1)
    grid = np.sin(p * height * LINE) * np.sin(q * width * COLUMN)
    grid[[0, -1]] = grid[:, [0, -1]] = 0.0
    return grid, (1 + 2 * np.cos(p * height) + 2 * np.cos(q * width)) / 5


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 2)])
def test_a_mode_decays_by_its_factor(tile: str, p: int, q: int) -> None:
    grid, factor = mode(p, q)
    for steps in (1, 4):
        after = relax(grid, steps, tile=tile)
        assert np.abs(after - factor**steps * grid).max() <= 6e-16 * steps


@pytest.mark.parametrize("field", [LINE, COLUMN, LINE * COLUMN, LINE**2 - COLUMN**2])
def test_a_harmonic_field_stays(field: Grid) -> None:
    after = relax(field, 2, [("simt", 20), ("host", 21)])
    assert np.allclose(after, field, rtol=1e-15, atol=1e-12)


def noise(rows: int, columns: int) -> Grid:
    return np.random.default_rng(5).normal(size=(rows + 2, columns + 2))


def by_numpy(grid: Grid, steps: int) -> Grid:
    """The relaxation by shifted copies of the whole grid, in the order of the kernels' sum."""
    whole = grid.copy()
    for _ in range(steps):
        total = np.roll(whole, 1, 0) + np.roll(whole, 1, 1) + whole
        total = total + np.roll(whole, -1, 1) + np.roll(whole, -1, 0)
        whole[1:-1, 1:-1] = 0.2 * total[1:-1, 1:-1]
    return whole


def divisions() -> list[Division]:
    """One part, and random divisions of the rows in two to five parts, some of one row."""
    random = Random(1)
    found: list[Division] = [[("simt", ROWS)], [("host", ROWS)], [("simt", 1), ("host", ROWS - 1)]]
    for parts in (2, 3, 4, 5):
        cuts = [0, *sorted(random.sample(range(1, ROWS), parts - 1)), ROWS]
        rows = [b - a for a, b in pairwise(cuts)]
        found.append([(random.choice(("simt", "host")), count) for count in rows])
    found.append([("host", 1), ("simt", 1), ("simt", 2), ("host", ROWS - 4)])
    return found


@pytest.mark.parametrize("parts", divisions(), ids=str)
@pytest.mark.parametrize("tile", TILES)
def test_any_division_gives_the_same_bits(tile: str, parts: Division) -> None:
    grid = noise(ROWS, COLUMNS)
    assert np.array_equal(relax(grid, 3, parts, tile), by_numpy(grid, 3))


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (70, 1), (32, 128), (33, 129), (14, 30)])
@pytest.mark.parametrize("tile", TILES)
def test_grids_of_every_shape(tile: str, shape: tuple[int, int]) -> None:
    """One point; rows and columns that a tile ends with, and one more."""
    grid = noise(*shape)
    assert np.array_equal(relax(grid, 2, tile=tile), by_numpy(grid, 2))


@pytest.mark.parametrize("tile", TILES)
def test_a_step_has_neither_race_nor_undefined_word(tile: str) -> None:
    made = TILES[tile]
    stored = made.stored(noise(35, 150)).ravel()
    launch = made.kernel.contract.launch(rows=35, columns=150)
    contents = {"before": stored, "after": stored}
    simt.run(made.kernel.ptx(), launch, contents, frozenset({"race", "init"}))


@pytest.mark.parametrize("tile", TILES)
def test_a_launch_is_proved_in_every_property(tile: str) -> None:
    made = TILES[tile].kernel
    code, said = lint(made, launch=made.contract.launch(rows=100, columns=300), strict=True)
    assert code == 0 and said.startswith("no findings"), said


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([("simt", 8), ("host", 0)], "host has 0 of 8 rows, expected 1 or more"),
        ([("simt", 9), ("host", -1)], "host has -1 of 8 rows, expected 1 or more"),
        ([("simt", 3), ("host", 4)], "the parts have 7 rows, the grid has 8"),
        ([("phi", 8)], "no engine 'phi'; there are: host, simt, cupy"),
    ],
)
def test_a_division_that_is_none_is_refused_in_a_line(parts: Division, said: str) -> None:
    with pytest.raises(DivisionError) as refused:
        relax(noise(8, 8), 1, parts)
    assert str(refused.value) == said


def test_bad_grids_are_refused_in_a_line() -> None:
    with pytest.raises(DivisionError, match="a grid of 2x9 points, expected 3x3 or more"):
        relax(np.zeros((2, 9)), 1)
    with pytest.raises(DivisionError, match="a grid of 9 points, expected 3x3 or more"):
        relax(np.zeros(9), 1)
    with pytest.raises(DivisionError, match="-1 steps, expected 0 or more"):
        relax(noise(3, 3), -1)
    with pytest.raises(DivisionError, match="no tile 'wide'; there are: walk, paper"):
        relax(noise(3, 3), 1, tile="wide")
    with pytest.raises(ContractError, match=r"jacobi_walk: columns: 16385 is not in 1..16384"):
        relax(noise(1, 16385), 1)


def test_a_device_divides_a_grid_with_the_host() -> None:
    grid = noise(ROWS, COLUMNS)
    try:
        after = relax(grid, 3, [("cupy", 25), ("host", ROWS - 25)])
    except EngineError as error:
        pytest.skip(str(error))
    assert np.array_equal(after, by_numpy(grid, 3))


def test_our_tile_moves_less_than_that_of_the_paper() -> None:
    """Sectors and wavefronts of a step for each point, counted in a run."""
    counts = {}
    for tile, made in TILES.items():
        (kernel,) = kernels_of(made.kernel.ptx())
        launch = made.kernel.contract.launch(rows=84, columns=480)
        observer = Counted(made.kernel.ptx())
        run(kernel, launch.concrete(launch.arrays()), RunOptions(), observer)
        total = Counter[str]()
        for (_, space), requests in observer.counts.items():
            total[space] += requests.least
        counts[tile] = [total[space] / (84 * 480) for space in ("global", "shared")]
    assert counts["walk"] == pytest.approx([0.53, 0.20], abs=0.01)
    assert counts["paper"] == pytest.approx([0.61, 0.41], abs=0.01)
