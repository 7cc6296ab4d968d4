"""A SIMT program in SSA form, as the analyses see it.

A function is a graph of blocks. A block has phis, then assumes and instructions, then one
terminator. Every name is defined once. An instruction evaluates itself over any algebra, so an
analysis never asks what instruction it is; what it does to the world stands in its ``effects`` and,
for memory, in its ``access``.

Assume nodes stand at the head of a block that one branch edge enters (e-SSA: Bodik, Gupta & Sarkar
2000): the refined word has a name of its own, used in every block that the edge dominates.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import NamedTuple, Protocol, TypeVar

from analyses.algebra import Algebra
from analyses.lattice import Relation

V = TypeVar("V")


# --- operands


@dataclass(eq=False, slots=True)
class Value:
    """A name: a word of ``width`` bits defined once. Equal only to itself."""

    name: str
    width: int

    def __repr__(self) -> str:
        return self.name


class Constant(NamedTuple):
    width: int
    bits: int


@dataclass(frozen=True, slots=True)
class Special:
    """A word that the machine supplies: ``tid.x``."""

    name: str
    width: int


def lasting(name: str) -> bool:
    """Whether a special register holds the same word as long as a thread runs: no clock does."""
    return not name.startswith(("clock", "globaltimer", "pm"))


class Region(NamedTuple):
    """A piece of memory with an extent: an array, a parameter, or what a pointer parameter points
    to. ``size`` in bytes, None where nothing is known; ``align`` of its first byte, in bytes."""

    space: str
    name: str
    size: int | None
    align: int = 1
    parameter: bool = False  # of the kernel: written by the launch, read by all


class AddressOf(NamedTuple):
    """The address of a region's first byte; generic where ``generic`` is set."""

    region: Region
    width: int
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Undefined:
    """A register that is read where no definition reaches."""

    name: str
    width: int


Operand = Value | Constant | Special | AddressOf | Undefined


# --- instructions


class Effect(Flag):
    """What an instruction does besides computing its results."""

    NONE = 0
    LOAD = auto()
    STORE = auto()
    ATOMIC = auto()
    BARRIER = auto()  # threads of the CTA wait for each other
    ARRIVE = auto()  # counts at a barrier without waiting
    CONVERGENT = auto()  # means something else if fewer lanes take part
    ALIGNED = auto()  # all lanes of the warp must execute it together
    FENCE = auto()
    BRANCH = auto()
    EXIT = auto()  # the thread ends, or its function returns
    CALL = auto()
    TRAP = auto()
    UNMODELLED = auto()  # meaning unknown: results are arbitrary words


class Access(NamedTuple):
    """The memory that an instruction touches, in each active lane whose ``mask`` holds.

    ``bytes`` is the whole width (a vector counts as one access), and is also the alignment that the
    machine asks for unless ``align`` says less. The address is ``base + offset``. ``used`` is how
    many of a load's bytes the program says it needs, None where it needs all.
    """

    kind: str  # "load" "store" "atomic"
    space: str  # "generic" "global" "shared" "local" "const" "param"
    base: Operand
    offset: int
    bytes: int
    mask: Operand | None = None
    used: int | None = None

    @property
    def align(self) -> int:
        return self.bytes

    @property
    def needed(self) -> int:
        """Bytes that would do."""
        return self.bytes if self.used is None else self.used


class Instr(Protocol):
    """``evaluate`` takes one word an operand of ``uses`` and gives one a name of ``defs``."""

    @property
    def defs(self) -> Sequence[Value]: ...
    @property
    def uses(self) -> Sequence[Operand]: ...
    @property
    def effects(self) -> Effect: ...
    @property
    def access(self) -> Access | None: ...
    @property
    def meaning(self) -> Hashable:
        """Instructions of one meaning make equal words of equal words, but for parameters."""

    def evaluate(self, o: Algebra[V], arguments: Sequence[V]) -> Sequence[V]: ...


@dataclass(eq=False, slots=True)
class Phi:
    target: Value
    sources: dict[int, Operand] = field(default_factory=dict)  # by predecessor's index


@dataclass(eq=False, slots=True)
class Assume:
    """``target`` is ``source``, which is known to satisfy a relation here: ``source R other``, or
    ``other R source`` where ``swapped``."""

    target: Value
    source: Value
    relation: Relation
    other: Operand
    swapped: bool


class Terminator(NamedTuple):
    """How a block ends. A branch goes to ``targets[0]`` in lanes where ``condition`` holds, to
    ``targets[1]`` in the others; an indexed branch to ``targets[condition]``; no targets: the
    thread ends. ``uniform`` is the program's own claim that all lanes of a warp agree; ``instr`` is
    the instruction that says all this, None where the block just goes on."""

    condition: Operand | None = None
    targets: tuple[int, ...] = ()
    uniform: bool = False
    instr: Instr | None = None


@dataclass(eq=False, slots=True)
class Block:
    index: int
    phis: list[Phi] = field(default_factory=list)
    assumes: list[Assume] = field(default_factory=list)
    instrs: list[Instr] = field(default_factory=list)
    terminator: Terminator = field(default_factory=Terminator)
    predecessors: list[int] = field(default_factory=list)

    def defined(self) -> list[Value]:
        """The names that the block defines, in order."""
        values = [phi.target for phi in self.phis]
        values += [node.target for node in self.assumes]
        return values + [value for instr in self.instrs for value in instr.defs]


def ending(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks that do nothing but end the thread."""
    found: set[int] = set()
    for block in reversed(blocks):
        if not block.instrs and all(target in found for target in block.terminator.targets):
            found.add(block.index)
    return frozenset(found)


class SsaFunction(Protocol):
    """Block 0 is the entry; it has no predecessors."""

    @property
    def name(self) -> str: ...
    @property
    def blocks(self) -> Sequence[Block]: ...
