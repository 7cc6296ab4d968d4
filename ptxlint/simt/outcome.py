"""What a run tells: faults, counts, and the buffers as the kernel left them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from ptxlint.contracts.contract import Triple
from ptxlint.ir import PtxInstr
from ptxlint.simt.memory import Bytes
from ptxlint.syntax import ast


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong at one instruction: the first thread that met it, and how many times.

    ``kind``: out-of-bounds, misaligned-access, address-space-mismatch, divergent-barrier,
    divergent-uniform-branch, undefined-register, unmodelled, branch-index, trap; and those of
    checks: bad-membermask, data-race, uninitialized-read. An address is as the
    instruction used it, ``distance`` its offset in bytes from the start of ``region``, the nearest
    piece of memory. ``other`` is a thread that is elsewhere or, in a race, the one that ran into
    this, at ``other_instr``.
    """

    kind: str
    text: str
    offset: int
    loc: ast.Loc | None
    instr: PtxInstr
    ctaid: Triple
    tid: Triple
    count: int = 1
    space: str | None = None
    address: int | None = None
    bytes: int | None = None
    region: str | None = None
    distance: int | None = None
    other: Triple | None = None
    other_ctaid: Triple | None = None
    other_instr: PtxInstr | None = None

    def __str__(self) -> str:
        place = f"line {self.loc.line}: " if self.loc else ""
        where = "" if self.address is None else f" at {self.address:#x}"
        if self.region is not None:
            where = f" at {self.region}{self.distance:+d}"
        missing = "" if self.other is None else f", where thread {self.other} is not"
        if self.other_instr is not None:
            missing = f", against {self.other_instr.text} of {self.other_ctaid} {self.other}"
        thread = f"block {self.ctaid} thread {self.tid}"
        return f"{place}{self.kind}: {self.text}{where} in {thread}{missing} ({self.count} times)"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``buffers`` holds the bytes of each buffer argument afterwards; ``exhausted`` says that a
    budget ended the run; ``lane_instructions`` and ``lane_accesses`` count an instruction, or one
    that touches memory other than parameters, once for each active lane. ``seconds`` are those of
    the processor: what a busy machine does beside a run neither counts nor ends it."""

    faults: tuple[Fault, ...]
    steps: int
    lane_instructions: int
    exhausted: bool
    buffers: tuple[Bytes, ...]
    seconds: float = 0.0
    lane_accesses: int = 0

    def kinds(self) -> set[str]:
        return {fault.kind for fault in self.faults}


class Progress:
    """What the batches of a run have in common: the budgets, the counts and the faults so far."""

    def __init__(self, max_steps: int, max_seconds: float) -> None:
        self.max_steps = max_steps
        self.began = time.process_time()
        self.deadline = self.began + max_seconds
        self.steps = 0
        self.lane_instructions = 0
        self.lane_accesses = 0
        self.exhausted = False
        self.faults: dict[tuple[object, str], Fault] = {}

    @property
    def seconds(self) -> float:
        return time.process_time() - self.began

    def count(self, instructions: int, lanes: int) -> None:
        self.steps += instructions
        self.lane_instructions += instructions * lanes
        self.exhausted = self.steps > self.max_steps or time.process_time() > self.deadline

    def record(self, cause: object, fault: Fault) -> None:
        """The first fault of a kind at an instruction stays; later ones are counted."""
        known = self.faults.get((cause, fault.kind))
        if known is not None:
            fault = replace(known, count=known.count + fault.count)
        self.faults[cause, fault.kind] = fault
