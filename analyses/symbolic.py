"""Every word of a function as an integer polynomial, and what is known of the symbols at a place.

Words come from one pass over the function (SSA needs no fixpoint); a head phi that grows by the
same amount in every iteration is ``start + step*k`` modulo its width, all phis of a head sharing
the iteration number k; any other phi is a choice among its sources.

*Premises* of a place are inequalities that hold whenever a thread is there:

- guards: what the branches that dominate the place, and its mask, say about their operands;
- of a loop, the guards of its back edge, moved on by one iteration: they hold at the head if the
  entry implies them for the first one;
- a phi that no iteration makes larger (smaller) is at most (at least) what it started as;
- what defines the symbols: a quotient and its remainder, the least of two.

They are sound because in SSA form a name keeps its word until its block is entered again, and a
block that dominates a place was passed after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyses.conditions import implied
from analyses.domains.integer import (
    FIRST_RANK,
    Case,
    Choice,
    Integers,
    Quotient,
    Reading,
    Residue,
    type_range,
)
from analyses.domains.space import Based, Spaces
from analyses.entailment import Facts, Known
from analyses.fixpoint import constant, evaluate
from analyses.graph import Loop
from analyses.polynomial import Polynomial, Symbol
from analyses.program import Block, Instr, Operand, Phi, Region, Value
from analyses.values import Values

RANKS = {"nctaid": 0, "ntid": 0, "ctaid": 1, "tid": 2, "laneid": 2, "warpid": 2}
OTHER_RANK = 3


@dataclass(frozen=True, eq=False)
class Premises:
    """What holds at a place: ``known`` polynomials are not negative, those ``apart`` are not 0."""

    known: tuple[Known, ...] = ()
    apart: tuple[Known, ...] = ()

    def __add__(self, other: Premises) -> Premises:
        return Premises(self.known + other.known, self.apart + other.apart)


NOTHING = Premises()


@dataclass(eq=False)
class Symbolic:
    """``values`` are the function's numbers; ``general`` are known of the launch alone."""

    values: Values
    pointers: Mapping[str, Region]
    general: Premises = NOTHING
    specials: dict[tuple[str, int], Polynomial] = field(default_factory=dict)
    words: dict[Value, Based] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.serial = 0
        self.integers = Integers(self.named)
        self.spaces: Spaces[Residue] = Spaces(self.integers, self.pointers)
        blocks = self.values.function.blocks
        self.part = self.values.number.part
        self.alias = {node.target: node.source for block in blocks for node in block.assumes}
        self.loops = self.values.loops
        self.counters: dict[int, Symbol] = {}
        self.launch: list[Known] = []
        self.head_phis: dict[Value, Loop] = {
            phi.target: loop
            for loop in self.loops.values()
            if loop.natural and len(loop.latches) == 1
            for phi in self.part.phis[loop.head]
        }
        self._premises: dict[int, Premises] = {}
        self._loop_premises: dict[int, Premises] = {}
        for block in blocks:
            self._block(block, self.words)

    # --- words

    def word(self, operand: Operand) -> Based:
        """``origin + polynomial`` modulo the operand's width."""
        return self._word(operand, self.words)

    def integer(self, operand: Operand, signed: bool) -> Polynomial | None:
        """What the operand stands for, if it is no address."""
        word = self.word(operand)
        return None if word.origin is not None else self.integers.reading(word.offset, signed)

    def _word(self, operand: Operand, words: Mapping[Value, Based]) -> Based:
        if isinstance(operand, Value):
            found = words.get(operand)  # what decides nothing is not evaluated
            return found if found is not None else Based(None, Residue(operand.width, None))
        return constant(self.spaces, operand)

    def named(self, name: str, width: int) -> Polynomial:
        """A special register or parameter of this width, as the launch knows it."""
        key = (name, width)
        if key not in self.specials:
            self.specials[key] = self._special(name, width)
        return self.specials[key]

    def _special(self, name: str, width: int) -> Polynomial:
        """A special register is not negative; a parameter is read as it was declared, as signed
        where nothing was."""
        kind = name.partition(".")[0]
        parameter = "+" in name
        rank = 0 if parameter else RANKS.get(kind, OTHER_RANK)
        low, high = type_range(width, signed=parameter)
        known = self.values.specials.get(name)
        if known is not None and known.width == width:
            low, high = min(
                known.signed_bounds(), known.unsigned_bounds(), key=lambda b: b[1] - b[0]
            )
        if low == high:
            return Polynomial.of(low)
        symbol = Symbol(name.removesuffix("+0"), low, high, rank)
        result = Polynomial.of(symbol)
        axis = name.partition(".")[2]
        if kind in ("tid", "ctaid") and axis:
            extent = self.named(f"n{kind}.{axis}", width)
            self.launch.append(Known(extent - result - 1, f"{name} < n{name}"))
        return result

    def _block(self, block: Block, words: dict[Value, Based]) -> None:
        for phi in self.part.phis[block.index]:
            if phi.target not in words:
                words[phi.target] = self._phi(phi, block, words)
        for node in block.assumes:
            if node.source in words:
                words[node.target] = words[node.source]
        for instr in self.part.instrs[block.index]:
            self._instr(instr, words)

    def _instr(self, instr: Instr, words: dict[Value, Based]) -> None:
        arguments = [
            self._argument(use, words) if use.width == 1 else self._word(use, words)
            for use in instr.uses
        ]
        results = evaluate(self.spaces, instr, arguments)
        for value, result in zip(instr.defs, results, strict=True):
            words[value] = self._kept(value, result)

    def _argument(self, use: Operand, words: Mapping[Value, Based]) -> Based:
        return Based(None, Residue(1, None, use))

    def _kept(self, value: Value, word: Based) -> Based:
        """A word that is no polynomial is a symbol; one that is a number is that number."""
        if value.width == 1:
            return word
        known = self.values.number.facts.get(value)
        if known is not None and known.origin is None and word.origin is None:
            interval = self.values.interval(known)
            if interval.is_constant:
                return Based(None, self.integers.const(value.width, interval.value))
        if word.offset.polynomial is None:
            return self._opaque(value)
        return word

    def _opaque(self, value: Value) -> Based:
        low, high = type_range(value.width, signed=True)
        origin = None
        known = self.values.number.facts.get(value)
        if known is not None and not self.values.numbers.is_bottom(known):
            low, high = self.values.interval(known).signed_bounds()
            origin = known.origin
        rank = FIRST_RANK + 4 * self.values.home[value]
        self.serial += 1
        symbol = Polynomial.of(Symbol(value.name, low, high, rank, self.serial))
        return Based(origin, Residue(value.width, symbol))

    # --- phis

    def _phi(self, phi: Phi, block: Block, words: dict[Value, Based]) -> Based:
        loop = self.head_phis.get(phi.target)
        if loop is not None:
            return self._head(phi, loop, words)
        sources = {p: self._source(op, words) for p, op in phi.sources.items()}
        found = list(sources.values())
        if any(word is None for word in found):
            return self._opaque(phi.target)
        if all(word == found[0] for word in found):
            return found[0]  # type: ignore[return-value]
        origins = {word.origin for word in found if word is not None}
        cases = []
        for origin, word in sources.items():
            assert word is not None
            integer = self.integers.reading(word.offset, signed=True)
            if integer is None or len(origins) != 1:
                return self._opaque(phi.target)
            cases.append(Case(integer, origin=origin))
        choice = self.integers.choice(phi.target.name, tuple(cases))
        return Based(origins.pop(), Residue(phi.target.width, choice))

    def _source(self, operand: Operand, words: Mapping[Value, Based]) -> Based | None:
        """None for a word that comes later: round a loop that is not understood."""
        if isinstance(operand, Value):
            return words.get(operand)
        return constant(self.spaces, operand)

    def _head(self, phi: Phi, loop: Loop, words: dict[Value, Based]) -> Based:
        """start + step*k. The step is found by evaluating the loop's body once with a symbol for
        every phi of the head; that is done for all of them together."""
        (latch,) = loop.latches
        phis = self.part.phis[loop.head]
        trial = dict(words)
        symbols = {}
        for other in phis:
            if other.target not in words:
                start = self._start(other, latch, words)
                symbols[other.target] = symbol = self._opaque(other.target)
                if start is not None and start.origin is not None:
                    symbol = Based(start.origin, symbol.offset)
                trial[other.target] = symbols[other.target] = symbol
        for other in phis:
            if other.target in trial and other.target not in symbols:
                symbols[other.target] = trial[other.target]
        self._body(loop, trial)
        if loop.head not in self.counters:
            rank = FIRST_RANK + 4 * loop.head + 1
            self.counters[loop.head] = Symbol(f"k{loop.head}", 0, rank=rank)
        counter = Polynomial.of(self.counters[loop.head])
        for other in phis:
            symbol = symbols[other.target]
            start = self._start(other, latch, words)
            back = self._source(other.sources[latch], trial)
            words[other.target] = symbol
            if start is None or back is None or start.origin != symbol.origin:
                continue
            first, p, q = start.offset.polynomial, back.offset.polynomial, symbol.offset.polynomial
            if first is None or p is None or back.origin != symbol.origin:
                continue
            step = self.integers.word(other.target.width, p - q).polynomial
            if step is not None and self._outside(step, loop):
                line = self.integers.word(other.target.width, first + step * counter)
                if line.polynomial is not None:
                    words[other.target] = Based(start.origin, line)
        return words[phi.target]

    def _start(self, phi: Phi, latch: int, words: Mapping[Value, Based]) -> Based | None:
        entries = [self._source(op, words) for p, op in phi.sources.items() if p != latch]
        first = entries[0]
        return first if all(entry == first for entry in entries) else None

    def _body(self, loop: Loop, trial: dict[Value, Based]) -> None:
        """Evaluates a loop's blocks; phis of inner loops stay symbols."""
        for index in sorted(loop.nodes):
            block = self.values.function.blocks[index]
            if index != loop.head:
                for phi in self.part.phis[index]:
                    if phi.target in self.head_phis:
                        trial[phi.target] = self._opaque(phi.target)
            self._block(block, trial)

    def _outside(self, polynomial: Polynomial, loop: Loop) -> bool:
        """Whether it is the same in every iteration: made before the loop, or of the launch."""
        first = FIRST_RANK + 4 * loop.head
        return all(symbol.rank < first for symbol in polynomial.symbols)

    # --- premises

    def premises(self, block: int) -> Premises:
        """What holds on entry of a block."""
        chain = []
        at = block
        while at >= 0 and at not in self._premises:
            chain.append(at)
            at = self.values.tree.parent[at]
        for index in reversed(chain):
            parent = self.values.tree.parent[index]
            above = self._premises[parent] if parent >= 0 else Premises()
            self._premises[index] = above + self._edge(index)
            if index in self.loops:
                self._premises[index] += self._rounds(self.loops[index])
        return self._premises[block]

    def _edge(self, block: int) -> Premises:
        """What the branch says that alone leads into the block."""
        blocks = self.values.function.blocks
        sources = blocks[block].predecessors
        if len(sources) != 1:
            return Premises()
        end = blocks[sources[0]].terminator
        if end.condition is None or len(end.targets) != 2 or end.targets[0] == end.targets[1]:
            return Premises()
        return self.said(end.condition, end.targets[0] == block, end.instr)

    def said(self, condition: Operand, truth: bool, what: object) -> Premises:
        """What a predicate says about its operands."""
        known: list[Known] = []
        apart: list[Known] = []
        root = condition
        while isinstance(root, Value) and root in self.alias:
            root = self.alias[root]
        for a, relation, b in implied(root, truth, self.values.definition.get):
            if a.width == 1:
                continue
            if relation in ("eq", "ne"):
                left, right = self.word(a), self.word(b)
                if left.origin != right.origin:
                    continue
                pairs = [self._readings(left, right, signed) for signed in (True, False)]
                for x, y in dict.fromkeys(pair for pair in pairs if pair is not None):
                    if relation == "ne":
                        apart.append(Known(x - y, what))
                    else:
                        known += [Known(x - y, what), Known(y - x, what)]
                continue
            x_, y_ = (self.integer(op, relation.endswith("s")) for op in (a, b))
            if x_ is not None and y_ is not None:
                known.append(Known(y_ - x_ - (relation[:2] == "lt"), what))
        return Premises(tuple(known), tuple(apart))

    def _readings(self, a: Based, b: Based, signed: bool) -> tuple[Polynomial, Polynomial] | None:
        x = self.integers.reading(a.offset, signed)
        y = self.integers.reading(b.offset, signed)
        return (x, y) if x is not None and y is not None else None

    # --- loops

    def _rounds(self, loop: Loop) -> Premises:
        """What holds at a loop's head in every iteration."""
        if loop.head not in self.counters:
            return Premises()
        counter = self.counters[loop.head]
        (latch,) = loop.latches
        parent = self.values.tree.parent[loop.head]
        entry = self._premises[parent] if parent >= 0 else Premises()
        inside = [block for block in self._above(latch) if block in loop.nodes]
        back = Premises()
        for index in inside:
            if index != loop.head:
                back += self._edge(index)
        held: list[Known] = []
        for fact in (*back.known, *self._stepping(back, counter, entry)):
            if not self._outside_but(fact.polynomial, loop, counter):
                continue
            before = self.moved(fact.polynomial, counter, Polynomial.of(counter) - 1)
            first = self.moved(fact.polynomial, counter, Polynomial.of(-1))
            if self.entails(entry, first):
                held.append(Known(before, fact.what))
        rounds = Premises(tuple(held))
        return rounds + Premises(tuple(self._monotone(loop, entry + back + rounds)))

    def _monotone(self, loop: Loop, premises: Premises) -> Iterator[Known]:
        """A phi that no iteration makes larger is at most what it was before the loop; so with
        smaller. Only for words whose step is not known."""
        (latch,) = loop.latches
        for phi in self.part.phis[loop.head]:
            start = self._start(phi, latch, self.words)
            word, back = self.word(phi.target), self.word(phi.sources[latch])
            now = self.integers.reading(word.offset, signed=True)
            if now is None or not isinstance(now.alone, Symbol) or word.origin is not None:
                continue
            after = self.integers.reading(back.offset, signed=True)
            if start is None or start.origin is not None or after is None:
                continue
            first = self.integers.reading(start.offset, signed=True)
            if back.origin is not None or first is None or now == first:
                continue
            for side in (1, -1):
                if self.entails(premises, (now - after).scaled(side)):
                    yield Known((first - now).scaled(side), "the loop")

    def entry(self, loop: Loop) -> Premises:
        """What holds before a loop."""
        parent = self.values.tree.parent[loop.head]
        return self.premises(parent) if parent >= 0 else Premises()

    def _stepping(self, back: Premises, counter: Symbol, entry: Premises) -> Iterator[Known]:
        """What is not 0 after each iteration and comes nearer by one each time stays on its side:
        ``n - k != 0`` is ``n - k >= 1`` if n >= 1."""
        for fact in back.apart:
            polynomial = fact.polynomial
            content = polynomial.primitive()
            if content.scaled(1).terms.keys() == polynomial.terms.keys():
                polynomial = exact(polynomial)
            if polynomial.terms.get((counter,)) in (1, -1):
                sign = -polynomial.terms[(counter,)]
                yield Known(polynomial.scaled(sign) - 1, fact.what)

    def _above(self, block: int) -> Iterator[int]:
        while block >= 0:
            yield block
            block = self.values.tree.parent[block]

    def _outside_but(self, polynomial: Polynomial, loop: Loop, counter: Symbol) -> bool:
        first = FIRST_RANK + 4 * loop.head
        return counter in self.deep(polynomial) and all(
            symbol is counter or symbol.rank < first or isinstance(symbol, (Reading, Quotient))
            for symbol in self.deep(polynomial)
        )

    def deep(self, polynomial: Polynomial) -> frozenset[Symbol]:
        """The symbols, and those that they are made of."""
        found: set[Symbol] = set()
        open_ = list(polynomial.symbols)
        while open_:
            symbol = open_.pop()
            if symbol not in found:
                found.add(symbol)
                if isinstance(symbol, Reading):
                    open_ += symbol.polynomial.symbols
                elif isinstance(symbol, Quotient):
                    open_ += symbol.dividend.symbols | symbol.divisor.symbols
        return frozenset(found)

    def moved(self, polynomial: Polynomial, counter: Symbol, to: Polynomial) -> Polynomial:
        """In another iteration: the counter replaced, in what readings and quotients are of too."""
        replaced: dict[Symbol, Polynomial] = {}
        for symbol in polynomial.symbols:
            if symbol is counter:
                replaced[symbol] = to
            elif isinstance(symbol, Reading) and counter in self.deep(Polynomial.of(symbol)):
                inner = self.integers.word(symbol.width, self.moved(symbol.polynomial, counter, to))
                if inner.polynomial is not None:
                    replaced[symbol] = self.integers.read(
                        symbol.width, symbol.signed, inner.polynomial
                    )
            elif isinstance(symbol, Quotient) and counter in self.deep(Polynomial.of(symbol)):
                q = self.integers.quotient(
                    self.moved(symbol.dividend, counter, to),
                    self.moved(symbol.divisor, counter, to),
                )
                if q is not None:
                    replaced[symbol] = q
        return polynomial.replaced(replaced)

    # --- what follows

    def facts(self, premises: Premises, goal: Polynomial) -> Facts:
        """The premises with what defines the symbols that they and the goal speak of."""
        known = [*self.launch, *self.general.known, *premises.known]
        seen: set[Symbol] = set()
        open_ = [goal, *(fact.polynomial for fact in known)]
        while open_:
            for symbol in open_.pop().symbols - seen:
                seen.add(symbol)
                for fact in defining(symbol):
                    known.append(fact)
                    open_.append(fact.polynomial)
        known += sided(premises.apart, known)
        return Facts(known)

    def entails(self, premises: Premises, goal: Polynomial) -> bool:
        return self.facts(premises, goal).entails(goal) is not None


def exact(polynomial: Polynomial) -> Polynomial:
    """Divided by what divides every coefficient."""
    from math import gcd

    common = gcd(*polynomial.terms.values())
    return Polynomial({m: c // common for m, c in polynomial.terms.items()})


def defining(symbol: Symbol) -> Iterable[Known]:
    """The inequalities that a symbol is defined by."""
    if isinstance(symbol, Quotient):
        low, _ = symbol.divisor.range()
        if low > 0:
            part = symbol.divisor * Polynomial.of(symbol)
            yield Known(symbol.dividend - part, symbol)
            yield Known(part + symbol.divisor - symbol.dividend - 1, symbol)
    elif isinstance(symbol, Choice) and symbol.order:
        for case in symbol.cases:
            difference = case.polynomial - Polynomial.of(symbol)
            yield Known(difference.scaled(-symbol.order), symbol)


def sided(apart: Sequence[Known], known: Sequence[Known]) -> Iterator[Known]:
    """What is not 0 and on one side of it is at least 1 away."""
    facts = Facts(known) if apart else None
    for fact in apart:
        assert facts is not None
        for polynomial in (fact.polynomial, -fact.polynomial):
            if facts.entails(polynomial) is not None:
                yield Known(polynomial - 1, fact.what)
