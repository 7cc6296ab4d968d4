"""Uniformity: a word of a level is the same in all threads that the level names.

A grid of two CTAs, each of two warps of two lanes. Operands are random words of a level, the
concrete machine computes, and the threads that agree on the result are at least those that are said
to. Registers are those of a launch on the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

from analyses.concrete.machine import BitVector, Lanes
from analyses.domains.uniformity import Level, Uniform, Uniformities
from ptxlint.simt import ConcreteLaunch, Layout

from .judge import Verdict
from .operators import CASES, Case

MACHINE = Lanes()
CTA, WARP, COUNT = 4, 2, 8  # threads
GROUP = {Level.GRID: COUNT, Level.CTA: CTA, Level.WARP: WARP, Level.DIVERGENT: 1}
WIDTH = {"p": 1, "n": 32, "b": 32}
TRIES = 12


def covers(fact: Uniform, word: BitVector, group: dict[Level, int] = GROUP) -> bool:
    """Whether the threads that the fact names agree on the word, group by group."""
    size = group.get(fact.level, 1)
    lanes = np.broadcast_to(word.bits, group[Level.GRID])
    parts = [BitVector(word.width, lanes[i : i + size]) for i in range(0, lanes.size, size)]
    return all(bool(Uniformities().admits(fact, part).all()) for part in parts)


def word(level: Level, width: int, random: Random) -> BitVector:
    numbers = [random.randrange(1 << width) for _ in range(0, COUNT, GROUP[level])]
    return BitVector.of(width, [n for n in numbers for _ in range(GROUP[level])])


def judge(case: Case, width: int, random: Random, tally: Verdict) -> Iterator[str]:
    domain = Uniformities()
    for levels in product(GROUP, repeat=len(case.kinds)):
        widths = [WIDTH.get(kind, width) for kind in case.kinds]
        facts = [Uniform(*each) for each in zip(levels, widths, strict=True)]
        claim = case.apply(domain, width, *facts)
        for _ in range(TRIES):
            seen = case.apply(MACHINE, width, *(word(*fact, random) for fact in facts))
            lost = claim.width != seen.width or not covers(claim, seen)
            tally.add(Verdict(COUNT, int(lost)))
            if lost:
                yield f"{case}({', '.join(level.name for level in levels)}) is not {claim}: {seen}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_threads_agree_on_results_as_they_are_said_to(case: Case, tally: Verdict) -> None:
    wrong = list(judge(case, 8, Random(str(case)), tally))
    assert not wrong, "\n".join(wrong[:5])


def test_a_bound_covers_what_each_side_covers() -> None:
    random, domain = Random(1), Uniformities()
    for one, other in product(GROUP, repeat=2):
        a, b = Uniform(one, 8), Uniform(other, 8)
        for fact in (a, b):
            assert covers(domain.join(a, b), word(fact.level, 8, random))
        assert not covers(domain.bottom(8), word(one, 8, random))
        both = word(min(one, other), 8, random)
        assert covers(a, both) and covers(b, both) and covers(domain.meet(a, b), both)


@pytest.mark.parametrize("block", [(64, 1, 1), (8, 4, 2), (32, 2, 1)])
def test_registers_agree_as_they_are_said_to(block: tuple[int, int, int]) -> None:
    grid = (2, 1, 2)
    ctas = [(x, 0, z) for z in range(2) for x in range(2)]
    layout, launch = Layout.of(block, ctas), ConcreteLaunch(grid, block)
    group = {Level.GRID: 256, Level.CTA: 64, Level.WARP: 32, Level.DIVERGENT: 1}
    for name, seen in layout.specials(launch, 0).items():
        claim = Uniformities().special(name, 32)
        assert covers(claim, seen, group), f"{name} is not {claim}"
