"""Launches that break one bound of an inferred contract by as little as can be, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ptxlint.contracts.expression import Condition, parse
from ptxlint.contracts.launch import SHAPE
from ptxlint.inference.inferred_contract import Bytes
from ptxlint.replay.candidates import Candidate
from ptxlint.results.finding import VERBS
from ptxlint.simt import Fault

from .launches import Draw, Launches, satisfied, sized

SEARCHED = 400  # draws for a launch that breaks a bound alone
FURTHER = (0, 1, 3, 7, 15)  # for those that must be even, or a multiple of 4, 8, 16


@dataclass(frozen=True)
class Bound:
    """A need, or one end of what the accesses of a kind touch of a buffer."""

    label: str
    need: int | None = None
    part: Bytes | None = None
    end: str = ""

    def broken(self, faults: list[Fault]) -> bool:
        """Whether there are faults, of accesses of the kind."""
        kind = self.part.kind if self.part is not None else None
        return any(
            kind in (None, VERBS[f.instr.access.kind])
            for f in faults
            if f.instr is not None and f.instr.access is not None
        )


def bounds(launches: Launches) -> list[Bound]:
    inferred = launches.subject.contract
    found = [Bound(need.condition, index) for index, need in enumerate(inferred.needs)]
    return found + [
        Bound(f"{part.kind} {part.name}[{end})", None, part, end)
        for part in inferred.bytes
        for end in part.ends
    ]


def breaking(launches: Launches, bound: Bound, tries: int) -> Iterator[Candidate]:
    """Launches that break this bound by one and no other."""
    for _ in range(tries):
        if bound.need is not None:
            candidate = _pushed(launches, bound.need)
        else:
            assert bound.part is not None
            candidate = _shrunk(launches, bound.part, bound.end)
        if candidate is not None:
            yield candidate


def _shrunk(launches: Launches, part: Bytes, end: str) -> Candidate | None:
    """A buffer that is one element smaller than it has to be because of this end, which is the
    greatest of its part."""
    element = min(
        instr.access.bytes
        for instr in launches.subject.kernel.instructions
        if instr.access is not None and instr.access.space not in ("param", "local")
    )
    mine, greatest = parse(end), parse(part.high)
    for _ in range(SEARCHED):
        draw = launches.random.choice((launches.draw,) * 3 + (launches.far,))()
        if launches.random.random() < 0.5:
            elements = sized(mine, draw.values.__getitem__) // element
            draw = launches.covering(draw, elements)
        draw = draw.but(f"{part.name}.null", 0)
        if not launches.meets(draw):
            continue
        of = draw.values.__getitem__
        size = sized(mine, of)
        if 0 < size == sized(greatest, of):
            sizes = {**launches.sizes(draw), part.name: max(0, size - element)}
            return launches.concrete(draw, sizes)
    return None


def _pushed(launches: Launches, index: int) -> Candidate | None:
    """A launch that meets all needs but one, with one name moved to where that just stops to hold
    (or a little further, if another need is about its divisors), and no buffer larger than can be
    had."""
    need, random = launches.needs[index], launches.random
    names = sorted({name for condition in need for name in condition.names})
    for _ in range(SEARCHED):
        draw = random.choice((launches.draw, launches.far))()
        if not holds(need, draw):
            continue
        name = random.choice(names)
        for end in launches.ranges[name]:
            first = nearest(need, draw, name, end)
            if first is None:
                continue
            ahead = 1 if end > draw.values[name] else -1
            for further in FURTHER:
                broken = first.but(name, first.values[name] + further * ahead)
                low, high = sorted(launches.ranges[name])
                if not max(low, int(name in SHAPE)) <= broken.values[name] <= high:
                    continue
                wide = launches.covering(broken)
                for found in (wide, broken) if random.random() < 0.7 else (broken,):
                    if launches.meets(found, but=index) and not holds(need, found):
                        candidate = launches.concrete(found, launches.sizes(found))
                        if candidate is not None:
                            return candidate
    return None


def holds(need: tuple[Condition, ...], draw: Draw) -> bool:
    return all(satisfied(condition, draw.values.__getitem__) for condition in need)


def nearest(need: tuple[Condition, ...], draw: Draw, name: str, end: int) -> Draw | None:
    """The draw with a name changed, towards ``end``, as little as breaks the need."""
    good, bad = draw.values[name], end
    step = 1 if end > good else -1
    if not holds(need, draw.but(name, good + step)):
        return draw.but(name, good + step)
    if holds(need, draw.but(name, bad)):
        return None
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(need, draw.but(name, middle)) else (good, middle)
    return draw.but(name, bad)
