"""Races that are there only where two buffers overlap: what shows that a contract must keep them
distinct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ptxlint.finding import Overlap
from ptxlint.ir import Kernel
from ptxlint.simt import Buffer, Fault, Setup, run
from ptxlint.simt.launch import numbers

RACE = frozenset({"race"})
APART = 16  # bytes: the widest element


def first_race(kernel: Kernel, setup: Setup, overlap: Overlap) -> Fault | None:
    """A race in buffers that overlap as they may, in this launch, and not in buffers of their
    own."""
    values = {i: a for i, a in enumerate(setup.arguments) if not isinstance(a, Buffer)}
    of = numbers(kernel, values, setup.grid, setup.block)
    if not all(condition.holds(of) for condition in overlap.when):
        return None
    setup = replace(setup, checks=RACE)
    apart = {id(fault.instr) for fault in races(kernel, setup)}
    for shift in (0,) if overlap.same else (0, APART):
        together = setup.overlapping(kernel, overlap.one, overlap.other, shift)
        for fault in races(kernel, together):
            if id(fault.instr) not in apart:
                return fault
    return None


def races(kernel: Kernel, setup: Setup) -> Iterator[Fault]:
    return (fault for fault in run(kernel, setup).faults if fault.kind == "global-race")
