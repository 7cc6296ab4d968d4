"""The machine: one batch of blocks, its values and masks, and the main loop.

``pending`` maps a segment of the code to its runnable lanes; the lowest segment runs first. Values
used only in their own segment are simply bound; others keep the words of inactive lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector, Lanes
from analyses.hardware import WARP
from analyses.program import (
    AddressOf,
    Assume,
    Block,
    Constant,
    Effect,
    Instr,
    Operand,
    Phi,
    Special,
    Terminator,
    Value,
    barrier_operands,
)
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.ir import PtxInstr
from ptxlint.simt.accesses import addressed, load, of_lanes, store, update, zero
from ptxlint.simt.barriers import Arrival, Barriers
from ptxlint.simt.checks import Checks
from ptxlint.simt.code import Action, Code, Segment
from ptxlint.simt.layout import Layout, RunOptions
from ptxlint.simt.memory import WINDOWS, Memory, Refused, generic
from ptxlint.simt.outcome import Fault, Faults, Progress
from ptxlint.simt.polling import Polling
from ptxlint.simt.scheduler import Scheduler
from ptxlint.simt.undefined import UndefinedLanes

UNIFORM = ("global", "const", "param")
"""Spaces in which one address is the same byte for every thread."""


class Observer(Protocol):
    """Observes all events of a run, as whole vectors with the active lanes. A word of one element
    is the same in all lanes; addresses are 64-bit operands. Every method is optional."""

    def begin(self, machine: Machine) -> None:
        return

    def entered(self, block: int, active: Array) -> None:
        return

    def defined(
        self, cause: PtxInstr | Phi | Assume, value: Value, word: BitVector, active: Array
    ) -> None:
        return

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        return

    def branched(
        self, block: int, terminator: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        return

    def awaits(self, faults: Faults) -> bool:
        """True if a run that strays, with these faults, is to go on."""
        return False

    def satisfied(self) -> bool:
        """True if nothing more is to be observed: the run ends."""
        return False


class Machine:
    """The interpreter of one batch. ``layout`` maps lanes to threads, ``memory.addresses`` gives
    the first byte of regions, ``barriers`` the lanes that wait, have exited or were aborted by a
    fault."""

    def __init__(
        self,
        code: Code,
        launch: ConcreteLaunch,
        options: RunOptions,
        layout: Layout,
        memory: Memory,
        progress: Progress,
        observer: Observer | None,
        checks: Checks | None = None,
    ) -> None:
        self.launch = launch
        self.options = options
        self.layout = layout
        self.memory = memory
        self._code = code
        self._progress = progress
        self._observer = observer
        specials = layout.specials(launch, memory.static_shared)
        self._lanes = Lanes(specials, layout.live, memory.addresses, WINDOWS)
        self._lanes.meeting = layout.cta
        self.barriers = Barriers(layout.live, layout.cta, options.schedule is None)
        self._undefined = UndefinedLanes(code.undefined, self._lanes)
        self._words: dict[Value, BitVector] = {}
        self._pending: dict[int, Array] = {0: layout.live}
        self._alive = int(np.count_nonzero(layout.live))
        self._active = layout.live
        self._running = self._alive
        self._polling = Polling(code)
        self._scheduler: Scheduler | None = None
        if options.gathers:
            self._scheduler = Scheduler(
                code.segments, self._pending, self.barriers, self._read, options.schedule,
                self._polling.priority, checks.met if checks is not None else None,
            )  # fmt: skip
        self._checks = checks
        if checks is not None:
            checks.begin(layout, self._fault)
            memory.watch = checks.accessed

    def run(self) -> None:
        while True:
            while (turn := self._next()) is not None:
                if self._polling.endless:
                    self._progress.endless = self._progress.exhausted = True
                if self._progress.exhausted or (self._observer and self._observer.satisfied()):
                    return
                self._run_segment(self._code.segments[turn[0]], turn[1])
            if not self._open(bool(self._pending)) and not self._resume_deadlocked():
                return

    def _next(self) -> tuple[int, Array] | None:
        if self._polling.all_polled(self._pending):
            self._open(True)
        if self._scheduler is None:
            number = min(self._pending, key=self._polling.priority, default=None)
            return None if number is None else (number, self._pending.pop(number))
        if self._scheduler.pause():
            self._open(True)
        return self._scheduler.next()

    def _open(self, others_run: bool) -> bool:
        """True if a barrier opened."""
        opening = self.barriers.open(others_run)
        for fault in opening.faults:
            barrier, other = self._barrier(fault.segment), self.layout.thread(fault.other)[1]
            self._fault(fault.kind, barrier, fault.lane, other=other, detail=fault.detail)
        self._vote({n: lanes for n, lanes in opening.segments.items() if self._barrier(n).defs})
        for number, lanes in opening.segments.items():
            self._go(number + 1, lanes)
        if self._checks is not None:
            self._checks.opened(opening)
        return bool(opening.segments)

    def _resume_deadlocked(self) -> bool:
        """Resumes lanes that wait in vain for others of their warp. True if there are any."""
        stuck = self._scheduler.deadlocked() if self._scheduler is not None else None
        if stuck is None:
            return False
        number, lanes, lane, other = stuck
        segment = self._code.segments[number]
        assert segment.gather is not None
        self._fault("bad-membermask", segment.gather, lane, other=self.layout.thread(other)[1])
        self._run_segment(segment, lanes)
        return True

    def _vote(self, segments: dict[int, Array]) -> None:
        """The reductions of these lanes over all lanes at their barrier, which may wait at
        different instructions."""
        if not segments:
            return
        words = {n: [self._read(use) for use in self._barrier(n).uses] for n in segments}
        numbers, votes = np.zeros(self.layout.live.size, np.uint32), np.zeros_like(self.layout.live)
        for number, lanes in segments.items():
            np.copyto(numbers, words[number][0].bits, where=lanes)
            np.copyto(votes, words[number][-1].bits, where=lanes)
        everyone = np.logical_or.reduce(list(segments.values()))
        self._active = self._lanes.active = everyone
        operands = BitVector(32, numbers), BitVector(1, votes)
        for number, lanes in segments.items():
            barrier = self._barrier(number)
            whole = np.count_nonzero(lanes) == self._alive
            results = barrier.evaluate(self._lanes, operands)
            for value, word in zip(barrier.defs, results, strict=True):
                self._define(barrier, value, word, lanes, whole)

    def _barrier(self, segment: int) -> PtxInstr:
        barrier = self._code.segments[segment].barrier
        assert barrier is not None
        return barrier

    def _go(self, number: int, lanes: Array) -> None:
        others = self._pending.get(number)
        self._pending[number] = lanes if others is None else others | lanes

    def _run_segment(self, segment: Segment, active: Array) -> None:
        self._active = self._lanes.active = active
        self._running = int(np.count_nonzero(active))
        self._progress.count(segment.steps, self._running)
        self._progress.enter(segment.index)
        self._polling.ran(segment.index)
        if segment.first:
            if self._observer is not None:
                self._observer.entered(segment.block.index, active)
            for assume in segment.assumes:
                self._undefined.copy_all([(assume.target, assume.source)], active)
                self._define(assume, assume.target, self._words[assume.source])
        if segment.gather is not None and self._scheduler is not None:
            outside = self._scheduler.lanes_outside_mask(segment.gather, active)
            if outside.any():
                lane = int(np.argmax(outside))
                self._fault("bad-membermask", segment.gather, lane, int(outside.sum()))
        for instr, operands, action in segment.parts:
            try:
                self._issue(instr, operands, action)
            except NotImplementedError:
                self._stop("unmodelled", instr)
                return
            if action is Action.TRAP:
                self._stop("trap", instr)
                return
        try:
            self._end(segment, active)
        except NotImplementedError:
            cause = segment.barrier or segment.block.terminator.instr
            assert isinstance(cause, PtxInstr)
            self._stop("unmodelled", cause)

    def _end(self, segment: Segment, active: Array) -> None:
        if segment.barrier is not None:
            self._wait(segment, segment.barrier)
        elif segment.last:
            self._leave(segment.block)
        else:
            self._go(segment.index + 1, active)

    # --- instructions

    def _issue(self, instr: PtxInstr, operands: Iterable[Operand], action: Action) -> None:
        """Executes an instruction. Raises NotImplementedError if it has no meaning."""
        if action is Action.UNMODELLED:
            raise NotImplementedError(instr.text)
        words = [self._read(operand) for operand in operands]
        self._check_undefined(instr, self._active)
        if instr in self._code.propagating:
            results = self._undefined.evaluate(instr, words, self._active)
        elif action is Action.COMPUTE:
            results = instr.evaluate(self._lanes, words)
        elif action is Action.ACCESS:
            results = self._access(instr, words)
        else:
            if self._checks is not None:
                self._checks.passed(instr, self._active)
            return
        for value, word in zip(instr.defs, results, strict=True):
            self._define(instr, value, word)

    def _check_undefined(self, instr: Instr | None, active: Array) -> None:
        """Reports the lanes in which an effect of the instruction depends on an undefined bit."""
        if not isinstance(instr, PtxInstr) or instr not in self._code.effects:
            return
        mask = None if instr.access is None else instr.access.mask
        for effect in self._code.effects[instr]:
            lanes = self._undefined.affected(effect, active)
            if mask is not None and effect.operand is not mask:
                lanes = lanes & self._read(mask).bits
            if lanes.any():
                self._fault("undefined-register", instr, int(np.argmax(lanes)), int(lanes.sum()))
                return

    def _read(self, operand: Operand) -> BitVector:
        if type(operand) is Value:
            return self._words[operand]
        o = self._lanes
        if type(operand) is Constant:
            return o.const(operand.width, operand.bits)
        if type(operand) is Special:
            if operand.name.startswith(("clock", "globaltimer")):
                return o.const(operand.width, self._progress.steps)
            if operand.name not in o.specials:
                raise NotImplementedError(operand.name)
            return o.special(operand.name, operand.width)
        if type(operand) is AddressOf:
            address = self.memory.addresses[operand.region]
            if operand.generic:
                address = generic(operand.region, address)
            return o.const(operand.width, address)
        return zero(self._lanes, operand.width)

    def _define(
        self,
        cause: PtxInstr | Phi | Assume,
        value: Value,
        word: BitVector,
        lanes: Array | None = None,
        whole: bool | None = None,
    ) -> None:
        """Binds a value in the active lanes, or in those of an edge; ``whole`` if these are all
        that have not exited."""
        if lanes is None:
            lanes, whole = self._active, self._running == self._alive
        if not whole and value in self._code.escaping and value in self._words:
            kept = self._words[value]
            word = BitVector(word.width, np.where(lanes, word.bits, kept.bits))
        self._words[value] = word
        if self._observer is not None:
            self._observer.defined(cause, value, word, lanes)

    # --- memory

    def _access(self, instr: PtxInstr, words: Sequence[BitVector]) -> Sequence[BitVector]:
        access = instr.access
        assert access is not None
        active, running = self._active, self._running
        data = words[1:]
        if access.mask is not None:
            active = active & data[-1].bits
            running = int(np.count_nonzero(active))
            data = data[:-1]
        if access.space != "param":
            self._progress.lane_accesses += running
        addresses = addressed(words[0], access.offset)
        if self._observer is not None:
            everywhere = np.broadcast_to(addresses, active.shape)
            self._observer.accessed(instr, access.space, everywhere, active)
        if not running:
            return [zero(self._lanes, value.width) for value in instr.defs]
        total = active.size
        lanes = None if running == total else np.flatnonzero(active)
        watched = self.memory.watch is not None
        if (
            access.kind == "load"
            and addresses.size == 1
            and access.space in UNIFORM
            and not watched
            and not data
        ):
            results, refused = load(self.memory, instr, addresses, None, 1)
            self._refuse(instr, refused, addresses, np.flatnonzero(active), running)
            return results
        if addresses.size == 1:
            addresses = np.broadcast_to(addresses, active.shape)
        requested = of_lanes(addresses, lanes)
        results = []
        if access.kind == "load":
            results, refused = load(self.memory, instr, requested, lanes, total, data)
        elif access.kind == "store":
            refused = store(self.memory, instr, requested, lanes, data)
        else:
            wanted = any(value in self._code.used for value in instr.defs)
            o = self._lanes
            old, refused = update(self.memory, o, instr, requested, lanes, data, total, wanted)
            results = old[: len(instr.defs)]
        self._refuse(instr, refused, requested, lanes, 1)
        return results

    def _refuse(
        self,
        instr: PtxInstr,
        refused: list[Refused],
        requested: Array,
        lanes: Array | None,
        weight: int,
    ) -> None:
        access = instr.access
        assert access is not None
        for group in refused:
            first = int(group.which[0])
            address = int(requested[first])
            region, distance = None, None
            if group.space is not None and group.kind != "address-space-mismatch":
                region, distance = group.space.nearest(address, access.space)
            outside_parameter = group.kind == "out-of-bounds" and access.space == "param"
            self._fault(
                "param-out-of-bounds" if outside_parameter else group.kind,
                instr,
                first if lanes is None else int(lanes[first]),
                weight * group.which.size,
                space=access.space,
                address=address,
                bytes=group.bytes,
                region=region,
                distance=distance,
            )

    # --- control

    def _leave(self, block: Block) -> None:
        end, active, running = block.terminator, self._active, self._running
        condition = None if end.condition is None else self._read(end.condition)
        self._check_undefined(end.instr, active)
        if self._observer is not None:
            self._observer.branched(block.index, end, condition, active)
        if not end.targets:
            self._exit(active, running)
        elif condition is None:
            self._take(block, end.targets[0], active, running)
        elif condition.width > 1:
            self._branch_by_index(block, condition)
        else:
            taken = active & condition.bits
            many = int(np.count_nonzero(taken))
            if many == running:
                self._take(block, end.targets[0], active, running)
            elif many == 0:
                self._take(block, end.targets[1], active, running)
            else:
                if end.uniform and self.options.schedule is None:  # else divergence is random
                    self._check_uniform(block, taken)
                self._take(block, end.targets[0], taken, many)
                self._take(block, end.targets[1], active ^ taken, running - many)

    def _exit(self, lanes: Array, many: int) -> None:
        self.barriers.exited |= lanes
        self._alive -= many

    def _take(self, block: Block, target: int, lanes: Array, many: int) -> None:
        """Copies the phis of an edge in parallel, for the lanes that take it."""
        number = self._code.start[target]
        phis = self._code.segments[number].phis
        words = [self._read(phi.sources[block.index]) for phi in phis]
        self._undefined.copy_all([(phi.target, phi.sources[block.index]) for phi in phis], lanes)
        whole = many == self._alive
        for phi, word in zip(phis, words, strict=True):
            self._define(phi, phi.target, word, lanes, whole)
        if target in self._code.exit_blocks:  # exited lanes are not waited for
            self._exit(lanes, many)
        else:
            self._go(number, lanes)

    def _branch_by_index(self, block: Block, index: BitVector) -> None:
        targets = block.terminator.targets
        left = self._active
        for target in dict.fromkeys(targets):
            cases = [i for i, t in enumerate(targets) if t == target]
            lanes = left & np.isin(index.bits, cases)
            if lanes.any():
                self._take(block, target, lanes, int(np.count_nonzero(lanes)))
        aborted = left & (index.bits >= len(targets))
        if aborted.any():
            self._branch_fault("branch-index", block, int(np.argmax(aborted)))
            self._abort(aborted)

    def _check_uniform(self, block: Block, taken: Array) -> None:
        rows = taken.reshape(-1, WARP).any(axis=1)
        rest = (self._active ^ taken).reshape(-1, WARP).any(axis=1)
        split = np.flatnonzero(rows & rest)
        if split.size:
            place = int(split[0]) * WARP
            lane = place + int(np.argmax(taken[place : place + WARP]))
            self._branch_fault("divergent-uniform-branch", block, lane, int(split.size))

    def _wait(self, segment: Segment, barrier: PtxInstr) -> None:
        """The active lanes wait at a barrier. Lanes with a number or a count that no barrier has
        pass it; a count is rounded up to whole warps."""
        self._check_undefined(barrier, self._active)
        number, threads = barrier_operands(barrier)
        counts = 0 if threads is None else self._read(threads).bits
        arrives = bool(barrier.effects & Effect.ARRIVE)
        arrival = Arrival.of(self._active, self._read(number).bits, counts, arrives)
        if arrival.wrong.any():
            self._fault(
                "bad-barrier", barrier, int(np.argmax(arrival.wrong)), int(arrival.wrong.sum())
            )
        if arrival.refused.any():
            for value in barrier.defs:
                zero = self._lanes.const(value.width, 0)
                self._define(barrier, value, zero, arrival.refused, False)
            self._go(segment.index + 1, arrival.refused)
        self.barriers.wait(arrival, segment.index, bool(barrier.effects & Effect.ALIGNED))

    # --- faults

    def _stop(self, kind: str, instr: PtxInstr) -> None:
        self._fault(kind, instr, int(np.argmax(self._active)), self._running)
        self._abort(self._active)

    def _abort(self, lanes: Array) -> None:
        """Aborts these lanes after a fault."""
        self.barriers.exited |= lanes
        self.barriers.aborted |= lanes
        self._alive -= int(np.count_nonzero(lanes))

    def _fault(
        self, kind: str, instr: PtxInstr, lane: int, count: int = 1, **details: object
    ) -> None:
        ctaid, tid = self.layout.thread(lane)
        self._progress.record(
            instr,
            Fault(kind, instr.text, instr.offset, instr.loc, instr, ctaid, tid, count, **details),  # type: ignore[arg-type]
        )

    def _branch_fault(self, kind: str, block: Block, lane: int, count: int = 1) -> None:
        branch = block.terminator.instr
        assert isinstance(branch, PtxInstr)
        self._fault(kind, branch, lane, count)
