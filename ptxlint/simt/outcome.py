"""The outcome of a run: faults, counts, and the final contents of buffers."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ptxlint.contracts.declaration import Triple
from ptxlint.ir import PtxInstr
from ptxlint.simt.memory import Bytes
from ptxlint.syntax import ast


class Fault(Struct, frozen=True):
    """A fault of one instruction: the first thread, and the number of occurrences.

    ``kind``: out-of-bounds, misaligned-access, address-space-mismatch, divergent-barrier,
    divergent-uniform-branch, bad-barrier, undefined-register, unmodelled, branch-index, trap; and
    those of checks: bad-membermask, data-race, uninitialized-read. ``address`` is the address
    operand, ``distance`` its offset in bytes from the start of ``region``, the nearest piece of
    memory. ``other`` is a thread that is elsewhere or, in a race, the one with the earlier access,
    at ``other_instr``. ``detail`` says what is wrong where the kind does not.
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
    detail: str = ""

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


class Outcome(Struct, frozen=True):
    """The result of a run. ``buffers`` holds the final bytes of each buffer argument; ``exhausted``
    is set if a budget ended the run, ``endless`` if its threads poll in vain; ``lane_instructions``
    and ``lane_accesses`` count an instruction, or an access to memory other than parameters, once
    for each active lane."""

    faults: tuple[Fault, ...]
    steps: int
    lane_instructions: int
    exhausted: bool
    buffers: tuple[Bytes, ...]
    lane_accesses: int = 0
    endless: bool = False

    def kinds(self) -> set[str]:
        return {fault.kind for fault in self.faults}


Faults = dict[tuple[object, str], Fault]
"""The first fault of each kind at each instruction."""


class Progress:
    """The state shared by the batches of a run: budgets, counts and faults."""

    def __init__(
        self,
        max_steps: int,
        max_lane_instructions: int | None,
        stray_steps: int | None = None,
        awaits: Callable[[Faults], bool] | None = None,
    ) -> None:
        self.max_steps = max_steps
        self.stray_steps = stray_steps
        self.awaits = awaits
        self.max_lane_instructions = max_lane_instructions
        self.steps = 0
        self.lane_instructions = 0
        self.lane_accesses = 0
        self.exhausted = False
        self.endless = False  # threads poll, and nothing changes
        self.faults: Faults = {}
        self.segments: set[int] = set()  # that were executed
        self.latest = 0  # the step of the latest new segment or fault

    def count(self, instructions: int, lanes: int) -> None:
        self.steps += instructions
        self.lane_instructions += instructions * lanes
        most = self.max_lane_instructions
        many = most is not None and self.lane_instructions > most
        self.exhausted = many or self.steps > self.max_steps or self.stray

    @property
    def stray(self) -> bool:
        """True if a run with a fault has met nothing new for too long, and no other is awaited."""
        most = self.stray_steps
        if most is None or not self.faults or self.steps - self.latest <= most:
            return False
        return self.awaits is None or not self.awaits(self.faults)

    def enter(self, segment: int) -> None:
        if segment not in self.segments:
            self.segments.add(segment)
            self.latest = self.steps

    def record(self, cause: object, fault: Fault) -> None:
        """Keeps the first fault of a kind at an instruction, and counts later ones."""
        known = self.faults.get((cause, fault.kind))
        if known is None:
            self.latest = self.steps
        else:
            fault = replace(known, count=known.count + fault.count)
        self.faults[cause, fault.kind] = fault
