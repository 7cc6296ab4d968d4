"""The intermediate representation: PTX functions in the protocol of ``analyses.program``.

Lowering writes registers as values that may be defined many times; ``ssa`` makes every definition a
name of its own. Both stages use these classes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

from msgspec import Struct

from analyses.algebra import Algebra
from analyses.graph import dominators
from analyses.program import Access, Block, Effect, OpaqueAccess, Operand, Region, Special, Value
from ptxlint.errors import Error
from ptxlint.isa.row import TYPES, Form, Semantics
from ptxlint.mangling import signature
from ptxlint.source import Source
from ptxlint.syntax import ast

if TYPE_CHECKING:
    from networkx import DiGraph

MASKED = ("shfl", "vote", "match", "redux", "elect")
"""Opcodes whose last operand is a member mask."""


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
            raise Error("graphs need networkx: pip install networkx") from None
        found: DiGraph[Any] = networkx.DiGraph(name=f"{of} of {self.name}")
        if of == "calls":
            found.add_node(self.name)
            found.add_edges_from(self.calls)
            return found
        if of not in ("control-flow", "dominators"):
            raise Error(f"graph {of!r}: expected 'control-flow', 'dominators' or 'calls'")
        for block in self.blocks:
            written = [i for i in (*block.instrs, block.terminator.instr) if is_written(i)]
            lines = [self.source.line_column(i.offset)[0] for i in written] if self.source else []
            found.add_node(
                block.index,
                line=min(lines, default=None),
                instructions=tuple(i.statement(self.source) for i in written),
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
    def shared_bytes(self) -> int:
        """The bytes of its arrays in shared memory, dynamic ones excepted."""
        end = 0
        for region in self.regions:
            if region.space == "shared" and region.size is not None:
                end = -(-end // region.align) * region.align + region.size
        return end


def is_written(instr: object) -> TypeGuard[PtxInstr]:
    """True if it is in the source: not synthetic."""
    return isinstance(instr, PtxInstr) and not instr.synthetic
