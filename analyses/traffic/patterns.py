"""Access patterns: the address offsets of the lanes, for every distinct warp of a block.

The offsets are those of the lane evaluation (``lanes.evaluation``). Lanes that a guard or a mask
switches off touch nothing. If the offsets change with the iterations of a loop with a known trip
count, each iteration has its own warps.

A pattern without assumptions is exact: whenever a warp executes the access, its lanes have the
offsets of one of ``warps``, from a base that is ``base[0]`` modulo ``base[1]``. Otherwise that
holds if the assumptions do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import add, mul
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.budget import BASE_BITS
from analyses.graph import Loop
from analyses.hardware import LINE, WARP
from analyses.lanes.accesses import LaneAccess, Scope
from analyses.lanes.coordinates import Block3, threads
from analyses.lanes.evaluation import IN_STEP, Warps
from analyses.lanes.lane_value import LaneValue
from analyses.lanes.runs import ENDS, GUARDED, Run
from analyses.lanes.sequences import Numbers, greatest, least, mapped, offsets_from
from analyses.polynomials.symbols import unwrapped
from analyses.program import Operand

Offsets = tuple[int | None, ...]  # of the 32 lanes; None where a lane touches nothing

NEVER_REACHED = "never-reached"
HOPELESS = ("loaded-index", NEVER_REACHED)
REASONS = ("never-computed", "loaded-index", "unmodelled", "shuffled", "symbolic-stride", "join")
"""Why nothing is known, the most specific first."""


class Pattern(NamedTuple):
    """The access pattern of one instruction.

    ``warps`` are the distinct offsets of the warps of a block; ``base`` is (r, m): the address that
    they are added to is r modulo m. ``iterations`` holds the warps of each iteration of the loop
    around the access, if they change. ``stride`` is the distance of neighbours along x, in bytes,
    if it is the same between all of them.
    """

    warps: tuple[Offsets, ...]
    base: tuple[int, int]
    assumptions: tuple[str, ...] = ()
    iterations: tuple[tuple[Offsets, ...], ...] = ()
    ctas: bool = False  # true if the patterns of the CTAs differ
    run: Run | None = None  # of the lanes that pass the guards, if they are one

    @property
    def exact(self) -> bool:
        return not self.assumptions

    @property
    def guarded(self) -> bool:
        """True if a guard may switch off lanes of the pattern."""
        return GUARDED in self.assumptions

    @property
    def conditions(self) -> Run:
        """What it rests on, whichever lanes pass the guards."""
        return (frozenset(self.assumptions) | (self.run or frozenset())) - {GUARDED} - ENDS

    @property
    def split(self) -> bool:
        """True if the lanes of a warp may execute the access in several parts."""
        return self.guarded or IN_STEP in self.assumptions

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
    """The pattern of an access in blocks of a shape, or the reason why it is unknown."""
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
    """The pattern, by iterations if it is not exact for all of them at once."""
    (whole_loop,) = next(scope)
    first = pattern_of(whole_loop, shape)
    if first in HOPELESS or (isinstance(first, Pattern) and first.exact):
        return first
    each = [pattern_of(iteration, shape) for iteration in next(scope)]
    whole = together(each)
    if whole is None:
        return first
    return whole._replace(iterations=tuple(p.warps for p in each if isinstance(p, Pattern)))


def together(each: Sequence[Pattern | str]) -> Pattern | None:
    """The exact pattern of all of them, if each is exact or unreachable."""
    known = [part for part in each if isinstance(part, Pattern) and part.exact]
    if not known or len(known) < sum(part != NEVER_REACHED for part in each):
        return None
    warps = distinct(warp for part in known for warp in part.warps)
    return Pattern(warps, (0, min(part.base[1] for part in known)))


def pattern_of(access: LaneAccess, shape: Block3 | None) -> Pattern | str:
    """The pattern of the access in the lanes, or the reason why it is unknown."""
    address, lanes = access
    if address.offsets is None:
        return next((r for r in REASONS if r in address.assumptions), "nonlinear-lane")
    warps = distinct(rows(address, lanes, shape))
    if not any(o is not None for warp in warps for o in warp):
        return NEVER_REACHED
    assumptions = tuple(sorted(address.assumptions | lanes.assumptions))
    base = 0, 1 << min(address.free, BASE_BITS)
    return Pattern(warps, base, assumptions, run=lanes.run)


def rows(
    address: LaneValue, lanes: LaneValue, shape: Block3 | None, line: int = LINE
) -> Iterable[Offsets]:
    """The offsets of each warp with an active lane, relative to a multiple of ``line`` below its
    first active lane; relative to a multiple of 2**free if that is smaller."""
    count, padded = (WARP, WARP) if shape is None else threads(shape)
    there, active = (laid_out(word.offsets or (), padded)[:count] for word in (address, lanes))
    period = min(line, 1 << address.free)
    seen: dict[tuple[int, Numbers, tuple[int, ...]], None] = {}  # most warps are alike
    alike = type(there) is range and lanes.constant == 1 and count % WARP == 0
    for first in range(0, WARP if alike else count, WARP):
        warp, here = there[first : first + WARP], active[first : first + WARP]
        if any(here):
            start = warp[here.index(1)]
            distances, same = offsets_from(address.width, warp, start), tuple(here)
            for begin in there[::WARP] if alike else (start,):
                seen[begin % period, distances, same] = None
    for start, distances, here in seen:
        row = laid_out(mapped(add, distances, (start,)), len(here))
        lanes_here = [at if one else None for at, one in zip(row, here, strict=True)]
        yield (*lanes_here, *[None] * (WARP - len(here)))


def laid_out(numbers: Sequence[int], count: int) -> Sequence[int]:
    """One number for each lane."""
    return (numbers[0],) * count if len(numbers) == 1 else numbers


def apart(warps: Warps, loop: Loop, a: Operand, b: Operand) -> int:
    """The number of iterations between the first and the last lane of a warp to reach a loop bound:
    the span of ``a - b`` over the lanes divided by its step per iteration. 0 if the difference is
    not a polynomial of coordinates and the loop counter with a constant step."""
    symbolic, standing = warps.symbolic, warps.at(loop.head).domain.specials
    words = [symbolic.word(operand) for operand in (a, b)]
    first, last = (word.offset.polynomial for word in words)
    if first is None or last is None or any(word.origin is not None for word in words):
        return 0
    counter, names, step = symbolic.counters.get(loop.head), symbolic.names, 0
    lanes: Sequence[int] = (0,)
    for monomial, factor in unwrapped(first - last).terms.items():
        if monomial == (counter,):
            step = factor
        elif len(monomial) == 1 and names.get(monomial[0]) in standing:
            numbers = standing[names[monomial[0]]].offsets or ()
            lanes = mapped(add, lanes, mapped(mul, numbers, (factor,)))
        elif any(s is counter or names.get(s) in standing for p in monomial for s in p.parts):
            return 0
    if len(lanes) == 1:
        return 0
    count = len(lanes) if warps.shape is None else threads(warps.shape)[0]
    spans = [lanes[i : min(i + WARP, count)] for i in range(0, count, WARP)]
    span = max(greatest(row) - least(row) for row in spans)
    return span // abs(step) if step else 0


def distinct(found: Iterable[Offsets]) -> tuple[Offsets, ...]:
    return tuple(dict.fromkeys(found))
