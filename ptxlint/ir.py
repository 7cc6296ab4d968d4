"""The intermediate representation: PTX functions in the protocol of ``analyses.program``.

Lowering writes registers as values that may be defined many times; ``ssa`` makes every definition a
name of its own. Both stages use these classes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec import Struct

from analyses.algebra import Algebra
from analyses.graph import dominators
from analyses.program import (
    Access,
    AddressOf,
    Block,
    Effect,
    OpaqueAccess,
    Operand,
    Region,
    Special,
    Value,
)
from analyses.slices import closed_under_memory, deciding
from ptxlint.errors import Error
from ptxlint.isa.row import TYPES, Form, Semantics
from ptxlint.mangling import signature
from ptxlint.source import Source
from ptxlint.syntax import ast

if TYPE_CHECKING:
    from networkx import DiGraph

MASKED = ("shfl", "vote", "match", "redux", "elect")
"""Opcodes whose last operand is a member mask."""

WAITS = Effect.BARRIER | Effect.ARRIVE
"""The instructions at which a thread waits for its warp, or for more of its CTA."""

WAITS_OR_ENDS = WAITS | Effect.CALL | Effect.TRAP | Effect.UNMODELLED | Effect.AWAIT
"""Instructions whose operands decide when and how threads go on."""


class PtxInstr(Struct, eq=False):
    """One instruction: ``text`` is the opcode as written, ``offset`` its place in the source.

    ``uses`` holds the operands in order, vector elements flattened, and
    ``literals`` the numbers that follow them. Memory instructions have their address
    first and their mask, if any, last. A synthetic instruction was put in by lowering.
    ``guard`` says in which lanes an instruction that only computes was meant to.
    """

    text: str
    form: Form | None  # None: an opcode without a row
    defs: tuple[Value, ...]
    uses: tuple[Operand, ...]
    effects: Effect = Effect.NONE
    access: Access | None = None
    literals: tuple[int, ...] = ()
    offset: int = 0
    loc: ast.Loc | None = None
    synthetic: bool = False
    guard: Operand | None = None
    opaque: tuple[OpaqueAccess, ...] = ()
    _meaning: Hashable = None

    @property
    def meaning(self) -> Hashable:
        if self._meaning is None:
            access = None if self.access is None else (self.access.kind, self.access.space)
            widths = tuple([value.width for value in self.defs])
            self._meaning = (self.form, self.literals, widths, access)
        return self._meaning

    @property
    def sem(self) -> Semantics | None:
        return self.form.row.sem if self.form is not None else None

    @property
    def opcode(self) -> str:
        """The first word of the text: ``ld`` of ``ld.global.u32``."""
        return self.text.partition(".")[0]

    @property
    def copies(self) -> bool:
        """True if it only moves words: a ``mov``, or a synthetic instruction."""
        return self.synthetic or (self.form is not None and self.form.row.opcode == "mov")

    @property
    def polls(self) -> bool:
        """True if it tests a barrier object, which may change between two lanes."""
        loads = self.access is not None and self.access.kind == "load"
        return loads and self.form is not None and self.form.row.opcode == "mbarrier"

    def statement(self, source: Source | None) -> str:
        """The instruction as written; its opcode if the source is unknown."""
        if source is None:
            return self.text
        start, end = source.statement(self.offset)
        return source.text[start:end]

    def evaluate(self, o: Algebra[Any], arguments: Sequence[Any]) -> Sequence[Any]:
        """One word for each of ``defs``. Raises what the algebra raises."""
        access = self.access
        if access is not None:
            if access.kind == "load" and not self.polls:
                return [o.loaded(d.width, access.space, arguments[0]) for d in self.defs]
            return [o.havoc(d.width) for d in self.defs]
        form = self.form
        if form is None or form.row.sem is None:
            return [o.havoc(d.width) for d in self.defs]
        result = form.row.sem(o, form, *arguments, *self.literals)
        return (result,) if len(self.defs) == 1 else result


class KernelParameter(Struct, frozen=True):
    """A kernel parameter, or a struct member: a word at an ``offset`` in a struct passed by value,
    under the name of the struct and the offset. ``region`` has the bytes of the whole. A 64-bit
    parameter (or one declared ``.ptr``) is a pointer unless it is declared as a number, or never
    used as an address: it is a ``number``."""

    name: str
    index: int
    type: str
    size: int
    region: Region
    pointer_space: str | None = None
    pointer_align: int | None = None
    declared_pointer: bool = False
    offset: int = 0
    number: bool = False

    @property
    def word(self) -> str:
        """The name of the word in the analyses."""
        return f"{self.region.name}+{self.offset}"

    @property
    def structure(self) -> bool:
        """True if it is an array of bytes that stands for a struct."""
        return self.type not in TYPES or self.size != TYPES[self.type].bits // 8


class Kernel(Struct, eq=False, dict=True):
    """An ``.entry`` in SSA form. ``calls`` are the inlined calls, as pairs of caller and callee.
    ``fast_divisions`` are the results of 64-bit divisions that the compiler does in 32 bits where
    both operands fit."""

    name: str
    parameters: tuple[KernelParameter, ...]
    blocks: list[Block]
    regions: tuple[Region, ...]
    offset: int
    max_threads: tuple[int, ...] | None = None
    required_threads: tuple[int, ...] | None = None
    initials: dict[Region, tuple[ast.Variable, ast.Declarator]] = {}
    members: tuple[KernelParameter, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    fast_divisions: frozenset[Value] = frozenset()
    source: Source | None = None
    address_size: int = 8  # bytes of an address
    target: str = ""  # of its module: ``sm_90a``

    @property
    def demangled(self) -> str:
        """The name with its template arguments."""
        return signature(self.name)

    @cached_property
    def specials(self) -> frozenset[str]:
        """The special registers and parameters that its instructions use."""
        uses = (use for instr in self.instructions for use in instr.uses)
        return frozenset(use.name for use in uses if isinstance(use, Special))

    def graph(self, of: str = "control-flow") -> DiGraph[Any]:
        """A graph of networkx: ``control-flow`` and the tree of ``dominators`` over the basic
        blocks, each with its ``line`` in the PTX and its ``instructions``, or ``calls`` of
        functions. Raises Error without networkx."""
        try:
            import networkx
        except ImportError:
            why = "graphs need networkx: pip install networkx, or ptxlint with [graph]"
            raise Error(why) from None
        found: DiGraph[Any] = networkx.DiGraph(name=f"{of} of {self.name}")
        if of == "calls":
            found.add_node(self.name)
            found.add_edges_from(self.calls)
            return found
        if of not in ("control-flow", "dominators"):
            raise Error(f"graph {of!r}: expected 'control-flow', 'dominators' or 'calls'")
        for block in self.blocks:
            own = list(written_in(block))
            lines = [self.source.line_column(i.offset)[0] for i in own] if self.source else []
            found.add_node(
                block.index,
                line=min(lines, default=None),
                instructions=tuple(i.statement(self.source) for i in own),
            )
        successors = [block.terminator.targets for block in self.blocks]
        if of == "dominators":
            parents = enumerate(dominators(successors).parent)
            found.add_edges_from((parent, node) for node, parent in parents if parent >= 0)
        else:
            found.add_edges_from((b, to) for b, targets in enumerate(successors) for to in targets)
        return found

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """All that a launch gives a value: the parameters by position, then the members."""
        return self.parameters + self.members

    @property
    def words(self) -> tuple[KernelParameter, ...]:
        """The arguments without the structs that have members."""
        split = {member.region for member in self.members}
        whole = tuple(formal for formal in self.parameters if formal.region not in split)
        return whole + self.members

    @property
    def instructions(self) -> list[PtxInstr]:
        return [i for block in self.blocks for i in block.instrs]  # type: ignore[misc]

    @property
    def written(self) -> Iterator[PtxInstr]:
        """All instructions of the source, block by block: branches and exits, which end a block and
        are none of ``instructions``, too."""
        return (instr for block in self.blocks for instr in written_in(block))

    @cached_property
    def deciding_operands(self) -> tuple[Operand, ...]:
        """The operands that decide where and when it accesses memory: addresses, predicates, branch
        conditions, operands of barriers and of code that is not known, member masks."""
        found: list[Operand] = []
        for instr in self.instructions:
            found += deciding(instr)
            if instr.effects & WAITS_OR_ENDS:
                found += instr.uses
            mask = members_of(instr)
            if mask is not None:
                found.append(mask)
        ends = (block.terminator.condition for block in self.blocks)
        return (*found, *(condition for condition in ends if condition is not None))

    @cached_property
    def deciding(self) -> frozenset[int]:
        """The positions of the arguments that decide where and when it accesses memory. Others are
        not read, or only data that are stored: whatever they are, every thread makes the same
        accesses in the same order."""
        names = closed_under_memory(self, self.deciding_operands)
        return self._loaded_by(lambda load: not names.isdisjoint(load.defs))

    @cached_property
    def read(self) -> frozenset[int]:
        """The positions of the arguments that an instruction reads."""
        return self._loaded_by(lambda load: True)

    def _loaded_by(self, counts: Callable[[PtxInstr], bool]) -> frozenset[int]:
        """The positions of the arguments of which a load that counts has bytes. One whose address
        is more than loaded from may be read in any way."""
        sources = (s for b in self.blocks for phi in b.phis for s in phi.sources.values())
        anyhow = {source.region for source in sources if isinstance(source, AddressOf)}
        loaded: set[tuple[Region, int]] = set()
        for instr in self.instructions:
            access = instr.access
            for use in instr.uses:
                if not isinstance(use, AddressOf):
                    continue
                if access is None or access.base != use or access.space != use.region.space:
                    anyhow.add(use.region)
                elif counts(instr):
                    loaded.update((use.region, access.offset + i) for i in range(access.bytes))
        return frozenset(
            p.index
            for p in self.words
            if p.region in anyhow or any((p.region, p.offset + i) in loaded for i in range(p.size))
        )

    @property
    def shared_bytes(self) -> int:
        """The bytes of its arrays in shared memory, dynamic ones excepted."""
        end = 0
        for region in self.regions:
            if region.space == "shared" and region.size is not None:
                end = -(-end // region.align) * region.align + region.size
        return end


def is_warp_sync(instr: PtxInstr) -> bool:
    """True if lanes of the warp wait for each other to execute it."""
    if instr.form is None or not instr.effects & Effect.CONVERGENT:
        return False
    return "sync" in instr.form.words and not instr.effects & (WAITS | Effect.UNMODELLED)


def is_warp_barrier(instr: PtxInstr) -> bool:
    return instr.form is not None and instr.form.row.opcode == "bar" and is_warp_sync(instr)


def members_of(instr: PtxInstr) -> Operand | None:
    """The member mask operand; None for all lanes."""
    masked = instr.form is not None and instr.form.row.opcode in MASKED
    return instr.uses[-1] if masked or is_warp_barrier(instr) else None


def is_written(instr: object) -> TypeGuard[PtxInstr]:
    """True if it is in the source: not synthetic."""
    return isinstance(instr, PtxInstr) and not instr.synthetic


def written_in(block: Block) -> Iterator[PtxInstr]:
    """The instructions of a block that are in the source, and the one that ends it."""
    return filter(is_written, (*block.instrs, block.terminator.instr))
