"""Which values may depend on a register that was never written, and where that has an effect.

An undefined word does no harm until the program depends on it. As MemorySanitizer does (Stepanov &
Serebryany, CGO 2015), values carry it along, and only its *effects* are reported: an address, a
predicate or branch condition, an operand of a barrier, a word that others see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from analyses.program import Block, Effect, Operand, Undefined, Value
from ptxlint.ir import MASKED, Kernel, PtxInstr

BIJECTIVE = frozenset({"add", "sub", "xor", "not", "neg"})
"""Opcodes that map an operand one to one, whatever the others are, if these are other registers."""

OBSERVABLE = ("global", "generic")


class Dependence(Struct, frozen=True):
    """An effect of an undefined word: ``role`` says what ``operand`` is for ``instr``."""

    instr: PtxInstr
    operand: Operand
    role: str


class UndefinedValues(Struct, frozen=True):
    """``origins`` are the values that may have undefined bits, each with the name of a register
    that was never written. Of these, ``computed`` are not mere copies of it, and ``wholly`` have no
    defined bit, in any execution."""

    origins: Mapping[Value, str]
    computed: frozenset[Value]
    wholly: frozenset[Value]

    def origin(self, operand: Operand) -> str | None:
        """The register without a definition that the operand may depend on."""
        if isinstance(operand, Undefined):
            return operand.name
        return self.origins.get(operand) if isinstance(operand, Value) else None

    def always(self, operand: Operand) -> bool:
        """True if the operand is undefined in every execution."""
        return isinstance(operand, Undefined) or operand in self.wholly

    def propagates(self, instr: PtxInstr) -> bool:
        """True if the instruction computes with an operand that may be undefined."""
        computes = instr.access is None and instr.sem is not None
        return computes and any(self.origin(use) is not None for use in instr.uses)

    def effects(self, instr: PtxInstr) -> Iterator[Dependence]:
        """The effects that the instruction may have. A copy of an undefined word that is stored is
        none: compilers copy padding."""
        access, uses = instr.access, instr.uses
        if access is not None:
            parts = [(uses[0], "the address")]
            data = uses[1:]
            if access.mask is not None:
                parts.append((access.mask, "the predicate"))
                data = data[:-1]
            if access.length is not None:
                parts.append((access.length, "the number of bytes"))
                data = ()
            if access.kind == "atomic":
                parts += [(word, "an operand of the atomic") for word in data]
            elif access.space in OBSERVABLE:
                computed = (word for word in data if word in self.computed)
                parts += [(word, "the stored word") for word in computed]
        elif instr.effects & (Effect.BARRIER | Effect.ARRIVE):
            parts = [(word, "an operand of the barrier") for word in uses]
        elif instr.form is not None and instr.form.row.opcode in MASKED:
            parts = [(uses[-1], "the member mask")]
        else:
            return
        for operand, role in parts:
            if self.origin(operand) is not None:
                yield Dependence(instr, operand, role)

    def branch(self, block: Block) -> Dependence | None:
        """The effect of the block's terminator."""
        end = block.terminator
        if end.condition is None or self.origin(end.condition) is None:
            return None
        assert isinstance(end.instr, PtxInstr)
        return Dependence(end.instr, end.condition, "the branch condition")

    def all_effects(self, kernel: Kernel) -> Iterator[tuple[Block, Dependence]]:
        for block in kernel.blocks:
            for instr in block.instrs:
                assert isinstance(instr, PtxInstr)
                yield from ((block, found) for found in self.effects(instr))
            condition = self.branch(block)
            if condition is not None:
                yield block, condition


def undefined_values(kernel: Kernel) -> UndefinedValues:
    search = _Search(kernel)
    return UndefinedValues(search.origins, frozenset(search.computed), search.wholly)


class _Search:
    """Forward propagation to a fixpoint. What may be undefined or computed grows from nothing; what
    is wholly undefined is decided in the order of blocks, where a loop's back edge counts as
    defined."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.origins: dict[Value, str] = {}
        self.computed: set[Value] = set()
        size = -1
        while size != len(self.origins) + len(self.computed):
            size = len(self.origins) + len(self.computed)
            for block in kernel.blocks:
                self._block(block)

    def _block(self, block: Block) -> None:
        for phi in block.phis:
            self._flow((phi.target,), tuple(phi.sources.values()), copies=True)
        for assume in block.assumes:
            self._flow((assume.target,), (assume.source,), copies=True)
        for instr in block.instrs:
            assert isinstance(instr, PtxInstr)
            if instr.access is None and instr.sem is not None:
                self._flow(instr.defs, instr.uses, instr.copies)

    def _flow(self, defs: tuple[Value, ...], uses: tuple[Operand, ...], copies: bool) -> None:
        names = [name for use in uses if (name := self._origin(use)) is not None]
        if not names:
            return
        for value in defs:
            self.origins.setdefault(value, names[0])
            if not copies or any(use in self.computed for use in uses):
                self.computed.add(value)

    def _origin(self, operand: Operand) -> str | None:
        if isinstance(operand, Undefined):
            return operand.name
        return self.origins.get(operand) if isinstance(operand, Value) else None

    @cached_property
    def wholly(self) -> frozenset[Value]:
        found: set[Value] = set()

        def blank(operand: Operand) -> bool:
            return isinstance(operand, Undefined) or operand in found

        for block in self.kernel.blocks if self.origins else ():
            found.update(p.target for p in block.phis if all(map(blank, p.sources.values())))
            found.update(a.target for a in block.assumes if blank(a.source))
            for instr in block.instrs:
                assert isinstance(instr, PtxInstr)
                if len(instr.defs) == 1 and _undefines(instr, [*map(blank, instr.uses)]):
                    found.add(instr.defs[0])
        return frozenset(found)


def _undefines(instr: PtxInstr, blank: list[bool]) -> bool:
    """True if no bit of the result is defined where these operands are undefined."""
    if instr.access is not None or instr.sem is None or instr.form is None:
        return False
    if instr.copies:
        return all(blank) and bool(blank)
    distinct = len(set(instr.uses)) == len(instr.uses)
    return instr.form.row.opcode in BIJECTIVE and distinct and any(blank)
