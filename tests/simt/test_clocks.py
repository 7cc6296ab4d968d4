"""Warps that leave a barrier in one step have the clocks that they have one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.hardware import WARP
from ptxlint.simt.races import Clocks

BLOCKS, THREADS = 3, 96


@pytest.mark.parametrize("seed", range(6))
def test_warps_at_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    together, singly = Clocks(BLOCKS, THREADS), Clocks(BLOCKS, THREADS)
    for _ in range(9):
        every = np.arange(BLOCKS * THREADS // WARP)
        warps = every[random.random(every.size) < random.choice([0.5, 1.0])]
        lanes = random.random((warps.size, WARP)) < random.choice([0.3, 1.0])
        together.synchronise_warps(warps, lanes)
        for warp, members in zip(warps.tolist(), lanes, strict=True):
            block, first = divmod(warp * WARP, THREADS)
            if members.any():
                singly.synchronise(block, first + np.flatnonzero(members))
        lanes_of_all = random.random(BLOCKS * THREADS) < 0.5
        for clocks in (together, singly):
            clocks.advance(lanes_of_all)
            clocks.synchronise(0, np.arange(0, THREADS, 2))
        assert (together.known == singly.known).all()
        assert (together.own == singly.own).all()
