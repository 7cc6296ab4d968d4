"""Failed assertions: calls of ``__assertfail`` that read nothing but strings of their module are
traps.

``assert`` becomes ``__assertfail(expression, file, line, function, size)``, which prints three
strings and ends the launch (CUDA C++ Programming Guide, "Assertion"). It reads each up to its first
zero: inside of its variable, if that ends with a zero. A variable whose address goes nowhere but
into such calls is as it was declared when a call reads it.

    mov.u64 a, $str;  cvta.global.u64 b, a;  st.param.b64 [param0+0], b;  ...
    call.uni __assertfail, (param0, param1, param2, param3, param4);
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from analyses.program import AddressOf, Block, Effect, Operand, Region, Value
from ptxlint.ir import PtxInstr
from ptxlint.lowering.lower import NO_RETURN
from ptxlint.syntax import ast, initial_values

STRINGS = (0, 1, 3)  # positions of the arguments that are strings
COPYING = ("mov", "cvta")

Initials = Mapping[Region, tuple[ast.Variable, ast.Declarator]]


def follow_assertions(blocks: Iterable[Block], initials: Initials) -> None:
    """Makes such calls traps: all that they do to the launch is to end it."""
    blocks = list(blocks)
    calls = [(block, call) for block in blocks for call in failing(block)]
    if not calls:
        return
    addresses = _Addresses(blocks)
    strings = {
        region
        for region, (_, declarator) in initials.items()
        if ends_with_zero(declarator) and region not in addresses.escaping
    }
    for block, call in calls:
        passed = dict(arguments(block, call))
        variables = [use.region for use in call.uses if isinstance(use, AddressOf)]
        words = [passed.get(variable) for variable in variables]
        read = {addresses.of.get(words[i]) for i in STRINGS if i < len(words)}
        if len(words) > max(STRINGS) and read <= strings:
            call.opaque, call.effects = (), Effect.TRAP


def failing(block: Block) -> Iterator[PtxInstr]:
    """The calls of functions of the runtime that print and do not return."""
    for instr in cast(Iterable[PtxInstr], block.instrs):
        if instr.opaque and instr.effects & Effect.CALL and instr.text.split()[-1] in NO_RETURN:
            yield instr


def arguments(block: Block, call: PtxInstr) -> Iterator[tuple[Region, Operand]]:
    """The words that the block stores to variables in param space before the call."""
    for instr in block.instrs[: block.instrs.index(call)]:
        access = instr.access
        if access is None or access.kind != "store" or not isinstance(access.base, AddressOf):
            continue
        if access.space == "param" and access.mask is None and not access.offset:
            yield access.base.region, instr.uses[1]


def ends_with_zero(declarator: ast.Declarator) -> bool:
    """True if the last element of an array is zero: what has no initial value is."""
    values, extent = initial_values(declarator), (*declarator.shape, None)[0]
    short = extent is not None and len(values) < extent
    return bool(values) and (short or values[-1] == ast.Integer(0))


class _Addresses:
    """The words that are addresses of variables: ``of`` which variable each is the first byte, and
    the variables whose address is ``escaping``: used by anything but copies and arguments."""

    def __init__(self, blocks: list[Block]) -> None:
        self.of: dict[Operand | None, Region] = {}
        self.escaping: set[Region] = set()
        instrs = [cast(PtxInstr, instr) for block in blocks for instr in block.instrs]
        copies = [i for i in instrs if copied(i)]
        for _ in copies:  # an address is copied a few times at most
            if not sum(self.copy(instr) for instr in copies):
                break
        for instr in instrs:
            access = instr.access
            passes = access is not None and access.kind == "store" and access.space == "param"
            if not copied(instr) and not passes:
                self.escaping.update(self.regions(instr.uses))
        for block in blocks:
            for phi in block.phis:
                self.escaping.update(self.regions(phi.sources.values()))
            self.escaping.update(self.regions(node.source for node in block.assumes))

    def copy(self, instr: PtxInstr) -> bool:
        """True if its result is now known to be an address."""
        (target,), (source,) = instr.defs, instr.uses
        found = set(self.regions([source]))
        if not found or target in self.of:
            return False
        (self.of[target],) = found
        return True

    def regions(self, operands: Iterable[Operand]) -> Iterator[Region]:
        """The variables whose addresses are among the operands."""
        for operand in operands:
            if isinstance(operand, AddressOf):
                yield operand.region
            elif isinstance(operand, Value) and operand in self.of:
                yield self.of[operand]


def copied(instr: PtxInstr) -> bool:
    """True if the instruction copies one word."""
    opcode = instr.form.row.opcode if instr.form is not None else ""
    return opcode in COPYING and len(instr.defs) == len(instr.uses) == 1
