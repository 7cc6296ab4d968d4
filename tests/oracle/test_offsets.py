"""Words spread over a warp, judged by the concrete machine: whatever the base is, the lanes of the
result must have the offsets that are claimed, from one multiple of 2**free."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from analyses.concrete.bitvectors import BitVector
from analyses.concrete.machine import Lanes
from analyses.hardware import WARP
from analyses.lanes.lane_value import LaneValue, signed
from analyses.lanes.offsets import LaneValues
from analyses.lanes.runs import ENDS, FIRST, LAST, OUTER, Run
from analyses.lanes.sequences import Numbers, normal

WARPS = 2
LANES = WARP * WARPS
MACHINE = Lanes()
DOMAIN = LaneValues(
    {"laneid": LaneValue(32, tuple(i % WARP for i in range(LANES)), 32)},
    lambda region: 1,
    lambda name, width: LaneValue(width, None, 0),
)

BINARY = (
    "add", "sub", "mul", "and_", "or_", "xor", "mul_hi_u", "mul_hi_s", "div_u", "div_s", "rem_u",
    "rem_s", "min_u", "max_u", "min_s", "max_s", "eq", "ne", "lt_u", "lt_s", "le_u", "le_s",
)  # fmt: skip
UNARY = ("neg", "not_", "abs_", "popc", "clz", "brev")
SHIFTS = ("shl", "shr_u", "shr_s")


def offsets(random: Random, width: int, known: bool) -> Numbers:
    """What addresses are made of: constants, small multiples of the lane, parts of it, anything."""
    scale, shift = random.choice((1, 2, 3, 4, 8, 12)), random.randrange(1 << width)
    row = {
        "one": lambda i: shift,
        "lane": lambda i: i % WARP * scale + (shift if random.random() < 0.5 else 0),
        "part": lambda i: i % WARP >> 2,
        "warp": lambda i: i // WARP * scale,
        "clamped": lambda i: min(i, WARP) * scale + shift,
        "any": lambda i: random.randrange(1 << width),
    }[random.choice(("one", "lane", "lane", "part", "warp", "clamped", "any"))]
    numbers = [row(i) % (1 << width) for i in range(LANES)]
    return normal(numbers)


def word(random: Random, width: int) -> tuple[LaneValue, BitVector]:
    """A claim, and lanes that it is true of; the bounds are those of the lanes, or wider."""
    free = random.choice((width, width, random.randrange(width)))
    numbers = offsets(random, width, free == width)
    lanes = []
    for i in range(LANES):
        if i % WARP == 0:
            base = random.randrange(1 << width) << free
        lanes.append((numbers[i if len(numbers) > 1 else 0] + base) % (1 << width))
    bounds = None
    if random.random() < 0.5:
        readings = [signed(width, n) for n in lanes]
        bounds = ((min(readings), max(readings)), (min(lanes), max(lanes)))
    return LaneValue(width, numbers, free, bounds), BitVector.of(width, lanes)


def holds(claim: LaneValue, seen: BitVector) -> bool:
    """A claim that something was taken for granted for is not judged."""
    assert claim.width == seen.width
    assert claim.offsets is None or len(claim.offsets) in (1, LANES)
    if claim.run is not None and claim.run <= ENDS:
        return all(is_run(on, claim.run) for on in np.reshape(seen.bits, (-1, WARP)).tolist())
    if claim.offsets is None or claim.assumptions:
        return True
    bits = [int(n) for n in np.broadcast_to(seen.bits, LANES)]
    for first in range(0, LANES, WARP):
        lanes = range(first, first + WARP)
        bases = {(bits[i] - claim.lane(i)) % (1 << claim.width) for i in lanes}
        if len(bases) > 1 or bases.pop() % (1 << claim.free):
            return False
    return True


def is_run(on: list[int], run: Run) -> bool:
    """True if a predicate holds in lanes of a warp as the run says."""
    changes = [(before, after) for before, after in pairwise(on) if before != after]
    allowed = {(1, 0): {FIRST, OUTER}, (0, 1): {LAST, OUTER}}
    if {FIRST, LAST} <= run:
        return changes in ([], [(1, 0)], [(0, 1)], [(1, 0), (0, 1)] if OUTER in run else
                           [(0, 1), (1, 0)])  # fmt: skip
    return len(changes) <= 1 and all(run & allowed[change] for change in changes)


@pytest.mark.parametrize("name", [*BINARY, *UNARY, *SHIFTS])
@pytest.mark.parametrize("width", [8, 32])
def test_operators(name: str, width: int) -> None:
    random, told = Random(f"{name} {width}"), 0
    for _ in range(400):
        a, x = word(random, width)
        if name in UNARY:
            claim, seen = getattr(DOMAIN, name)(a), getattr(MACHINE, name)(x)
        else:
            b, y = word(random, 32 if name in SHIFTS else width)
            if name in SHIFTS and random.random() < 0.8:
                by = random.randrange(width + 2)
                b, y = DOMAIN.const(32, by), MACHINE.const(32, by)
            claim, seen = getattr(DOMAIN, name)(a, b), getattr(MACHINE, name)(x, y)
        assert holds(claim, seen), (a, claim)
        told += claim.offsets is not None
    assert told > 100, "the domain says nothing"


@pytest.mark.parametrize("width", [8, 32])
def test_widths_and_choices(width: int) -> None:
    random = Random(width)
    for _ in range(1500):
        (a, x), (b, y), (p, q) = word(random, width), word(random, width), word(random, 1)
        low = random.randrange(width)
        part = random.randint(1, width - low)
        pairs = [
            (DOMAIN.zext(64, a), MACHINE.zext(64, x)),
            (DOMAIN.sext(64, a), MACHINE.sext(64, x)),
            (DOMAIN.extract(part, low, a), MACHINE.extract(part, low, x)),
            (DOMAIN.concat(a, b), MACHINE.concat(x, y)),
            (DOMAIN.select(p, a, b), MACHINE.select(q, x, y)),
        ]
        for claim, seen in pairs:
            assert holds(claim, seen), (a, b, p, claim)


@pytest.mark.parametrize("width", [6, 32])
def test_guards_hold_in_runs(width: int) -> None:
    """Comparisons of a thread's index with a uniform number, and what is made of them."""
    random, told = Random(width), 0

    def compared() -> tuple[LaneValue, BitVector]:
        b, y = word(random, width)
        n, m = DOMAIN.of(width, 0, (0,)), MACHINE.const(width, random.randrange(1 << width))
        name, turned = random.choice(("lt_u", "lt_s", "le_u", "le_s")), random.random() < 0.5
        operands = ((b, n), (y, m)) if turned else ((n, b), (m, y))
        return getattr(DOMAIN, name)(*operands[0]), getattr(MACHINE, name)(*operands[1])

    for _ in range(3000):
        claim, seen = compared()
        for _ in range(random.randrange(3)):
            other, too = compared()
            name = random.choice(("and_", "or_"))
            claim, seen = getattr(DOMAIN, name)(claim, other), getattr(MACHINE, name)(seen, too)
            if random.random() < 0.5:
                claim, seen = DOMAIN.not_(claim), MACHINE.not_(seen)
        assert holds(claim, seen), claim
        told += claim.run is not None and claim.run <= ENDS
    assert told > 200


def test_a_join_holds_of_either_word() -> None:
    random, told = Random(1), 0
    for _ in range(1000):
        (a, x), (b, y) = word(random, 16), word(random, 16)
        claim = DOMAIN.join(a, b)
        assert holds(claim, x) and holds(claim, y), (a, b, claim)
        told += claim.offsets is not None
    assert told > 100


@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles(mode: str) -> None:
    random = Random(mode)
    for _ in range(200):
        a, x = word(random, 32)
        distance, clamp = random.randrange(32), random.choice((0, 31, 0x1C1F, 0x1800))
        given = [DOMAIN.const(32, n) for n in (distance, clamp, -1)]
        asked = [MACHINE.const(32, n) for n in (distance, clamp, -1)]
        for claim, seen in zip(
            DOMAIN.shuffle(mode, a, *given), MACHINE.shuffle(mode, x, *asked), strict=True
        ):
            assert holds(claim, seen), (a, claim)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (lambda o, t: o.and_(t, o.const(32, 31)), "known"),
        (lambda o, t: o.shr_u(t, o.const(32, 5)), "uniform"),
        (lambda o, t: o.xor(t, o.const(32, 3)), "apart"),
        (lambda o, t: o.rem_u(t, o.const(32, 8)), "known"),
        (lambda o, t: o.mul(t, o.const(32, 12)), "apart"),
        (lambda o, t: o.zext(64, o.shl(t, o.const(32, 2))), "apart"),
    ],
)
def test_what_swizzles_are_made_of_is_not_lost(lines: object, told: str) -> None:
    """Of a thread's number in the grid, whose block is unknown."""
    thread = LaneValue(32, tuple(range(WARP)), 8)
    claim = lines(DOMAIN, thread)  # type: ignore[operator]
    assert claim.offsets is not None and not claim.assumptions
    assert {"known": claim.known, "uniform": claim.uniform, "apart": not claim.uniform}[told]
