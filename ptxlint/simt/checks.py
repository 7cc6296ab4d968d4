"""Checks of every access: races, and reads of uninitialised memory.

``Checks`` is notified of accesses before they happen, by their place in the storage, and of
everything that orders threads. It keeps a shadow for races, and a bit for each byte of shared and
local memory that was written. Global memory belongs to the caller and counts as written.

A run is ``doubtful`` if a race rests on a load whose word some threads may not use. They are known
from such a run ``before`` an equal one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.hardware import WARP
from analyses.program import Effect, Operand
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.simt.barriers import Opening
from ptxlint.simt.copies import NEVER, Copies
from ptxlint.simt.layout import Layout, RunOptions, grain, padded
from ptxlint.simt.load_users import Users, Uses
from ptxlint.simt.memory import Memory, Part, Space
from ptxlint.simt.objects import BarrierObjects
from ptxlint.simt.races import (
    FENCE,
    Accessors,
    Blocks,
    Clocks,
    Conflict,
    Shadow,
    Step,
    Strength,
    inside_block,
    is_release,
    is_strong,
    on_barrier_object,
    repeated,
    strength,
)

Report = Callable[..., None]
RACES = ("shared", "global")
ORDERED = frozenset({Strength.EXPECTED, Strength.GRID})
FRESH = ("shared", "local")


class Checks:
    """The checks of one run. ``begin`` starts a batch; faults go to ``report(kind, instr, lane,
    count, ...)``, which the machine sets."""

    def __init__(
        self,
        kernel: Kernel,
        launch: ConcreteLaunch,
        options: RunOptions,
        memory: Memory,
        uses: Uses,
        fractions: Mapping[Operand, int],
        expected: frozenset[PtxInstr],
        before: Users | None = None,
    ) -> None:
        self.memory = memory
        self.users, self.before = Users(uses), before
        self.doubtful = False
        self.races, self.init = "race" in options.checks, "init" in options.checks
        self.words = "words" in options.checks
        self.wide, self.high, _ = launch.block
        self.live, self.threads = prod(launch.block), padded(launch.block)
        self.grain = grain(kernel)
        self.fractions, self.expected = fractions, expected
        self.events: list[PtxInstr] = []
        self.blocks = Blocks()
        self.places: list[Triple] = []
        self.first_block = 0
        self.shadows: dict[str, Shadow] = {}
        self.written: dict[str, Array] = {}
        self.report: Report
        self.clocks: Clocks
        self.copies: Copies
        self.objects: BarrierObjects
        if self.races:
            self.shadows["global"] = self._shadow("global")

    def begin(self, layout: Layout, report: Report) -> None:
        self.report = report
        self.first_block = len(self.places)
        firsts = range(0, layout.live.size, self.threads)
        self.places += [layout.thread(lane)[0] for lane in firsts]
        if self.races:
            self.clocks = Clocks(len(firsts), self.threads)
            self.shadows["shared"] = self._shadow("shared")
            self.objects = BarrierObjects(self.clocks)
            self.copies = Copies(self.shadows["shared"], self.clocks)
        if self.init:
            self.written = {
                name: np.zeros(self.memory.spaces[name].storage.size, np.bool_) for name in FRESH
            }

    def _shadow(self, space: str) -> Shadow:
        return Shadow(-(-self.memory.spaces[space].storage.size // self.grain))

    # --- what orders threads

    def opened(self, opening: Opening) -> None:
        """Lanes have arrived at barriers of their blocks, or are released from them. After a
        divergent barrier nothing is ordered: what conflicts then is its consequence, no race."""
        self.races &= all(fault.kind != "divergent-barrier" for fault in opening.faults)
        for crossing in opening.crossings if self.races else ():
            order = self.clocks.release if crossing.arrived else self.clocks.synchronise
            for block, threads in self._by_block(crossing.lanes):
                if not self.words or threads.size == self.live:
                    order(block, threads, crossing.number)

    def met(self, warps: Array, lanes: Array) -> None:
        """These ``lanes`` of each of the warps, a row of 32 a warp, leave a barrier together."""
        if self.races and self.words:
            live = np.minimum(WARP, self.live - warps * WARP % self.threads)
            whole = lanes.sum(axis=1) == live
            warps, lanes = warps[whole], lanes[whole]
        if self.races:
            self.clocks.synchronise_warps(warps, lanes)

    def passed(self, instr: PtxInstr, lanes: Array) -> None:
        """An instruction without an access: a fence, or one that commits or waits for copies."""
        if not self.races:
            return
        if instr.effects & Effect.COMMIT:
            self.copies.commit(lanes)
        if instr.effects & Effect.AWAIT:
            self.copies.complete(lanes, instr.literals[0] if instr.literals else 0)
            self.clocks.advance(lanes)
        if instr.effects & Effect.FENCE:
            self._release(lanes, self._event(instr), not inside_block(instr))

    def _release(self, lanes: Array, event: int, wide: bool) -> None:
        """What a fence or a releasing access orders: threads of the block and, if its scope is
        ``wide``, of others."""
        for block, threads in self._by_block(lanes):
            self.clocks.release(block, threads, FENCE)
        if wide:
            self.blocks.release(self._numbers(lanes), event)

    def _acquire(self, lanes: Array, event: int, wide: bool) -> None:
        if self.clocks.released:
            for block, threads in self._by_block(lanes):
                self.clocks.acquire(block, threads, FENCE)
        if wide:
            self.blocks.acquire(self._numbers(lanes), event)

    def _by_block(self, lanes: Array) -> list[tuple[int, Array]]:
        rows = lanes.reshape(-1, self.threads)
        return [(int(b), np.flatnonzero(rows[b])) for b in np.flatnonzero(rows.any(axis=1))]

    def _numbers(self, lanes: Array) -> list[int]:
        rows = lanes.reshape(-1, self.threads).any(axis=1)
        return (np.flatnonzero(rows) + self.first_block).tolist()

    def _event(self, instr: PtxInstr, copies: bool = False) -> int:
        """Events are numbered by time; the lowest bit is set for asynchronous copies. 0 is none."""
        self.events.append(instr)
        return 2 * len(self.events) + copies

    def _instr(self, event: int) -> PtxInstr:
        return self.events[event // 2 - 1]

    # --- accesses

    def accessed(
        self, instr: PtxInstr, part: Part, lanes: Array | None, data: Sequence[Array]
    ) -> None:
        """Called before an access, with the place of each lane's access and the words to be
        stored."""
        if lanes is None:
            lanes = np.arange(self.memory.lanes)
        if self.init and part.space.name in FRESH:
            self._check_written(instr, part, lanes)
        if self.races:
            self.users.made(instr, self.first_block, lanes, self.memory.lanes)
        if self.races and part.space.name in RACES:
            racing = part, lanes
            if self.before is not None and instr in self.before.uses and not is_strong(instr):
                users = self.before.of(instr, self.first_block, self.memory.lanes)[lanes]
                racing = part.those(users), lanes[users]
            self._check_races(instr, *racing, list(data))
            if on_barrier_object(instr):
                self.copies.counted(instr, lanes)
                self.objects.accessed(instr, part, lanes)

    def _check_written(self, instr: PtxInstr, part: Part, lanes: Array) -> None:
        access = instr.access
        assert access is not None
        bits = self.written[part.space.name]
        places = part.starts[:, None] + np.arange(part.bytes)
        if access.kind != "store":
            undefined = ~bits[places].all(axis=1)
            if undefined.any():
                self._fault("uninitialized-read", instr, part, lanes, np.flatnonzero(undefined))
        if access.kind != "load":
            bits[places] = True

    def _check_races(self, instr: PtxInstr, part: Part, lanes: Array, data: list[Array]) -> None:
        access = instr.access
        assert access is not None
        how = Strength.EXPECTED if instr in self.expected else strength(instr)
        writes = access.kind != "load"
        copies = access.asynchronous and writes and part.space.name == "shared"
        event = self._event(instr, copies)
        numbers = (lanes + (self.first_block * self.threads + 1)).astype(np.uint32)
        clocks = np.full(lanes.size, NEVER) if copies else self.clocks.own.reshape(-1)[lanes]
        words = data if access.kind == "store" and not self.words else None
        same = None if words is None else self._unchanged(part, words)
        if how in (Strength.BLOCK, Strength.GRID):
            active = np.zeros(self.memory.lanes, np.bool_)
            active[lanes] = True
            wide = how is Strength.GRID and part.space.name == "global"
            self._acquire(active, event, wide)
            if is_release(instr):
                self._release(active, event, wide)
        pairs = self._together(instr, part, lanes, how, words) if writes else None
        if pairs is not None:
            self._race(instr, part, lanes, pairs.which, numbers[pairs.threads], instr)
        shadow = self.shadows[part.space.name]
        shadow.copied |= copies
        found = False
        for place in range(part.bytes // self.grain):
            cells = part.starts // self.grain + place
            step = Step(instr, numbers, clocks, event, cells, same, how)
            accessors = shadow.of(writes, how)
            met = {kept: kept.others(step) for kept in shadow.kept.values()}
            conflict = self._conflict(shadow, step, lanes, writes, met)
            if conflict is not None and not found:
                found = True
                other = self._instr(int(conflict.events[0]))
                self._race(instr, part, lanes, conflict.which, conflict.threads, other)
            accessors.add(step, self._after_all(accessors, step, lanes, met[accessors]))
            if copies:
                self.copies.issue(step, lanes)

    def _together(
        self,
        instr: PtxInstr,
        part: Part,
        lanes: Array,
        how: Strength,
        data: list[Array] | None,
    ) -> Conflict | None:
        """Lanes that write one word by this instruction: other words than these ``data``, or, if
        the writes are strong, from blocks that are not in their scope."""
        if how is Strength.GRID:
            return None
        fractions = [self.fractions.get(word) for word in instr.uses[1:]]
        pairs = repeated(part.starts, data, fractions, lanes)
        if pairs is None or how is Strength.PLAIN:
            return pairs
        blocks = lanes // self.threads
        apart = blocks[pairs.which] != blocks[pairs.threads]
        if not apart.any():
            return None
        return Conflict(pairs.which[apart], pairs.threads[apart], pairs.events)

    def _unchanged(self, part: Part, data: list[Array]) -> Array:
        """True where a store does not change the contents."""
        same = np.ones(part.starts.size, np.bool_)
        offset = 0
        for words in data:
            bits = 64 * words.shape[0] if words.ndim > 1 else 8 * words.dtype.itemsize
            equal = part.space.load(part.starts + offset, bits) == words
            same &= equal.all(axis=0) if equal.ndim > 1 else equal
            offset += bits // 8
        return same

    def _conflict(
        self,
        shadow: Shadow,
        step: Step,
        lanes: Array,
        writes: bool,
        met: Mapping[Accessors, Array],
    ) -> Conflict | None:
        """The first kind of earlier access that conflicts. The lanes that have ``met`` another
        thread are looked at: a thread conflicts with itself only by asynchronous copies. Lanes of a
        warp access a barrier object in the order of their instructions: the lane that ends its use
        waits for the others at a vote or a match (the destructor of ``cuda::pipeline`` does)."""
        for (written, kept), accessors in shadow.kept.items():
            at = np.arange(lanes.size) if shadow.copied else met[accessors]
            strengths = {kept, step.strength}
            if not at.size or not (writes or written) or strengths <= ORDERED:
                continue
            for others, clocks, events in accessors.at(step.cells[at]):
                copied = events % 2 == 1
                candidates = (others != 0) & ((others != step.threads[at]) | copied)
                if Strength.PLAIN not in strengths:
                    candidates &= ~self._same_block(lanes[at], others)
                if on_barrier_object(step.instr):
                    warps = (step.threads[at] - 1) // WARP
                    candidates &= (others - 1) // WARP != warps
                which = np.flatnonzero(candidates)
                which = which[~self._ordered(lanes[at], others, clocks, events, which)]
                if written and step.same is not None and which.size:
                    which = which[~step.same[at[which]]]
                if which.size:
                    return Conflict(at[which], others[which], events[which])
        return None

    def _after_all(self, accessors: Accessors, step: Step, lanes: Array, at: Array) -> Array:
        """True for each lane that is ordered after all accesses that are kept of its cell; only the
        lanes ``at`` these places have met another thread."""
        after = np.ones(lanes.size, np.bool_)
        for others, clocks, _ in accessors.at(step.cells[at]) if at.size else ():
            known = (others == 0) | (others == step.threads[at])
            inside = np.flatnonzero(~known & self._same_block(lanes[at], others))
            known[inside] = self._happens_before(lanes[at[inside]], others[inside], clocks[inside])
            after[at] &= known
        return after

    def _same_block(self, lanes: Array, others: Array) -> Array:
        same: Array = (others.astype(np.int64) - 1) // self.threads == (
            lanes // self.threads + self.first_block
        )
        return same

    def _happens_before(self, lanes: Array, others: Array, clocks: Array) -> Array:
        thread = (others.astype(np.int64) - 1) % self.threads
        return self.clocks.happens_before(lanes, thread, clocks)

    def _ordered(
        self, lanes: Array, others: Array, clocks: Array, events: Array, which: Array
    ) -> Array:
        """True for each access that is ordered after the other thread's."""
        lanes, others, clocks, events = lanes[which], others[which], clocks[which], events[which]
        together = self._same_block(lanes, others)
        if together.all():
            return self._happens_before(lanes, others, clocks)
        ordered = np.zeros(which.size, np.bool_)
        ordered[together] = self._happens_before(
            lanes[together], others[together], clocks[together]
        )
        elsewhere = np.flatnonzero(~together)
        here = lanes[elsewhere] // self.threads + self.first_block
        there = (others[elsewhere].astype(np.int64) - 1) // self.threads
        cases = np.stack((here, there, events[elsewhere].astype(np.int64)))
        kinds, place = np.unique(cases, axis=1, return_inverse=True)
        ordered_pairs = [self.blocks.ordered(*case) for case in kinds.T.tolist()]
        ordered[elsewhere] = np.array(ordered_pairs, np.bool_)[place.reshape(-1)]
        return ordered

    # --- faults

    def _race(
        self,
        instr: PtxInstr,
        part: Part,
        lanes: Array,
        which: Array,
        threads: Array,
        other: PtxInstr,
    ) -> None:
        self.doubtful |= instr in self.users.uses or other in self.users.uses
        number = int(threads[0]) - 1
        block, thread = divmod(number, self.threads)
        x, rest = thread % self.wide, thread // self.wide
        details = {
            "other": (x, rest % self.high, rest // self.high),
            "other_ctaid": self.places[block],
            "other_instr": other,
        }
        self._fault("data-race", instr, part, lanes, which, **details)

    def _fault(
        self, kind: str, instr: PtxInstr, part: Part, lanes: Array, which: Array, **more: object
    ) -> None:
        access = instr.access
        assert access is not None
        first = int(which[0])
        lane = int(lanes[first])
        region, distance = _piece_of(part.space, int(part.starts[first]), lane)
        self.report(
            kind, instr, lane, int(which.size), space=part.space.name, bytes=part.bytes,
            region=region, distance=distance, **more,
        )  # fmt: skip


def _piece_of(space: Space, start: int, lane: int) -> tuple[str | None, int | None]:
    """The piece that contains a byte of the storage, and the distance from its start."""
    start -= 0 if space.skip is None else int(space.skip[lane])
    for piece in space.pieces:
        if piece.start <= start < piece.start + piece.stored:
            return piece.name, piece.offset(start)
    return None, None
