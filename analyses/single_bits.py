"""Words with at most one bit set: powers of two, and 0.

A stride that doubles or halves is one, and so is what it starts with if the launch says so. Shifts,
products and selections of such words are such words; so is a phi of them, in every iteration by
induction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from analyses.algebra import Algebra
from analyses.fixpoint import evaluate
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation, PowerOfTwo, Quotient
from analyses.program import Constant, Instr, Operand, Phi, Special, Value
from analyses.values import Values

T = TypeVar("T")


class SingleBit(NamedTuple):
    """A word with at most one bit set if all the names, special registers and parameters ``of`` are
    such words; any word if that is None. It is not negative as a signed integer if it is
    ``positive``, and it may be known to be ``zero``."""

    width: int
    of: frozenset[Value | str] | None
    positive: bool = False
    zero: bool = False


class SingleBits(Algebra[SingleBit]):
    """The operators that keep one bit. All else may be any word."""

    def width(self, a: SingleBit) -> int:
        return a.width

    def unknown(self, width: int, *operands: SingleBit) -> SingleBit:
        return SingleBit(width, None)

    def const(self, width: int, bits: int) -> SingleBit:
        word = bits % (1 << width)
        single = frozenset[Value | str]() if not word & (word - 1) else None
        return SingleBit(width, single, word < 1 << (width - 1), not word)

    def special(self, name: str, width: int) -> SingleBit:
        return SingleBit(width, frozenset([name]))

    def add(self, a: SingleBit, b: SingleBit) -> SingleBit:
        return a if b.zero else b if a.zero else SingleBit(a.width, None)

    def mul(self, a: SingleBit, b: SingleBit) -> SingleBit:
        return both(a.width, a, b)

    def shl(self, a: SingleBit, n: SingleBit) -> SingleBit:
        return SingleBit(a.width, a.of)

    def shr_u(self, a: SingleBit, n: SingleBit) -> SingleBit:
        return SingleBit(a.width, a.of, a.positive)

    def shr_s(self, a: SingleBit, n: SingleBit) -> SingleBit:
        """The sign is repeated, so there must be none."""
        return a if a.positive else SingleBit(a.width, None)

    def select(self, p: SingleBit, a: SingleBit, b: SingleBit) -> SingleBit:
        return both(a.width, a, b)

    def zext(self, width: int, a: SingleBit) -> SingleBit:
        return SingleBit(width, a.of, a.positive or width > a.width)

    def sext(self, width: int, a: SingleBit) -> SingleBit:
        return SingleBit(width, a.of if a.positive else None, a.positive)

    def extract(self, width: int, low: int, a: SingleBit) -> SingleBit:
        return SingleBit(width, a.of)


def both(width: int, a: SingleBit, b: SingleBit) -> SingleBit:
    """A word with at most one bit set if two are."""
    return SingleBit(width, union((a.of, b.of)))


def union(parts: Iterable[frozenset[T] | None]) -> frozenset[T] | None:
    """All together; None if one of them is."""
    found = frozenset[T]()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


class PowersOfTwo:
    """The powers of two in a function, found when asked for: ``opaque`` gives the name whose signed
    word a symbol is, ``names`` the special register or parameter, which may be ``declared``."""

    def __init__(
        self,
        values: Values,
        declared: frozenset[str],
        opaque: Mapping[Symbol, Value],
        names: Mapping[Symbol, str],
    ) -> None:
        self.values, self.declared, self.opaque, self.names = values, declared, opaque, names
        self.algebra = SingleBits()
        self.found: dict[Value, frozenset[str] | None] = {}
        self.joined: dict[Value, Phi] = {}
        self.alias: dict[Value, Operand] = {}
        for block in values.function.blocks:
            self.joined |= {phi.target: phi for phi in block.phis}
            self.alias |= {node.target: node.source for node in block.assumes}

    def includes(self, polynomial: Polynomial, width: int = 0) -> bool:
        """True if it is a power of two wherever it is positive. If a ``width`` is given, its word
        of so many bits has at most one bit set. It is not asked of launches that declare none: a
        stride that doubles is then compared with anything, and it would take steps in vain."""
        return bool(self.declared) and self.computed(polynomial, width)

    def computed(self, polynomial: Polynomial, width: int = 0) -> bool:
        """The same in any launch: a width that doubles from 2 on is a power of two in all."""
        needed = self.needed(polynomial, width)
        return needed is not None and needed <= self.declared

    def needed(self, polynomial: Polynomial, width: int = 0) -> frozenset[str] | None:
        """The special registers and parameters that must be powers of two so that it is; None if
        that is not enough."""
        if len(polynomial.terms) != 1:
            return None
        ((monomial, factor),) = polynomial.terms.items()
        if factor <= 0 or factor & (factor - 1):
            return None
        return union(self._needed(symbol, width) for symbol in monomial)

    def _needed(self, symbol: Symbol, width: int) -> frozenset[str] | None:
        """The same for a symbol: it may be negative only as the signed integer of a word that is at
        least as wide, which has no other bit then."""
        if isinstance(symbol, Interpretation):
            wide = not symbol.signed or symbol.width >= width
            return self.needed(symbol.polynomial, symbol.width) if wide else None
        if isinstance(symbol, Quotient):
            by = symbol.divisor.constant
            shifted = by is not None and by > 0 and by & (by - 1) == 0
            return self.needed(symbol.dividend, width) if shifted and symbol.low >= 0 else None
        if isinstance(symbol, PowerOfTwo):
            return frozenset()
        if symbol in self.names:
            return frozenset([self.names[symbol]])
        value = self.opaque.get(symbol) if type(symbol) is Symbol else None
        if value is None or (symbol.low < 0 and value.width < width):
            return None
        return self.behind(value)

    def behind(self, value: Value) -> frozenset[str] | None:
        """The special registers and parameters that must be powers of two so that the word has at
        most one bit set whenever it is computed: so does all that it is made of then, by induction
        over the execution."""
        if value not in self.found:
            seen, open_, names = {value}, [value], set[str]()
            while open_:
                of = self.made_of(open_.pop())
                if of is None:
                    self.found[value] = None
                    return None
                names |= {one for one in of if isinstance(one, str)}
                new = {one for one in of if isinstance(one, Value)} - seen
                seen |= new
                open_ += new
            self.found[value] = frozenset(names)
        return self.found[value]

    def made_of(self, value: Value) -> frozenset[Value | str] | None:
        """What must have at most one bit set for the name to have so; None if that is not
        enough."""
        if value in self.joined:
            words = [self.operand(source) for source in self.joined[value].sources.values()]
        elif value in self.alias:
            words = [self.operand(self.alias[value])]
        elif value in self.values.definition:
            words = [self.result(self.values.definition[value], value)]
        else:
            return None
        return union(word.of for word in words)

    def result(self, instr: Instr, value: Value) -> SingleBit:
        """The word that an instruction computes."""
        results = evaluate(self.algebra, instr, [self.operand(use) for use in instr.uses])
        return results[list(instr.defs).index(value)]

    def operand(self, operand: Operand) -> SingleBit:
        """The word of an operand, with what its range says of it."""
        if isinstance(operand, Constant):
            return self.algebra.const(operand.width, operand.bits)
        if isinstance(operand, Special):
            return self.algebra.special(operand.name, operand.width)
        if not isinstance(operand, Value):
            return SingleBit(operand.width, None)
        known = self.values.number.facts.get(operand)
        if known is None or known.origin is not None or self.values.numbers.is_bottom(known):
            return SingleBit(operand.width, frozenset([operand]))
        interval = self.values.interval(known)
        if interval.is_constant:
            return self.algebra.const(operand.width, interval.value)
        return SingleBit(operand.width, frozenset([operand]), interval.signed_bounds()[0] >= 0)
