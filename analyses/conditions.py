"""Branch conditions: the relations that hold where a predicate is true, and where it is false.

Conditions are one more algebra. Evaluating the instruction that defines a predicate over it gives a
formula of comparisons between operands: ``setp.ge`` evaluates to ``not lt_s(a, b)``. Compilers test
two words for a negative one at once, ``(a | b) < 0``: where that is false, neither is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from analyses.algebra import Algebra, FloatMode
from analyses.budget import CONDITION_DEPTH
from analyses.lattice import NEGATED, Relation
from analyses.program import Constant, Instr, Operand, Value


class Compare(NamedTuple):
    relation: Relation
    a: Operand
    b: Operand


class Connect(NamedTuple):
    conjunction: bool
    a: Term
    b: Term


class Not(NamedTuple):
    a: Term


class Atom(NamedTuple):
    """An operand, or (None) an unknown word."""

    bits: int
    operand: Operand | None = None


class Either(NamedTuple):
    """A word with the bits of two words."""

    bits: int
    a: Term
    b: Term


class Masked(NamedTuple):
    """The bits of a word that a mask keeps."""

    bits: int
    a: Term
    mask: int


class FloatTest(NamedTuple):
    """A predicate of two floats. It is true if one of the ``outcomes`` is what they are: the first
    is less ``<``, equal ``=`` or greater ``>``, or one is NaN ``?``. Where it is ``ftz``, subnormal
    ones count as zero."""

    a: Operand
    b: Operand
    outcomes: frozenset[str]
    ftz: bool = False


class FloatWord(NamedTuple):
    """A float that is made of others or of an integer, or an integer that is made of a float."""

    bits: int
    by: str
    parts: tuple[Operand, ...]
    mode: FloatMode
    signed: bool = True


class Selection(NamedTuple):
    """The word ``a`` where a predicate is true, ``b`` elsewhere."""

    bits: int
    by: Operand
    a: Operand
    b: Operand


class Differ(NamedTuple):
    """True where one predicate is and the other is not."""

    a: Term
    b: Term


Term = Compare | Connect | Not | Atom | Either | Masked | FloatTest | FloatWord | Selection | Differ
MIRRORED = {"<": ">", "=": "=", ">": "<", "?": "?"}
OUTCOMES = frozenset(MIRRORED)

NORMAL = {16: (0x0400, 0x7C00), 32: (0x0080_0000, 0x7F80_0000), 64: (1 << 52, 0x7FF << 52)}
"""The bits of the least float that no mode flushes to zero, and of infinity."""

Fact = tuple[Operand, Relation, Operand]
Selected = tuple[tuple[Operand, bool], ...]
"""Predicates and their values."""


class Conditions(Algebra[Term]):
    """Formulas over operands. Only comparisons of plain operands are kept; others are unknown."""

    def width(self, a: Term) -> int:
        return a.bits if isinstance(a, Atom | Either | Masked | Selection | FloatWord) else 1

    def unknown(self, width: int, *operands: Term) -> Term:
        return Atom(width)

    def const(self, width: int, bits: int) -> Term:
        return Atom(width, Constant(width, bits % (1 << width)))

    def _compare(self, relation: Relation, a: Term, b: Term) -> Term:
        if isinstance(a, Atom) and isinstance(b, Atom) and a.operand and b.operand:
            return Compare(relation, a.operand, b.operand)
        return Atom(1)

    def eq(self, a: Term, b: Term) -> Term:
        return self._compare("eq", a, b)

    def lt_u(self, a: Term, b: Term) -> Term:
        return self._compare("lt_u", a, b)

    def lt_s(self, a: Term, b: Term) -> Term:
        return self._compare("lt_s", a, b)

    # --- floats

    def _tested(self, outcome: str, a: Term, b: Term, ftz: bool) -> Term:
        if isinstance(a, Atom) and isinstance(b, Atom) and a.operand and b.operand:
            return FloatTest(a.operand, b.operand, frozenset(outcome), ftz)
        return Atom(1)

    def flt(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return self._tested("<", a, b, mode.ftz)

    def feq(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return self._tested("=", a, b, mode.ftz)

    def funordered(self, a: Term, b: Term) -> Term:
        return self._tested("?", a, b, False)

    def fadd(self, a: Term, b: Term, mode: FloatMode) -> Term:
        if isinstance(b, FloatWord) and b.by == "opposite":
            b = Atom(b.bits, b.parts[0])
            return float_word(self.width(a), "difference", (a, b), mode)
        return float_word(self.width(a), "sum", (a, b), mode)

    def fmul(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return float_word(self.width(a), "product", (a, b), mode)

    def fma(self, a: Term, b: Term, c: Term, mode: FloatMode) -> Term:
        return float_word(self.width(a), "fused", (a, b, c), mode)

    def fdiv(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return float_word(self.width(a), "quotient", (a, b), mode)

    def fmin(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return float_word(self.width(a), "min", (a, b), mode)

    def fmax(self, a: Term, b: Term, mode: FloatMode) -> Term:
        return float_word(self.width(a), "max", (a, b), mode)

    def float_to_float(self, width: int, a: Term, mode: FloatMode, integral: bool = False) -> Term:
        by = "integral" if integral else "wider" if width > self.width(a) else "shorter"
        return float_word(width, by, (a,), mode)

    def float_to_int(self, width: int, signed: bool, a: Term, mode: FloatMode) -> Term:
        return Atom(width) if mode.sat else float_word(width, "to integer", (a,), mode, signed)

    def int_to_float(self, width: int, signed: bool, a: Term, mode: FloatMode) -> Term:
        return float_word(width, "of integer", (a,), mode, signed)

    # --- bits

    def and_(self, a: Term, b: Term) -> Term:
        if self.width(a) == 1:
            return together(a, b, frozenset.intersection) or Connect(True, a, b)
        for word, mask in ((a, b), (b, a)):
            if isinstance(mask, Atom) and isinstance(mask.operand, Constant):
                return Masked(mask.bits, word, mask.operand.bits)
        return Atom(self.width(a))

    def or_(self, a: Term, b: Term) -> Term:
        if self.width(a) == 1:
            return together(a, b, frozenset.union) or Connect(False, a, b)
        return Either(self.width(a), a, b)

    def not_(self, a: Term) -> Term:
        if self.width(a) == 1:
            return Not(a)
        if isinstance(a, Atom) and isinstance(a.operand, Constant):
            return self.const(a.bits, ~a.operand.bits)
        return Atom(self.width(a))

    def select(self, p: Term, a: Term, b: Term) -> Term:
        if isinstance(p, FloatTest) and p.a == p.b == absolute(b) and p.outcomes == {"?"}:
            return FloatWord(self.width(b), "absolute", (p.a,), FloatMode())
        operands = [term.operand if isinstance(term, Atom) else None for term in (p, a, b)]
        if None in operands:
            return Atom(self.width(a))
        return Selection(self.width(a), *operands)  # type: ignore[arg-type]

    def xor(self, a: Term, b: Term) -> Term:
        if self.width(a) > 1:
            sign = isinstance(b, Atom) and b.operand == Constant(b.bits, sign_bit(b.bits))
            width = self.width(a)
            return float_word(width, "opposite", (a,), FloatMode()) if sign else Atom(width)
        for word, other in ((a, b), (b, a)):
            if isinstance(word, Atom) and isinstance(word.operand, Constant):
                return Not(other) if word.operand.bits else other
        return Differ(a, b)


def float_word(
    width: int, by: str, terms: tuple[Term, ...], mode: FloatMode, signed: bool = True
) -> Term:
    """A word that is made of operands; another one is unknown but for saturation."""
    if mode.sat:
        return FloatWord(width, "saturated", (), FloatMode())
    parts = tuple(t.operand for t in terms if isinstance(t, Atom) and t.operand is not None)
    if len(parts) < len(terms):
        return Atom(width)
    return FloatWord(width, by, parts, mode, signed)


def together(
    a: Term, b: Term, of: Callable[[frozenset[str], frozenset[str]], frozenset[str]]
) -> Term | None:
    """Two tests of the same floats as one."""
    if not isinstance(a, FloatTest) or not isinstance(b, FloatTest):
        return None
    if a[:2] == (b.b, b.a):
        b = FloatTest(b.b, b.a, frozenset(MIRRORED[outcome] for outcome in b.outcomes), b.ftz)
    same = a[:2] == b[:2]
    return FloatTest(a.a, a.b, of(a.outcomes, b.outcomes), a.ftz or b.ftz) if same else None


def absolute(meant: Term | None) -> Operand | None:
    """The float that a word is the absolute value of. That of NaN is NaN."""
    match meant:
        case FloatWord(_, "absolute", (operand,)):
            return operand
        case Masked(bits, Atom(_, operand), mask) if mask == sign_bit(bits) - 1:
            return operand
        case _:
            return None


def sign_bit(width: int) -> int:
    return 1 << (width - 1)


def positive(operand: Operand) -> bool:
    """True if it is a float greater than zero, that no mode changes."""
    least, most = NORMAL.get(operand.width, (1, 0))
    return isinstance(operand, Constant) and least <= operand.bits <= most


def by_bits(test: FloatTest) -> Iterator[Fact]:
    """What a test that is true says of the bits of a float, compared with a positive number: those
    of a greater one, and of NaN, are greater, and those of a number are not above infinity's."""
    for number, other, less in ((test.a, test.b, ">"), (test.b, test.a, "<")):
        if positive(number) and less not in test.outcomes:
            yield number, "le_u" if "=" in test.outcomes else "lt_u", other
            if "?" not in test.outcomes:
                yield other, "le_u", Constant(other.width, NORMAL[other.width][1])


CONDITIONS = Conditions()


def normal(meant: Term | None, truth: bool = True) -> tuple[Term, bool] | None:
    """The comparison that a predicate is, or that it is not, of two such with one meaning the same
    one: ``a < b`` for ``b <= a``, and of floats one that is false for NaN."""
    match meant:
        case Not(inner):
            return normal(inner, not truth)
        case Compare("ne" | "le_s" | "le_u" as relation, a, b):
            other, swap = NEGATED[relation]
            return Compare(other, b, a) if swap else Compare(other, a, b), not truth
        case Compare():
            return meant, truth
        case FloatTest(a, b, outcomes, ftz) if str(b) < str(a):
            mirrored = frozenset(MIRRORED[outcome] for outcome in outcomes)
            return normal(FloatTest(b, a, mirrored, ftz), truth)
        case FloatTest(a, b, outcomes, ftz) if "?" in outcomes:
            return FloatTest(a, b, OUTCOMES - outcomes, ftz), not truth
        case FloatTest():
            return meant, truth
        case _:
            return None


class Complements:
    """Predicates ``of`` each of which is true where an earlier one of its block is not, as
    ``a < b`` and ``b <= a``: what one of them selects, the other one does."""

    def __init__(self, of: dict[Operand, Operand]) -> None:
        self.of = of
        self._tests: dict[tuple[int, Term], tuple[Value, bool]] = {}

    def add(self, block: int, predicate: Value, meant: Term | None) -> None:
        """Nothing redefines an operand between the two: they are computed in one block."""
        found = normal(meant)
        if found is not None:
            term, truth = found
            earlier, value = self._tests.setdefault((block, term), (predicate, truth))
            if value is not truth:
                self.of[predicate] = earlier


class Formulas:
    """The formulas of predicates. ``definition`` gives the instruction that defines a name; each is
    evaluated once."""

    def __init__(self, definition: Callable[[Value], Instr | None]) -> None:
        self.definition = definition
        self.terms: dict[Value, Term | None] = {}

    def implied(self, predicate: Operand, truth: bool) -> list[Fact]:
        """The relations between operands that hold where ``predicate`` equals ``truth``.

        Only conjunctions are taken apart: ``and`` where it is true, ``or`` where it is false. Other
        formulas imply nothing, nor does the index of an indexed branch.
        """
        return [fact for fact in self._facts(predicate, truth) if not isinstance(fact, FloatTest)]

    def float_tests(self, predicate: Operand, truth: bool) -> list[FloatTest]:
        """The tests of floats that are true there."""
        return [fact for fact in self._facts(predicate, truth) if isinstance(fact, FloatTest)]

    def _facts(self, predicate: Operand, truth: bool) -> list[Fact | FloatTest]:
        facts: list[Fact | FloatTest] = []
        if predicate.width == 1:
            self._visit(Atom(1, predicate), truth, 0, facts)
        return facts

    def absolute(self, operand: Operand) -> Operand | None:
        """The float that this one is the absolute value of."""
        return absolute(self.meaning(operand)) if isinstance(operand, Value) else None

    def magnitudes(self, predicate: Operand, truth: bool) -> Iterator[tuple[Operand, int, int]]:
        """Floats, and what the bits of each but for its sign are at least and at most there: those
        of a number with a greater absolute value are greater, and those of NaN greater than of all
        numbers."""
        for a, b, outcomes, _ in self.float_tests(predicate, truth):
            for number, other, less, more in ((a, b, ">", "<"), (b, a, "<", ">")):
                of = self.absolute(other)
                if of is None or not isinstance(number, Constant) or not positive(number):
                    continue
                strictly = "=" not in outcomes
                least = number.bits + strictly if less not in outcomes else 0
                most = sign_bit(of.width) - 1
                if "?" not in outcomes:
                    infinite = NORMAL[of.width][1]
                    most = number.bits - strictly if more not in outcomes else infinite
                yield of, least, most

    def ways(self, predicate: Operand, truth: bool, depth: int = 0) -> list[Selected]:
        """Conjunctions of predicates at least one of which holds where ``predicate`` equals
        ``truth``: ``a or b`` holds where ``a`` does, or where ``b`` does and ``a`` does not; two
        differ where one holds and the other does not."""
        meant, value = self.meaning(predicate) if isinstance(predicate, Value) else None, truth
        while isinstance(meant, Not):
            meant, value = meant.a, not value
        if isinstance(meant, Connect) and meant.conjunction is not value:
            a, b = (term.operand if isinstance(term, Atom) else None for term in meant[1:])
            if isinstance(a, Value) and isinstance(b, Value) and depth < CONDITION_DEPTH:
                others = self.ways(b, value, depth + 1)
                return self.ways(a, value, depth + 1) + [((a, not value), *way) for way in others]
        if isinstance(meant, Differ):
            a, b = (term.operand if isinstance(term, Atom) else None for term in meant)
            if isinstance(a, Value) and isinstance(b, Value):
                return [((a, one), (b, one is not value)) for one in (True, False)]
        return [((predicate, truth),)]

    def selection(self, name: Value) -> tuple[Operand, Operand, Operand] | None:
        """The predicate and the two operands of a word that is selected from these."""
        meant = self.meaning(name)
        return meant[1:] if isinstance(meant, Selection) else None

    def multiples(self, name: Operand) -> Iterator[tuple[Operand, int]]:
        """The words that are multiples of a power of two where another word is zero, which has
        their low bits; each with that power."""
        meant = self.meaning(name) if isinstance(name, Value) else None
        if isinstance(meant, Masked) and meant.mask & 1:
            for part in self._parts(meant.a, 0):
                yield part, ~meant.mask & (meant.mask + 1)

    def _visit(self, term: Term, truth: bool, depth: int, facts: list[Fact | FloatTest]) -> None:
        if depth > CONDITION_DEPTH:
            return
        match term:
            case Not(inner):
                self._visit(inner, not truth, depth + 1, facts)
            case Connect(conjunction, a, b) if conjunction is truth:
                self._visit(a, truth, depth + 1, facts)
                self._visit(b, truth, depth + 1, facts)
            case Compare(relation, a, b):
                if not truth:
                    relation, swap = NEGATED[relation]
                    a, b = (b, a) if swap else (a, b)
                facts.append((a, relation, b))
                if relation in ("lt_s", "le_s") and isinstance(a, Constant):
                    low = a.bits - (a.bits >> (a.width - 1) << a.width)
                    if low + (relation == "lt_s") >= 0:
                        self._not_negative(b, depth + 1, facts)
                if relation == "eq" and isinstance(b, Constant) and not b.bits:
                    self._no_bits(a, depth + 1, facts)
                if relation == "ne" and isinstance(b, Constant):
                    facts += ((part, "ne", b) for part in self._of_other_bits(a, b))
            case FloatTest(a, b, outcomes, ftz):
                held = FloatTest(a, b, outcomes if truth else OUTCOMES - outcomes, ftz)
                facts += (held, *by_bits(held))
            case Differ(a, b):
                for one, other in ((a, b), (b, a)):
                    if (known := self._constant(one)) is not None:
                        self._visit(other, truth is not known, depth + 1, facts)
            case Atom(1, Value() as name):
                facts.append((name, "eq", Constant(1, int(truth))))
                if (meant := self.meaning(name)) is not None:
                    self._visit(meant, truth, depth + 1, facts)

    def _constant(self, term: Term | None) -> bool | None:
        """The value of a predicate that is a number, or a name of one."""
        if isinstance(term, Atom) and isinstance(term.operand, Value):
            term = self.meaning(term.operand)
        known = isinstance(term, Atom) and isinstance(term.operand, Constant)
        return bool(term.operand.bits) if known else None  # type: ignore[union-attr]

    def _not_negative(self, operand: Operand, depth: int, facts: list[Fact | FloatTest]) -> None:
        """A word is negative if its highest bit is set: if the union of the bits of two words is
        not, neither of them is."""
        meant = self.meaning(operand) if isinstance(operand, Value) else None
        if depth > CONDITION_DEPTH or not isinstance(meant, Either):
            return
        for part in (meant.a, meant.b):
            if isinstance(part, Atom) and part.operand is not None:
                facts.append((Constant(part.bits, 0), "le_s", part.operand))
                self._not_negative(part.operand, depth + 1, facts)

    def _of_other_bits(self, operand: Operand, number: Constant) -> Iterator[Operand]:
        """The word of which the operand is some bits: if these are not the number's, which has no
        others, the word is not the number."""
        match self.meaning(operand) if isinstance(operand, Value) else None:
            case Masked(_, Atom(_, word), mask) if word and number.bits & mask == number.bits:
                yield word

    def _no_bits(self, operand: Operand, depth: int, facts: list[Fact | FloatTest]) -> None:
        """A union of words that has no bits from some bit upwards: no word has any, so each is less
        than the number of that bit."""
        meant = self.meaning(operand) if isinstance(operand, Value) else None
        if not isinstance(meant, Masked):
            return
        end = meant.mask & -meant.mask
        if end and meant.mask + end == 1 << meant.bits:
            parts = list(self._parts(meant.a, depth))
            if (
                len(parts) > 1 or end == 1 << meant.bits // 2
            ):  # of one word an interpretation says it
                facts += ((part, "lt_u", Constant(meant.bits, end)) for part in parts)

    def _parts(self, term: Term, depth: int) -> Iterator[Operand]:
        """The words of a union."""
        if isinstance(term, Atom) and isinstance(term.operand, Value):
            meant = self.meaning(term.operand)
            if not isinstance(meant, Either) or depth > CONDITION_DEPTH:
                yield term.operand
                return
            term = meant
        if isinstance(term, Either):
            for part in (term.a, term.b):
                yield from self._parts(part, depth + 1)

    def meaning(self, name: Value) -> Term | None:
        if name not in self.terms:
            self.terms[name] = self._term(name)
        return self.terms[name]

    def _term(self, name: Value) -> Term | None:
        instr = self.definition(name)
        if instr is None or instr.effects:
            return None
        terms = [Atom(operand.width, operand) for operand in instr.uses]
        return instr.evaluate(CONDITIONS, terms)[list(instr.defs).index(name)]
