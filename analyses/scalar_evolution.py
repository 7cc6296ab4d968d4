"""Scalar evolution: every word as an integer polynomial over launch, thread and iteration symbols.

SSA needs one pass and no fixpoint. A head phi with a constant step per iteration is ``start +
step*k`` modulo its width; all phis of a head share the loop counter k. Any other phi is a choice
among its sources. A word that is no polynomial is an opaque symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec import Struct

from analyses.conditions import Complements
from analyses.domains.regions import Addresses, BasePlusOffset
from analyses.fixpoint import constant, evaluate
from analyses.float_bounds import FloatBounds
from analyses.float_limits import Converted
from analyses.graph import Loop
from analyses.guarded_words import GuardedWords
from analyses.joined_divisions import JoinedDivisions
from analyses.loop_heads import LoopHeads
from analyses.polynomials.congruence import ANY, Congruence
from analyses.polynomials.fast_division import FastDivisions
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import (
    FIRST_RANK,
    Case,
    Choice,
    oversized,
    shifts_choice,
    type_range,
)
from analyses.polynomials.words import ModularPolynomial
from analyses.program import Block, Instr, Operand, Phi, Region, Value
from analyses.related_phis import RelatedPhis
from analyses.single_bits import PowersOfTwo
from analyses.step_counts import StepCounts
from analyses.unrolled_loops import UnrolledLoops
from analyses.values import Values

RANKS = {"nctaid": 0, "ntid": 0, "ctaid": 1, "tid": 2, "laneid": 2, "warpid": 2}
OTHER_RANK = 3


class SymbolicValues(Struct, eq=False, dict=True):
    """The symbolic values of a function. ``values`` has its ranges. ``launch`` collects
    inequalities of special registers: ``tid.x < ntid.x``. Undeclared parameters that are
    ``unsigned`` are not negative. A multiplier and a shift divide by the parameter that they have
    in ``reciprocals``; parameters and special registers that are ``powers`` are powers of two. The
    words in ``exchanges`` are those of an operand in another thread."""

    values: Values
    pointers: Mapping[str, Region]
    unsigned: frozenset[str] = frozenset()
    reciprocals: Mapping[tuple[str, str], str] = {}
    powers: frozenset[str] = frozenset()
    exchanges: Mapping[Value, Operand] = {}
    specials: dict[tuple[str, int], Polynomial] = {}
    words: dict[Value, BasePlusOffset] = {}

    def __post_init__(self) -> None:
        self.serial = 0
        self.integers = FastDivisions(self.named, self.divisor)
        self.complements = Complements(self.integers.complements)
        self.addresses: Addresses[ModularPolynomial] = Addresses(
            self.integers, self.pointers, self.values.interior
        )
        blocks = self.values.function.blocks
        self.part = self.values.number.part
        self.alias = {node.target: node.source for block in blocks for node in block.assumes}
        self.joined = {phi.target: (phi, block) for block in blocks for phi in block.phis}
        self.floats = FloatBounds(self.values, self.alias)
        self.loops = self.values.loops
        self.counters: dict[int, Symbol] = {}
        self.names: dict[Symbol, str] = {}  # of special registers and parameters
        self.opaque: dict[Symbol, Value] = {}  # whose signed word the symbol is
        self.offsets: dict[Symbol, Value] = {}  # whose offset from its origin the symbol is
        self.loaded: dict[Symbol, Instr] = {}  # by what
        self.exchanged: set[Symbol] = set()
        self.upper_bounds: dict[Symbol, tuple[Polynomial, ...]] = {}  # than which it is not greater
        self.cut: set[Value] = set()  # opaque because their definitions are too large
        self.launch: list[Inequality] = []
        self.constants: dict[Operand, BasePlusOffset] = {}
        self.powers_of_two = PowersOfTwo(self.values, self.powers, self.opaque, self.names)
        self.divisions = JoinedDivisions(self.values, self.integers, self.alias, self.source)
        self.phis = RelatedPhis(self.part.phis, self.integers, self.source)
        self.steps = StepCounts(self.integers, self.source, self.guarded)
        self.unrolled = UnrolledLoops(self.values, self.integers, self.counters, self.source)
        self.heads = LoopHeads(
            self.values, self.integers, self, self.joined, self.opaque, self.counters, self.unrolled
        )
        self.head_phis: dict[Value, Loop] = {
            phi.target: loop
            for loop in self.loops.values()
            if loop.natural and len(loop.latches) == 1
            for phi in self.part.phis[loop.head]
        }
        for block in blocks:
            self._block(block, self.words)

    # --- words

    def word(self, operand: Operand) -> BasePlusOffset:
        """``origin + polynomial`` modulo the operand's width."""
        return self._word(operand, self.words)

    def integer(self, operand: Operand, signed: bool) -> Polynomial | None:
        """The integer of the operand, unless it is an address."""
        word = self.word(operand)
        return (
            None if word.origin is not None else self.integers.interpretation(word.offset, signed)
        )

    def _word(self, operand: Operand, words: Mapping[Value, BasePlusOffset]) -> BasePlusOffset:
        if isinstance(operand, Value):
            found = words.get(operand)  # what decides nothing is not evaluated
            return found or BasePlusOffset(None, ModularPolynomial(operand.width, None))
        return self._constant(operand)

    def _constant(self, operand: Operand) -> BasePlusOffset:
        found = self.constants.get(operand)
        if found is None:
            found = self.constants[operand] = constant(self.addresses, operand)
        return found

    def divisor(self, multiplier: Symbol, shift: Symbol) -> Polynomial | None:
        """The parameter that these two divide by, if that is declared."""
        names = self.names.get(multiplier, ""), self.names.get(shift, "")
        by = self.reciprocals.get(names)
        return None if by is None else self.named(by, 32)

    def named(self, name: str, width: int) -> Polynomial:
        """The symbol of a special register or parameter of this width."""
        key = (name, width)
        if key not in self.specials:
            self.specials[key] = self._special(name, width)
        return self.specials[key]

    def _special(self, name: str, width: int) -> Polynomial:
        """A special register is not negative; an undeclared parameter is signed."""
        kind = name.partition(".")[0]
        parameter = "+" in name
        rank = 0 if parameter else RANKS.get(kind, OTHER_RANK)
        low, high = type_range(width, signed=parameter and name not in self.unsigned)
        known = self.values.specials.get(name)
        if known is not None and known.width == width:
            low, high = min(
                (low, high),
                known.signed_bounds(),
                known.unsigned_bounds(),
                key=lambda b: b[1] - b[0],
            )
        if low == high:
            return Polynomial.of(low)
        symbol = Symbol(name.removesuffix("+0"), low, high, rank)
        self.names[symbol] = name
        result = Polynomial.of(symbol)
        axis = name.partition(".")[2]
        if kind in ("tid", "ctaid") and axis:
            extent = self.named(f"n{kind}.{axis}", width)
            self.launch.append(Inequality(extent - result - 1, f"{name} < n{name}"))
        return result

    def _block(self, block: Block, words: dict[Value, BasePlusOffset]) -> None:
        self.integers.rank = FIRST_RANK + 4 * block.index
        for phi in self.part.phis[block.index]:
            if phi.target not in words:
                word = self._phi(phi, block, words)
                words[phi.target] = self._bounded(phi.target, word)
        guarded = self.guarded(words, block.index)
        for node in block.assumes:
            if node.source in words:
                words[node.target] = words[node.source]
        for instr in self.part.instrs[block.index]:
            self._instr(instr, words, guarded)

    def guarded(
        self,
        words: Mapping[Value, BasePlusOffset],
        block: int,
        target: int | None = None,
        more: tuple[Polynomial, ...] = (),
        by: Mapping[Symbol, Polynomial] = {},
    ) -> GuardedWords:
        source = partial(self.source, words=words)
        held = (self.heads.held.get(loop.head, ()) for loop in self.values.flow.inside[block])
        more = sum(held, more)
        return GuardedWords(self.values.flow, self.integers, source, block, target, more, by)

    def _instr(
        self, instr: Instr, words: dict[Value, BasePlusOffset], guarded: GuardedWords
    ) -> None:
        arguments = [self._argument(use, words) for use in instr.uses]
        before = self.integers.too_large
        results, needed = evaluate(self.addresses, instr, arguments), self.values.shared.needed
        if self.integers.too_large > before:
            self.cut.update(instr.defs)
        for value, result in zip(instr.defs, results, strict=True):
            result = self.steps.counted(guarded.simplified(result, arguments), guarded)
            words[value] = word = self._kept(value, result, words)
            symbol = word.offset.polynomial.alone if word.offset.polynomial else None
            if symbol in self.opaque and instr.access is not None and instr.access.kind == "load":
                self.loaded[symbol] = instr
            elif symbol in self.opaque and value in needed and value in self.exchanges:
                self.exchanged.add(symbol)

    def _argument(self, use: Operand, words: Mapping[Value, BasePlusOffset]) -> BasePlusOffset:
        if use.width > 1:
            return self._word(use, words)
        return BasePlusOffset(None, ModularPolynomial(1, None, use))

    def _kept(
        self, value: Value, word: BasePlusOffset, words: Mapping[Value, BasePlusOffset]
    ) -> BasePlusOffset:
        """A word without a polynomial is an opaque symbol; a constant one is that constant; one
        that is a division by a power of two, of a divisor that is known to be one, is that."""
        if value.width == 1:
            meant = self.values.flow.formulas.meaning(value)
            self.complements.add(self.integers.rank, value, meant)
            return word
        known = self.values.number.facts.get(value)
        if known is not None and known.origin is None and word.origin is None:
            interval = self.values.interval(known)
            if interval.is_constant:
                return BasePlusOffset(None, self.integers.const(value.width, interval.value))
        ones, by_power = word.offset.ones, word.offset.by_power
        if word.offset.polynomial is not None:
            word = self._bounded(value, word)
        else:
            word = self._limited(value, self.opaque_word(value))
        if word.origin is not None or (ones is None and not by_power):
            return word
        self.divisions.power_tests.update(one.mask for one in by_power if one.tests)
        found, home = word.offset, self.values.home[value]
        for division in by_power:
            always = self.powers_of_two.computed(division.mask + 1, value.width)
            if always or self.divisions.tested(division.mask, home, "eq", words):
                found = self.integers.by_power(value.width, division, always)
        return BasePlusOffset(word.origin, found._replace(ones=ones, by_power=by_power))

    def _limited(self, value: Value, word: BasePlusOffset) -> BasePlusOffset:
        """The word; a signed integer that a float is converted to as one between its limits."""
        found = word.offset.polynomial
        if found is None or found.alone is None or self.floats.integer(value) is None:
            return word
        converted = Converted(self.floats, value, self.integer, self.integers)
        self.upper_bounds[found.alone] = tuple(converted.below())
        return BasePlusOffset(None, ModularPolynomial(value.width, converted.limited(found)))

    def _bounded(self, value: Value, word: BasePlusOffset) -> BasePlusOffset:
        """The word; an opaque symbol for one with too large a definition, or of which a part is
        read that may be anything."""
        found = word.offset.polynomial
        if found is not None and oversized(found):
            self.cut.add(value)
        elif found is None or not shifts_choice(found):
            return word
        opaque = self.opaque_word(value)
        return opaque if opaque.origin == word.origin else word

    def congruence(self, symbol: Symbol) -> Congruence:
        """That of the signed value of a name, or of its offset, from its known low bits."""
        value = self.opaque.get(symbol) or self.offsets.get(symbol)
        if value is None or (fact := self._fact(value)) is None:
            return ANY
        rest, bits = fact.offset[1].alignment
        return Congruence.of(rest, 1 << bits)

    def _range(self, value: Value) -> tuple[int, int]:
        """The range of its signed value."""
        known, every = self._fact(value), type_range(value.width, signed=True)
        return every if known is None else self.values.interval(known).signed_bounds()

    def _fact(self, value: Value) -> BasePlusOffset | None:
        """The abstract value of a name; None if it is bottom, as in unreachable blocks."""
        known = self.values.number.facts.get(value)
        return None if known is None or self.values.numbers.is_bottom(known) else known

    def opaque_word(self, value: Value) -> BasePlusOffset:
        low, high = self._range(value)
        if (converted := self.floats.integer(value)) is not None:
            low, high = max(low, converted[0]), min(high, converted[1])
        origin = known.origin if (known := self._fact(value)) is not None else None
        if low == high and origin is None:
            return BasePlusOffset(None, self.integers.const(value.width, low))
        rank = FIRST_RANK + 4 * self.values.home[value]
        symbol = self.symbol(value.name, (low, high), rank)
        (self.opaque if origin is None else self.offsets)[symbol] = value
        return BasePlusOffset(origin, ModularPolynomial(value.width, Polynomial.of(symbol)))

    def symbol(self, label: str, ends: tuple[int, int], rank: int) -> Symbol:
        """A new symbol with this range."""
        self.serial += 1
        return Symbol(label, *ends, rank, self.serial)

    # --- phis

    def _phi(self, phi: Phi, block: Block, words: dict[Value, BasePlusOffset]) -> BasePlusOffset:
        loop = self.head_phis.get(phi.target)
        if loop is not None:
            self.heads.evaluate(loop, words)
            return words[phi.target]
        sources = {p: self.coming(op, words, p, block) for p, op in phi.sources.items()}
        found = list(sources.values())
        if any(word is None for word in found):
            return self.opaque_word(phi.target)
        if all(word == found[0] for word in found):
            return found[0]  # type: ignore[return-value]
        for found_by in (self.divisions, self.steps, self.unrolled):
            if (word := found_by.joined(phi, block, words)) is not None:
                return word
        if (word := self.phis.related(phi, block, words)) is not None:
            return word
        origins = {word.origin for word in found if word is not None}
        cases = []
        if len(origins) != 1:
            same = self.phis.same(phi, block, words)
            return self.opaque_word(phi.target) if same is None else same
        moved = self.phis.moved(phi, block, found)
        if moved is not None:
            return BasePlusOffset(origins.pop(), moved)
        for origin, word in sources.items():
            assert word is not None
            integer = self.integers.interpretation(word.offset, signed=True)
            if integer is None:
                return self.opaque_word(phi.target)
            cases.append(Case(integer, edge=(origin, block.index)))
        choice = self.integers.choice(phi.target.name, tuple(cases), within=self._range(phi.target))
        if isinstance(choice.alone, Choice):
            self.opaque[choice.alone] = phi.target
        return BasePlusOffset(origins.pop(), ModularPolynomial(phi.target.width, choice))

    def source(
        self, operand: Operand, words: Mapping[Value, BasePlusOffset]
    ) -> BasePlusOffset | None:
        """None for a word that is not evaluated yet: the back edge of an irregular loop."""
        if isinstance(operand, Value):
            return words.get(operand)
        return self._constant(operand)

    def coming(
        self, operand: Operand, words: Mapping[Value, BasePlusOffset], edge: int, block: Block
    ) -> BasePlusOffset | None:
        """The word of an operand on an edge into a block."""
        word = self.source(operand, words)
        if word is None:
            return None
        return self.guarded(words, edge, block.index).simplified(word, [word])

    def plain(self, operand: Operand) -> Operand:
        """The name that another one stands for."""
        while isinstance(operand, Value) and operand in self.alias:
            operand = self.alias[operand]
        return operand

    def body(self, loop: Loop, trial: dict[Value, BasePlusOffset]) -> None:
        """Evaluates a loop's blocks, and so its inner loops."""
        rank = self.integers.rank
        for index in sorted(loop.nodes):
            self._block(self.values.function.blocks[index], trial)
        self.integers.rank = rank
