"""Random kernels do what their facts say, whether the launch was declared, in ranges, or not.

A failure names its seed and shows the shortest kernel that still fails. ``pytest -m slow`` runs
thousands.
"""

from __future__ import annotations

import pytest

from analyses.polynomials import symbols

from .claims import Observation
from .generate import generate
from .randomly import ANY

DEFAULT = 30
SLOW = 5060


def holds(seed: int, tally: Observation) -> None:
    try:
        seen = ANY.observed(generate(seed), seed)
    except Exception:
        pytest.fail(ANY.report(seed))
    tally.add(seen)
    assert not seen.violations, ANY.report(seed)


@pytest.mark.parametrize("seed", range(DEFAULT))
def test_facts_cover_a_random_kernel(seed: int, tally: Observation) -> None:
    holds(seed, tally)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(DEFAULT, SLOW))
def test_facts_cover_thousands_of_random_kernels(seed: int, tally: Observation) -> None:
    holds(seed, tally)


def test_a_seed_gives_one_kernel() -> None:
    assert generate(7) == generate(7) != generate(8)


@pytest.mark.parametrize("seed", range(6))
def test_facts_cover_a_kernel_whose_definitions_are_cut(
    seed: int, tally: Observation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Almost every word becomes an opaque symbol, as in kernels too large to be run here."""
    monkeypatch.setattr(symbols, "DEFINITION_PARTS", 3)
    holds(seed, tally)
