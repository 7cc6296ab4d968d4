"""A SIMT program in SSA form: the protocol that the analyses read.

A function is a graph of blocks. A block has phis, then assumes and instructions, then one
terminator. Every name is defined once. An instruction evaluates itself over any algebra, so no
analysis depends on the opcode; its side effects are its ``effects`` and, for memory, its
``access`` or its ``opaque`` accesses.

Assume nodes stand at the head of a block with one incoming branch edge (e-SSA: Bodik, Gupta &
Sarkar 2000): the refined word has its own name, used in every block that the edge dominates.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum, Flag, auto
from typing import Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct, field

from analyses.algebra import Algebra, V
from analyses.lattice import Relation

T = TypeVar("T")

# --- operands


class Value(Struct, eq=False):
    """A name: a word of ``width`` bits defined once. Equal only to itself."""

    name: str
    width: int

    def __repr__(self) -> str:
        return self.name


class Constant(NamedTuple):
    width: int
    bits: int


class Special(Struct, frozen=True):
    """A special register: ``tid.x``."""

    name: str
    width: int


def constant_in_thread(name: str) -> bool:
    """True if a special register has the same value throughout a thread. Clocks do not, nor do the
    numbers of the warp and the multiprocessor, which change where threads are rescheduled."""
    return not name.startswith(("clock", "globaltimer", "pm", "warpid", "smid"))


class Region(NamedTuple):
    """A memory region: an array, a parameter, or the buffer of a pointer parameter. ``size`` in
    bytes, None if unknown; ``align`` of its first byte, in bytes."""

    space: str
    name: str
    size: int | None
    align: int = 1
    parameter: bool = False  # of the kernel: written by the launch, read by all threads


class AddressOf(NamedTuple):
    """The address of a region's first byte; generic where ``generic`` is set."""

    region: Region
    width: int
    generic: bool = False


class Undefined(Struct, frozen=True):
    """A register read where no definition reaches."""

    name: str
    width: int


Operand = Value | Constant | Special | AddressOf | Undefined


# --- instructions


class Effect(Flag):
    """Side effects of an instruction."""

    NONE = 0
    LOAD = auto()
    STORE = auto()
    ATOMIC = auto()
    BARRIER = auto()  # threads of the CTA wait for each other
    ARRIVE = auto()  # counts at a barrier without waiting
    CONVERGENT = auto()  # the result depends on the set of active lanes (LLVM: convergent)
    ALIGNED = auto()  # all lanes of the warp must execute it together
    FENCE = auto()
    COMMIT = auto()  # makes a group of the asynchronous accesses that the thread has issued
    AWAIT = auto()  # waits for groups, but for the latest ones: a literal, 0 without one
    BRANCH = auto()
    EXIT = auto()  # the thread ends, or its function returns
    CALL = auto()
    TRAP = auto()
    UNMODELLED = auto()  # no meaning given: results are arbitrary words


AccessKind = Literal["load", "store", "atomic"]


class OpaqueAccess(NamedTuple):
    """Accesses of one instruction to unknown addresses of a state space, of any if ``generic``.
    They may happen later than the instruction, until the kernel ends. They are ``inside`` if they
    do not leave an object that the launch bound to a handle, the first operand that is used."""

    kind: AccessKind
    space: str
    inside: bool = False

    @property
    def writes(self) -> bool:
        return self.kind != "load"

    def reaches(self, space: str) -> bool:
        """True if it may touch memory of the space."""
        return "generic" in (self.space, space) or self.space == space


ANYWHERE = (OpaqueAccess("load", "generic"), OpaqueAccess("store", "generic"))
"""What an instruction may do of which nothing is known."""


class Completion(Enum):
    """When an access is complete: as its thread goes on, when its thread has waited for its group
    of asynchronous accesses, or when a barrier object or another group says so."""

    AT_ONCE = auto()
    GROUP = auto()
    ELSEWHERE = auto()


class Access(NamedTuple):
    """A memory access, by each active lane whose ``mask`` holds.

    ``bytes`` is the whole width (a vector counts as one access), and the required alignment but
    for an ``alignment``. The address is ``base + offset``. ``used`` is the number of a load's bytes
    that the program needs, None if all. A load with a ``length`` loads as many bytes as that word
    says, from 1 to ``bytes``. An ``asynchronous`` one may be made at any time until its thread
    waits for it. One of scope ``cta`` is atomic for the threads of its CTA only.
    """

    kind: AccessKind
    space: str  # "generic" "global" "shared" "local" "const" "param"
    base: Operand
    offset: int
    bytes: int
    mask: Operand | None = None
    used: int | None = None
    alignment: int | None = None
    length: Operand | None = None
    completion: Completion = Completion.AT_ONCE
    cta: bool = False

    @property
    def align(self) -> int:
        return self.bytes if self.alignment is None else self.alignment

    @property
    def asynchronous(self) -> bool:
        return self.completion is not Completion.AT_ONCE

    @property
    def least(self) -> int:
        """The fewest bytes that an active lane accesses."""
        return self.bytes if self.length is None else 1

    @property
    def needed(self) -> int:
        """The bytes that the program needs."""
        return self.bytes if self.used is None else self.used


class Instr(Protocol):
    """``evaluate`` maps a word for each operand of ``uses`` to a word for each name of ``defs``."""

    @property
    def defs(self) -> Sequence[Value]: ...
    @property
    def uses(self) -> Sequence[Operand]: ...
    @property
    def effects(self) -> Effect: ...
    @property
    def access(self) -> Access | None: ...
    @property
    def opaque(self) -> Sequence[OpaqueAccess]: ...
    @property
    def literals(self) -> Sequence[int]: ...
    @property
    def meaning(self) -> Hashable:
        """Equal for instructions that map equal words to equal words, but for loads of
        parameters."""

    def evaluate(self, o: Algebra[V], arguments: Sequence[V]) -> Sequence[V]: ...


def barrier_operands(barrier: Instr) -> tuple[Operand, Operand | None]:
    """The number of a barrier, and how many threads take part (None: all of the CTA). The vote of a
    reduction is a predicate and comes last."""
    number, *more = barrier.uses
    return number, next((use for use in more if use.width > 1), None)


class Phi(Struct, eq=False):
    target: Value
    sources: dict[int, Operand] = {}  # by predecessor's index


class Assume(Struct, eq=False):
    """``target`` is ``source`` refined by ``source R other``, or by ``other R source`` if
    ``swapped``."""

    target: Value
    source: Value
    relation: Relation
    other: Operand
    swapped: bool


class Terminator(NamedTuple):
    """The end of a block. A branch goes to ``targets[0]`` in lanes where ``condition`` holds, to
    ``targets[1]`` in the others; an indexed branch to ``targets[condition]``; without targets the
    thread exits. ``uniform`` is the program's claim that all lanes of a warp agree (``bra.uni``).
    ``instr`` is the instruction, None for a fall-through."""

    condition: Operand | None = None
    targets: tuple[int, ...] = ()
    uniform: bool = False
    instr: Instr | None = None


class Block(Struct, eq=False):
    index: int
    phis: list[Phi] = []
    assumes: list[Assume] = []
    instrs: list[Instr] = []
    terminator: Terminator = field(default_factory=Terminator)
    predecessors: list[int] = []

    def defined(self) -> list[Value]:
        """The names that the block defines, in order."""
        values = [phi.target for phi in self.phis]
        values += [node.target for node in self.assumes]
        return values + [value for instr in self.instrs for value in instr.defs]


def branch_taken(blocks: Sequence[Block], source: int, target: int) -> tuple[Operand, bool] | None:
    """The predicate of a branch and its value in lanes that go to one of its two targets."""
    end = blocks[source].terminator
    if end.condition is None or len(end.targets) != 2 or end.targets[0] == end.targets[1]:
        return None
    return end.condition, end.targets[0] == target


def branch_into(blocks: Sequence[Block], block: int) -> tuple[Operand, bool] | None:
    """The same of the branch to a block with a single predecessor."""
    sources = blocks[block].predecessors
    return branch_taken(blocks, sources[0], block) if len(sources) == 1 else None


def on_the_way(
    block: int,
    parents: Sequence[int],
    known: dict[int, frozenset[T]],
    shown: Callable[[int], Iterable[T]],
) -> frozenset[T]:
    """What the edges into a block and into those that dominate it show, all together; what is
    found of a block is kept in ``known``. ``parents`` is the dominator tree."""
    chain = []
    while block >= 0 and block not in known:
        chain.append(block)
        block = parents[block]
    found = known.get(block, frozenset())
    for index in reversed(chain):
        found = known[index] = found.union(shown(index))
    return found


def exit_blocks(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks without instructions from which every path exits the thread."""
    found: set[int] = set()
    for block in reversed(blocks):
        if not block.instrs and all(target in found for target in block.terminator.targets):
            found.add(block.index)
    return frozenset(found)


def trapping_blocks(blocks: Sequence[Block]) -> frozenset[int]:
    """The blocks from which every path ends the launch by a trap; none if the first one does."""
    found: set[int] = set()
    for block in reversed(blocks):
        targets = block.terminator.targets
        traps = any(instr.effects & Effect.TRAP for instr in block.instrs)
        if traps or (targets and all(target in found for target in targets)):
            found.add(block.index)
    return frozenset() if 0 in found else frozenset(found)


def may_end_thread(instr: Instr) -> bool:
    """True if nothing is known of what it does, as of a function without a body."""
    return tuple(instr.opaque) == ANYWHERE


def positions(blocks: Sequence[Block]) -> dict[Instr, tuple[int, int]]:
    """The block of each instruction, and its number there."""
    return {
        instr: (block.index, number)
        for block in blocks
        for number, instr in enumerate(block.instrs)
    }


def opaque_accesses(function: SsaFunction) -> Iterator[tuple[Instr, OpaqueAccess]]:
    for block in function.blocks:
        for instr in block.instrs:
            for one in instr.opaque:
                yield instr, one


def opaque_writes(function: SsaFunction, space: str) -> bool:
    """True if an instruction may write memory of the space at an unknown address."""
    return any(one.writes and one.reaches(space) for _, one in opaque_accesses(function))


class SsaFunction(Protocol):
    """A function in SSA form. Block 0 is the entry; it has no predecessors."""

    @property
    def name(self) -> str: ...
    @property
    def blocks(self) -> Sequence[Block]: ...
