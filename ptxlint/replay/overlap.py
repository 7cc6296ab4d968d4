"""Races that occur only if two buffers overlap: the contract must keep these distinct."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ptxlint.claim import AliasingRace
from ptxlint.contracts.launch import numbers
from ptxlint.replay.replays import Replays
from ptxlint.simt import ConcreteLaunch, Fault, RunOptions, overlapping

RACE = frozenset({"race"})
APART = 16  # bytes: the widest element


def first_race(
    replays: Replays, launch: ConcreteLaunch, options: RunOptions, overlap: AliasingRace
) -> Fault | None:
    """A race in overlapping buffers that does not occur, in this launch, in separate buffers."""
    values = {i: a for i, a in enumerate(launch.arguments) if isinstance(a, int | float)}
    if overlap.one in values or overlap.other in values:
        return None  # null, which overlaps nothing
    of = numbers(replays.kernel, values, launch.grid, launch.block)
    if not all(condition.holds(of) for condition in overlap.when):
        return None
    options = replace(options, checks=RACE)
    apart = {fault.instr for fault in races(replays, launch, options)}
    for shift in (0,) if overlap.same else (0, APART):
        together = overlapping(launch, overlap.one, overlap.other, shift)
        for fault in races(replays, together, options):
            if fault.instr not in apart:
                return fault
    return None


def races(replays: Replays, launch: ConcreteLaunch, options: RunOptions) -> Iterator[Fault]:
    outcome = replays.run(launch, options)
    faults = outcome.faults if outcome is not None else ()
    return (fault for fault in faults if (fault.kind, fault.space) == ("data-race", "global"))
