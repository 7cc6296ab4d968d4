"""Attribution: rejects out-of-bounds accesses that only the choice of undeclared values causes.

A kernel without a guard leaves its buffers in any launch with more threads than elements: its
caller must choose the right size, and a larger launch is no witness. A kernel with a guard that is
off by one leaves them by one element in every launch. So each undeclared value is increased, one at
a time: if an access then exceeds its memory by more, the value causes the fault, and the launch is
no witness. Likewise if smaller blocks, and more of them, exceed it by less: some kernels are
written for one block size. If no value makes a difference, the kernel is at fault.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from analyses.concrete.bitvectors import Array
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.ir import PtxInstr
from ptxlint.replay.candidates import Candidate, CandidateLaunch, changed
from ptxlint.replay.replays import Replays
from ptxlint.simt import Machine, Observer, RunOptions
from ptxlint.simt.memory import WINDOWS


def kernel_faults(
    replays: Replays,
    launch: Launch,
    candidate: CandidateLaunch,
    first: Candidate,
    instrs: Iterable[PtxInstr],
) -> set[PtxInstr]:
    """The accesses that leave their memory in the candidate launch by an amount that no undeclared
    value decides. ``first`` is true for the first launch on a machine."""
    concrete, options = first
    far = strayed(replays, concrete, options, instrs) or {}
    left = {instr for instr, bytes_ in far.items() if bytes_}
    for larger, (other, own) in changed(replays.kernel, launch, candidate):
        if not left:
            break
        limited = replace(
            own,
            blocks=None if options.blocks is None else own.blocks,  # as whole as the first run
            max_steps=options.max_steps,
        )
        there = strayed(replays, other, limited, left)
        if there is None:
            return set()
        left = {i for i in left if (there[i] <= far[i] if larger else there[i] >= far[i])}
    return left


def strayed(
    replays: Replays, launch: ConcreteLaunch, options: RunOptions, instrs: Iterable[PtxInstr]
) -> dict[PtxInstr, int] | None:
    """The most bytes by which each access exceeds its memory; None if the run did not finish."""
    observer = Strays(instrs)
    outcome = replays.run(launch, options, observer)
    return None if outcome is None or outcome.exhausted else observer.far


class Strays(Observer):
    """An observer that measures by how much accesses exceed the nearest piece of memory."""

    def __init__(self, instrs: Iterable[PtxInstr]) -> None:
        self.far = dict.fromkeys(instrs, 0)

    def begin(self, machine: Machine) -> None:
        self.spaces = machine.memory.spaces

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        if instr not in self.far or instr.access is None or not active.any():
            return
        used, size = addresses[active], instr.access.bytes
        nearest = np.full(used.size, np.iinfo(np.int64).max)
        for name, start in self.windows(space):
            for piece in self.spaces[name].pieces:
                offsets = (used - np.uint64(start + piece.base)).view(np.int64)
                beyond = np.maximum(-offsets, offsets + size - piece.size)
                np.minimum(nearest, np.maximum(beyond, 0), out=nearest)
        self.far[instr] = max(self.far[instr], int(nearest.max()))

    @staticmethod
    def windows(space: str) -> list[tuple[str, int]]:
        """The spaces that an address may be in, and their first addresses."""
        if space != "generic":
            return [(space, 0)]
        return [("global", 0), *((name, window.start) for name, window in WINDOWS.items())]
