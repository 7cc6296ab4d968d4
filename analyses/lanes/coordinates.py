"""Thread coordinates: the special registers that differ between lanes.

Threads are numbered with x fastest; 32 consecutive threads are a warp.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from analyses.hardware import WARP
from analyses.lanes.lane_value import LaneValue
from analyses.lanes.sequences import normal, trailing_zeros

Block3 = tuple[int, int, int]

ROWS = "rows-of-32"  # assumption: ntid.x is a multiple of the warp size


@lru_cache(maxsize=64)
def threads(shape: Block3) -> tuple[int, int]:
    """The number of threads of a block, and that of lanes in its warps."""
    count = shape[0] * shape[1] * shape[2]
    return count, -(-count // WARP) * WARP


def cta_registers(cta: Block3 | None) -> Mapping[str, LaneValue]:
    """The special registers with the position of a CTA in the grid."""
    axes = zip("xyz", cta or (), strict=False)
    return {f"ctaid.{axis}": LaneValue(32, (at,), 32) for axis, at in axes}


@lru_cache(maxsize=64)
def thread_registers(shape: Block3 | None) -> Mapping[str, LaneValue]:
    """The special registers that differ between lanes. In a block of unspecified shape each warp is
    assumed to lie in one row."""
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
        words["tid.x"] = LaneValue(32, range(WARP), trailing_zeros(WARP), assumptions=rows)
        words["tid.y"] = words["tid.z"] = LaneValue(32, (0,), 0, assumptions=rows)
        words["ntid.x"] = LaneValue(32, (0,), trailing_zeros(WARP), assumptions=rows)
    return words
