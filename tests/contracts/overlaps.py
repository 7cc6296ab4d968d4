"""Launches in which two buffers overlap: whether what a kernel computes depends on the order of its
threads, or is something else than with buffers of their own.

The long run: ``python -m tests.contracts.overlaps [--launches 6] [NAMES]``. Each two buffers of the
corpus of which a contract says something overlap in so many launches: where the contract lets them
be the same, nothing may come of it; where it does not, harm shows that it is right. Ends with
status 1 if a contract allows harm.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod
from random import Random

import numpy as np
from msgspec.structs import replace

from ptxlint.contracts.expression import conditions
from ptxlint.inference.aliasing import InferredDistinct
from ptxlint.ir import Kernel
from ptxlint.replay.candidates import Candidate
from ptxlint.simt import Allocation, ConcreteLaunch, Outcome, RunOptions, overlapping, run
from ptxlint.simt.memory import Bytes

from .kernels import Subject, files, subjects
from .launches import Draw, Launches

SHIFTS = (0, 4, 64)  # bytes
SCHEDULES = (None, 1, 2)
LANES = 2048
LONGEST = 1 << 16  # bytes of a buffer


@dataclass(frozen=True)
class Pair:
    """Two buffers, by the positions of their parameters, of which something is said."""

    one: int
    other: int
    said: InferredDistinct

    @property
    def label(self) -> str:
        return f"distinct {self.said.text}"


def pairs(launches: Launches) -> Iterator[Pair]:
    names = [name for name, _ in launches.subject.contract.params]
    for said in launches.subject.contract.distinct:
        for one, other in combinations(said.names, 2):
            yield Pair(names.index(one), names.index(other), said)


def drawn(launches: Launches, pair: Pair, tries: int = 200) -> Iterator[Candidate]:
    """Launches that meet the contract; of two that may be the same, only those where they may."""
    for _ in range(tries):
        draw = launches.draw()
        small = prod(draw.block) * prod(draw.grid) <= LANES
        if not small or not launches.meets(draw) or (pair.said.same and not allowed(pair, draw)):
            continue
        candidate = launches.concrete(draw, launches.sizes(draw))
        launch = candidate and filled(launches, candidate[0], pair)
        if candidate is not None and launch is not None:
            yield launch, candidate[1]


def allowed(pair: Pair, draw: Draw) -> bool:
    """Whether the two may be the same in this launch."""
    when = conditions(pair.said.when) if pair.said.when else ()
    return pair.said.same and all(c.holds(draw.values.__getitem__) for c in when)


def filled(launches: Launches, launch: ConcreteLaunch, pair: Pair) -> ConcreteLaunch | None:
    """The two buffers with the same words, as large as the larger one; None where one is none, or
    larger than is looked at."""
    buffers = [launch.arguments[index] for index in (pair.one, pair.other)]
    both = [b for b in buffers if isinstance(b, Allocation)]
    sizes = [b.size or 0 for b in both]
    if len(both) < 2 or not all(0 < size <= LONGEST for size in sizes):
        return None
    align = max(b.align for b in both)
    data = np.frombuffer(launches.random.randbytes(max(sizes)), np.uint8)
    arguments = list(launch.arguments)
    for index in (pair.one, pair.other):
        arguments[index] = Allocation(2 * max(sizes), data, align)
    return replace(launch, arguments=tuple(arguments))


def contents(launch: ConcreteLaunch, outcome: Outcome) -> dict[int, Bytes]:
    """What is in the buffers afterwards, by position."""
    at = [i for i, argument in enumerate(launch.arguments) if isinstance(argument, Allocation)]
    return dict(zip(at, (bytes_.copy() for bytes_ in outcome.buffers), strict=True))


def results(kernel: Kernel, launch: ConcreteLaunch, options: RunOptions) -> list[dict[int, Bytes]]:
    """What each schedule leaves, as far as they come to their end."""
    outcomes = [run(kernel, launch, replace(options, schedule=each)) for each in SCHEDULES]
    return [contents(launch, outcome) for outcome in outcomes if not outcome.exhausted]


def differ(one: dict[int, Bytes], other: dict[int, Bytes]) -> bool:
    return any(not np.array_equal(one[index], other[index]) for index in one.keys() & other.keys())


def races(kernel: Kernel, launch: ConcreteLaunch, options: RunOptions) -> bool:
    options = replace(options, checks=frozenset({"race"}))
    return "data-race" in run(kernel, launch, options).kinds()


def harm(launches: Launches, candidate: Candidate, pair: Pair, shift: int) -> str | None:
    """What comes of buffers that overlap so, None if nothing does. Empty where the result depends
    on the order of threads anyway, or a run does not come to its end."""
    kernel, (launch, options) = launches.subject.kernel, candidate
    apart = results(kernel, launch, options)
    shared = overlapping(launch, pair.one, pair.other, shift)
    found = results(kernel, shared, options)
    if min(len(apart), len(found)) < len(SCHEDULES):
        return ""
    if any(differ(apart[0], each) for each in apart) or races(kernel, launch, options):
        return ""
    if races(kernel, shared, options):
        return "a race"
    if any(differ(found[0], each) for each in found):
        return "it depends on the order"
    one, other = apart[0].pop(pair.one), apart[0].pop(pair.other)
    written = other if np.array_equal(one, contents_before(launch, pair.one)) else one
    changed = shift == 0 and not np.array_equal(found[0][pair.one], written)
    return "another result" if changed or differ(apart[0], found[0]) else None


def contents_before(launch: ConcreteLaunch, index: int) -> Bytes:
    buffer = launch.arguments[index]
    assert isinstance(buffer, Allocation) and buffer.size is not None
    return np.resize(np.append(buffer.data, np.zeros(buffer.size, np.uint8)), buffer.size)


def shown(of: Subject, most: int) -> Iterator[tuple[Pair, list[str]]]:
    """What comes of overlaps, in ``most`` launches of each pair, or up to the first harm."""
    launches = Launches(of, Random(of.name))
    for pair in pairs(launches):
        found: list[str] = []
        shifts = (0,) if pair.said.same else SHIFTS
        for number, candidate in zip(range(most), drawn(launches, pair), strict=False):
            found.append(harm(launches, candidate, pair, shifts[number % len(shifts)]) or "")
            if found[-1]:
                break
        yield pair, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--launches", type=int, default=6)
    asked = parser.parse_args()
    count: Counter[str] = Counter()
    for path in files():
        chosen = not asked.names or any(name in path.stem for name in asked.names)
        for of in subjects(path) if chosen else ():
            for pair, found in shown(of, asked.launches):
                kind = "may be the same" if pair.said.same else "must be distinct"
                come = "no launch to run" if not found else "harm" if found[-1] else "no harm"
                count[f"pairs that {kind}: {come}"] += 1
                if (come == "harm") == pair.said.same or come == "no launch to run":
                    print(f"{of.name}: {pair.label}: {come} {found[-1] if found else ''}")
    for label, number in sorted(count.items()):
        print(f"{number:,} {label}")
    return 1 if count["pairs that may be the same: harm"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
