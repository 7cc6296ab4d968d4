"""Particle swarms: stages of equal bits, boundaries near the best one, proofs, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from pricing_kernels import engines
from pricing_kernels.exercise.policy import BermudanOption, ExerciseError
from pricing_kernels.exercise.pso import STAGES, Stage, SwarmSearch, fit, price
from pricing_kernels.exercise.pso.boundary import problem, started
from pricing_kernels.exercise.pso.kernels import kernels
from pricing_kernels.exercise.pso.stages import DeviceSwarm, HostSwarm
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.lint import lint
from pricing_kernels.payoffs import PayoffError, black_scholes, dates

STRIKE, RATE, VOLATILITY = 100.0, 0.03, 0.3
MODEL = black_scholes(STRIKE, RATE, VOLATILITY)
EUROPEAN_PUT = 10.3278618
PUTS = {50: 10.60065, 256: 10.60704}  # by quadrature
SMALL = BermudanOption(MODEL, STRIKE, 1.0, dates(4))
FOUR = SwarmSearch(bounds=((0.0, 1.0),) * 4, particles=32)


def value(spots: list[float], points: int = 1201) -> float:
    """The value of the put that is exercised below the spots, by quadrature on a grid of the
    logarithm of the price: backward from date to date, with the normal density as weights."""
    step = 1.0 / len(spots)
    x = np.linspace(-1.8, 1.8, points)
    width, deviation = x[1] - x[0], VOLATILITY * math.sqrt(step)
    moves = (x[None] - x[:, None] - (RATE - VOLATILITY**2 / 2) * step) / deviation
    weights = np.exp(-0.5 * moves**2) * width / (deviation * math.sqrt(2 * math.pi))
    gain = STRIKE - STRIKE * np.exp(x)
    worth = np.maximum(gain, 0.0)
    for spot in spots[-2::-1]:
        waits = math.exp(-RATE * step) * weights @ worth
        stops = np.clip((math.log(spot / STRIKE) - x) / width + 0.5, 0.0, 1.0)
        worth = stops * gain + (1 - stops) * waits
    return float(math.exp(-RATE * step) * weights[points // 2] @ worth)


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


def test_a_boundary_is_near_the_best_one() -> None:
    """Its value by quadrature: at most the option's, and 0.03 below it at worst."""
    put = BermudanOption(MODEL, STRIKE, 1.0, dates(50))
    found = fit(put, SwarmSearch(particles=32, patience=4), seed=1)
    assert PUTS[50] - 0.03 <= value(found.spots) <= PUTS[50] + 1e-3
    assert found.spots[-1] == STRIKE
    assert 60 < found.spots[0] < 80


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("steps", PUTS)
def test_boundaries_of_one_to_four_parameters(steps: int, number: int) -> None:
    put = BermudanOption(MODEL, STRIKE, 1.0, dates(steps))
    for seed in (1, 2):
        found = fit(put, SwarmSearch(bounds=((0.0, 1.0),) * number), seed=seed)
        assert PUTS[steps] - 0.03 <= value(found.spots) <= PUTS[steps] + 1e-3, found.turns


def test_a_price_is_that_of_the_policy_on_other_paths() -> None:
    found = price(SMALL, paths=40_000, fit_paths=4_000, seed=1, control=EUROPEAN_PUT)
    policy = value(fit(SMALL, paths=4_000, seed=1 ^ 2**63).spots)
    assert abs(found.price - policy) < 4 * found.stderr


def test_patience_ends_a_search() -> None:
    hasty, patient = (fit(SMALL, SwarmSearch(patience=p, turns=30), paths=400) for p in (1, 30))
    assert hasty.turns < patient.turns == 30


# --- what ptxlint says


VALUES = {
    "particles": 64, "paths": 16, "rows": 4, "turn": 1, "seed": 1, "strike": 100,
    "inertia": 0.7, "own_pull": 1.5, "leader_pull": 1.5,
}  # fmt: skip


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_a_launch_is_proved_in_every_property(kernel: EmittedKernel) -> None:
    numbers = {name: VALUES[name] for name in kernel.contract.scalars}
    grid = (2, 2) if kernel.name == "pso_tiled" else None
    code, said = lint(kernel, launch=kernel.contract.launch(grid, **numbers), strict=True)
    assert code == 0, said
    assert said.startswith("no findings"), said


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
        (lambda: fit(replace(SMALL, over=dates(257)), paths=4), "257 dates, expected at most 256"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ExerciseError, match=said):
        make()


def test_no_dates_are_no_option() -> None:
    with pytest.raises(PayoffError, match="0 dates, expected an integer from 1 on"):
        dates(0)
