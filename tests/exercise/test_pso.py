"""Particle swarms: stages of equal bits, boundaries near the best one, proofs, and bad input."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from click.testing import CliRunner

from pricing_kernels import engines
from pricing_kernels.exercise.paths import recorded
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError
from pricing_kernels.exercise.pso import STAGES, Stage, SwarmSearch, fit, price
from pricing_kernels.exercise.pso.__main__ import main
from pricing_kernels.exercise.pso.boundary import (
    UNITS,
    EuropeanByDate,
    exercise_gains,
    problem,
    started,
)
from pricing_kernels.exercise.pso.comparison import counted
from pricing_kernels.exercise.pso.costs import LaunchCosts
from pricing_kernels.exercise.pso.kernels import MAX_ROWS, kernels
from pricing_kernels.exercise.pso.stages import DeviceSwarm, HostSwarm
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import PayoffError, black_scholes, dates

from .quadrature import bermudan

STRIKE, RATE, VOLATILITY = 100.0, 0.03, 0.3
MODEL = black_scholes(STRIKE, RATE, VOLATILITY)
EUROPEAN_PUT = 10.3278618
PUTS = {50: 10.60065, 256: 10.60704}  # by quadrature
SMALL = BermudanOption(MODEL, STRIKE, 1.0, dates(4))
FOUR = SwarmSearch(bounds=((0.0, 1.0),) * 4, particles=32)


@cache
def weights(steps: int, points: int = 1201) -> tuple[np.ndarray, np.ndarray]:
    """A grid of the logarithm of the price over the strike; the normal density of a step, as
    discounted weights."""
    step = 1.0 / steps
    x = np.linspace(-1.8, 1.8, points)
    width, deviation = x[1] - x[0], VOLATILITY * math.sqrt(step)
    moves = (x[None] - x[:, None] - (RATE - VOLATILITY**2 / 2) * step) / deviation
    density = np.exp(-0.5 * moves**2) / (deviation * math.sqrt(2 * math.pi))
    return x, math.exp(-RATE * step) * width * density


def value(spots: Sequence[float]) -> float:
    """The value of the put that is exercised below the spots, by quadrature from date to date."""
    x, waits = weights(len(spots))
    gain = STRIKE - STRIKE * np.exp(x)
    worth = np.maximum(gain, 0.0)
    for spot in spots[-2::-1]:
        stops = np.clip((math.log(spot / STRIKE) - x) / (x[1] - x[0]) + 0.5, 0.0, 1.0)
        worth = stops * gain + (1 - stops) * (waits @ worth)
    return float((waits @ worth)[len(x) // 2])


# --- the same bits


@cache
def after_two_turns(number: int) -> tuple[np.ndarray, ...]:
    """Fitness and positions after the first turn, and after another one."""
    found = []
    made = problem(SMALL, FOUR, paths=24, seed=5)
    with engines.session("simt") as device:
        swarm = started(device, STAGES[number], SMALL, made, FOUR)
        for turn in range(2):
            swarm.turn(turn)
            if isinstance(swarm, HostSwarm):
                found += [swarm.best.copy(), swarm.position.ravel(), swarm.own.ravel().copy()]
            elif isinstance(swarm, DeviceSwarm):
                names = ("best", "position", "own")
                found += [device.host(swarm.arrays[name]) for name in names]
    return tuple(found)


@pytest.mark.parametrize("stage", STAGES[1:], ids=str)
def test_a_stage_finds_the_bits_of_numpy(stage: Stage) -> None:
    for mine, theirs in zip(after_two_turns(stage.number), after_two_turns(0), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_the_swarm_moves_and_improves() -> None:
    first, position, _, second, moved, _ = after_two_turns(0)
    assert (position != moved).mean() > 0.9
    assert np.all(second >= first) and second.sum() > first.sum()


# --- the boundary


@pytest.mark.parametrize("number", [1, 4])
def test_a_boundary_is_near_the_best_one(number: int) -> None:
    """Its value by quadrature: at most the option's, and 0.005 below it at worst."""
    put = BermudanOption(MODEL, STRIKE, 1.0, dates(50))
    found = fit(put, replace(FOUR, bounds=FOUR.bounds[:number]), paths=2000, seed=number)
    assert PUTS[50] - 0.005 <= value(found.spots) <= PUTS[50] + 1e-3
    assert found.spots[-1] == STRIKE
    assert 60 < found.spots[0] < 70


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", PUTS)
def test_boundaries_of_one_to_four_parameters(steps: int, number: int) -> None:
    put = BermudanOption(MODEL, STRIKE, 1.0, dates(steps))
    for seed in (1, 2):
        found = fit(put, SwarmSearch(bounds=((0.0, 1.0),) * number), seed=seed)
        assert PUTS[steps] - 0.005 <= value(found.spots) <= PUTS[steps] + 1e-3


def test_the_kernel_knows_the_european_option() -> None:
    """The gains of the kernel are those of numpy, in float64, at the same prices."""
    made = problem(SMALL, FOUR, paths=200, seed=5)
    with engines.session("simt") as device:
        prices = device.host(recorded(device, SMALL, (SMALL.underlying,), 200, 5))
        gains = device.host(exercise_gains(device, SMALL, made)).reshape(4, 200)
    european = EuropeanByDate(SMALL)
    for path, column in enumerate(np.log(prices.reshape(4, 200).astype(float) / STRIKE).T):
        expected = UNITS * european.discounts * european.gains(column)
        np.testing.assert_allclose(gains[:, path], expected, atol=20)  # of 2^24


def test_a_call_on_an_asset_with_dividends_is_exercised_above() -> None:
    call = BermudanOption(
        black_scholes(STRIKE, RATE, VOLATILITY, dividend=0.06), STRIKE, 1.0, dates(12), call=True
    )
    found = fit(call, paths=2000, seed=1)
    assert list(found.spots) == sorted(found.spots, reverse=True)
    priced = found.price(paths=60_000, seed=2)
    assert abs(priced.price - bermudan(12, call=True, dividend=0.06)) < 4 * priced.stderr


def test_a_price_is_that_of_the_policy_on_other_paths() -> None:
    found = price(SMALL, paths=40_000, fit_paths=4_000, seed=1, control=EUROPEAN_PUT)
    policy = value(fit(SMALL, paths=4_000, seed=1 ^ 2**63).spots)
    assert abs(found.price - policy) < 4 * found.stderr


def test_patience_ends_a_search() -> None:
    hasty, patient = (fit(SMALL, SwarmSearch(patience=p, turns=30), paths=400) for p in (1, 30))
    assert hasty.turns < patient.turns == 30


# --- what ptxlint says


VALUES = {
    "particles": 64, "paths": 16, "rows": 4, "turn": 1, "seed": 1,
    "strike": 100, "sign": -1, "unit": 1, "inertia": 0.7, "own_pull": 1.5, "leader_pull": 1.5,
}  # fmt: skip


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_a_launch_is_proved_in_every_property(kernel: EmittedKernel) -> None:
    numbers = {name: VALUES[name] for name in kernel.contract.scalars}
    grid = (2, 2) if kernel.name == "pso_tiled" else None
    code, said = lint(kernel, launch=kernel.contract.launch(grid, **numbers), strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


ROWS, PATHS = 8, 32


@cache
def costs(number: int, kernel: int = 1) -> LaunchCosts:
    """Of a kernel in a turn of one warp of particles; the fitness, if that is a kernel of its own,
    is the second."""
    option = BermudanOption(MODEL, STRIKE, 1.0, dates(ROWS))
    each = counted(STAGES[number], option, problem(option, FOUR, PATHS, 5), FOUR)
    return next(islice(each, kernel, None))


def rules(number: int) -> set[str]:
    return {name for name, _ in costs(number).found}


def test_the_flaw_of_a_stage_is_found_and_the_next_is_clean_of_it() -> None:
    assert rules(1) == {"uncoalesced-access", "divergent exit"}
    assert rules(2) == {"divergent exit"}
    assert rules(3) == rules(5) == rules(7) == set()


def test_lanes_that_leave_a_loop_early_wait() -> None:
    assert costs(2).active < 0.99
    assert costs(3).active == costs(5).active == costs(7).active == 1.0


def test_predicted_sectors_are_in_the_order_of_the_stages() -> None:
    """At a date of a path, O1 reads 32 sectors of thresholds, O3 four; O5 as many of four paths.
    Each reads one sector of gains. O7 reads every threshold once."""
    steps = ROWS * PATHS
    fitness = 32 * 8 // 32  # sectors of sums
    assert 0.9 * steps * (32 + 1) < costs(1).sectors - 32 * PATHS <= steps * (32 + 1)
    assert 0.9 * steps * (4 + 1) < costs(2).sectors - fitness <= steps * (4 + 1)
    assert costs(3).sectors == steps * (4 + 1) + fitness
    assert costs(5).sectors == steps // 4 * (4 + 1) + fitness
    assert costs(7).sectors == ROWS * 4 + steps // 4 + 8 * fitness
    assert costs(7).wavefronts == MAX_ROWS + steps // 4
    assert not any(costs(number).wavefronts for number in (1, 2, 3, 5))


@pytest.mark.slow
def test_a_fused_stage_moves_less_and_computes_more() -> None:
    for fused, apart in ((4, 3), (6, 5)):
        once = costs(fused, 0)
        assert once.sectors < costs(apart).sectors
        assert once.instructions > costs(apart).instructions
        assert once.found == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--particles", "0"), "an empty swarm"),
        (("--paths", "0"), "0 paths to fit on"),
        (("--dates", "0"), "0 dates, expected an integer from 1 on"),
        (("--parameters", "5"), "5 parameters, expected 1 to 4"),
        (("--engine", "gpu"), "no engine 'gpu'"),
    ],
)
def test_the_command_refuses_bad_input(options: tuple[str, str], said: str) -> None:
    for more in ((), ("--stages",)):
        result = CliRunner().invoke(main, (*options, *more))
        assert result.exit_code == 2
        assert said in result.output


@pytest.mark.slow
def test_the_table_of_all_stages() -> None:
    """A row for each stage; the price is the same in all, as the bits are."""
    result = CliRunner().invoke(main, ("--stages", "--paths", "8", "--dates", "4"))
    assert result.exit_code == 0, result.output
    rows = [line for line in result.output.splitlines() if line.startswith("O")]
    assert [row.split()[0] for row in rows] == [f"O{number}" for number in range(8)]
    assert len({re.search(r"[\d.]+ \+- [\d.]+", row)[0] for row in rows}) == 1  # type: ignore[index]


# --- bad input


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SwarmSearch(particles=0), "an empty swarm"),
        (
            lambda: SwarmSearch(particles=100),
            "100 particles, expected a multiple of 32 up to 32768",
        ),
        (lambda: SwarmSearch(bounds=((1.0, 0.0),)), "bounds 1 to 0, expected 0 <= low < high"),
        (lambda: SwarmSearch(bounds=()), "0 parameters, expected 1 to 4"),
        (lambda: SwarmSearch(bounds=((0.0, 1.0),) * 5), "5 parameters, expected 1 to 4"),
        (lambda: SwarmSearch(turns=0), "0 turns, patience 8: expected 1 or more"),
        (lambda: SwarmSearch(inertia=-1.0), "inertia -1.0, expected 0 to 10"),
        (lambda: fit(SMALL, paths=0), "0 paths to fit on, expected a multiple of 4"),
        (
            lambda: fit(replace(SMALL, model=black_scholes([1.0, 2.0], 0, 0.1)), paths=4),
            "a model of 2 assets, expected one",
        ),
        (lambda: fit(replace(SMALL, over=dates(257)), paths=4), "257 dates, expected at most 256"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()


def test_no_dates_are_no_option() -> None:
    with pytest.raises(PayoffError, match="0 dates, expected an integer from 1 on"):
        dates(0)
