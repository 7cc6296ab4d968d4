"""A function's words as the lanes of a warp hold them: slices evaluated lane by lane.

``Lanewise`` answers what a word is in every lane (``domains.spread``), by evaluating the
instructions that it was computed from. The evaluation stops at what was loaded, and at what all
lanes of a warp share where the word is used (``divergence.use``), of which only the alignment
matters. A word that a loop carries keeps its offsets where all lanes move it by the same.

It also answers which lanes come to a block together: those for which the branches hold that lead
there one by one. Nothing is said of blocks that are entered from several sides under divergent
control, and of loops that lanes leave one after the other.

Sound because an operator's result depends on its operands alone: what holds of the operands in
every lane holds of the result (``Spreads``). Numbers come from the solved facts of a name, which
hold in every thread that computes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import product
from math import gcd

from analyses.divergence import Divergence
from analyses.domains.space import Based
from analyses.domains.spread import NEVER, WARP, Spread, Spreads, power
from analyses.domains.uniformity import Level
from analyses.fixpoint import constant
from analyses.graph import Loop, postdominators
from analyses.program import Assume, Effect, Operand, Phi, Region, Value
from analyses.values import Values

Block3 = tuple[int, int, int]

ROWS = "rows-of-32"  # doubt: ntid.x is a multiple of the warp
GUARDED = "guarded"  # doubt: every lane passes the guards
IN_STEP = "in-step"  # doubt: no branch has split the warp on the way
MAX_TURNS = 64  # iterations of a loop that are looked at one by one
MAX_CTAS = 16  # of a grid that is looked at one by one
MAX_DEPTH = 100  # operations between a word and what it is computed from
DEPTH_OF_LOOP = 34  # a loop counts as so many: its words are computed several times over
MAX_ROUNDS = 80  # until the words of a loop are stable: a base loses a bit in each


@dataclass(frozen=True)
class Warps:
    """What slices rest on: the facts of a function, and how its blocks look. ``aligns`` overrides
    the alignment of regions; shape and grid are None where they may be any."""

    values: Values
    divergence: Divergence
    shape: Block3 | None
    grid: Block3 | None
    aligns: Mapping[Region, int]

    @cached_property
    def nodes(self) -> dict[Value, Phi | Assume]:
        """What defines a name that no instruction does."""
        nodes: dict[Value, Phi | Assume] = {}
        for block in self.values.function.blocks:
            nodes.update((phi.target, phi) for phi in block.phis)
            nodes.update((node.target, node) for node in block.assumes)
        return nodes

    @cached_property
    def after(self) -> list[int]:
        return postdominators([b.terminator.targets for b in self.values.function.blocks])

    @cached_property
    def places(self) -> dict[int, Lanewise]:
        return {}

    def at(self, block: int) -> Lanewise:
        """The words as they are in a block: asked for once."""
        return self.places.setdefault(block, Lanewise(self, block))

    @cached_property
    def full(self) -> bool:
        """Whether every lane of every warp is a thread."""
        return self.shape is not None and threads(self.shape)[0] % WARP == 0

    def align(self, region: Region) -> int:
        return max(self.aligns.get(region, region.align), 1)

    def phis(self, loop: Loop) -> Sequence[Phi]:
        """The words that the loop carries and that an address or a branch depends on."""
        return self.values.part.phis[loop.head]

    def whole(self, block: int) -> bool:
        """Whether all threads of a warp execute the block together."""
        known = self.divergence
        together = known.control[block] <= Level.WARP and block not in known.thinned
        return together and not self.leaves(block)

    def leaves(self, block: int) -> bool:
        """Whether lanes leave a loop around the block one after the other."""
        return any(self._leaky(loop) for loop in self.divergence.inside[block])

    def _leaky(self, loop: Loop) -> bool:
        """Threads may also end in a loop: that no ``leaving`` tells."""
        known = self.divergence
        levels = [known.leaving.get(loop.head, Level.GRID)]
        for node in loop.nodes:
            if not loop.nodes.issuperset(self.values.function.blocks[node].terminator.targets):
                levels += [known.control[node], known.branches.get(node, Level.GRID)]
        return not loop.natural or max(levels) > Level.WARP


class Lanewise:
    """Words as they are in the lanes where they are used, in ``block``. ``turn`` holds the words of
    a loop's head phis in one of its iterations, ``cta`` where a CTA stands in the grid."""

    def __init__(
        self,
        warps: Warps,
        block: int,
        turn: Mapping[Value, Spread] | None = None,
        cta: Mapping[str, Spread] | None = None,
        depth: int = 0,
    ) -> None:
        self.depth = depth
        self.warps = warps
        self.values = warps.values
        self.divergence = warps.divergence
        self.blocks = warps.values.function.blocks
        self.block = block
        self.turn = turn or {}
        self.cta = cta or {}
        self.domain = Spreads({**standing(warps.shape), **self.cta}, warps.align, self._special)
        self.memo: dict[Value, Spread] = {}

    def _special(self, name: str, width: int) -> Spread:
        known = self.values.specials.get(name)
        if known is not None and known.is_constant:
            return self.domain.const(width, known.value)
        if self.divergence.symbol(name) <= Level.WARP:
            return Spread(width, (0,), 0)
        return self.domain.top(width, "nonlinear-lane")

    # --- words

    def word(self, operand: Operand) -> Spread:
        if not isinstance(operand, Value):
            return constant(self.domain, operand)  # type: ignore[arg-type]
        found = self.turn.get(operand) or self.memo.get(operand)
        if found is None and self.depth >= MAX_DEPTH:
            return self.domain.top(operand.width, "nonlinear-lane")
        if found is None:
            self.memo[operand] = self.domain.top(operand.width, "loop-carried")
            self.depth += 1
            found = self.memo[operand] = self._word(operand)
            self.depth -= 1
        return found

    def _word(self, value: Value) -> Spread:
        """A number, or else evaluated, or what the lanes share, whichever says more."""
        fact = self.values.number(value)
        if self.values.numbers.is_bottom(fact):
            return self.domain.top(value.width, NEVER)
        numbers = self.values.interval(fact) if fact.origin is None else None
        if numbers is not None and numbers.is_constant:
            return self.domain.const(value.width, numbers.value)
        found = self._evaluated(value)
        if not found.known and self.divergence.use(value, self.block) <= Level.WARP:
            shared = self._shared(value, fact)
            if found.offsets is None or shared.free > found.free:
                found = shared
        if numbers is not None and not found.known:
            found = found._replace(bounds=(numbers.signed_bounds(), numbers.unsigned_bounds()))
        return found

    def _shared(self, value: Value, fact: Based) -> Spread:
        """A word that the lanes of a warp agree on: its alignment."""
        residue, bits = fact.offset[1].alignment
        if fact.origin is not None:
            bits = power(gcd(1 << bits, self.warps.align(fact.origin.region)))
        return Spread(value.width, (residue % (1 << bits),), bits)

    def _evaluated(self, value: Value) -> Spread:
        node = self.warps.nodes.get(value)
        if isinstance(node, Phi):
            return self._phi(node)
        if node is not None:
            return self.word(node.source)
        instr = self.values.definition.get(value)
        if instr is None:
            return self.domain.top(value.width, "nonlinear-lane")
        if instr.access is not None:
            return self.domain.top(value.width, "loaded-index")
        if instr.effects & Effect.UNMODELLED:
            return self.domain.top(value.width, "unmodelled")
        whole = self.warps.full and self.warps.whole(self.values.home[value])
        if instr.effects & Effect.CONVERGENT and not whole:
            return self.domain.top(value.width, "shuffled")
        results = instr.evaluate(self.domain, [self.word(use) for use in instr.uses])
        return results[list(instr.defs).index(value)]

    def _phi(self, phi: Phi) -> Spread:
        """Where the ways from a branch meet, the word of the way that each lane took; the lanes may
        be known to take the same one, or assumed to."""
        block = self.values.home[phi.target]
        if block in self.values.loops:
            return self._carried(phi, self.values.loops[block])
        words = {source: self.word(phi.sources[source]) for source in phi.sources}
        first, *rest = words.values()
        deciding = {b for p in words for b in (*self.divergence.splits[p], p)}
        deciding -= set(self.divergence.splits[block])
        conditions = [self._condition(branch) for branch in sorted(deciding)]
        if all(word.uniform for word in conditions):
            return reduce(self.domain.join, rest, first)
        above = self.values.tree.parent[block]
        sides = [self._side(above, source) for source in words]
        if sides == [0, 1] or sides == [1, 0]:
            yes, no = (list(words.values())[sides.index(side)] for side in (0, 1))
            taken = self._edge(above, self.blocks[above].terminator.targets[0])
            chosen = self.domain.select(taken, yes, no)
            if chosen.offsets is not None:
                return chosen
        if any(word.known and not word.uniform for word in conditions):
            return self.domain.top(phi.target.width, "join")
        return reduce(self.domain.join, rest, first).doubting(IN_STEP)

    def _condition(self, block: int) -> Spread:
        """What the branch at the end of a block asks."""
        condition = self.blocks[block].terminator.condition
        return self.domain.const(1, 1) if condition is None else self.word(condition)

    def _side(self, branch: int, source: int) -> int | None:
        """Which target of a branch all lanes took that come from ``source``."""
        targets = self.blocks[branch].terminator.targets
        for side, target in enumerate(targets):
            alone = self.blocks[target].predecessors == [branch]
            if alone and self.values.tree.dominates(target, source):
                return side
        return self._direct(branch, source)

    def _direct(self, branch: int, source: int) -> int | None:
        """The target of a branch that is the meeting point itself: the one that stands alone is
        the other."""
        targets = self.blocks[branch].terminator.targets
        alone = [self.blocks[target].predecessors == [branch] for target in targets]
        return alone.index(False) if source == branch and alone.count(False) == 1 else None

    def _carried(self, phi: Phi, loop: Loop) -> Spread:
        """A word at the head of a loop: in every iteration its lanes have the offsets that they
        started with, if the body keeps them apart as they are. By induction, as lanes are in the
        same iteration; out of the loop they come in different ones, unless they leave together."""
        head = self.blocks[loop.head]
        if self.divergence.mixed[loop.head] > Level.WARP or not loop.natural:
            return self.domain.top(phi.target.width, "loop-carried")
        inside = self.turn
        starts = [p for p in head.predecessors if p not in loop.latches]
        phis = self.warps.phis(loop)
        words = {node.target: self._joined(node, starts) for node in phis}
        depth = self.depth + DEPTH_OF_LOOP
        for _ in range(MAX_ROUNDS):
            at = Lanewise(self.warps, loop.head, {**inside, **words}, self.cta, depth)
            old, words = (
                words,
                {
                    node.target: reduce(
                        self.domain.join,
                        (at.word(node.sources[latch]) for latch in loop.latches),
                        words[node.target],
                    )
                    for node in phis
                },
            )
            if old == words:
                break
        else:
            return self.domain.top(phi.target.width, "loop-carried")
        if self.divergence.counter(loop.head, self.block) > Level.WARP:
            words = {name: word.doubting(IN_STEP) for name, word in words.items()}
        self.memo.update(words)
        return words[phi.target]

    def _joined(self, phi: Phi, sources: Sequence[int]) -> Spread:
        first, *rest = [self.word(phi.sources[source]) for source in sources]
        joined = reduce(self.domain.join, rest, first)
        return joined.doubting(IN_STEP) if rest else joined

    # --- lanes

    def lanes(self, block: int) -> Spread:
        """Which lanes come to a block together, as a predicate; in doubt all of them, and
        ``guarded``."""
        known = self.divergence
        everybody = self.domain.const(1, 1)
        if self.warps.shape is None:
            everybody = everybody.doubting(ROWS)
        if self.warps.whole(block):
            return everybody
        above = self.values.tree.parent[block]
        if above < 0:
            return everybody
        if self.warps.leaves(block) or self.depth >= MAX_DEPTH:
            return everybody.doubting(GUARDED)
        self.depth += 1
        lanes = self.lanes(above)
        self.depth -= 1
        if self.blocks[block].predecessors == [above]:
            return self.both(lanes, self._edge(above, block))
        thinner = block in known.thinned and above not in known.thinned
        together = set(known.splits[block]) <= set(known.splits[above])
        if self._follows(above, block) and together and not thinner:
            return lanes
        return lanes.doubting(GUARDED)

    def _follows(self, above: int, block: int) -> bool:
        """Whether whoever passes ``above`` comes to the block."""
        after = self.warps.after
        while above < len(self.blocks):
            above = after[above]
            if above == block:
                return True
        return False

    def _edge(self, source: int, target: int) -> Spread:
        """Which lanes go from a block to another one, as a predicate."""
        terminator = self.blocks[source].terminator
        if terminator.condition is None:
            return self.domain.const(1, 1)
        word = self.word(terminator.condition)
        if word.width == 1:
            return word if target == terminator.targets[0] else self.domain.not_(word)
        found = self.domain.const(1, 0)
        for index, there in enumerate(terminator.targets):
            if there == target:
                here = self.domain.eq(word, self.domain.const(word.width, index))
                found = self.domain.or_(found, here)
        return found

    def both(self, lanes: Spread, condition: Spread) -> Spread:
        """The lanes for which a condition holds too: one that they share lets all or none pass."""
        if condition.known:
            return self.domain.and_(lanes, condition)
        if not condition.uniform:
            return lanes.doubting(GUARDED)
        return lanes.doubting(*condition.doubts)

    # --- one CTA, one iteration after the other

    @cached_property
    def ctas(self) -> list[Lanewise]:
        """The words in each CTA of a small grid."""
        grid = self.warps.grid
        if grid is None or grid[0] * grid[1] * grid[2] > MAX_CTAS:
            return []
        places = product(*(range(extent) for extent in reversed(grid)))
        return [
            Lanewise(
                self.warps,
                self.block,
                cta={
                    f"ctaid.{axis}": Spread(32, (at,), 32)
                    for axis, at in zip("zyx", place, strict=True)
                },
            )
            for place in places
        ]

    @cached_property
    def turns(self) -> list[Lanewise] | None:
        """The words in each iteration of the innermost loop around the block that comes to it, if
        nothing but numbers decides how many there are."""
        around = [loop for loop in self.divergence.inside[self.block] if loop.natural]
        if not around:
            return None
        loop = min(around, key=lambda loop: len(loop.nodes))
        head = self.blocks[loop.head]
        entries = [p for p in head.predecessors if p not in loop.latches]
        if len(loop.latches) != 1 or len(entries) != 1:
            return None
        outside = Lanewise(self.warps, entries[0], cta=self.cta, depth=self.depth)
        phis = self.warps.phis(loop)
        now = {phi.target: outside.word(phi.sources[entries[0]]) for phi in phis}
        found: list[Lanewise] = []
        for _ in range(MAX_TURNS):
            at = Lanewise(self.warps, self.block, now, self.cta, self.depth)
            left = at._left(loop)
            if left is None:
                return None
            if left < 0 or not self._before(left):
                found.append(at)
            if left >= 0:
                return found
            now = {phi.target: at.word(phi.sources[loop.latches[0]]) for phi in phis}
        return None

    def _before(self, block: int) -> bool:
        """Whether whoever comes to this block has left the other one behind."""
        return block != self.block and self.values.tree.dominates(block, self.block)

    def _left(self, loop: Loop) -> int | None:
        """Where all lanes leave the loop in this iteration, -1 if they do not; None where that is
        not known."""
        for block in sorted(loop.nodes):
            terminator = self.blocks[block].terminator
            out = [target not in loop.nodes for target in terminator.targets]
            if any(out):
                if len(out) != 2 or all(out) or terminator.condition is None:
                    return None
                word = self.word(terminator.condition)
                taken = word.constant
                if taken is None or taken >= len(out):
                    return None
                if out[1 - taken if word.width == 1 else taken]:
                    return block
        return -1


@lru_cache(maxsize=64)
def threads(shape: Block3) -> tuple[int, int]:
    """How many a block has, and how many lanes its warps have."""
    count = shape[0] * shape[1] * shape[2]
    return count, -(-count // WARP) * WARP


@lru_cache(maxsize=64)
def standing(shape: Block3 | None) -> Mapping[str, Spread]:
    """Who stands where: the special registers that differ between lanes. Threads are numbered with
    x fastest; of an unknown block each warp is taken to be a piece of one row."""
    known: dict[str, list[int]] = {}
    count = WARP if shape is None else threads(shape)[1]
    if shape is not None:
        x, y, _ = shape
        known["tid.x"] = [i % x for i in range(count)]
        known["tid.y"] = [i // x % y for i in range(count)]
        known["tid.z"] = [i // (x * y) for i in range(count)]
    lanes = [i % WARP for i in range(count)]
    known["laneid"] = lanes
    known["lanemask_eq"] = [1 << lane for lane in lanes]
    known["lanemask_lt"] = [(1 << lane) - 1 for lane in lanes]
    known["lanemask_le"] = [(2 << lane) - 1 for lane in lanes]
    known["lanemask_ge"] = [(1 << WARP) - (1 << lane) for lane in lanes]
    known["lanemask_gt"] = [(1 << WARP) - (2 << lane) for lane in lanes]
    words = {name: Spread(32, tuple(numbers), 32) for name, numbers in known.items()}
    if shape is None:
        rows = frozenset({ROWS})
        words["tid.x"] = Spread(32, tuple(range(WARP)), power(WARP), doubts=rows)
        words["tid.y"] = words["tid.z"] = Spread(32, (0,), 0, doubts=rows)
        words["ntid.x"] = Spread(32, (0,), power(WARP), doubts=rows)
    return words
