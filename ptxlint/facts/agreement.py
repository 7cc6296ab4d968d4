"""Accesses that rest on several loaded words, which must agree.

A ragged batch has the first row of each sequence in one buffer, and its length in another one:
``x[start[b] + i]`` where ``i < length[b]``. A value range says where each word of a buffer lies. It
does not say that a first row and a length go together. So contents that a replay makes up, within
the ranges, may be no data for the kernel where several buffers decide an address, or where one is
computed from several words, such as the coordinates of a record, or the positions of bits that a
loop puts into an index one by one. Where one word of a buffer is an upper bound of another one, as
``row[i + 1]`` is of ``row[i]``, they agree if the buffer is sorted in ascending order. A replay has
such contents.

The words that decide are those that the address is computed from, and those of conditions that must
hold there if they are about a register of the address, or if they end a loop that moves it: a
compiler counts in one register and steps through memory in another. A word of shared memory is one
that the kernel stored in the same array. A word that is missed leaves a fault that is shown; one
too many hides a fault, and leaves the access undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from analyses.addresses import ResolvedAccess
from analyses.def_use import operands_of
from analyses.graph import strongly_connected
from analyses.program import Instr, Operand, Region, Value
from analyses.proofs.guarded_values import GuardedValues
from analyses.slices import close
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr

CHOICES = frozenset({"selp", "slct", "min", "max"})
"""Opcodes whose result is one of their operands."""


def must_agree(facts: Facts, place: ResolvedAccess) -> bool:
    """True if several words decide whether the access is in bounds, and must agree."""
    return facts.guarded.once(DecidingWords).several(place)


def gathered(facts: Facts, place: ResolvedAccess) -> bool:
    """True if a loop computes the address from words of several iterations."""
    deciding = facts.guarded.once(DecidingWords)
    return not deciding.gathered.isdisjoint(deciding.names(place.access.base))


def in_pieces(kernel: Kernel, accesses: Iterable[PtxInstr]) -> frozenset[PtxInstr]:
    """The accesses to where a loaded word says and another one, or the way that a thread came: a
    rank behind the first place of a group, the second byte of a character."""
    loaded = loaded_names(kernel)
    operands = {v: of for v, of in operands_of(kernel).items() if v not in loaded}
    joined = {phi.target for block in kernel.blocks for phi in block.phis}
    found = list[PtxInstr]()
    for instr in accesses:
        assert instr.access is not None
        names = set[Value]()
        close(names, [instr.access.base], operands)
        if len(names & loaded) > 1 or names & joined:
            found.append(instr)
    return frozenset(found)


def loaded_names(kernel: Kernel) -> set[Value]:
    return {value for instr in kernel.instructions if loads(instr) for value in instr.defs}


def loads(instr: Instr) -> bool:
    """True if it accesses words that the caller or another thread may have written."""
    return instr.access is not None and instr.access.space not in ("param", "const", "local")


class DecidingWords:
    """The loaded words that decide accesses of one kernel."""

    def __init__(self, guarded: GuardedValues) -> None:
        self.values = guarded.values
        self.loads: dict[Value, Region | Instr] = {}
        self.operands = operands_of(self.values.function)
        stored: dict[Region | Instr, list[Operand]] = {}
        for block in self.values.function.blocks:
            for instr in block.instrs:
                access = instr.access
                if access is None or not loads(instr):
                    continue
                memory = self.memory(instr)
                self.loads.update((value, memory) for value in instr.defs)
                if access.kind != "load":
                    stored.setdefault(memory, []).extend(instr.uses[1:])
        for value, memory in list(self.loads.items()):
            if isinstance(memory, Region) and memory.space == "shared":
                self.operands[value] = stored.get(memory, [])
                del self.loads[value]
            else:
                self.operands[value] = ()
        self.gathered = self._gathered()

    def _gathered(self) -> frozenset[Value]:
        """The names that a loop computes from what they were in the iteration before and from a
        loaded word, hence from a word of each iteration. Where such a word only replaces the one
        before, as a greatest one does, one word decides: the component of the graph of operands
        is then entered by a phi or by a choice alone."""
        numbers = {value: n for n, value in enumerate(self.operands)}
        successors = [
            [numbers[use] for use in uses if isinstance(use, Value) and use in numbers]
            for uses in self.operands.values()
        ]
        computed = self.computed()
        loaded, found = {numbers[value] for value in self.loads}, set[int]()
        for component in strongly_connected(successors, range(len(successors))):
            entered = {n for n in component for use in successors[n] if use in loaded}
            if entered or not loaded.isdisjoint(component):
                loaded |= component
            around = {n for n in entered if not component.isdisjoint(successors[n])}
            if not around.isdisjoint(numbers[value] for value in computed):
                found |= component
        return frozenset(value for value, n in numbers.items() if n in found)

    def computed(self) -> frozenset[Value]:
        """The results of arithmetic."""
        return frozenset(
            value
            for block in self.values.function.blocks
            for instr in block.instrs
            if isinstance(instr, PtxInstr) and instr.opcode not in CHOICES
            for value in instr.defs
        )

    def memory(self, instr: Instr) -> Region | Instr:
        """What it accesses; the instruction itself if that is not known."""
        assert instr.access is not None
        origin = self.values.number(instr.access.base).origin
        return instr if origin is None else origin.region

    def several(self, place: ResolvedAccess) -> bool:
        """True if the address is computed from several, or words of several buffers decide it."""
        address = self.names(place.access.base)
        if len(address & self.loads.keys()) > 1 or not address.isdisjoint(self.gathered):
            return True
        deciding = set(address)
        for condition in self.conditions(place):
            names = self.names(condition)
            if not names.isdisjoint(address):
                deciding |= names
        for condition in self.ends(address):
            deciding |= self.names(condition)
        return len({self.loads[value] for value in deciding & self.loads.keys()}) > 1

    def names(self, operand: Operand) -> set[Value]:
        found = set[Value]()
        close(found, [operand], self.operands)
        return found

    def conditions(self, place: ResolvedAccess) -> Iterator[Operand]:
        """The mask, and what the branches depend on that a thread passes before the access."""
        if place.access.mask is not None:
            yield place.access.mask
        block = self.values.tree.parent[place.block]
        while block >= 0:
            condition = self.values.function.blocks[block].terminator.condition
            if condition is not None:
                yield condition
            block = self.values.tree.parent[block]

    def ends(self, address: Set[Value]) -> Iterator[Operand]:
        """The conditions that end the loops whose iterations the address counts."""
        blocks = self.values.function.blocks
        for loop in self.values.loops.values():
            if address.isdisjoint(phi.target for phi in blocks[loop.head].phis):
                continue
            for node in loop.nodes:
                end = blocks[node].terminator
                if end.condition is not None and not loop.nodes.issuperset(end.targets):
                    yield end.condition
