"""Whether a launch that nobody declared is to blame for an access out of bounds.

A kernel without a guard leaves its buffers wherever there are more threads than elements: it needs
a launch of the right size, and who starts a larger one is to blame. One with a guard that lets one
thread too many in leaves them by one element, whatever the launch. So each number that nobody
declared is made greater, one at a time: where an access strays further then, that number is to
blame, and the launch shows nothing. The same where smaller blocks, and more of them, stray less
far: some kernels are written for blocks of one size. Where nothing makes a difference, the kernel
itself sees to it how far the access goes, and sees to it badly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from analyses.concrete.bitvectors import Array
from ptxlint.contracts.launch import ConcreteLaunch, Launch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.replay.candidates import CandidateLaunch, Trial, changed
from ptxlint.simt import Machine, Observer, RunOptions, run
from ptxlint.simt.memory import WINDOWS


def blameless(
    kernel: Kernel, launch: Launch, trial: CandidateLaunch, first: Trial, instrs: Iterable[PtxInstr]
) -> set[PtxInstr]:
    """Those of the accesses that leave their memory in the trial, which is ``first`` to a machine,
    and of which no undeclared number decides how far they stray."""
    concrete, options = first
    far = strayed(kernel, concrete, options, instrs) or {}
    left = {instr for instr, bytes_ in far.items() if bytes_}
    for larger, (other, own) in changed(kernel, launch, trial):
        if not left:
            break
        limited = replace(
            own,
            blocks=None if options.blocks is None else own.blocks,  # as whole as the first run
            max_steps=options.max_steps,
            max_seconds=options.max_seconds,
        )
        there = strayed(kernel, other, limited, left)
        if there is None:
            return set()
        left = {i for i in left if (there[i] <= far[i] if larger else there[i] >= far[i])}
    return left


def strayed(
    kernel: Kernel, launch: ConcreteLaunch, options: RunOptions, instrs: Iterable[PtxInstr]
) -> dict[PtxInstr, int] | None:
    """How many bytes each access goes beyond its memory at most; None of a run that is not over."""
    observer = Strays(instrs)
    outcome = run(kernel, launch, options, observer)
    return None if outcome.exhausted else observer.far


class Strays(Observer):
    """Measures how far accesses go beyond the piece of memory next to them."""

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
        """The spaces that an address may be of, and where they begin."""
        if space != "generic":
            return [(space, 0)]
        return [("global", 0), *((name, window.start) for name, window in WINDOWS.items())]
