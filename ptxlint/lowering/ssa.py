"""SSA construction: every definition gets a name, every branch edge its assumes.

First the graph is normalised: unreachable blocks are removed, the entry has no predecessors, a loop
has one latch, and critical edges are split (so that an edge has a place for its assumes). Blocks
are then numbered in weak topological order.

Names follow Cytron, Ferrante, Rosen, Wegman & Zadeck (TOPLAS 1991), phis pruned by liveness. During
renaming, a block with one incoming branch edge gets an assume for each word in the branch
condition; uses in the region that the edge dominates see the refined name (e-SSA). No phi joins
refined names again: after the region the original name is used. A word that was selected by a
predicate is the selected operand where a branch on the predicate leads: `p ? &x[i] : null` is
`&x[i]` behind a test for null. The operand's definition dominates the select, and that the branch,
so none of the three was executed again in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from analyses.conditions import Fact, Formulas
from analyses.graph import (
    Dominators,
    dominators,
    frontiers,
    predecessors,
    reverse_postorder,
    weak_topological_order,
)
from analyses.program import (
    Assume,
    Block,
    Constant,
    Operand,
    Phi,
    Terminator,
    Undefined,
    Value,
)
from ptxlint.ir import PtxInstr


def to_ssa(blocks: list[Block]) -> list[Block]:
    """The blocks of a function in SSA form, the entry first."""
    blocks = ordered(blocks)
    graph = [block.terminator.targets for block in blocks]
    for block, sources in zip(blocks, predecessors(graph), strict=True):
        block.predecessors = sources
    tree = dominators(graph)
    _place_phis(blocks, frontiers(graph, tree))
    _Renaming(blocks, tree).run()
    return blocks


# --- the graph put in order


def ordered(blocks: list[Block]) -> list[Block]:
    blocks = _reachable(blocks)
    if any(0 in block.terminator.targets for block in blocks):
        entry = _new_block(blocks, 0)
        blocks = _renumbered(blocks, [entry, *range(entry)])
    _join_latches(blocks)
    _split_critical_edges(blocks)
    graph = [block.terminator.targets for block in blocks]
    return _renumbered(blocks, list(weak_topological_order(graph).nodes))


def _renumbered(blocks: list[Block], order: list[int]) -> list[Block]:
    number = {old: new for new, old in enumerate(order)}
    result = []
    for old in order:
        block = blocks[old]
        block.index = number[old]
        _lead(block, tuple([number[target] for target in block.terminator.targets]))
        result.append(block)
    return result


def _reachable(blocks: list[Block]) -> list[Block]:
    return _renumbered(blocks, reverse_postorder([b.terminator.targets for b in blocks]))


def _join_latches(blocks: list[Block]) -> None:
    """One back edge a loop: lanes that `continue` wait at the latch for the others."""
    graph = [block.terminator.targets for block in blocks]
    tree = dominators(graph)
    back: dict[int, list[int]] = {}
    for source, targets in enumerate(graph):
        for target in dict.fromkeys(targets):
            if tree.dominates(target, source):
                back.setdefault(target, []).append(source)
    for head, latches in back.items():
        if len(latches) > 1:
            joint = _new_block(blocks, head)
            for latch in latches:
                _redirect(blocks[latch], head, joint)


def _split_critical_edges(blocks: list[Block]) -> None:
    sources = predecessors([block.terminator.targets for block in blocks])
    for block in list(blocks):
        if len(set(block.terminator.targets)) > 1:
            for target in set(block.terminator.targets):
                if len(sources[target]) > 1:
                    _redirect(block, target, _new_block(blocks, target))


def _new_block(blocks: list[Block], target: int) -> int:
    blocks.append(Block(len(blocks), terminator=Terminator(targets=(target,))))
    return len(blocks) - 1


def _redirect(block: Block, old: int, new: int) -> None:
    _lead(block, tuple([new if t == old else t for t in block.terminator.targets]))


def _lead(block: Block, targets: tuple[int, ...]) -> None:
    block.terminator = block.terminator._replace(targets=targets)


# --- phis


def _place_phis(blocks: list[Block], frontier: list[set[int]]) -> None:
    """Phis only for registers read in another block than they are written in (semi-pruned form:
    Briggs, Cooper, Harvey & Simpson, SP&E 28(8), 1998)."""
    exposed = {value for block in blocks for value in _exposed(block)}
    defined: dict[Value, set[int]] = {}
    for block in blocks:
        for instr in block.instrs:
            for value in instr.defs:
                if value in exposed:
                    defined.setdefault(value, set()).add(block.index)
    live = _live_in(blocks, {value: i for i, value in enumerate(defined)})
    for bit, (value, homes) in enumerate(defined.items()):
        work, placed = list(homes), set[int]()
        while work:
            for join in frontier[work.pop()]:
                if join not in placed and live[join] >> bit & 1:
                    placed.add(join)
                    blocks[join].phis.append(Phi(value))
                    if join not in homes:
                        work.append(join)


def _exposed(block: Block) -> set[Value]:
    """The upward-exposed registers: read in the block before they are written."""
    found: set[Value] = set()
    written: set[Value] = set()
    for instr in block.instrs:
        for operand in instr.uses:
            if isinstance(operand, Value) and operand not in written:
                found.add(operand)
        written.update(instr.defs)
    condition = block.terminator.condition
    if isinstance(condition, Value) and condition not in written:
        found.add(condition)
    return found


def _live_in(blocks: list[Block], bit: dict[Value, int]) -> list[int]:
    """The registers live on entry of each block, as bit sets."""
    read, written = [0] * len(blocks), [0] * len(blocks)
    for block in blocks:
        for value in _exposed(block):
            if value in bit:
                read[block.index] |= 1 << bit[value]
        for instr in block.instrs:
            for value in instr.defs:
                if value in bit:
                    written[block.index] |= 1 << bit[value]
    live = list(read)
    work = list(range(len(blocks)))
    while work:
        block = blocks[work.pop()]
        out = 0
        for target in block.terminator.targets:
            out |= live[target]
        now = read[block.index] | (out & ~written[block.index])
        if now != live[block.index]:
            live[block.index] = now
            work.extend(block.predecessors)
    return live


# --- names


class _Renaming:
    """A walk over the dominator tree with the current name of every register."""

    def __init__(self, blocks: list[Block], tree: Dominators) -> None:
        self.blocks = blocks
        self.tree = tree
        self.registers = {phi: phi.target for block in blocks for phi in block.phis}
        self.names: dict[Value, Operand] = {}  # a register's current name
        self.refined: dict[Value, Operand] = {}  # a name's last refinement
        self.plain: dict[Value, Value] = {}  # the name that a refinement is of
        self.selects: dict[Operand, list[PtxInstr]] = {}  # by the predicate, by its plain name
        self.versions: dict[str, int] = {}
        self.definition: dict[Value, PtxInstr] = {}
        self.formulas = Formulas(self.definition.get)
        self.undo: list[tuple[dict[Value, Operand], Value, Operand | None]] = []

    def run(self) -> None:
        stack: list[tuple[int, int]] = [(0, -1)]
        while stack:
            index, mark = stack.pop()
            if mark >= 0:
                self._restore(mark)
                continue
            stack.append((index, len(self.undo)))
            self._block(self.blocks[index])
            stack.extend((child, -1) for child in reversed(self.tree.children[index]))

    def _set(self, table: dict[Value, Operand], key: Value, new: Operand) -> None:
        self.undo.append((table, key, table.get(key)))
        table[key] = new

    def _restore(self, mark: int) -> None:
        while len(self.undo) > mark:
            table, key, old = self.undo.pop()
            if old is None:
                del table[key]
            else:
                table[key] = old

    def _named(self, register: Value) -> Value:
        name = register.name
        version = self.versions.get(name, 0)
        self.versions[name] = version + 1
        return Value(f"{name}.{version}" if version else name, register.width)

    def _use(self, operand: Operand) -> Operand:
        if not isinstance(operand, Value):
            return operand
        name = self.names.get(operand)
        if name is None:
            return Undefined(operand.name, operand.width)
        return self._latest(name)

    def _latest(self, name: Operand) -> Operand:
        """The name after all refinements in scope."""
        while isinstance(name, Value):
            plain = self.plain.get(name, name)
            name = self.refined.get(plain, name)
            if not isinstance(name, Value) or self.plain.get(name, name) == plain:
                break
        return name

    def _plain(self, name: Operand) -> Operand:
        return self.plain.get(name, name) if isinstance(name, Value) else name

    def _define(self, register: Value) -> Value:
        name = self._named(register)
        self._set(self.names, register, name)
        return name

    def _block(self, block: Block) -> None:
        for phi in block.phis:
            phi.target = self._define(phi.target)
        self._assume(block)
        for instr in cast(Iterable[PtxInstr], block.instrs):
            instr.uses = tuple([self._use(operand) for operand in instr.uses])
            if instr.guard is not None:
                instr.guard = self._use(instr.guard)
            access = instr.access
            if access is not None:
                base = instr.uses[0]
                mask = instr.uses[-1] if access.mask is not None else None
                length = instr.uses[1] if access.length is not None else None
                instr.access = access._replace(base=base, mask=mask, length=length)
            instr.defs = tuple([self._define(value) for value in instr.defs])
            for value in instr.defs:
                self.definition[value] = instr
            if instr.form is not None and instr.form.row.opcode == "selp" and not instr.guard:
                by = instr.uses[2]
                self.selects.setdefault(self._plain(by), []).append(instr)
        end = block.terminator
        if end.condition is not None:
            block.terminator = end._replace(condition=self._use(end.condition))
        for target in dict.fromkeys(end.targets):
            for phi in self.blocks[target].phis:
                phi.sources[block.index] = self._use(self.registers[phi])

    def _assume(self, block: Block) -> None:
        """Emits the assumes of the one edge into this block."""
        if len(block.predecessors) != 1:
            return
        end = self.blocks[block.predecessors[0]].terminator
        if end.condition is None or len(end.targets) != 2 or end.condition.width != 1:
            return
        truth = end.targets[0] == block.index
        for fact in self.formulas.implied(end.condition, truth):
            self._assume_fact(block, fact)

    def _assume_fact(self, block: Block, fact: Fact) -> None:
        a, relation, b = self._latest(fact[0]), fact[1], self._latest(fact[2])
        if isinstance(a, Value) and a.width == 1 and isinstance(b, Constant):
            self._set(self.refined, self.plain.get(a, a), b)  # it is what the branch says
            for select in self.selects.get(self._plain(a), ()):
                x, y, _ = select.uses
                self._set(self.refined, select.defs[0], x if b.bits else y)
            return
        for source, other, swapped in ((a, b, False), (b, a, True)):
            if isinstance(source, Value):
                target = Value(f"{source.name}'", source.width)
                block.assumes.append(Assume(target, source, relation, other, swapped))
                plain = self.plain[target] = self.plain.get(source, source)
                self._set(self.refined, plain, target)
