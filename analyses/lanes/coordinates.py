"""Where threads stand: the special registers that say so, lane by lane.

Threads are numbered with x fastest, and 32 in a row are a warp.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from analyses.lanes.offsets import WARP, LaneValue
from analyses.lanes.sequences import normal, power

Block3 = tuple[int, int, int]

ROWS = "rows-of-32"  # doubt: ntid.x is a multiple of the warp


@lru_cache(maxsize=64)
def threads(shape: Block3) -> tuple[int, int]:
    """How many a block has, and how many lanes its warps have."""
    count = shape[0] * shape[1] * shape[2]
    return count, -(-count // WARP) * WARP


def placed(cta: Block3 | None) -> Mapping[str, LaneValue]:
    """The special registers that say where a CTA stands."""
    axes = zip("xyz", cta or (), strict=False)
    return {f"ctaid.{axis}": LaneValue(32, (at,), 32) for axis, at in axes}


@lru_cache(maxsize=64)
def standing(shape: Block3 | None) -> Mapping[str, LaneValue]:
    """Who stands where: the special registers that differ between lanes. Threads are numbered with
    x fastest; of an unknown block each warp is taken to be a piece of one row."""
    known: dict[str, list[int]] = {}
    count = WARP if shape is None else threads(shape)[1]
    if shape is not None:
        x, y, _ = shape
        known["tid.x"] = [i % x for i in range(count)]
        known["tid.y"] = [i // x % y for i in range(count)]
        known["tid.z"] = [i // (x * y) for i in range(count)]
    lanes = [i % WARP for i in range(count)]
    known["laneid"] = lanes
    known["lanemask_eq"] = [1 << lane for lane in lanes]
    known["lanemask_lt"] = [(1 << lane) - 1 for lane in lanes]
    known["lanemask_le"] = [(2 << lane) - 1 for lane in lanes]
    known["lanemask_ge"] = [(1 << WARP) - (1 << lane) for lane in lanes]
    known["lanemask_gt"] = [(1 << WARP) - (2 << lane) for lane in lanes]
    words = {name: LaneValue(32, normal(numbers), 32) for name, numbers in known.items()}
    if shape is None:
        rows = frozenset({ROWS})
        words["tid.x"] = LaneValue(32, range(WARP), power(WARP), doubts=rows)
        words["tid.y"] = words["tid.z"] = LaneValue(32, (0,), 0, doubts=rows)
        words["ntid.x"] = LaneValue(32, (0,), power(WARP), doubts=rows)
    return words
