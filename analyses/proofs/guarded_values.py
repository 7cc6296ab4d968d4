"""Guarded values: the range of a word at a program point, refined by its polynomial under guards.

A guard ``i < n`` bounds every word computed from i, also before the guard. Only guards are used, no
loop invariants: if these ranges do not suffice, a proof is sought.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, TypeVar

from analyses.budget import GUARDS, NEAR_INTERPRETATIONS, PARTS, SLICE
from analyses.domains.regions import BasePlusOffset
from analyses.domains.strided_interval import StridedInterval, interval
from analyses.fixpoint import evaluate
from analyses.polynomials.congruence import ANY, congruence
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Interpretation, deep
from analyses.program import Operand, Value
from analyses.proofs.definitions import closure, definition
from analyses.proofs.inequalities import InequalitySystem
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.scalar_evolution import SymbolicValues

T = TypeVar("T")


class GuardedValues:
    """The ranges of a function's words under the guards of each point; ``general`` holds in every
    launch."""

    def __init__(self, symbolic: SymbolicValues, general: PathCondition = NOTHING) -> None:
        self.symbolic = symbolic
        self.values = symbolic.values
        self.guards = PathConditions(symbolic, general)
        self.cut: set[Value] = set()
        """Values whose ranges may be too wide as a limit was reached."""
        self._systems: dict[Hashable, InequalitySystem] = {}
        self._nothing = InequalitySystem()
        self._ranges: dict[Hashable, BasePlusOffset] = {}
        self._innermost: dict[PathCondition, PathCondition] = {}
        self._memo: dict[int, dict[Operand, BasePlusOffset]] = {}  # by path condition
        self._derived: dict[Callable[[GuardedValues], Any], Any] = {}

    def once(self, derived: Callable[[GuardedValues], T]) -> T:
        """What a function computes of these values: computed once."""
        if derived not in self._derived:
            self._derived[derived] = derived(self)
        found: T = self._derived[derived]
        return found

    def at(self, operand: Operand, block: int, mask: Operand | None = None) -> BasePlusOffset:
        """The value of an operand in a block, in threads where ``mask`` holds."""
        conditions = self.guards.masked(block, mask)
        memo = self._memo.setdefault(self.guards.identity(conditions), {})
        return self._under(operand, conditions, memo, [SLICE])

    def _under(
        self,
        operand: Operand,
        conditions: PathCondition,
        memo: dict[Operand, BasePlusOffset],
        budget: list[int],
    ) -> BasePlusOffset:
        """Met with the range of the polynomial; a word without one is evaluated again."""
        if operand in memo or not isinstance(operand, Value):
            return memo.get(operand) or self.values.number(operand)
        fact = memo[operand] = self._narrowed(operand, conditions)
        instr, numbers = self.values.definition.get(operand), self.values.numbers
        if instr is None or instr.effects or instr.access is not None:
            return fact
        if not conditions.known:
            return fact
        polynomial: Polynomial | None = self.symbolic.word(operand).offset.polynomial
        if polynomial is not None and self.symbolic.opaque.keys().isdisjoint(deep(polynomial)):
            return fact
        if not budget[0]:
            self.cut.add(operand)
            return fact
        budget[0] -= 1
        old = [self.values.number(use) for use in instr.uses]
        new = [self._under(use, conditions, memo, budget) for use in instr.uses]
        if new != old and not any(map(numbers.is_bottom, new)):
            results = evaluate(numbers, instr, new)
            fact = numbers.meet(fact, results[list(instr.defs).index(operand)])
            memo[operand] = fact
        return fact

    def _narrowed(self, operand: Value, conditions: PathCondition) -> BasePlusOffset:
        numbers, fact = self.values.numbers, self.values.number(operand)
        word = self.symbolic.word(operand)
        polynomial: Polynomial | None = word.offset.polynomial
        if polynomial is None or word.origin != fact.origin or numbers.is_bottom(fact):
            return fact
        if len(polynomial.parts) > PARTS:
            self.cut.add(operand)
            return fact
        relevant = self._nearest(operand, self.guards.relevant(conditions, polynomial))
        key = operand.width, fact, polynomial, relevant.key if relevant.known else None
        if key not in self._ranges:
            system = self._system(relevant, polynomial) if relevant.known else self._nothing
            self._ranges[key] = self._met(fact, operand.width, polynomial, system)
        return self._ranges[key]

    def _nearest(self, operand: Value, conditions: PathCondition) -> PathCondition:
        """At most ``GUARDS`` guards, the innermost. Sound: fewer facts give no narrower range."""
        if len(conditions.known) <= GUARDS:
            return conditions
        self.cut.add(operand)
        if conditions not in self._innermost:
            self._innermost[conditions] = PathCondition(conditions.known[-GUARDS:])
        return self._innermost[conditions]

    def _met(
        self, fact: BasePlusOffset, width: int, polynomial: Polynomial, system: InequalitySystem
    ) -> BasePlusOffset:
        """The fact met with the range of the polynomial in the system."""
        inner = self.values.inner
        if system.contradictory:
            return BasePlusOffset(fact.origin, inner.bottom(width))
        inside = progression(width, polynomial, system)
        if inside is None:
            return fact
        offset = inner.reduced((inside, inner.top(width)[1]))
        return BasePlusOffset(fact.origin, inner.meet(fact.offset, offset))

    def _system(self, conditions: PathCondition, polynomial: Polynomial) -> InequalitySystem:
        """The system of the path condition and the definitions of the polynomial's symbols: equal
        for polynomials whose further symbols have neither a definition nor an interpretation."""
        own, seen = conditions.closed
        new = frozenset([s for s in polynomial.symbols - seen if self._defined(s)])
        key = conditions.key, new
        if key not in self._systems:
            more, symbols = closure(new, seen)
            known = [*self.symbolic.launch, *conditions.known, *own, *more]
            system = InequalitySystem(known)
            equal = list(equalities(symbols, system))
            self._systems[key] = InequalitySystem([*known, *equal]) if equal else system
        return self._systems[key]

    def _defined(self, symbol: Symbol) -> bool:
        """True if the symbol adds an inequality to a system."""
        return isinstance(symbol, Interpretation) or bool(definition(symbol))


def progression(
    width: int, polynomial: Polynomial, system: InequalitySystem
) -> StridedInterval | None:
    """The words of the polynomial, unless they cover the whole circle."""
    low, high = system.range(polynomial)
    if not (isinstance(low, int) and isinstance(high, int)) or high - low >= 1 << width:
        return None
    rest, modulus = congruence(polynomial, system.solved, lambda symbol: ANY)
    if not modulus:
        return interval(width, rest, rest)
    low, high = low + (rest - low) % modulus, high - (high - rest) % modulus
    return interval(width, low, high, modulus) if low <= high else None


def equalities(symbols: Iterable[Symbol], system: InequalitySystem) -> Iterator[Inequality]:
    """An interpretation differs from its polynomial, and from another interpretation plus a
    constant, by a multiple of 2**width: the multiple, if the ranges leave one. Of many that
    differ by constants, each is compared with the last ones before it."""
    interpretations = sorted((s for s in symbols if isinstance(s, Interpretation)), key=order)
    alike: dict[Polynomial, list[Interpretation]] = {}  # by polynomial without its constant
    for interpretation in interpretations:
        near = [interpretation.polynomial]
        constant = interpretation.polynomial.terms.get((), 0)
        before = alike.setdefault(interpretation.polynomial - constant, [])
        for other in before[-NEAR_INTERPRETATIONS:]:
            if other.width >= interpretation.width:
                apart = constant - other.polynomial.terms.get((), 0)
                near.append(Polynomial.of(other) + apart)
        before.append(interpretation)
        for polynomial in near:
            gap, whole = Polynomial.of(interpretation) - polynomial, 1 << interpretation.width
            low, high = system.range(gap)
            if isinstance(low, int) and isinstance(high, int) and -(-low // whole) == high // whole:
                gap = gap - high // whole * whole
                yield from (Inequality(gap), Inequality(-gap))
