"""A function's words as the lanes of a warp hold them: slices evaluated lane by lane.

``LaneEvaluation`` answers what a word is in every lane (``domains.spread``), by evaluating the
instructions that it was computed from. The evaluation stops at what was loaded, and at what all
lanes of a warp share where the word is used (``divergence.use``), of which only the alignment
matters; what they load together from one address they share. A word that a loop carries keeps its
offsets where all lanes move it by the same.

It also answers which lanes come to a block together: those for which the branches hold that lead
there one by one. Nothing is said of blocks that are entered from several sides under divergent
control.

Where numbers decide when each lane leaves a loop, its iterations are told apart (``rounds``): each
has words of its own and the lanes that are still there, and behind the loop a word is the one of
the lane's last iteration. What dominates a use is computed in that iteration too: else there were a
way around it.

Sound because an operator's result depends on its operands alone: what holds of the operands in
every lane holds of the result (``Spreads``). Numbers come from the solved facts of a name, which
hold in every thread that computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import gcd

from analyses.domains.regions import BasePlusOffset
from analyses.domains.uniformity import Level
from analyses.fixpoint import constant
from analyses.graph import Loop
from analyses.lanes.context import WarpContext
from analyses.lanes.coordinates import ROWS, Block3
from analyses.lanes.offsets import NEVER, LaneValue
from analyses.lanes.sequences import power
from analyses.program import Access, Effect, Instr, Operand, Phi, Value

GUARDED = "guarded"  # doubt: every lane passes the guards
IN_STEP = "in-step"  # doubt: no branch has split the warp on the way
MAX_TURNS = 64  # iterations of a loop that are looked at one by one
MAX_NESTED = 256  # of a loop and of all in it
MAX_CTAS = 16  # of a grid that is looked at one by one
MAX_LOOPS = 3  # in one another: the words of the inner ones are computed several times over
MAX_WIDTH = 64  # of a word: none is extended that is as wide, so nobody asks for its bounds
MAX_ROUNDS = 80  # until the words of a loop are stable: a base loses a bit in each


@dataclass(frozen=True)
class Warps(WarpContext):
    """What the lanes hold in each nest of loops, evaluated once for all who ask."""

    @cached_property
    def nests(self) -> dict[tuple[frozenset[int], Block3 | None], LaneEvaluation]:
        return {}

    def at(self, block: int, cta: Block3 | None = None) -> LaneEvaluation:
        """The words as they are in a block: the same in all blocks of the same loops, for it is
        loops that words may leave lane by lane."""
        key = self.around[block], cta
        found = self.nests.get(key)
        if found is None:
            found = self.nests[key] = LaneEvaluation(self, block, cta)
        return found


class LaneEvaluation:
    """Words as they are in the lanes where they are used, in ``block`` or any other of the same
    loops. ``cta`` is where a CTA stands in the grid. ``turn`` holds the words of a loop's head phis
    in one of its iterations, which the lanes ``staying`` are still in; what is computed outside of
    the loop, ``outer`` knows."""

    def __init__(
        self,
        warps: Warps,
        block: int,
        cta: Block3 | None = None,
        turn: Mapping[Value, LaneValue] | None = None,
        loop: Loop | None = None,
        outer: LaneEvaluation | None = None,
        staying: LaneValue | None = None,
    ) -> None:
        self.warps = warps
        self.values = warps.values
        self.divergence = warps.divergence
        self.blocks = warps.values.function.blocks
        self.block = block
        self.cta = cta
        self.loop = loop
        self.outer = outer
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.domain, self.constants = warps.machine(cta)
        self.memo: dict[Operand, LaneValue] = dict((turn or {}).items())
        self.heads: dict[int, Mapping[Value, LaneValue] | None] = {}  # what loops carry
        self.coming: dict[int, LaneValue] = {}  # lanes by block
        self.partly: frozenset[str] = frozenset()  # whether some lanes may not have entered
        self.budget: Iterator[int] | None = None  # iterations that may still be looked at
        self.told: dict[
            int, Sequence[LaneEvaluation] | None
        ] = {}  # the iterations of loops, by head
        self.staying = self.domain.const(1, 1) if staying is None else staying
        self.followed: frozenset[int] = frozenset() if outer is None else outer.followed
        if staying is not None:
            self.coming[block] = staying
            self.followed |= {block}  # heads of loops whose iterations are told apart

    # --- words

    def word(self, operand: Operand) -> LaneValue:
        """Operands first, without recursion: a chain of operations may be as long as a kernel."""
        found = self._known(operand)
        if found is not None:
            return found
        assert isinstance(operand, Value)
        stack = [(operand, iter(self._begun(operand)))]
        while stack:
            value, rest = stack[-1]
            for one in rest:
                if self._known(one) is None:
                    stack.append((one, iter(self._begun(one))))  # type: ignore[arg-type]
                    break
            else:
                self.memo[value] = self._word(value)
                stack.pop()
        return self.memo[operand]

    def _begun(self, value: Value) -> Sequence[Operand]:
        """What the word is computed from. Until it is, it counts as one that a loop carries."""
        self.memo[value] = self.domain.top(value.width, "loop-carried")
        return self._operands(value)

    def _known(self, operand: Operand) -> LaneValue | None:
        """What needs no evaluation here, or was evaluated."""
        words = self.memo if isinstance(operand, Value) else self.constants
        found = words.get(operand)
        if found is None:
            if isinstance(operand, Value):
                found = self._number(operand) or self._elsewhere(operand) or self._left(operand)
            else:
                found = constant(self.domain, operand)  # type: ignore[arg-type]
            if found is not None:
                words[operand] = found
        return found

    def _number(self, value: Value) -> LaneValue | None:
        fact = self.values.number(value)
        if self.values.numbers.is_bottom(fact):
            return self.domain.top(value.width, NEVER)
        numbers = self.values.interval(fact) if fact.origin is None else None
        if numbers is not None and numbers.is_constant:
            return self.domain.const(value.width, numbers.value)
        return None

    def _elsewhere(self, value: Value) -> LaneValue | None:
        """A word that is the same in fewer loops is computed there."""
        home = self.values.home[value]
        if self.loop is not None:
            assert self.outer is not None
            return None if home in self.loop.nodes else self.outer.word(value)
        around = self.warps.around
        if around[home] < around[self.block]:
            return self.warps.at(home, self.cta).word(value)
        return None

    def _word(self, value: Value) -> LaneValue:
        """Evaluated, or what the lanes share, whichever says more."""
        fact = self.values.number(value)
        numbers = self.values.interval(fact) if fact.origin is None else None
        found = self._evaluated(value)
        if not found.known and self.divergence.use(value, self.block) <= Level.WARP:
            shared = self._shared(value, fact)
            if found.offsets is None or shared.free > found.free:
                found = shared
        if numbers is not None and value.width < MAX_WIDTH and not found.known:
            found = found._replace(bounds=(numbers.signed_bounds(), numbers.unsigned_bounds()))
        return found

    def _shared(self, value: Value, fact: BasePlusOffset) -> LaneValue:
        """A word that the lanes of a warp agree on: its alignment."""
        residue, bits = fact.offset[1].alignment
        if fact.origin is not None:
            bits = power(gcd(1 << bits, self.warps.align(fact.origin.region)))
        return LaneValue(value.width, (residue % (1 << bits),), bits)

    def _operands(self, value: Value) -> Sequence[Operand]:
        node = self.warps.nodes.get(value)
        if isinstance(node, Phi):
            return self._sources(node)
        if node is not None:
            return (node.source,)
        instr = self.values.definition.get(value)
        return () if instr is None or self._opaque(value, instr) else instr.uses

    def _opaque(self, value: Value, instr: Instr) -> str | None:
        """Why an instruction is not evaluated."""
        if instr.access is not None:
            return None if self._agreed(value, instr.access) else "loaded-index"
        if instr.effects is Effect.NONE:
            return None
        if instr.effects & Effect.UNMODELLED:
            return "unmodelled"
        whole = self.warps.full and self.warps.whole(self.values.home[value])
        return "shuffled" if instr.effects & Effect.CONVERGENT and not whole else None

    def _agreed(self, value: Value, access: Access) -> bool:
        """Whether lanes that load from one address get one word: those that load together, and are
        still in the same iteration where it is used."""
        known, block = self.divergence, self.values.home[value]
        told = access.kind == "load" and access.mask is None
        behind = (known.counter(loop.head, self.block) for loop in self._behind(block))
        levels = (known.irreducible[block], *behind)
        return told and max(levels) <= Level.WARP

    def _evaluated(self, value: Value) -> LaneValue:
        node = self.warps.nodes.get(value)
        if isinstance(node, Phi):
            return self._phi(node)
        if node is not None:
            return self.word(node.source)
        instr = self.values.definition.get(value)
        if instr is None:
            return self.domain.top(value.width, "nonlinear-lane")
        reason = self._opaque(value, instr)
        if reason is not None:
            return self.domain.top(value.width, reason)
        results = instr.evaluate(self.domain, [self.word(use) for use in instr.uses])
        return results[list(instr.defs).index(value)]

    def _sources(self, phi: Phi) -> Sequence[Operand]:
        """Of a loop those that it begins with, else all, and what the branches between them ask."""
        block = self.values.home[phi.target]
        loop = self.values.loops.get(block)
        if loop is not None:
            phis, entries = self.warps.phis(loop), self.warps.entries(loop)
            return (
                [node.sources[p] for node in phis for p in entries] if self.warps.even(loop) else ()
            )
        asked = {self.values.tree.parent[block], *self._deciding(phi)}
        conditions = (self.blocks[b].terminator.condition for b in sorted(asked))
        return [*phi.sources.values(), *(c for c in conditions if c is not None)]

    def _deciding(self, phi: Phi) -> Sequence[int]:
        """The branches that decide by which way a lane comes to the phi: those on the ways from the
        last block that all lanes come through."""
        splits, dominates = self.divergence.controlling, self.values.tree.dominates
        home = self.values.home[phi.target]
        above = self.values.tree.parent[home]
        deciding = {b for p in phi.sources for b in (*splits[p], p)}
        return sorted(b for b in deciding if dominates(above, b) and not dominates(home, b))

    def _phi(self, phi: Phi) -> LaneValue:
        """Where the ways from a branch meet, the word of the way that each lane took; the lanes may
        be known to take the same one, or assumed to."""
        block = self.values.home[phi.target]
        if block in self.values.loops:
            carried = self._carried(self.values.loops[block]) or {}
            return carried.get(phi.target) or self.domain.top(phi.target.width, "loop-carried")
        words = {source: self.word(phi.sources[source]) for source in phi.sources}
        first, *rest = words.values()
        conditions = [self._condition(branch) for branch in self._deciding(phi)]
        if all(word.uniform for word in conditions):
            return reduce(self.domain.join, rest, first)
        above = self.values.tree.parent[block]
        sides = [self.warps.side(above, source) for source in words]
        if sides == [0, 1] or sides == [1, 0]:
            yes, no = (list(words.values())[sides.index(side)] for side in (0, 1))
            taken = self.edge(above, self.blocks[above].terminator.targets[0])
            chosen = self.domain.select(taken, yes, no)
            if chosen.offsets is not None:
                return chosen
        if any(word.known and not word.uniform for word in conditions):
            return self.domain.top(phi.target.width, "join")
        return reduce(self.domain.join, rest, first).doubting(IN_STEP)

    def _condition(self, block: int) -> LaneValue:
        """What the branch at the end of a block asks."""
        condition = self.blocks[block].terminator.condition
        return self.domain.const(1, 1) if condition is None else self.word(condition)

    def _carried(self, loop: Loop) -> Mapping[Value, LaneValue] | None:
        """The words at the head of a loop: in every iteration the lanes have the offsets that they
        started with, if the body keeps them apart as they are. By induction, as lanes are in the
        same iteration; out of the loop they come in different ones, unless they leave together."""
        if loop.head not in self.heads:
            words = self._stable(loop) if self.warps.even(loop) and self.depth < MAX_LOOPS else None
            if words and self.divergence.counter(loop.head, self.block) > Level.WARP:
                words = {name: word.doubting(IN_STEP) for name, word in words.items()}
            self.heads[loop.head] = words
        return self.heads[loop.head]

    def _stable(self, loop: Loop) -> dict[Value, LaneValue] | None:
        phis, join = self.warps.phis(loop), self.domain.join
        words = {node.target: self._joined(node, self.warps.entries(loop)) for node in phis}
        outer = self.warps.at(loop.head, self.cta) if self.outer is None else self
        for _ in range(MAX_ROUNDS):
            at = LaneEvaluation(self.warps, loop.head, self.cta, words, loop, outer)
            back = {
                node.target: [at.word(node.sources[latch]) for latch in loop.latches]
                for node in phis
            }
            old, words = words, {name: reduce(join, back[name], words[name]) for name in words}
            if old == words:
                return words
        return None

    def _joined(self, phi: Phi, sources: Sequence[int]) -> LaneValue:
        first, *rest = [self.word(phi.sources[source]) for source in sources]
        joined = reduce(self.domain.join, rest, first)
        return joined.doubting(IN_STEP) if rest else joined

    # --- lanes

    def lanes(self, block: int) -> LaneValue:
        """Which lanes come to a block together, as a predicate; in doubt all of them, and
        ``guarded``."""
        return self._come(block).doubting(*self.partly)

    def _come(self, block: int) -> LaneValue:
        """Of the lanes that are in this iteration."""
        way = [block]  # up to where that is known
        while way[-1] not in self.coming and not self._sure(way[-1]):
            way.append(self._before(way[-1])[0])
        for at in reversed(way):
            if at not in self.coming:
                self.coming[at] = self._lanes(at)
        return self.coming[block]

    def _sure(self, block: int) -> bool:
        """Whether the lanes do not depend on those of the blocks before."""
        first = self.values.tree.parent[block] < 0
        return (
            first
            or self._leaves(block)
            or (self.block not in self.followed and self.warps.whole(block))
        )

    def _leaves(self, block: int) -> bool:
        """Whether lanes leave a loop around the block one after the other, in iterations that are
        not told apart."""
        return not self.warps.leaky & self.warps.around[block] <= self.followed

    def _lanes(self, block: int) -> LaneValue:
        if not self._sure(block):
            return self._onward(block)
        everybody = self.domain.const(1, 1)
        if self.warps.shape is None:
            everybody = everybody.doubting(ROWS)
        partly = self.values.tree.parent[block] >= 0 and not self.warps.whole(block)
        return everybody.doubting(GUARDED) if partly else everybody

    def _onward(self, block: int) -> LaneValue:
        """Which lanes come to a block of those that came to where they were known last."""
        known, blocks = self.divergence, self.blocks
        above, passed = self._before(block)
        lanes, loop = self.coming[above], self.values.loops.get(block)
        latches = loop.latches if loop is not None else ()
        sources = [p for p in blocks[block].predecessors if p not in latches]
        if sources == [above]:
            return self.both(lanes, self.edge(above, block))
        if self.warps.whole(block):
            return lanes
        if passed is not None and not passed.natural:
            return lanes.doubting(GUARDED)
        if passed is not None and self.warps.entries(passed) == [above]:
            lanes, above = self.both(lanes, self.edge(above, passed.head)), passed.head
        thinner = block in known.partially_exited and above not in known.partially_exited
        together = set(known.controlling[block]) <= set(known.controlling[above])
        if self.warps.follows(above, block) and together and not thinner:
            return lanes
        return lanes.doubting(GUARDED)

    def _before(self, block: int) -> tuple[int, Loop | None]:
        """A dominator of the block that is in no loop which is left before the block, and the first
        such loop on the way."""
        parent = self.values.tree.parent
        above, passed = parent[block], None
        while behind := [loop for loop in self._behind(above) if block not in loop.nodes]:
            passed = behind[0]
            while above in passed.nodes:
                above = parent[above]
        return above, passed

    def _behind(self, block: int) -> Sequence[Loop]:
        """The loops around a block that are not around this one, outer ones first."""
        loops = [loop for loop in self.divergence.inside[block] if self.block not in loop.nodes]
        return sorted(loops, key=lambda loop: -len(loop.nodes))

    def edge(self, source: int, target: int) -> LaneValue:
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

    def both(self, lanes: LaneValue, condition: LaneValue) -> LaneValue:
        """The lanes for which a condition holds too: one that they share lets all or none pass."""
        if condition.known:
            return self.domain.and_(lanes, condition)
        if not condition.uniform:
            return lanes.doubting(GUARDED)
        return lanes.doubting(*condition.doubts)

    # --- one CTA, one iteration after the other

    @cached_property
    def ctas(self) -> list[LaneEvaluation]:
        """The words in each CTA of a small grid."""
        grid = self.warps.grid
        if grid is None or grid[0] * grid[1] * grid[2] > MAX_CTAS:
            return []
        x, y, z = grid
        places = [(i % x, i // x % y, i // (x * y)) for i in range(x * y * z)]
        return [self.warps.at(self.block, place) for place in places]

    def turns(self, block: int) -> Sequence[LaneEvaluation]:
        """The words in each iteration of the loops around a block, if nothing but numbers decides
        how many there are. Of an outer loop that is unknown they hold in all iterations."""
        around = sorted(self.divergence.inside[block], key=lambda loop: -len(loop.nodes))
        found: list[LaneEvaluation] = [self]
        for loop in around:
            inner: list[LaneEvaluation] | None = []
            for at in found:
                told = at.rounds(loop)
                if told is None or inner is None or len(inner) + len(told) > MAX_TURNS:
                    inner = None
                    break
                inner += told
            if inner is not None:
                found = inner
            elif loop is around[-1]:
                return ()
        return found if around else ()

    def rounds(self, loop: Loop) -> Sequence[LaneEvaluation] | None:
        """The words in each iteration of a loop, for the lanes that are still in it; None where the
        ways out are not decided by numbers that are known."""
        if loop.head not in self.told:
            self.told[loop.head] = None  # until it is known
            ways = len(loop.latches), len(self.warps.entries(loop))
            if ways == (1, 1) and self.warps.even(loop) and self.depth < MAX_LOOPS:
                self.told[loop.head] = self._rounds(loop)
        return self.told[loop.head]

    def _rounds(self, loop: Loop) -> Sequence[LaneEvaluation] | None:
        (entry,), (latch,) = self.warps.entries(loop), loop.latches
        outside, phis = self._outside(loop), self.warps.phis(loop)
        now = {phi.target: outside.word(phi.sources[entry]) for phi in phis}
        outside._come(outside._before(loop.head)[0])
        entering = outside._onward(loop.head)
        partly = outside.partly | (entering.doubts & {GUARDED})
        staying = entering._replace(doubts=entering.doubts - {GUARDED})
        found, budget = list[LaneEvaluation](), outside.budget or iter(range(MAX_NESTED))
        while staying.known and any(staying.offsets or ()):
            at = LaneEvaluation(self.warps, loop.head, self.cta, now, loop, outside, staying)
            at.partly, at.budget = partly, budget
            if len(found) == MAX_TURNS or next(budget, None) is None or not at._decided(loop):
                return None
            found.append(at)
            now = {phi.target: at.word(phi.sources[latch]) for phi in phis}
            staying = at.both(at._come(latch), at.edge(latch, loop.head))
            if GUARDED in staying.doubts:  # some of them may have left before
                return None
        return found if staying.known else None

    def _outside(self, loop: Loop) -> LaneEvaluation:
        """The words before a loop, and after all others that are left by then."""
        block = loop.head
        while self.warps.around[block] != self.warps.around[loop.head] - {loop.head}:
            block = self.values.tree.parent[block]
        inside = self.loop is not None and block in self.loop.nodes
        return self if inside else self.warps.at(block, self.cta)

    def _decided(self, loop: Loop) -> bool:
        """Whether it is known of every lane which ways out of the loop it takes."""
        blocks = [self.blocks[node] for node in sorted(loop.nodes)]
        outs = [b.index for b in blocks if not loop.nodes.issuperset(b.terminator.targets)]
        return all(self._condition(block).known for block in outs)

    def _left(self, value: Value) -> LaneValue | None:
        """A word of a loop that is behind, as each lane left it in its last iteration."""
        home = self.values.home[value]
        behind = self._behind(home) if self.divergence.inside[home] else ()
        turns = self.rounds(behind[0]) if behind else None
        if not turns:
            return None
        left = turns[0].word(value)
        for turn in turns[1:]:
            left = self.domain.select(turn.staying, turn.word(value), left)
        return left if left.offsets is not None else None
