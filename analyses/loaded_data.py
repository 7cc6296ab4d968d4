"""Words that depend on loaded data.

Divergence analysis (``analyses.divergence``) with another source: in place of the thread's index,
every word that a load from global memory or an atomic gives. So a word depends on data if it is
computed from such a word, also by an exchange between threads, if a branch or a selection that
depends on data decides which of several words it is, or if a loop that data ends counts it. A load
from shared or local memory depends on data if an address, a word or a condition of a store to the
same array does. What a parameter holds is no data, but an element of a table that is passed by
value is, unless its address is a number: of many, a thread chooses one.

An upper approximation in one respect: of an array, one store that depends on data makes all words
depend on it. A branch around an access decides no address, so it is not counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from analyses.def_use import operands_of
from analyses.divergence import DivergenceSolver
from analyses.domains.uniformity import Level, Uniform, Uniformities
from analyses.graph import Loop
from analyses.program import Access, Block, Instr, Operand, Region, Value, opaque_writes
from analyses.values import Values

DATA, NO_DATA = Level.DIVERGENT, Level.GRID
PRIVATE = ("shared", "local")  # spaces whose words the kernel itself has written


class LoadedWords(Uniformities):
    """The levels of operands that no instruction defines: none depends on data."""

    def level(self, name: str) -> Level:
        return NO_DATA

    def havoc(self, width: int) -> Uniform:
        return Uniform(NO_DATA, width)


class LoadedData(DivergenceSolver):
    """The words of one function that depend on loaded data."""

    def __init__(self, values: Values) -> None:
        super().__init__(values.flow, LoadedWords())
        self.view = replace(self.view, trapping=frozenset())
        self.use = self.view.use
        self.values = values
        self.part = self.flow.full_slice
        self.gates: dict[int, int] = {}  # by block: a branch by which data decides its phis
        self.written: dict[Region | None, Level] = {}  # what the stores to an array depend on
        if any(opaque_writes(self.flow.function, space) for space in PRIVATE):
            self.written[None] = DATA
        self.ended: dict[int, int] = {}  # by the head of a loop that data ends: a branch that does
        before = -1
        while before != (before := self._settled()):
            self.run()
            self._end_by_data()

    def _settled(self) -> int:
        return sum(self.written.values()) + sum(self.join)

    # --- the analysis

    def results(self, instr: Instr, at: int) -> Sequence[Level]:
        """An upper approximation: a word depends on data if an operand does."""
        level = max([self.use(use, at) for use in instr.uses], default=NO_DATA)
        return [DATA if self.loads(instr) else max(level, self.held(instr))] * len(instr.defs)

    def loads(self, instr: Instr) -> bool:
        """True if it gives a word of memory that the kernel does not only write itself."""
        access = instr.access
        if access is None:
            return any(one.kind != "store" for one in instr.opaque)
        region = self._region_of(access)
        space = access.space if region is None else region.space
        if space == "param":
            return not self.values.interval(self.values.number(access.base)).is_constant
        return access.kind == "atomic" or space not in PRIVATE

    def held(self, instr: Instr) -> Level:
        """What the words depend on that the kernel itself wrote where the instruction loads."""
        if instr.access is None or instr.access.space == "param":
            return NO_DATA
        regions = (self._region_of(instr.access), None)
        return max(self.written.get(region, NO_DATA) for region in regions)

    def visit(self, block: Block) -> bool:
        rising = super().visit(block)
        at = block.index
        for instr in block.instrs:
            access = instr.access
            if access is not None and access.kind != "load" and at not in self.trapping:
                level = max([self.control[at], *(self.use(use, at) for use in instr.uses)])
                level = DATA if access.kind == "atomic" else level
                region = self._region_of(access)
                self.written[region] = max(self.written.get(region, NO_DATA), level)
        return rising

    def _region_of(self, access: Access) -> Region | None:
        origin = self.values.number(access.base).origin
        return None if origin is None else origin.region

    def raise_join(self, block: int, branch: int, level: Level) -> None:
        super().raise_join(block, branch, level)
        if level is DATA:
            self.gates.setdefault(block, branch)

    def _end_by_data(self) -> None:
        """What a loop counts depends on data if data alone ends the loop."""
        for loop in self.flow.loops.values():
            exits = list(self.exits(loop))
            if exits and all(self.ends_by_data(loop, branch) for branch in exits):
                self.ended[loop.head] = exits[0]
                self.raise_join(loop.head, exits[0], DATA)

    def exits(self, loop: Loop) -> Iterator[int]:
        """The branches that leave the loop."""
        for node in sorted(loop.nodes):
            if not loop.nodes.issuperset(self.flow.graph[node]):
                yield node

    def ends_by_data(self, loop: Loop, branch: int) -> bool:
        """True if the branch compares no words that do not depend on data where it stays in the
        loop."""
        end = self.blocks[branch].terminator
        if end.condition is None or self.use(end.condition, branch) is not DATA:
            return False
        if len(end.targets) != 2 or end.condition.width != 1:
            return True
        said = self.flow.formulas.implied(end.condition, end.targets[0] in loop.nodes)
        return all(DATA in (self.use(a, branch), self.use(b, branch)) for a, _, b in said)

    # --- answers

    def depends(self, operand: Operand, block: int) -> bool:
        """True if the operand depends on data where the block uses it."""
        return self.use(operand, block) is DATA

    def accesses(self) -> Iterator[Instr]:
        """The accesses, but those of parameters, whose address depends on data."""
        for block in self.blocks:
            for instr in block.instrs if self.values.reached(block.index) else ():
                access = instr.access
                other = access is None or access.space == "param"
                if access is not None and not other and self.depends(access.base, block.index):
                    yield instr

    @cached_property
    def words(self) -> frozenset[Value]:
        """The words that depend on data where they are defined."""
        return frozenset(value for value, level in self.levels.items() if level is DATA)

    @cached_property
    def operands(self) -> Mapping[Value, Collection[Operand]]:
        return operands_of(self.flow.function)

    def source(self, operand: Operand, block: int) -> Instr | None:
        """The nearest load or atomic that an operand depends on where the block uses it; None if
        it is in a loop with several entries alone."""
        work, seen = deque([(operand, block)]), set[Operand]()
        while work:
            operand, block = work.popleft()
            if not isinstance(operand, Value) or not self.depends(operand, block):
                continue
            if self.levels.get(operand) is not DATA:  # it leaves a loop that data ends
                for loop in self.inside[self.flow.home[operand]]:
                    if block not in loop.nodes:
                        work += [self._condition(branch) for branch in self.exits(loop)]
                continue
            if operand in seen:
                continue
            seen.add(operand)
            instr, home = self.flow.definition.get(operand), self.flow.home[operand]
            if instr is not None and (self.loads(instr) or self.held(instr) is DATA):
                return instr
            work += [(one, home) for one in self.operands.get(operand, ())]
            if instr is None and home in self.gates and operand in self.phis:
                work.append(self._condition(self.gates[home]))
        return None

    def _condition(self, branch: int) -> tuple[Operand, int]:
        condition = self.blocks[branch].terminator.condition
        assert condition is not None
        return condition, branch

    @cached_property
    def phis(self) -> set[Value]:
        return {phi.target for block in self.blocks for phi in block.phis}
