"""The search for races: replays of a declared launch, with several contents of its buffers.

If no loaded word decides which accesses happen and where, one replay decides for all data. Else a
race is the kernel's fault only if no promise about the data, beyond their ranges, avoids it. So it
is an error if it happens with all ``JUDGES`` with which both accesses are executed. If it happens
with some only, a promise avoids it: that words of a list differ, or that two lists share none. Then
it is conditional. So it is if words must repeat, as their range is small, and data choose which
threads make the access, and if several words decide where stores go. A conditional race of an
update (``analyses.races.updates``) is shown as a warning, because data that collide are what an
update is for; any other is left undecided.

Contents that make an access leave its memory are no data for the kernel: the replay is done again
with smaller words, while there are some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from math import prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import BUFFER_WORDS
from analyses.concrete.bitvectors import Array
from analyses.def_use import users_of
from analyses.graph import postdominators
from analyses.program import Operand
from analyses.races.updates import governed_by
from analyses.slices import control_and_address_slice, effects_slice, forward_slice
from ptxlint.claim import Claim, DataRace
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, Launch
from ptxlint.facts.agreement import in_pieces, loaded_names
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.replay.candidates import launches
from ptxlint.replay.contents import WORD, Contents, WordType, filled
from ptxlint.replay.replays import Replays
from ptxlint.replay.rows import RowStarts, counted
from ptxlint.simt import Fault, Machine, Observer, RunOptions

JUDGES = (
    Contents.PERMUTED,
    Contents.ASCENDING,
    Contents.APART,
    Contents.RANDOM,
    Contents.SPARSE,
)
STRAYS = frozenset({"out-of-bounds", "misaligned-access", "address-space-mismatch"})
RACE = frozenset({"race"})
GLOBAL = ("global", "generic")
LIMITS = 6  # ranges that are tried for words without a declared one


class Race(Struct, frozen=True):
    """A race as a replay shows it. ``contents`` are those of the buffers, None if they do not
    matter; ``avoided`` names the contents, if any, without the race. The ``others`` are what the
    access races with, whatever the contents. Threads race ``beyond`` their rows if they do so only
    where they find more than their rows hold."""

    launch: ConcreteLaunch
    fault: Fault
    contents: Contents | None
    avoided: tuple[Contents, ...] = ()
    others: frozenset[PtxInstr] = frozenset()
    beyond: bool = False


class Trial(Struct, frozen=True):
    """One replay: its races by the later access, the accesses that take part in one with those that
    they race with, those that were executed, those that left their memory, and those that race
    ``beyond`` the rows of their threads."""

    launch: ConcreteLaunch
    contents: Contents
    races: dict[PtxInstr, Fault]
    racing: dict[PtxInstr, set[PtxInstr]]
    executed: frozenset[PtxInstr]
    strays: frozenset[PtxInstr]
    beyond: frozenset[PtxInstr]


class RaceSearch:
    """The search for the races of one kernel. ``found`` has the races of claims, errors before
    conditional ones."""

    def __init__(self, replays: Replays, launch: Launch, claims: Sequence[Claim]) -> None:
        self.replays, self.kernel, self.launch = replays, replays.kernel, launch
        self.claims = claims
        self.found: dict[Claim, Race] = {}
        kernel = replays.kernel
        self.matters = data_matter(kernel)
        self.loaded = on_loads(kernel)
        self.types: dict[int, WordType] = {}
        self.indices = frozenset(control_and_address_slice(kernel).names)
        self.floats = float_operands(kernel)
        self.counted = counted(kernel, loaded_names(kernel)) if self.matters else frozenset()

    def search(self) -> dict[Claim, Race]:
        """In the declared launches: those at the bounds of ranges, then those inside."""
        plain, inside = (launches(self.kernel, self.launch, within) for within in (False, True))
        for concrete, options in chain(plain, inside):
            if all(c in self.found and not self.found[c].avoided for c in self.claims):
                break
            if self.replays.exhausted:
                break
            self.judge(concrete, list(self.trials(concrete, options)))
        return self.found

    def judge(self, concrete: ConcreteLaunch, trials: Sequence[Trial]) -> None:
        """Compares the replays of one launch."""
        for claim in self.claims:
            race = verdict(claim.instr, trials, self.loaded)
            if race is None or (claim in self.found and not self.found[claim].avoided):
                continue
            if self.matters and not race.avoided and not self.conclusive(concrete, claim, race):
                race = replace(race, avoided=(Contents.PERMUTED,))
            if claim not in self.found or not race.avoided:
                self.found[claim] = race if self.matters else replace(race, contents=None)

    def conclusive(self, concrete: ConcreteLaunch, claim: Claim, race: Race) -> bool:
        """True if the contents that were tried are such that one would have avoided the race. Where
        words must repeat, data may still choose accesses with words that differ. Else places in a
        list and the lengths of its pieces may agree, as they do in no contents that are tried; so
        may words of several buffers, also where those of one must repeat. And a thread may find no
        more than its row has room for."""
        instr, other = race.fault.instr, race.fault.other_instr
        scattered = {instr, *race.others} <= self.scattered
        if race.beyond:
            return False
        placed = {instr, *race.others} <= self.loaded
        if placed and isinstance(claim.harm, DataRace) and claim.harm.must_agree:
            return False
        if repeating(concrete):
            return distinct(concrete) and self.chosen.isdisjoint((instr, other))
        pieces = race.others - {instr} or instr in self.pieces
        return distinct(concrete) and not (pieces and scattered)

    @cached_property
    def chosen(self) -> frozenset[PtxInstr]:
        return chosen(self.kernel)

    @cached_property
    def scattered(self) -> frozenset[PtxInstr]:
        """The stores to where a loaded word says."""
        return frozenset(
            i for i in self.loaded if i.access is not None and i.access.kind == "store"
        )

    @cached_property
    def pieces(self) -> frozenset[PtxInstr]:
        return in_pieces(self.kernel, self.loaded)

    def trials(self, concrete: ConcreteLaunch, options: RunOptions) -> Iterator[Trial]:
        """The replays of one launch."""
        first = Contents.NEAR_ZERO if self.matters else Contents.PERMUTED
        least = self.replay(concrete, options, first, None)
        if least is None:  # a launch too large to be replayed shows nothing
            return
        yield least
        limits = self.limits(concrete)
        for contents in JUDGES if self.matters else ():
            trial = self.replay(concrete, options, contents, limits[0])
            while trial and trial.strays - least.strays and limited(concrete) and limits[1:]:
                limits.pop(0)
                trial = self.replay(concrete, options, contents, limits[0])
            if trial is not None:
                yield trial

    def replay(
        self, concrete: ConcreteLaunch, options: RunOptions, contents: Contents, limit: int | None
    ) -> Trial | None:
        launch = filled(concrete, contents, self.types, limit)
        touched = Touched(launch, RowStarts(self.counted))
        outcome = self.replays.run(launch, replace(options, checks=RACE), touched)
        if outcome is None:
            return None
        races = {f.instr: f for f in outcome.faults if f.kind == "data-race"}
        racing: dict[PtxInstr, set[PtxInstr]] = {}
        for instr, fault in races.items():
            other = fault.other_instr or instr
            racing.setdefault(instr, set()).add(other)
            racing.setdefault(other, set()).add(instr)
        strays = frozenset(f.instr for f in outcome.faults if f.kind in STRAYS)
        for load, index in touched.loads.items():
            self.types.setdefault(index, self.word_type(load))
        beyond = frozenset(i for i, fault in races.items() if touched.rows.beyond(fault))
        return Trial(launch, contents, races, racing, frozenset(touched.executed), strays, beyond)

    def word_type(self, load: PtxInstr) -> WordType:
        """The type of a load's words; an untyped word is a float if it is used as one."""
        kind = load.form.types[0] if load.form is not None and load.form.types else None
        if kind is None or kind.bits < 8:
            return WORD
        floating = kind.floating or not self.floats.isdisjoint(load.defs)
        index = not self.indices.isdisjoint(load.defs)
        return WordType(kind.bits, floating and kind.bits > 8, index and not floating)

    def limits(self, launch: ConcreteLaunch) -> list[int]:
        """Numbers of words of buffers and shared arrays, the greatest first."""
        sizes = {
            argument.size // (self.types.get(i, WORD).bits // 8)
            for i, argument in enumerate(launch.arguments)
            if isinstance(argument, Allocation) and argument.size is not None
        }
        arrays = [r.size for r in self.kernel.regions if r.space == "shared" and r.size]
        sizes |= {size // 4 for size in (*arrays, launch.shared)}
        return sorted(sizes - {0}, reverse=True)[:LIMITS] or [BUFFER_WORDS]


def verdict(instr: PtxInstr, trials: Sequence[Trial], loaded: frozenset[PtxInstr]) -> Race | None:
    """The race of an access in the replays of one launch, if any. Contents that are all the same
    avoid none: all threads then store the same word, or none does. If neither address depends on a
    loaded word, only words in no order avoid one."""
    shows = [trial for trial in trials if instr in trial.races]
    if not shows:
        return None
    plainest = (Contents.PERMUTED, Contents.RANDOM, *JUDGES, Contents.NEAR_ZERO)
    shown = min(shows, key=lambda trial: plainest.index(trial.contents))
    fault = shown.races[instr]
    both = {instr, fault.other_instr}
    judges = JUDGES if both & loaded else (Contents.PERMUTED,)
    avoided = tuple(
        trial.contents
        for trial in trials
        if trial.contents in judges and instr not in trial.racing and both <= trial.executed
    )
    others = frozenset[PtxInstr]().union(*(trial.racing.get(instr, ()) for trial in trials))
    beyond = all(instr in trial.beyond for trial in shows)
    return Race(shown.launch, fault, shown.contents, avoided, others, beyond)


def distinct(launch: ConcreteLaunch) -> bool:
    """True if no buffer is too large to be filled with distinct words."""
    threads = prod(launch.grid) * prod(launch.block)
    sizes = [a.size for a in launch.arguments if isinstance(a, Allocation)]
    return all((4 * threads if size is None else size) <= 4 * BUFFER_WORDS for size in sizes)


def repeating(launch: ConcreteLaunch) -> bool:
    """True if a buffer has more words than its declared range has numbers."""
    return any(
        a.range.high - a.range.low + 1 < 8 * (a.size or 0) // a.range.bits
        for a in launch.arguments
        if isinstance(a, Allocation) and a.range is not None
    )


def limited(launch: ConcreteLaunch) -> bool:
    """True if the words of some buffer have no declared range."""
    buffers = (a for a in launch.arguments if isinstance(a, Allocation))
    return any(a.range is None and a.data is None for a in buffers)


def data_matter(kernel: Kernel) -> bool:
    """True if a loaded word decides which accesses happen, and where."""
    return not loaded_names(kernel).isdisjoint(effects_slice(kernel))


def on_loads(kernel: Kernel) -> frozenset[PtxInstr]:
    """The accesses whose address depends on a loaded word."""
    known = forward_slice(users_of(kernel), loaded_names(kernel))
    accesses = (i for i in kernel.instructions if i.access is not None)
    return frozenset(i for i in accesses if i.access is not None and i.access.base in known)


def chosen(kernel: Kernel) -> frozenset[PtxInstr]:
    """The accesses that a thread makes or not, as a mask or a branch on loaded words says."""
    known = forward_slice(users_of(kernel), loaded_names(kernel))
    joins = postdominators([block.terminator.targets for block in kernel.blocks])
    governed = governed_by(kernel, known, joins)
    return frozenset(
        instr
        for block in kernel.blocks
        for instr in block.instrs
        if isinstance(instr, PtxInstr)
        and instr.access is not None
        and (block.index in governed or instr.access.mask in known)
    )


class Touched(Observer):
    """An observer of the accesses that are executed, of the buffers of loads, by position, and of
    the rows of threads."""

    def __init__(self, launch: ConcreteLaunch, rows: RowStarts) -> None:
        self.rows = rows
        self.arguments = [
            i for i, argument in enumerate(launch.arguments) if isinstance(argument, Allocation)
        ]
        self.executed: set[PtxInstr] = set()
        self.loads: dict[PtxInstr, int] = {}

    def begin(self, machine: Machine) -> None:
        self.pieces = machine.memory.buffers
        self.rows.begin(machine)

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        self.rows.accessed(instr, addresses, active)
        if instr in self.executed or not active.any():
            return
        self.executed.add(instr)
        if instr.access is None or instr.access.kind != "load" or space not in GLOBAL:
            return
        address = int(addresses[int(np.argmax(active))])
        for index, piece in zip(self.arguments, self.pieces, strict=True):
            if not piece.distance(address):
                self.loads[instr] = index


def float_operands(kernel: Kernel) -> frozenset[Operand]:
    """The operands of floating-point instructions."""
    return frozenset(
        use
        for instr in kernel.instructions
        if instr.form is not None and instr.form.types and instr.form.types[0].floating
        for use in instr.uses
    )
