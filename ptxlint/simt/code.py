"""The code of a kernel, cut at barriers: a segment is a part of a block that runs without
waiting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import Enum, auto
from typing import cast

from msgspec import Struct

from analyses.def_use import operands_of
from analyses.graph import weak_topological_order
from analyses.program import (
    Assume,
    Block,
    Effect,
    Operand,
    Phi,
    Undefined,
    Value,
    exit_blocks,
)
from analyses.slices import close
from ptxlint.ir import WAITS, Kernel, PtxInstr, is_warp_sync
from ptxlint.undefined_values import Dependence, UndefinedValues

CHANGES = Effect.STORE | Effect.ATOMIC
ASKING = frozenset({"volatile", "relaxed", "acquire", "mmio"})
LEFT_OUT = "left out"  # a name that is not computed: it reads as 0


class Action(Enum):
    """How the machine executes an instruction."""

    COMPUTE = auto()
    ACCESS = auto()
    NOTHING = auto()  # fences
    TRAP = auto()
    UNMODELLED = auto()

    @staticmethod
    def of(instr: PtxInstr) -> Action:
        if instr.effects & (Effect.TRAP | Effect.UNMODELLED):
            return Action.TRAP if instr.effects & Effect.TRAP else Action.UNMODELLED
        if instr.access is not None:
            return Action.ACCESS
        return Action.NOTHING if instr.sem is None else Action.COMPUTE


Part = tuple[PtxInstr, tuple[Operand, ...], Action]


class Segment(Struct, frozen=True, eq=False):
    """A part of a block, of so many ``steps``: the instructions that are executed, each with its
    operands. It ends in ``barrier``, or in the block's terminator if it is the ``last`` one.
    ``first`` if the block begins here, with these phis and assumes. ``gather`` is its first
    instruction, if that waits for lanes of the warp."""

    index: int
    block: Block
    phis: tuple[Phi, ...]
    assumes: tuple[Assume, ...]
    parts: tuple[Part, ...]
    steps: int
    first: bool
    last: bool
    barrier: PtxInstr | None
    gather: PtxInstr | None


class Code(Struct, frozen=True, eq=False):
    """The segments in the order of their blocks. ``escaping`` values are used outside of the
    segment that defines them; ``used`` are those used at all. ``undefined`` are the values that
    may depend on a register that was never written; ``propagating`` instructions compute with one,
    and ``effects`` has what else depends on it. ``exit_blocks`` have no instructions and exit the
    thread. ``polling`` segments test a barrier object, or words by which other threads end a loop;
    ``changing`` ones may change memory."""

    segments: tuple[Segment, ...]
    start: dict[int, int]
    escaping: frozenset[Value]
    used: frozenset[Value]
    undefined: UndefinedValues
    propagating: frozenset[PtxInstr]
    effects: Mapping[PtxInstr, tuple[Dependence, ...]]
    exit_blocks: frozenset[int]
    polling: tuple[Segment, ...]
    changing: frozenset[int]

    @staticmethod
    def of(
        kernel: Kernel,
        undefined: UndefinedValues,
        gathers: bool,
        accesses: bool,
        needed: Collection[Value] | None = None,
    ) -> Code:
        """Cuts a kernel. ``gathers``: lanes wait for those in a member mask; ``accesses``: other
        lanes may run after each memory access. Only ``needed`` names are computed, all if that is
        None; 0 is stored in place of others."""
        segments = tuple(_segments(kernel.blocks, gathers, accesses, needed))
        start = {s.block.index: s.index for s in segments if s.first}
        uses = _uses(segments)
        homes = {value: segment.index for segment in segments for value in _definitions(segment)}
        escaping = {value for value, places in uses.items() if places != {homes.get(value)}}
        effects: dict[PtxInstr, tuple[Dependence, ...]] = {}
        for _, effect in undefined.all_effects(kernel):
            effects[effect.instr] = (*effects.get(effect.instr, ()), effect)
        return Code(
            segments,
            start,
            frozenset(escaping),
            frozenset(uses),
            undefined,
            frozenset(i for i in kernel.instructions if undefined.propagates(i)),
            effects,
            exit_blocks(kernel.blocks),
            tuple(_polling(kernel, segments)),
            frozenset(s.index for s in segments if any(i.effects & CHANGES for i, _, _ in s.parts)),
        )


def _segments(
    blocks: list[Block], gathers: bool, accesses: bool, needed: Collection[Value] | None
) -> Iterator[Segment]:
    index = 0

    def computed(value: Operand) -> bool:
        return needed is None or not isinstance(value, Value) or value in needed

    def part(instr: PtxInstr) -> Part:
        uses = (use if computed(use) else Undefined(LEFT_OUT, use.width) for use in instr.uses)
        return instr, tuple(uses), Action.of(instr)

    def executed(instr: PtxInstr, _: object, action: Action) -> bool:
        return action is not Action.COMPUTE or not instr.defs or any(map(computed, instr.defs))

    for block in blocks:
        pieces = list(_pieces(cast(list[PtxInstr], block.instrs), gathers, accesses))
        for place, piece in enumerate(pieces):
            barrier = piece.pop() if piece and piece[-1].effects & WAITS else None
            gather = piece[0] if gathers and piece and is_warp_sync(piece[0]) else None
            yield Segment(
                index,
                block,
                tuple(phi for phi in block.phis if computed(phi.target)),
                tuple(assume for assume in block.assumes if computed(assume.target)),
                tuple(one for one in map(part, piece) if executed(*one)),
                len(piece) + 1,
                first=place == 0,
                last=place == len(pieces) - 1,
                barrier=barrier,
                gather=gather,
            )
            index += 1


def _polling(kernel: Kernel, segments: tuple[Segment, ...]) -> Iterator[Segment]:
    """Those that test a barrier object, or ask other threads whether a loop goes on."""
    asked = any(asks_threads(instr) for segment in segments for instr, _, _ in segment.parts)
    looped = _looped(kernel) if asked else frozenset[int]()
    decisive = set[Value]()  # for a branch in a loop
    if looped:
        branches = [kernel.blocks[number].terminator.condition for number in looped]
        close(decisive, [one for one in branches if one is not None], operands_of(kernel))
    for segment in segments:
        inside = segment.block.index in looped
        if any(
            instr.polls or (inside and asks_threads(instr) and not decisive.isdisjoint(instr.defs))
            for instr, _, _ in segment.parts
        ):
            yield segment


def _looped(kernel: Kernel) -> frozenset[int]:
    """The blocks in loops."""
    order = weak_topological_order([block.terminator.targets for block in kernel.blocks])
    components = (span for span in order.elements() if order.nodes[span.start] in order.ends)
    return frozenset(order.nodes[at] for span in components for at in span)


def asks_threads(instr: PtxInstr) -> bool:
    """True if it is an atomic or another access whose result other threads are meant to change."""
    if instr.access is None or instr.form is None or not instr.defs:
        return False
    return instr.access.kind == "atomic" or bool(instr.form.words & ASKING)


def _pieces(instrs: list[PtxInstr], gathers: bool, accesses: bool) -> Iterator[list[PtxInstr]]:
    """The instructions cut after barriers and, if other lanes may run in between, before
    instructions that wait for lanes and after accesses. The last piece has no barrier."""
    piece: list[PtxInstr] = []
    for instr in instrs:
        if gathers and piece and is_warp_sync(instr):
            yield piece
            piece = []
        piece.append(instr)
        if instr.effects & WAITS or (accesses and instr.access is not None):
            yield piece
            piece = []
    yield piece


def _definitions(segment: Segment) -> Iterator[Value]:
    """The values defined in a segment. A phi is defined on an edge, so it has none."""
    if segment.first:
        for assume in segment.assumes:
            yield assume.target
    for instr, _, _ in segment.parts:
        yield from instr.defs


def _uses(segments: tuple[Segment, ...]) -> dict[Value, set[int]]:
    """The segments in which each value is used; a phi uses its source at the end of the
    predecessor."""
    uses: dict[Value, set[int]] = defaultdict(set)

    def read(operand: Operand | None, place: int) -> None:
        if isinstance(operand, Value):
            uses[operand].add(place)

    last = {segment.block.index: segment.index for segment in segments}
    for segment in segments:
        block = segment.block
        for _, operands, _ in segment.parts:
            for operand in operands:
                read(operand, segment.index)
        if segment.barrier is not None:
            votes = bool(segment.barrier.defs)  # read when it opens
            for operand in segment.barrier.uses:
                read(operand, segment.index + votes)
        if segment.first:
            for assume in segment.assumes:
                read(assume.source, segment.index)
            for phi in segment.phis:
                for source, operand in phi.sources.items():
                    read(operand, last[source])
        if segment.last:
            read(block.terminator.condition, segment.index)
    return uses
