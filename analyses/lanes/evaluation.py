"""Lane evaluation: the value of a name in each lane of a warp.

``LaneEvaluation`` computes lane values (``lanes.offsets``) by evaluating the instructions of a
slice. The evaluation stops at loads, and at values that are uniform at the use
(``divergence.use``), of which only the alignment matters. A load from a uniform address by lanes
that execute it together is uniform. A loop-carried value keeps its offsets if every lane advances
it by the same amount.

It also computes the active mask of a block: the conjunction of the branch conditions on its chain
of single-predecessor dominators. Of a block with several predecessors under divergent control
nothing is known.

Where known numbers decide when each lane exits a loop, the loop is unrolled (``unroll``): each
iteration has its own values and active mask, and after the loop a value is that of the lane's last
iteration. A definition that dominates a use is computed in that iteration too, since no path
reaches the use around it.

Sound because the result of an operator depends on its operands alone: what holds for the operands
in every lane holds for the result. Numbers are the solved facts of a name, which hold in every
thread that computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce

from analyses.budget import CTAS, LOOP_PASSES, NESTED_LOOPS, UNROLLED, UNROLLED_NEST
from analyses.domains.uniformity import Level
from analyses.fixpoint import constant
from analyses.graph import Loop
from analyses.lanes.context import Passes, WarpContext
from analyses.lanes.coordinates import ROWS, Block3
from analyses.lanes.lane_value import LaneValue
from analyses.lanes.runs import GUARDED, OUTER, Run, among, predicate, run_of, within
from analyses.program import Access, Effect, Instr, Operand, Phi, Value

IN_STEP = "in-step"  # assumption: the lanes have not diverged
MAX_WIDTH = 64  # bits; wider words are never extended, so their bounds are not needed


class Warps(WarpContext, frozen=True, dict=True):
    """The lane evaluations of a function, one for each nest of loops and CTA."""

    @cached_property
    def nests(self) -> dict[tuple[frozenset[int], Block3 | None], LaneEvaluation]:
        return {}

    def at(self, block: int, cta: Block3 | None = None) -> LaneEvaluation:
        """The evaluation at a block. Blocks of the same loops share it: only a loop exit makes the
        value at a use differ from the value at the definition."""
        key = self.around[block], cta
        found = self.nests.get(key)
        if found is None:
            found = self.nests[key] = LaneEvaluation(self, block, cta)
        return found


class LaneEvaluation:
    """The lane values at uses in ``block``, or in any other block of the same loops.

    ``cta`` is the position of the CTA in the grid. For one iteration of an unrolled ``loop``,
    ``iteration`` holds the values of the head's phis and ``active`` the lanes still in the loop;
    ``outer`` evaluates definitions outside of the loop.
    """

    def __init__(
        self,
        warps: Warps,
        block: int,
        cta: Block3 | None = None,
        iteration: Mapping[Value, LaneValue] | None = None,
        loop: Loop | None = None,
        outer: LaneEvaluation | None = None,
        active: LaneValue | None = None,
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
        self.memo: dict[Operand, LaneValue] = dict((iteration or {}).items())
        self.heads: dict[int, Mapping[Value, LaneValue] | None] = {}  # loop-carried values
        self.passes: dict[int, Passes] = {}  # by loop head
        self.masks: dict[int, LaneValue] = {}  # active masks by block
        self.left: dict[int, Run | None] = {}  # by loop head
        self.entered = self.domain.const(1, 1)  # as a mask: the lanes that entered the loops
        self.budget: Iterator[int] | None = None  # iterations left to unroll
        self.unrolled: dict[int, Sequence[LaneEvaluation] | None] = {}  # by loop head
        self.active = self.domain.const(1, 1) if active is None else active
        self.unrolled_heads: frozenset[int] = frozenset() if outer is None else outer.unrolled_heads
        if active is not None:
            self.masks[block] = active
            self.unrolled_heads |= {block}

    # --- words

    def word(self, operand: Operand) -> LaneValue:
        """The value of an operand in each lane. No recursion: a chain may be as long as a
        kernel."""
        found = self._known(operand)
        if found is not None:
            return found
        assert isinstance(operand, Value)
        stack = [(operand, iter(self._operands_begun(operand)))]
        while stack:
            value, rest = stack[-1]
            for one in rest:
                if self._known(one) is None:
                    stack.append((one, iter(self._operands_begun(one))))  # type: ignore[arg-type]
                    break
            else:
                self.memo[value] = self._word(value)
                stack.pop()
        return self.memo[operand]

    def _operands_begun(self, value: Value) -> Sequence[Operand]:
        """The operands to evaluate first; meanwhile the value counts as loop-carried."""
        self.memo[value] = self.domain.top(value.width, "loop-carried")
        return self._operands(value)

    def _known(self, operand: Operand) -> LaneValue | None:
        """The value if it was evaluated, or needs no evaluation here."""
        words = self.memo if isinstance(operand, Value) else self.constants
        found = words.get(operand)
        if found is None:
            if isinstance(operand, Value):
                found = (
                    self.warps.number(operand) or self._outer(operand) or self._exit_value(operand)
                )
            else:
                found = constant(self.domain, operand)
            if found is not None:
                words[operand] = found
        return found

    def _outer(self, value: Value) -> LaneValue | None:
        """A value defined outside of a loop around here is evaluated before that loop: it is the
        same in all of its iterations."""
        home = self.values.home[value]
        if self.loop is not None:
            assert self.outer is not None
            return None if home in self.loop.nodes else self.outer.word(value)
        inner = [loop for loop in self.divergence.inside[self.block] if home not in loop.nodes]
        if not inner:
            return None
        before = self.warps.before(max(inner, key=lambda loop: len(loop.nodes)))
        return None if before is None else self.warps.at(before, self.cta).word(value)

    def _word(self, value: Value) -> LaneValue:
        """The evaluated value, or the uniform one if more of its bits are known."""
        fact = self.values.number(value)
        numbers = self.values.interval(fact) if fact.origin is None else None
        found = self._evaluated(value)
        if not found.known and self.divergence.use(value, self.block) <= Level.WARP:
            shared = self.warps.uniform_value(value.width, fact)
            if found.offsets is None or shared.free > found.free:
                found = shared
        if numbers is not None and value.width < MAX_WIDTH and not found.known:
            found = found._replace(bounds=(numbers.signed_bounds(), numbers.unsigned_bounds()))
        return found

    def _operands(self, value: Value) -> Sequence[Operand]:
        node = self.warps.nodes.get(value)
        if isinstance(node, Phi):
            return self._sources(node)
        if node is not None:
            return (node.source,)
        instr = self.values.definition.get(value)
        return () if instr is None or self._opaque(value, instr) else instr.uses

    def _opaque(self, value: Value, instr: Instr) -> str | None:
        """The reason why an instruction is not evaluated."""
        if instr.access is not None:
            return None if self._uniform_load(value, instr.access) else "loaded-index"
        if instr.effects is Effect.NONE:
            return None
        if instr.effects & Effect.UNMODELLED:
            return "unmodelled"
        convergent = self.warps.full_warps and self.warps.convergent(self.values.home[value])
        return "shuffled" if instr.effects & Effect.CONVERGENT and not convergent else None

    def _uniform_load(self, value: Value, access: Access) -> bool:
        """True if lanes that load from one address get one value: they load together, in one
        iteration."""
        known, block = self.divergence, self.values.home[value]
        plain = access.kind == "load" and access.mask is None
        behind = (
            known.counter(loop.head, self.block) for loop in self.warps.exited(block, self.block)
        )
        levels = (known.irreducible[block], *behind)
        return plain and max(levels) <= Level.WARP

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
        """The operands of a phi: from outside of the loop at a head; else all, and selecting
        conditions."""
        block = self.values.home[phi.target]
        loop = self.values.loops.get(block)
        if loop is not None:
            phis = self.warps.phis(loop) if self.warps.in_step(loop) else ()
            return [node.sources[p] for node in phis for p in self.warps.entries(loop)]
        branches = {self.values.tree.parent[block], *self.warps.selecting(phi)}
        conditions = (self.blocks[b].terminator.condition for b in sorted(branches))
        return [*phi.sources.values(), *(c for c in conditions if c is not None)]

    def _phi(self, phi: Phi) -> LaneValue:
        """At a join, the source of the path that each lane took. The lanes may be known to take the
        same path, or be assumed to."""
        block = self.values.home[phi.target]
        if block in self.values.loops:
            carried = self._carried(self.values.loops[block]) or {}
            return carried.get(phi.target) or self.domain.top(phi.target.width, "loop-carried")
        words = {source: self.word(phi.sources[source]) for source in phi.sources}
        first, *rest = words.values()
        conditions = [self._condition(branch) for branch in self.warps.selecting(phi)]
        if all(word.uniform for word in conditions):
            return reduce(self.domain.join, rest, first)
        dominator = self.values.tree.parent[block]
        sides = [self.warps.side(dominator, source) for source in words]
        if sides == [0, 1] or sides == [1, 0]:
            yes, no = (list(words.values())[sides.index(side)] for side in (0, 1))
            taken = self.edge(dominator, self.blocks[dominator].terminator.targets[0])
            chosen = self.domain.select(taken, yes, no)
            if chosen.offsets is not None:
                return chosen
        if any(word.known and not word.uniform for word in conditions):
            return self.domain.top(phi.target.width, "join")
        return reduce(self.domain.join, rest, first).assuming(IN_STEP)

    def _condition(self, block: int) -> LaneValue:
        """The branch condition at the end of a block."""
        condition = self.blocks[block].terminator.condition
        return self.domain.const(1, 1) if condition is None else self.word(condition)

    def _carried(self, loop: Loop) -> Mapping[Value, LaneValue] | None:
        """The phis of a loop head. If every lane advances them by the same amount, the offsets on
        entry hold in every iteration: by induction, as lanes are in the same iteration. After the
        loop that holds only if the lanes exit together."""
        if loop.head not in self.heads:
            nested = self.depth >= NESTED_LOOPS
            words = None if nested or not self.warps.in_step(loop) else self._stable(loop)
            if words and self.divergence.counter(loop.head, self.block) > Level.WARP:
                words = {name: word.assuming(IN_STEP) for name, word in words.items()}
            self.heads[loop.head] = words
        return self.heads[loop.head]

    def _stable(self, loop: Loop) -> dict[Value, LaneValue] | None:
        """A fixpoint above the words on entry. It begins with what the last pass of the loop
        around, whose words were at most those of this pass, ended with: else loops in each other
        would multiply their passes, and so they add them."""
        phis, join = self.warps.phis(loop), self.domain.join
        words = {node.target: self._joined(node, self.warps.entries(loop)) for node in phis}
        outer = self.warps.at(loop.head, self.cta) if self.outer is None else self
        last = self.passes.setdefault(loop.head, Passes())
        words = {name: join(words[name], last.words.get(name, words[name])) for name in words}
        for _ in range(LOOP_PASSES):
            last.words = words
            at = LaneEvaluation(self.warps, loop.head, self.cta, words, loop, outer)
            at.passes = last.inner
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
        return joined.assuming(IN_STEP) if rest else joined

    # --- lanes

    def lanes(self, block: int) -> LaneValue:
        """The active mask of a block; if unknown, all lanes, assuming ``guarded``."""
        return within(self._mask_at(block), self.entered)

    def _mask_at(self, block: int) -> LaneValue:
        """The active mask of a block in this iteration."""
        way = [block]  # up to a block with a known mask
        while way[-1] not in self.masks and not self._mask_is_local(way[-1]):
            way.append(self._reference(way[-1])[0])
        for at in reversed(way):
            if at not in self.masks:
                self.masks[at] = self._mask(at)
        return self.masks[block]

    def _mask_is_local(self, block: int) -> bool:
        """True if the mask does not depend on the masks of other blocks."""
        first = self.values.tree.parent[block] < 0
        local = self.block not in self.unrolled_heads and self.warps.convergent(block)
        return first or local or any(self._left(head) is None for head in self._thinned(block))

    def _thinned(self, block: int) -> frozenset[int]:
        """The heads of the loops around a block that lanes leave in unknown iterations."""
        return (self.warps.divergent_exits & self.warps.around[block]) - self.unrolled_heads

    def _left(self, head: int) -> Run | None:
        """The run of the lanes that have not left a loop in earlier iterations, if they are one:
        all lanes of an iteration pass each exit that dominates the latches, so it leaves a run of
        a run."""
        if head not in self.left:
            self.left[head] = None  # while it is computed
            loop = self.values.loops[head]
            exits = [self._staying(loop, node) for node in self.warps.exits(loop)]
            runs = [run for run in exits if run is not None and OUTER not in run]
            if len(runs) == len(exits) and self.warps.in_step(loop):
                self.left[head] = frozenset[str]().union(*runs)
        return self.left[head]

    def _staying(self, loop: Loop, node: int) -> Run | None:
        """The run of the lanes that stay in a loop at an exit."""
        if not all(self.values.tree.dominates(node, latch) for latch in loop.latches):
            return None
        targets = set(self.blocks[node].terminator.targets) - loop.nodes
        leaving = reduce(self.domain.or_, [self.edge(node, target) for target in targets])
        return run_of(self.domain.not_(leaving))

    def _mask(self, block: int) -> LaneValue:
        if not self._mask_is_local(block):
            lanes = self._mask_below(block)
            thinned = block in self._thinned(block)
            return among(lanes, predicate(self._left(block))) if thinned else lanes
        every_lane = self.domain.const(1, 1)
        if self.warps.shape is None:
            every_lane = every_lane.assuming(ROWS)
        partial = self.values.tree.parent[block] >= 0 and not self.warps.convergent(block)
        return every_lane.assuming(GUARDED) if partial else every_lane

    def _mask_below(self, block: int) -> LaneValue:
        """The active mask of a block, from that of its reference block."""
        known, blocks = self.divergence, self.blocks
        dominator, exited = self._reference(block)
        lanes, loop = self.masks[dominator], self.values.loops.get(block)
        latches = loop.latches if loop is not None else ()
        sources = [p for p in blocks[block].predecessors if p not in latches]
        if sources == [dominator]:
            return self.both(lanes, self.edge(dominator, block))
        if self.warps.convergent(block):
            return lanes
        if exited is not None and not exited.natural:
            return among(lanes, predicate(None))
        if exited is not None and self.warps.entries(exited) == [dominator]:
            lanes, dominator = self.both(lanes, self.edge(dominator, exited.head)), exited.head
        thinner = block in known.partially_exited and dominator not in known.partially_exited
        together = set(known.controlling[block]) <= set(known.controlling[dominator])
        if self.warps.always_reaches(dominator, block) and together and not thinner:
            return lanes
        return among(lanes, predicate(None))

    def _reference(self, block: int) -> tuple[int, Loop | None]:
        """The closest dominator outside of all loops exited before the block; the first such
        loop."""
        parent = self.values.tree.parent
        dominator, exited = parent[block], None
        while behind := [
            loop for loop in self.warps.exited(dominator, self.block) if block not in loop.nodes
        ]:
            exited = behind[0]
            while dominator in exited.nodes:
                dominator = parent[dominator]
        return dominator, exited

    def edge(self, source: int, target: int) -> LaneValue:
        """The lanes that take an edge, as a predicate."""
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
        """The lanes for which a condition holds too. A uniform unknown condition is taken to
        hold."""
        if condition.known:
            met = self.domain.and_(lanes._replace(run=None), condition)
            return met._replace(run=lanes.run)
        if not condition.uniform:
            return among(lanes, condition)
        return lanes.assuming(*condition.assumptions)

    # --- one CTA, one iteration at a time

    @cached_property
    def ctas(self) -> list[LaneEvaluation]:
        """The evaluations of each CTA of a small grid."""
        grid = self.warps.grid
        if grid is None or grid[0] * grid[1] * grid[2] > CTAS:
            return []
        x, y, z = grid
        places = [(i % x, i // x % y, i // (x * y)) for i in range(x * y * z)]
        return [self.warps.at(self.block, place) for place in places]

    def iterations(self, block: int) -> Sequence[LaneEvaluation]:
        """The evaluations of each iteration of the loops around a block, if known numbers decide
        their trip counts. If that of an outer loop is unknown, they hold in all of its
        iterations."""
        around = sorted(self.divergence.inside[block], key=lambda loop: -len(loop.nodes))
        found: list[LaneEvaluation] = [self]
        for loop in around:
            inner: list[LaneEvaluation] | None = []
            for at in found:
                unrolled = at.unroll(loop)
                if unrolled is None or inner is None or len(inner) + len(unrolled) > UNROLLED:
                    inner = None
                    break
                inner += unrolled
            if inner is not None:
                found = inner
            elif loop is around[-1]:
                return ()
        return found if around else ()

    def unroll(self, loop: Loop) -> Sequence[LaneEvaluation] | None:
        """The evaluations of each iteration of a loop, with the lanes still in it; None if known
        numbers do not decide the exits."""
        if loop.head not in self.unrolled:
            self.unrolled[loop.head] = None  # while it is computed
            ways = len(loop.latches), len(self.warps.entries(loop))
            if ways == (1, 1) and self.warps.in_step(loop) and self.depth < NESTED_LOOPS:
                self.unrolled[loop.head] = self._unrolled(loop)
        return self.unrolled[loop.head]

    def _unrolled(self, loop: Loop) -> Sequence[LaneEvaluation] | None:
        (entry,), (latch,) = self.warps.entries(loop), loop.latches
        outside, phis = self._before_loop(loop), self.warps.phis(loop)
        if outside is None:
            return None
        now = {phi.target: outside.word(phi.sources[entry]) for phi in phis}
        outside._mask_at(outside._reference(loop.head)[0])
        entering = outside._mask_below(loop.head)
        entered = within(outside.entered, entering)
        active = entering._replace(assumptions=entering.assumptions - {GUARDED}, run=None)
        found, budget = list[LaneEvaluation](), outside.budget or iter(range(UNROLLED_NEST))
        while active.known and any(active.offsets or ()):
            at = LaneEvaluation(self.warps, loop.head, self.cta, now, loop, outside, active)
            at.entered, at.budget = entered, budget
            exhausted = len(found) == UNROLLED or next(budget, None) is None
            if exhausted or not at._exits_known(loop):
                return None
            found.append(at)
            now = {phi.target: at.word(phi.sources[latch]) for phi in phis}
            active = at.both(at._mask_at(latch), at.edge(latch, loop.head))
            if GUARDED in active.assumptions:  # some lanes may have exited before
                return None
        return found if active.known else None

    def _before_loop(self, loop: Loop) -> LaneEvaluation | None:
        """The evaluation at the entry of a loop."""
        block = self.warps.before(loop)
        if block is None:
            return None
        inside = self.loop is not None and block in self.loop.nodes
        return self if inside else self.warps.at(block, self.cta)

    def _exits_known(self, loop: Loop) -> bool:
        """True if the exit conditions are known in every lane."""
        return all(self._condition(block).known for block in self.warps.exits(loop))

    def _exit_value(self, value: Value) -> LaneValue | None:
        """The value of a loop's name after the loop: that of each lane's last iteration."""
        home = self.values.home[value]
        behind = self.warps.exited(home, self.block) if self.divergence.inside[home] else ()
        iterations = self.unroll(behind[0]) if behind else None
        if not iterations:
            return None
        left = iterations[0].word(value)
        for iteration in iterations[1:]:
            left = self.domain.select(iteration.active, iteration.word(value), left)
        return left if left.offsets is not None else None
