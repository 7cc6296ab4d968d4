"""Predicates that hold in consecutive lanes of each warp, as guards do.

If n is uniform and not declared, the lanes in which ``i < n`` holds are unknown. If i does not
decrease from lane to lane, they are the first lanes of the warp. The *run* of a predicate is a set
of words: whether it holds in the ``FIRST`` lanes, the ``LAST`` ones, in lanes between (both words)
or in ``OUTER`` ones, at both ends; and what was assumed to know that. The run of a mask says the
same of those of its lanes that are left.

Sound because a lane for which ``i < n`` holds has no lane before it with a greater i. The
complement of first lanes are last ones, of lanes between outer ones. Where two runs meet, lanes are
consecutive, and lanes at either end are first, last or outer ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from analyses.hardware import WARP
from analyses.lanes.lane_value import NO_WRAP, LaneValue
from analyses.lanes.sequences import Numbers, greatest, least, signed_values

Run = frozenset[str]

GUARDED = "guarded"  # assumption: every lane passes the guards
FIRST = "first-lanes"
LAST = "last-lanes"
OUTER = "outer-lanes"
ENDS = frozenset({FIRST, LAST, OUTER})


def predicate(run: Run | None) -> LaneValue:
    """A predicate of which only the run is known, if anything."""
    return LaneValue(1, None, 0, run=run)


def run_of(word: LaneValue) -> Run | None:
    """The run of a predicate; a uniform one holds in all lanes of a warp or in none."""
    return word.assumptions if word.uniform else word.run


def meet(a: LaneValue, b: LaneValue) -> Run | None:
    """Of the predicate that both hold, if one of them is known as a run."""
    one, other = run_of(a), run_of(b)
    if (a.run is None and b.run is None) or one is None or other is None:
        return None
    return None if OUTER in one | other else one | other


def union(a: LaneValue, b: LaneValue) -> Run | None:
    """Of the predicate that one of them holds: not both do not hold."""
    one, other = (predicate(complement(word.run)) if word.run else word for word in (a, b))
    neither = meet(one, other)
    return None if neither is None else complement(neither)


def complement(run: Run) -> Run:
    """The run of the other lanes."""
    if {FIRST, LAST} <= run:
        return run ^ {OUTER}
    return run ^ {FIRST, LAST} if run & ENDS else run


def less(a: LaneValue, whole: LaneValue, first: bool, unsigned: bool) -> Run | None:
    """The run of ``a < b`` for a uniform b if a is the ``first`` operand, else that of ``b < a``.
    ``whole`` is a in a form whose offsets do not carry into the base, if there is one."""
    needs, warps = a.assumptions, _in_order(a, whole, unsigned)
    if warps is None:
        needs, warps = needs | _unwrapped(a, unsigned), a.distances
    steps = {(y > x) - (y < x) for warp in warps for x, y in pairwise(warp)} - {0}
    if len(steps) != 1:
        return None
    return needs | {FIRST if (1 in steps) == first else LAST}


def _in_order(a: LaneValue, whole: LaneValue, unsigned: bool) -> Sequence[Numbers] | None:
    """By warp, numbers in the order of the words: of known words the words, of others the offsets,
    as lanes agree on the bits above, the sign among them."""
    if a.known and a.offsets is not None and not unsigned:
        a = a._replace(offsets=signed_values(a.width, a.offsets))
    elif not a.known:
        a = whole
    if a.offsets is None:
        return None
    return [a.offsets[:WARP]] if type(a.offsets) is range else a.by_warp


def _unwrapped(a: LaneValue, unsigned: bool) -> Run:
    """What makes the distances of words those of integers: nothing if these lie close together
    (see ``LaneValues.zext``)."""
    reach = max(greatest(lanes) - least(lanes) for lanes in a.distances)
    low, high = a.bounds[unsigned] if a.bounds is not None else (0, 1 << a.width)
    return frozenset() if high - low + reach < 1 << a.width else frozenset({NO_WRAP})


def among(lanes: LaneValue, condition: LaneValue) -> LaneValue:
    """Those lanes of a mask for which a condition holds that is not known in each lane."""
    run, also = lanes.run if GUARDED in lanes.assumptions else frozenset[str](), condition.run
    both = None if run is None or also is None or OUTER in also else run | also
    return lanes.assuming(GUARDED)._replace(run=both)


def within(lanes: LaneValue, mask: LaneValue) -> LaneValue:
    """Those lanes of a mask that pass the guards of another mask, too."""
    return among(lanes, mask) if GUARDED in mask.assumptions else lanes
