"""Random straight-line programs at full width: every value of every lane lies in its fact.

Small words try all operands but no 64-bit carry, no numpy dtype and no chain of operators. Here a
pool of values (a word of 64 lanes and the fact that must cover it) changes by random operators,
joins, widenings and assumptions; facts start as the join of the lanes they cover: they are tight.
"""

from __future__ import annotations

from functools import reduce
from random import Random
from typing import Any

import pytest

from analyses.concrete.machine import BitVector
from analyses.lattice import Domain

from .judge import LANES, MEMBERS, RELATIONS, Verdict
from .operators import CASES, Case

LANE_COUNT = 64
WIDTHS = (8, 16, 32, 64)
STEPS = 120
KIND_WIDTH = {"p": 1, "n": 32, "b": 32}
Pool = dict[int, list[tuple[BitVector, Any]]]


def start(domain: Domain[Any], width: int, random: Random) -> tuple[BitVector, Any]:
    """Lanes as kernels have them: constants, thread numbers, edges of the range, anything."""
    size = 1 << width
    base = random.choice([0, 1, size // 2, size - 1, random.randrange(size)])
    stride = random.choice([0, 1, 1, 2, 3, 4, 12, 128, random.randrange(size)])
    spread = random.choice([1, 2, 32, LANE_COUNT])
    values = [(base + stride * (lane % spread)) % size for lane in range(LANE_COUNT)]
    if random.random() < 0.2:
        values = [random.randrange(size) for _ in values]
    fact = reduce(domain.join, (domain.const(width, value) for value in dict.fromkeys(values)))
    return BitVector.of(width, values), fact


def computed(domain: Domain[Any], pool: Pool, random: Random) -> list[tuple[str, BitVector, Any]]:
    case: Case = random.choice(CASES)
    width = random.choice([w for w in WIDTHS if w >= case.least_width])
    chosen = [random.choice(pool[KIND_WIDTH.get(kind, width)]) for kind in case.kinds]
    try:
        word = case.apply(LANES, width, *(word for word, _ in chosen))
    except NotImplementedError:  # wider than lanes go
        return []
    title = f"{case}({', '.join(str(fact) for _, fact in chosen)})"
    return [(title, word, case.apply(domain, width, *(fact for _, fact in chosen)))]


def merged(domain: Domain[Any], pool: Pool, random: Random) -> list[tuple[str, BitVector, Any]]:
    width = random.choice(WIDTHS)
    (x, a), (y, b) = random.choice(pool[width]), random.choice(pool[width])
    word = LANES.select(random.choice(pool[1])[0], x, y)
    operation = random.choice(["join", "widen"])
    return [(f"{operation}({a}, {b})", word, getattr(domain, operation)(a, b))]


def assumed(domain: Domain[Any], pool: Pool, random: Random) -> list[tuple[str, BitVector, Any]]:
    """Lanes for which the relation fails take the values of one for which it holds."""
    width = random.choice(WIDTHS)
    (x, a), (y, b) = random.choice(pool[width]), random.choice(pool[width])
    relation = random.choice(RELATIONS)
    holds = wide(getattr(LANES, relation)(x, y)).bits
    if not holds.any():
        return []
    lanes = [lane if holds[lane] else int(holds.argmax()) for lane in range(LANE_COUNT)]
    title = f"assume {a} {relation} {b}"
    words = [BitVector(width, wide(word).bits[lanes]) for word in (x, y)]
    return [(title, *both) for both in zip(words, domain.assume(a, relation, b), strict=True)]


def wide(word: BitVector) -> BitVector:
    """A vector of one element stands for all lanes."""
    repeat = LANE_COUNT if word.bits.size == 1 else 1
    return BitVector(word.width, word.bits.repeat(repeat))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", MEMBERS)
def test_every_lane_lies_in_its_fact(name: str, seed: int, tally: Verdict) -> None:
    domain, random = MEMBERS[name].domain, Random(seed)
    pool: Pool = {w: [start(domain, w, random) for _ in range(6)] for w in (1, *WIDTHS)}
    for _ in range(STEPS):
        step = random.choice([computed] * 6 + [merged, assumed])
        for title, word, fact in step(domain, pool, random):
            admitted = domain.admits(fact, word)
            tally.add(Verdict(admitted.size, int((~admitted).sum())))
            assert admitted.all(), f"{title} -> {fact} lost a lane of {word}"
            if word.width in pool:
                values = pool[word.width]
                values[random.randrange(len(values))] = (word, fact)
