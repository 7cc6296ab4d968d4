"""What the lanes of a warp add to an address: their offsets, for every distinct warp of the block.

The offsets come from the slice of the address, evaluated lane by lane (``lanewise``). Lanes that a
guard or a mask switches off touch nothing. Where the offsets change with the iterations of a loop
and their number is known, each iteration has warps of its own.

A pattern without doubts is exact: whenever a warp executes the access, its lanes have the offsets
of one of ``warps``, from a base that is ``base[0]`` modulo ``base[1]``. Doubts say what else must
hold of the launch for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import add, mul
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.graph import Loop
from analyses.lanes.accesses import LaneAccess, Scope
from analyses.lanes.coordinates import Block3, threads
from analyses.lanes.evaluation import GUARDED, IN_STEP, Warps
from analyses.lanes.offsets import WARP, LaneValue
from analyses.lanes.sequences import Numbers, above, least, mapped, most
from analyses.program import Operand

LINE = 128
MAX_KNOWN = 12  # low bits of the base that are told

Offsets = tuple[int | None, ...]  # of the 32 lanes; None where a lane touches nothing

NEVER_REACHED = "never-reached"
HOPELESS = ("loaded-index", NEVER_REACHED)
REASONS = ("never-computed", "loaded-index", "unmodelled", "shuffled", "symbolic-stride", "join")
"""Why nothing is known, the most telling first."""


class Pattern(NamedTuple):
    """``warps`` are the distinct offsets of the warps of a block; ``base`` is (r, m): what they are
    added to is r modulo m. ``turns`` holds the warps of each iteration of the loop around the
    access, where they change. ``stride`` is the distance of neighbours along x, in bytes, if it is
    the same between all of them."""

    warps: tuple[Offsets, ...]
    base: tuple[int, int]
    doubts: tuple[str, ...] = ()
    turns: tuple[tuple[Offsets, ...], ...] = ()
    ctas: bool = False  # whether the CTAs of the grid have warps of their own

    @property
    def exact(self) -> bool:
        return not self.doubts

    @property
    def guarded(self) -> bool:
        """Whether a guard may switch off lanes that the pattern has."""
        return GUARDED in self.doubts

    @property
    def split(self) -> bool:
        """Whether the lanes of a warp may come in parts, or each by a way of its own."""
        return self.guarded or IN_STEP in self.doubts

    @property
    def stride(self) -> int | None:
        steps = {
            b - a
            for warp in self.warps
            for a, b in pairwise(warp)
            if a is not None and b is not None
        }
        return steps.pop() if len(steps) == 1 else None


def pattern(
    found: ResolvedAccess, each_cta: Iterator[Scope], shape: Block3 | None
) -> Pattern | str:
    """The pattern of an access in blocks of a shape, or the reason why there is none."""
    if not found.reached:
        return NEVER_REACHED
    if found.origin is None and found.access.space == "generic":
        return "generic-space"
    first = in_scope(next(each_cta), shape)
    if first == "loaded-index" or (isinstance(first, Pattern) and first.exact):
        return first
    whole = together([in_scope(cta, shape) for cta in each_cta])
    return first if whole is None else whole._replace(ctas=True)


def in_scope(scope: Scope, shape: Block3 | None) -> Pattern | str:
    """The pattern, by iterations where it is not exact for all of them at once."""
    (whole_loop,) = next(scope)
    first = pattern_of(whole_loop, shape)
    if first in HOPELESS or (isinstance(first, Pattern) and first.exact):
        return first
    each = [pattern_of(iteration, shape) for iteration in next(scope)]
    whole = together(each)
    if whole is None:
        return first
    return whole._replace(turns=tuple(p.warps for p in each if isinstance(p, Pattern)))


def together(each: Sequence[Pattern | str]) -> Pattern | None:
    """The exact pattern of all of them, where each is exact or never happens."""
    known = [part for part in each if isinstance(part, Pattern) and part.exact]
    if not known or len(known) < sum(part != NEVER_REACHED for part in each):
        return None
    warps = distinct(warp for part in known for warp in part.warps)
    return Pattern(warps, (0, min(part.base[1] for part in known)))


def pattern_of(access: LaneAccess, shape: Block3 | None) -> Pattern | str:
    """The pattern in the iterations that the access was evaluated for."""
    address, lanes = access
    if address.offsets is None:
        return next((r for r in REASONS if r in address.doubts), "nonlinear-lane")
    warps = distinct(rows(address, lanes, shape))
    if not any(o is not None for warp in warps for o in warp):
        return NEVER_REACHED
    doubts = tuple(sorted(address.doubts | lanes.doubts))
    return Pattern(warps, (0, 1 << min(address.free, MAX_KNOWN)), doubts)


def rows(
    address: LaneValue, lanes: LaneValue, shape: Block3 | None, line: int = LINE
) -> Iterable[Offsets]:
    """The offsets of each warp that has a lane here, from a multiple of ``line`` below its first;
    of what the base does not decide, if that is less."""
    count, padded = (WARP, WARP) if shape is None else threads(shape)
    there, active = (laid_out(word.offsets or (), padded)[:count] for word in (address, lanes))
    period = min(line, 1 << address.free)
    seen: dict[tuple[int, Numbers, tuple[int, ...]], None] = {}  # most warps are alike
    alike = type(there) is range and lanes.constant == 1 and count % WARP == 0
    for first in range(0, WARP if alike else count, WARP):
        warp, here = there[first : first + WARP], active[first : first + WARP]
        if any(here):
            start = warp[here.index(1)]
            distances, same = above(address.width, warp, start), tuple(here)
            for begin in there[::WARP] if alike else (start,):
                seen[begin % period, distances, same] = None
    for start, distances, here in seen:
        row = laid_out(mapped(add, distances, (start,)), len(here))
        lanes_here = [at if one else None for at, one in zip(row, here, strict=True)]
        yield (*lanes_here, *[None] * (WARP - len(here)))


def laid_out(numbers: Sequence[int], count: int) -> Sequence[int]:
    """What each lane has, one after the other."""
    return (numbers[0],) * count if len(numbers) == 1 else numbers


def apart(warps: Warps, loop: Loop, a: Operand, b: Operand) -> int:
    """How many iterations lie between the first lane of a warp for which the difference of two
    words has come to a bound, and the last: the span of the lanes over the step of an iteration. 0
    where the difference is no polynomial of coordinates and iterations with a constant step."""
    values, standing = warps.values, warps.at(loop.head).domain.specials
    words = [values.polynomial(operand) for operand in (a, b)]
    if any(word.origin is not None or word.offset.terms is None for word in words):
        return 0
    difference = values.resolved(values.affines.sub(words[0].offset, words[1].offset))
    step = 0
    lanes: Sequence[int] = (0,)
    for monomial, factor in difference.terms or ():
        if monomial == (f"k{loop.head}",):
            step = factor
        elif len(monomial) == 1 and isinstance(monomial[0], str) and monomial[0] in standing:
            numbers = standing[monomial[0]].offsets or ()
            lanes = mapped(add, lanes, mapped(mul, numbers, (factor,)))
        elif any(s in standing or s == f"k{loop.head}" for s in monomial):
            return 0
    if len(lanes) == 1:
        return 0
    count = len(lanes) if warps.shape is None else threads(warps.shape)[0]
    spans = [lanes[i : min(i + WARP, count)] for i in range(0, count, WARP)]
    span = max(most(row) - least(row) for row in spans)
    return span // abs(step) if step else 0


def distinct(found: Iterable[Offsets]) -> tuple[Offsets, ...]:
    return tuple(dict.fromkeys(found))
