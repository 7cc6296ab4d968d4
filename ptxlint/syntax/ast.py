"""The syntax tree of PTX, before names are resolved.

A node holds names and modifiers exactly as written (white space and comments aside), so that a
printed tree reads as itself. Whether a name is a register, a symbol or a label depends on
scopes and is settled in ``lower``. Constant expressions are folded while parsing.

Positions are offsets into the source text and take no part in comparison: two trees are equal when
they say the same thing. Grammar: PTX ISA 9.4, sections "Syntax" and "Directive statements".
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

POSITIONS = frozenset({"offset", "end"})


class Node(Struct, frozen=True, gc=False):
    """A node with its position, which takes no part in comparison. A tree has no cycles and a large
    module has a hundred thousand nodes, so the garbage collector does not track them."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._said() == other._said()

    def __hash__(self) -> int:
        return hash(self._said())

    def _said(self) -> tuple[Any, ...]:
        names = self.__struct_fields__
        return tuple([getattr(self, name) for name in names if name not in POSITIONS])


# --- operands ---------------------------------------------------------------------------------


class Name(Struct, frozen=True, gc=False):
    """A register, variable, label, function, or special register: ``%r1``, ``tile``, ``%tid.x``.

    ``text`` includes a trailing member (``%tid.x``, ``%v.y``, ``%r1.b0``) when there is one.
    """

    text: str


class Integer(Struct, frozen=True, gc=False):
    """An integer constant, folded to its mathematical value; ``unsigned`` when it carried a U."""

    value: int
    unsigned: bool = False


class Float(Struct, frozen=True, gc=False):
    """A floating-point constant by its bit pattern: ``0f3F800000`` has width 32, others 64."""

    bits: int
    width: int


class Negated(Struct, frozen=True, gc=False):
    """``!p``"""

    operand: Name


class Minus(Struct, frozen=True, gc=False):
    """``-r``, ``-r.h0``: a register whose word is negated first, as ``vmad`` can."""

    operand: Name


class Pair(Struct, frozen=True, gc=False):
    """``p|q``: two destinations of one instruction."""

    first: Operand
    second: Operand


class Vector(Struct, frozen=True, gc=False):
    """``{a, b}``"""

    elements: tuple[Operand, ...]


class Address(Struct, frozen=True, gc=False):
    """``[base+offset]``; ``rest`` holds what follows the base in texture and tensor addresses."""

    base: Operand
    offset: int = 0
    rest: tuple[Operand, ...] = ()
    unified: bool = False


class Element(Struct, frozen=True, gc=False):
    """``v[index]``: an element of a variable array."""

    name: str
    index: Operand


class SymbolOffset(Struct, frozen=True, gc=False):
    """``symbol+4`` outside of brackets, also as ``generic(symbol)+4`` or ``0xFF(symbol+4)``.

    With a ``mask`` the name may be empty: ``0xFF(0x1234)`` is a byte of a constant.
    """

    name: str
    offset: int = 0
    generic: bool = False
    mask: int | None = None


class Arguments(Struct, frozen=True, gc=False):
    """``(a, b)``: the results or the arguments of a call."""

    elements: tuple[Operand, ...]


Operand = (
    Name
    | Integer
    | Float
    | Negated
    | Minus
    | Pair
    | Vector
    | Address
    | Element
    | SymbolOffset
    | Arguments
)

# --- statements -------------------------------------------------------------------------------


class GuardPredicate(Struct, frozen=True, gc=False):
    """``@p`` or ``@!p``"""

    name: str
    negated: bool = False


class Instruction(Node, frozen=True, gc=False):
    """One instruction. ``opcode`` is its base word, ``modifiers`` the dotted words in order."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: GuardPredicate | None = None
    offset: int = 0

    @property
    def text(self) -> str:
        """The full opcode, e.g. ``ld.global.u32``."""
        return ".".join((self.opcode, *self.modifiers))


class Label(Node, frozen=True, gc=False):
    name: str
    offset: int = 0


class Declarator(Struct, frozen=True, gc=False):
    """One name of a declaration. ``count`` is the N of ``%r<N>``; ``shape`` lists array extents,
    None for ``[]``. ``initial`` is a constant, a symbol, or nested tuples of them, or, for a long
    flat list, the raw text between its braces (read it with ``initial_values``)."""

    name: str
    count: int | None = None
    shape: tuple[int | None, ...] = ()
    initial: Initial | None = None


Initial = Integer | Float | SymbolOffset | Name | str | tuple["Initial", ...]


class Variable(Node, frozen=True, gc=False):
    """A declaration: ``.shared .align 4 .b8 tile[4096];``. ``space`` has no dot; ``type`` neither.

    ``attributes`` are those of ``.attribute``: ``managed``, ``unified(1,2)``.
    """

    space: str
    type: str
    declarators: tuple[Declarator, ...]
    align: int | None = None
    vector: str | None = None
    linkage: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    offset: int = 0


class InlinedAt(Struct, frozen=True, gc=False):
    """Where inlined code was called from; ``function`` is a label, or ``.debug_str+16``."""

    file: int
    line: int
    column: int
    function: str


class Loc(Node, frozen=True, gc=False):
    """``.loc file line column`` with, for inlined code, ``function_name`` and ``inlined_at``.

    ``intermediate`` marks ``.loc_intermediate`` (PTX ISA 9.4), which has neither.
    """

    file: int
    line: int
    column: int
    inlined_at: InlinedAt | None = None
    intermediate: bool = False
    offset: int = 0


class Pragma(Node, frozen=True, gc=False):
    strings: tuple[str, ...]
    offset: int = 0


class Targets(Node, frozen=True, gc=False):
    """``label: .branchtargets a, b;`` or ``.calltargets``; ``kind`` is the directive's word."""

    label: str
    kind: str
    names: tuple[str, ...]
    offset: int = 0


class CallPrototype(Node, frozen=True, gc=False):
    label: str
    returns: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    directives: tuple[Directive, ...] = ()
    offset: int = 0


class Scope(Node, frozen=True, gc=False):
    """``{ ... }``: statements with their own names. ``end`` is the offset after the brace."""

    statements: tuple[Statement, ...]
    offset: int = 0
    end: int = 0


Statement = Instruction | Label | Variable | Loc | Pragma | Targets | CallPrototype | Scope

# --- module -----------------------------------------------------------------------------------


class Parameter(Node, frozen=True, gc=False):
    """A formal parameter. ``pointer_space``/``pointer_align`` come from ``.ptr``; ``shape`` as in a
    declarator. ``space`` is "param" or "reg"."""

    space: str
    type: str
    name: str
    align: int | None = None
    vector: str | None = None
    pointer: bool = False
    pointer_space: str | None = None
    pointer_align: int | None = None
    shape: tuple[int | None, ...] = ()
    offset: int = 0


class Directive(Node, frozen=True, gc=False):
    """A directive of a function header or the module: ``.maxntid 256, 1, 1``, ``.pragma "x"``.

    ``name`` has no dot. ``values`` holds integers, names, and strings with their quotes.
    """

    name: str
    values: tuple[int | str, ...] = ()
    offset: int = 0


class Function(Node, frozen=True, gc=False):
    """An ``.entry`` or ``.func``; ``body`` is None for a declaration."""

    entry: bool
    name: str
    parameters: tuple[Parameter, ...]
    returns: tuple[Parameter, ...] = ()
    linkage: tuple[str, ...] = ()
    directives: tuple[Directive, ...] = ()
    attributes: tuple[str, ...] = ()
    body: Scope | None = None
    offset: int = 0


class File(Node, frozen=True, gc=False):
    """``.file 1 "name.cu"[, mtime, size]``"""

    index: int
    names: tuple[str, ...]
    stamp: tuple[int, ...] = ()
    offset: int = 0


class Section(Node, frozen=True, gc=False):
    """``.section .debug_str { ... }``, ``@@DWARF`` lines, intermediate source (9.4): kept as text.

    ``name`` is ``.debug_str``, ``@@DWARF``, or ``.nv_intermediate_source_section``; ``text`` is
    what stands in the braces or on the rest of the line.
    """

    name: str
    text: str
    offset: int = 0


class Alias(Node, frozen=True, gc=False):
    name: str
    target: str
    offset: int = 0


Item = Function | Variable | File | Section | Alias | Pragma | Directive


class Module(Struct, frozen=True, gc=False):
    """A translation unit: ``version`` (9, 0), ``targets`` ("sm_90", "texmode_unified")."""

    version: tuple[int, int]
    targets: tuple[str, ...]
    address_size: int | None
    items: tuple[Item, ...]
