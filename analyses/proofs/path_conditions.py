"""Path conditions: inequalities that hold whenever a thread is at a program point.

- *Guards*: what the branches that dominate the point, and its mask, imply about their operands; of
  a disjunction, the one alternative that others do not contradict.
- *Joins*: what holds on every edge into a block.
- *Loop invariants*: what holds at a loop head in every iteration (``proofs.loop_invariants``).

Sound because in SSA form a name keeps its value until its block is entered again, and a dominator
of the point was executed after that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from analyses.budget import (
    DISJUNCTIONS,
    FUNCTION_STEPS,
    INSTRUCTION_STEPS,
    NESTED_SEARCHES,
    QUERY_STEPS,
)
from analyses.conditions import sign_bit
from analyses.domains.regions import BasePlusOffset
from analyses.graph import Loop
from analyses.lattice import Relation
from analyses.polynomials.inequality import Inequality, strongest
from analyses.polynomials.polynomial import Number, Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Case,
    Choice,
    Interpretation,
    choices,
    deep,
    selects,
)
from analyses.program import Constant, Operand, Value, branch_taken
from analyses.proofs.definitions import (
    chained,
    closure,
    halved,
    monotonic_quotients,
    read_signed,
    squared,
)
from analyses.proofs.fact_index import computed, contains, joined, of_launch
from analyses.proofs.float_choices import FloatChoices
from analyses.proofs.indicators import selected_bounds
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.path_condition import NOTHING, Disequality, PathCondition, contradict
from analyses.proofs.phi_bounds import phi_bounds
from analyses.proofs.search_budget import Budget
from analyses.proofs.set_values import SetPlace, SetValues
from analyses.proofs.system_cache import Systems
from analyses.proofs.whole_groups import multiplied, number_of_groups, whole_groups
from analyses.scalar_evolution import SymbolicValues

Compared = list[tuple[Polynomial, PathCondition]]
Stated = tuple[PathCondition, Compared, list[tuple[Operand, bool]], list[tuple[SetPlace, ...]]]
"""The implications of a predicate for its operands, values of joined predicates in it, and places
at one of which an operand was set."""


class PathConditions:
    """The path conditions of a function. ``general`` holds in every launch; ``proves`` decides if a
    polynomial is non-negative under a path condition; ``loop_invariants`` finds the invariants of a
    loop from the condition on entry. Without them, the conditions are those of the guards alone."""

    def __init__(
        self,
        symbolic: SymbolicValues,
        general: PathCondition,
        proves: Callable[[PathCondition, Polynomial], bool] = lambda *_: False,
        loop_invariants: Callable[
            [PathConditions, Loop, PathCondition], PathCondition
        ] = lambda *_: NOTHING,
    ) -> None:
        self.symbolic = symbolic
        self.proves = proves
        self.loop_invariants = loop_invariants
        self.general = general
        self.blocks = symbolic.values.function.blocks
        self.sources, self.parent = symbolic.values.ways_in
        instructions = sum(len(block.instrs) for block in self.blocks)
        self.budget = Budget(FUNCTION_STEPS + INSTRUCTION_STEPS * instructions)
        self.systems = Systems(symbolic, self.budget)
        self.float_choices = FloatChoices(symbolic)
        self.set_values = SetValues(symbolic)
        self.given = frozenset((*symbolic.loaded, *symbolic.exchanged))
        """The words that are loaded or exchanged."""
        self.contents: Callable[[Symbol], Iterable[Inequality]] = lambda _: ()
        """The bounds of such a word."""
        self.searches = 0  # loops whose invariants are being computed
        self._at: dict[int, PathCondition] = {}
        self._facts: dict[Hashable, InequalitySystem] = {}
        self._parts: dict[Hashable, PathCondition] = {}  # by path condition and goal
        self._numbers: dict[Hashable, int] = {}  # of path conditions
        self._joined: dict[Choice, PathCondition] = {}
        self._stated: dict[Hashable, Stated] = {}  # by a predicate
        self._owned: dict[Polynomial | Symbol, frozenset[Symbol]] = {}  # for now
        self._neighbours: dict[Hashable, frozenset[Symbol]] = {}  # as long as these
        self._edges: dict[tuple[PathCondition, int], PathCondition] = {}
        self._disjunctions: dict[int, tuple[list[PathCondition], ...]] = {}
        self._ways: dict[Hashable, frozenset[Symbol]] = {}  # symbols of the conditions of choices

    # --- premises

    def at(self, block: int) -> PathCondition:
        """The path condition on entry of a block."""
        chain = []
        while block >= 0 and block not in self._at:
            chain.append(block)
            block = self.parent[block]
        last = self._at.get(block, self.general)
        for index in reversed(chain):
            last = self._at[index] = self._settled(index, last + self.edge(index, last))
            if index in self.symbolic.loops:
                loop = self.symbolic.loops[index]
                last = self._at[index] = last + self.invariants(loop, last)
                for inside in loop.nodes - {index}:
                    self._at.pop(inside, None)  # computed meanwhile, without the invariants
                self._owned, self._neighbours = {}, {}
            elif len(self.sources[index]) > 1:
                last = self._at[index] = last + self._on_all_edges(index, last)
        return last

    @property
    def too_deep(self) -> bool:
        """True if the invariants of so many loops are being computed, one for the other, that no
        more begin: without a limit the time is exponential in the nesting depth."""
        return self.searches > NESTED_SEARCHES

    def invariants(self, loop: Loop, before: PathCondition) -> PathCondition:
        """The invariants of a loop, where ``before`` holds on entry."""
        self.searches += 1
        try:
            return self.loop_invariants(self, loop, before)
        finally:
            self.searches -= 1

    def _on_all_edges(self, block: int, held: PathCondition) -> PathCondition:
        """What the path conditions of all edges into a block have in common, besides what is
        ``held``: what holds in its dominator, and is its path condition while they are sought."""
        first, *others = [self.along(source, block) for source in self.sources[block]]
        new = (fact for fact in first.known if not contains(held.said[0], fact.polynomial))
        common = (f for f in new if all(contains(one.said[0], f.polynomial) for one in others))
        return PathCondition(tuple(common))

    def _settled(self, block: int, held: PathCondition) -> PathCondition:
        """With what is left of each disjunction on the way to the block, if one alternative is
        left: where ``i < n or j < m`` holds and ``j >= m``, ``i < n`` does."""
        for alternatives in self._either(block):
            left = [one for one in alternatives if not contradict(held, one)]
            if len(left) == 1:
                held += left[0]
        return held

    def _either(self, block: int) -> tuple[list[PathCondition], ...]:
        """The alternatives of the disjunctions that hold in a block, those of the nearest ones."""
        if block < 0:
            return ()
        if block not in self._disjunctions:
            found = self._either(self.parent[block])
            sources = self.sources[block]
            taken = branch_taken(self.blocks, sources[0], block) if len(sources) == 1 else None
            if taken is not None:
                formulas, what = self.symbolic.values.flow.formulas, self.blocks[sources[0]]
                ways = formulas.ways(*taken)
                said = [
                    sum((self.implied(*one, what.terminator.instr) for one in way), NOTHING)
                    for way in (ways if len(ways) > 1 else ())
                ]
                found = (*found, said)[-DISJUNCTIONS:] if said else found
            self._disjunctions[block] = found
        return self._disjunctions[block]

    def masked(self, block: int, mask: Operand | None) -> PathCondition:
        """The path condition of an instruction with a mask."""
        found = self.at(block)
        return found if mask is None else found + self.implied(mask, True, mask, found)

    def entry(self, loop: Loop) -> PathCondition:
        """The path condition before a loop."""
        parent = self.parent[loop.head]
        return self.at(parent) if parent >= 0 else self.general

    def edge(self, block: int, held: PathCondition | None = None) -> PathCondition:
        """The implications of the branch to a block with a single predecessor, with what is known
        to be ``held`` there."""
        sources = self.sources[block]
        return self._branch(sources[0], block, held) if len(sources) == 1 else NOTHING

    def along(self, source: int, target: int) -> PathCondition:
        """The path condition on an edge."""
        key = self.at(source), target
        if key not in self._edges:
            self._edges[key] = self._settled(source, key[0] + self._branch(source, target, key[0]))
        return self._edges[key]

    def _branch(self, source: int, target: int, held: PathCondition | None = None) -> PathCondition:
        taken, end = branch_taken(self.blocks, source, target), self.blocks[source].terminator
        return NOTHING if taken is None else self.implied(*taken, end.instr, held)

    def joined(self, symbols: Iterable[Symbol]) -> PathCondition:
        """Bounds of the phis among the symbols that hold on every incoming edge: proved once, so
        that proofs need not split by cases; and of words of other threads that are at most the
        greatest of some numbers, of which there are cases."""
        phis = [symbol for symbol in symbols if isinstance(symbol, Choice)]
        given = sorted(self.given.intersection(symbols), key=order)
        facts = (fact for symbol in given for fact in self.contents(symbol))
        found = PathCondition(tuple(fact for fact in facts if choices((fact.polynomial,))))
        return sum(map(self._phi_bounds, sorted(phis, key=order)), found)

    def _phi_bounds(self, choice: Choice) -> PathCondition:
        if choice not in self._joined:
            self._joined[choice] = NOTHING  # for the proofs below
            made = self.symbolic.integers.made.values()
            bounds = list(selected_bounds(choice, self.implied, made))
            if all(case.edge is not None for case in choice.cases):
                bounds = [
                    Inequality(bound, choice)
                    for bound in phi_bounds(choice, self._on_edge)
                    if all(self._holds_in(case, choice, bound) for case in choice.cases)
                ]
            found = self._joined[choice] = PathCondition(tuple(bounds))
            if self.budget.left < 0:  # else some may be missing
                del self._joined[choice]
            return found
        return self._joined[choice]

    def _holds_in(self, case: Case, choice: Choice, bound: Polynomial) -> bool:
        return self.proves(self._on_edge(case), bound.replaced({choice: case.polynomial}))

    def _on_edge(self, case: Case) -> PathCondition:
        assert case.edge is not None
        return self.along(*case.edge)

    def implied(
        self, condition: Operand, truth: bool, what: object, held: PathCondition | None = None
    ) -> PathCondition:
        """The implications of a predicate for its operands, where ``held`` is known to be."""
        symbolic = self.symbolic
        condition = symbolic.plain(condition)
        key = (condition, truth, what)
        if key not in self._stated:
            stated, compared = NOTHING, Compared()
            joined: list[tuple[Operand, bool]] = []
            places: list[tuple[SetPlace, ...]] = []
            for a, relation, b in symbolic.values.flow.formulas.implied(condition, truth):
                if a.width > 1:
                    places += filter(None, [self.set_values.compared(a, relation, b)])
                    words = symbolic.word(a), symbolic.word(b)
                    said, above = self._compared(relation, *words, what)
                    if above is None or self.entails(self.general, above) is not None:
                        stated += said
                    else:
                        compared.append((above, said))
                elif isinstance(b, Constant) and (a in symbolic.joined or a in symbolic.alias):
                    joined.append((a, bool(b.bits)))
            for number in symbolic.values.flow.formulas.magnitudes(condition, truth):
                stated += self._magnitude(*number, what)
            if not isinstance(what, Choice):  # a case of it is no news of others
                chosen = self.float_choices.decided(condition, truth, what)
                stated += PathCondition(tuple(chosen))
            self._stated[key] = stated, compared, joined, places
        found, compared, behind, places = self._stated[key]
        found += sum((self.set_values.facts(self, each) for each in places), NOTHING)
        for above, said in compared:
            if held is not None and self.proves(held, above):
                found += said
        for predicate, value in behind:
            aliased = predicate in symbolic.alias
            more = self.implied if aliased else self._came_from
            found = more(predicate, value, what, held) + found
        return found

    def _magnitude(self, of: Operand, least: int, most: int, what: object) -> PathCondition:
        """The range of the bits of a float but for its sign."""
        integers = self.symbolic.integers
        mask = integers.const(of.width, sign_bit(of.width) - 1)
        word = integers.and_(self.symbolic.word(of).offset, mask)
        bits = integers.interpretation(word, signed=False)
        if bits is None:
            return NOTHING
        return PathCondition((Inequality(bits - least, what), Inequality(-bits + most, what)))

    def _came_from(
        self, condition: Operand, truth: bool, what: object, held: PathCondition | None
    ) -> PathCondition:
        """What the value of a predicate joined from constants and one other source implies: the
        path condition of that edge, and what the source implies."""
        assert isinstance(condition, Value)
        phi, home = self.symbolic.joined[condition]
        if home.index in self.symbolic.loops:
            places = self.set_values.places(condition, lambda number: number.bits == truth)
            return self.set_values.facts(self, places)
        ways = [
            (origin, source)
            for origin, source in phi.sources.items()
            if self.symbolic.values.may_be(source, truth)
        ]
        if len(ways) != 1:
            return NOTHING
        ((origin, source),) = ways
        return self.at(origin) + self.implied(source, truth, what, held)

    def _compared(
        self, relation: Relation, a: BasePlusOffset, b: BasePlusOffset, what: object
    ) -> tuple[PathCondition, Polynomial | None]:
        """The inequality of a comparison. Addresses in one region are compared by their offsets: no
        address of the region wraps around as long as the upper one is not below its start. That is
        returned, too: it follows where this is not negative."""
        if a.origin != b.origin:
            return NOTHING, None
        integers = self.symbolic.integers
        signs = (True,) if a.origin is not None else (True, False)
        if relation in ("eq", "ne"):
            pairs = [
                (x, y)
                for signed in signs
                if (x := integers.interpretation(a.offset, signed, either=True)) is not None
                and (y := integers.interpretation(b.offset, signed, either=True)) is not None
            ]
            if relation == "eq":
                equal = [Inequality(p - q, what) for x, y in pairs for p, q in ((x, y), (y, x))]
                return PathCondition(tuple(equal)), None
            difference = integers.sub(a.offset, b.offset)
            distinct = (
                (Disequality(difference.width, difference.polynomial, what),)
                if difference.polynomial is not None
                else ()
            )
            apart = tuple(Inequality(x - y, what) for x, y in pairs)
            return PathCondition((), apart, distinct), None
        signed = relation.endswith("s") or a.origin is not None
        low, high = (
            integers.interpretation(a.offset, signed),
            integers.interpretation(b.offset, signed),
        )
        if low is None or high is None:
            return NOTHING, None
        least = int(relation[:2] == "lt")
        found = [Inequality(high - low - least, what)]
        ways = ((a.offset, None, high - least), (b.offset, low + least, None))
        for word, above, below in () if signed else ways:
            if word.polynomial.alone not in self.symbolic.names:
                short = below is not None and self._short(below, word.width)
                found += read_signed(integers, word, above, below, short, what)
        return PathCondition(tuple(found)), high if a.origin is not None else None

    def _short(self, most: Polynomial, width: int) -> bool:
        """True if no launch has a greater number than a signed word has."""
        room = -most + ((1 << (width - 1)) - 1)
        return room.range()[0] >= 0 or self.entails(self.general, room) is not None

    # --- what follows

    def greatest(self, premises: PathCondition, symbol: Symbol) -> Number:
        """A number than which the symbol is not greater."""
        goal = -Polynomial.of(symbol)
        bounds = self.facts(premises, goal).least(goal)
        return min(
            (-bound.integer(bound.least.range()[0]) for bound in bounds), default=symbol.high
        )

    def relevant(self, premises: PathCondition, goal: Polynomial) -> PathCondition:
        """The facts connected to the goal by symbols that a thread computes; an earlier loop, for
        instance, is irrelevant. Facts about launch symbols or thread coordinates alone are always
        kept. What is compared with the coordinates in a goal counts if it has nothing else that a
        thread computes, or only choices between such."""
        own = self._own(goal)
        choices_alone = all(isinstance(symbol, Choice) for symbol in own)
        wanted = own | self._near(premises, goal) if choices_alone else own
        key = self.identity(premises), wanted
        if key not in self._parts:
            self._parts[key] = self._linked(premises, wanted)
        return self._parts[key]

    def identity(self, premises: PathCondition) -> int:
        """A number that path conditions share if they extend equal ones by equal facts."""
        chain: list[PathCondition] = []
        last: PathCondition | None = premises
        while last is not None and last not in self._numbers:
            chain.append(last)
            last = last.before
        for one in reversed(chain):
            start = -1 if one.before is None else self._numbers[one.before]
            self._numbers[one] = self._numbers.setdefault((start, *one.new), len(self._numbers))
        return self._numbers[premises]

    def _near(self, premises: PathCondition, goal: Polynomial) -> frozenset[Symbol]:
        """The symbols compared with coordinates in a goal, or equal to numbers of the launch."""
        key = self.identity(premises), frozenset([s for s in deep(goal) if s.rank])
        if key not in self._neighbours:
            facts = map(premises.fact, {i for symbol in key[1] for i in premises.about(symbol)})
            owned = map(self._own, [f.polynomial for f in facts] or of_launch(premises.said[0]))
            self._neighbours[key] = frozenset[Symbol]().union(*owned)
        return self._neighbours[key]

    def _linked(self, premises: PathCondition, wanted: frozenset[Symbol]) -> PathCondition:
        chosen = [index for part in premises.links for index in part.chosen]
        behind = {index: self._own(premises.fact(index).polynomial) for index in chosen}
        kept = {index for part in premises.links for index in part.others}
        seen, new = wanted, wanted
        while new:
            linked = {index for index, own in behind.items() if not own.isdisjoint(new)}
            for part in premises.links:
                linked.update(*(part.by[symbol] for symbol in part.by.keys() & new))
            linked -= kept
            kept |= linked
            owned = (self._own(premises.fact(index).polynomial) for index in linked)
            new = frozenset[Symbol]().union(*owned) - seen
            seen |= new
        whole = len(kept) == len(premises.known) + len(premises.apart)
        return premises if whole else premises.only(kept)

    def _own(self, polynomial: Polynomial) -> frozenset[Symbol]:
        """The symbols that a thread computes, and those in the conditions of its choices: of the
        oldest first, which the younger ones are made of, so a long chain needs no deep stack."""
        owned = self._owned  # another one as soon as a loop has its invariants
        known = owned.get(polynomial)
        if known is None:
            found = computed(polynomial)
            chosen = [symbol for symbol in found if selects(symbol)]
            for symbol in sorted([one for one in chosen if one not in owned], key=order):
                older = [part for part in symbol.parts if part is not symbol and part in owned]
                owned[symbol] = joined(older, owned) | self._behind(symbol)
            known = owned[polynomial] = found | joined(chosen, owned)
        return known

    def _behind(self, choice: Symbol) -> frozenset[Symbol]:
        """The symbols in the conditions of a choice's cases, or in the path conditions of its
        incoming edges."""
        assert isinstance(choice, Choice)
        key = choice, tuple(self.along(*c.edge) for c in choice.cases if c.edge is not None)
        if key in self._ways:
            return self._ways[key]
        ways = []
        for case in choice.cases:
            if case.condition is not None:
                ways.append(self.implied(case.condition, case.truth, choice))
            elif case.edge is not None:
                ways.append(self.relevant(self.along(*case.edge), case.polynomial))
        parts = [deep(polynomial) for way in ways for polynomial in way.polynomials]
        found = frozenset().union(*parts)
        self._ways[key] = frozenset(s for s in found if s.rank >= FIRST_RANK)
        return self._ways[key]

    def facts(self, premises: PathCondition, goal: Polynomial) -> InequalitySystem:
        """The inequality system of the path condition and the definitions of all symbols in it and
        the goal."""
        own, seen = premises.closed
        new = goal.symbols - seen
        groups = multiplied(goal)
        key = (premises.key, new, groups, square := squared(goal))
        found = self._facts.get(key)
        if found is None:
            more, all_ = closure(new, seen)
            known = [*self.symbolic.launch, *premises.known, *own, *more, *self.loaded(all_)]
            known += monotonic_quotients(all_)
            said = (*self.symbolic.launch, *premises.known)
            for symbol in sorted(all_, key=order):
                known += (*self.upper_bounds(symbol), *whole_groups(symbol, said))
                known += halved(symbol, said)
            for symbol in sorted(groups, key=order):
                known += number_of_groups(self.symbolic.integers, symbol, said)
            if square:
                known += chained(said)
            found = self._facts[key] = self.systems.of(strongest(known), premises.apart, all_)
        return found

    def loaded(self, symbols: frozenset[Symbol]) -> Iterator[Inequality]:
        """The bounds of the loaded and exchanged words among the symbols, and of the integers that
        such words are read as."""
        given = self.given
        for symbol in sorted(given & symbols, key=order):
            yield from self.contents(symbol)
        read = (s for s in symbols if isinstance(s, Interpretation) and s.polynomial.alone in given)
        for symbol in sorted(read, key=order):
            word = symbol.polynomial.alone
            assert word is not None
            if word not in symbols:
                said = self.contents(word)
                yield from (fact for fact in said if symbol in fact.polynomial.symbols)

    def upper_bounds(self, symbol: Symbol) -> Iterator[Inequality]:
        for bound in self.symbolic.upper_bounds.get(symbol, ()):
            yield Inequality(bound - Polynomial.of(symbol), symbol)

    def entails(self, premises: PathCondition, goal: Polynomial) -> tuple[Inequality, ...] | None:
        if goal.range()[0] >= 0:
            return ()
        return self.facts(premises, goal).entails(goal) if self.may_ask() else None

    def may_ask(self) -> bool:
        """True if steps are left. The budget grows with the function, so the time is linear."""
        self.budget.left -= QUERY_STEPS
        return self.budget.left >= 0
