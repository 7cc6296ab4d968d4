"""Contradictions: what is declared and no launch meets, as far as that is shown.

A size over arguments, such as ``(n+255)//256``, is a number of its own: its range, and what it is
by the numbers that it is made of, are inequalities. What they fix is put in its place, so that
``w*h == 7`` is ``2*h == 7`` beside ``w == 2``. Where few numbers are left, all of them are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import lcm, prod

from analyses.budget import NARROWING_PASSES, TRIED_NUMBERS
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import HIGHEST_EXPONENT
from analyses.proofs.inequalities import InequalitySystem as Inequalities
from ptxlint.contracts.expression import (
    FUNCTIONS,
    LARGEST,
    Condition,
    ExpressionError,
    Identifier,
    Interval,
    Number,
    Operation,
    combine,
    known,
)


def contradictory(
    conditions: Sequence[Condition], bounds: Callable[[str], tuple[int, int]]
) -> bool:
    """True if it is shown that no values within the bounds meet the conditions."""
    ranges = {word: bounds(word) for condition in conditions for word in condition.names}
    for condition in conditions:
        decided = all(low == high for low, high in map(ranges.__getitem__, condition.names))
        if decided and not meets(condition, lambda word: ranges[word][0]):
            return True
    for _ in range(NARROWING_PASSES):
        narrowed = narrow(conditions, ranges)
        if narrowed is None:
            return True
        fixes = any(narrowed[word] != ranges[word] and one(narrowed[word]) for word in ranges)
        ranges = narrowed
        if not fixes:
            break
    alone = [condition for condition in conditions if len(condition.names) == 1]
    words = {word for condition in alone for word in condition.names}
    if any(unmet([c for c in alone if word in c.names], *ranges[word]) for word in words):
        return True
    return any(none_meets(group, ranges) for group in groups(conditions))


def one(bounds: Interval) -> bool:
    return bounds[0] == bounds[1]


def narrow(
    conditions: Iterable[Condition], ranges: Mapping[str, Interval]
) -> dict[str, Interval] | None:
    """The ranges that inequalities leave of names; None if they contradict each other."""
    terms = _Terms(ranges)
    facts = [fact for one in conditions for fact in known(one, terms.named, terms.combined)]
    facts += terms.facts
    facts += [limit for fact in facts for limit in limits(fact)]
    system = Inequalities(map(Inequality, facts))
    if system.contradictory or system.entails(Polynomial.of(-1)) is not None:
        return None
    found: dict[str, Interval] = {}
    for word, (low, high) in ranges.items():
        symbol = terms.symbols.get(word)
        least, most = system.ranges.get(symbol, (low, high)) if symbol else (low, high)
        found[word] = int(least), int(most)
    return None if any(low > high for low, high in found.values()) else found


class _Terms:
    """The symbols of names, and of operations that no polynomial has; ``facts`` say what these are:
    each is not negative where a condition with the operation has a value."""

    def __init__(self, ranges: Mapping[str, Interval]) -> None:
        self.ranges = ranges
        self.symbols: dict[str, Symbol] = {}
        self.operations: dict[tuple[str, tuple[Polynomial, ...]], Polynomial] = {}
        self.facts: list[Polynomial] = []

    def named(self, word: str) -> Polynomial:
        """A name that is fixed is its number."""
        low, high = self.ranges[word]
        if low == high:
            return Polynomial.of(low)
        return Polynomial.of(self.symbols.setdefault(word, Symbol(word, low, high)))

    def combined(self, symbol: str, parts: list[Polynomial]) -> Polynomial | None:
        key = symbol, tuple(parts)
        if key not in self.operations:
            found = self.operation(symbol, parts)
            if found is None:
                return None
            self.operations[key] = found
        return self.operations[key]

    def operation(self, symbol: str, parts: list[Polynomial]) -> Polynomial | None:
        """A number within the interval of the operation. A divisor is positive and an exponent is
        from 0 to 64: with another the expression has no value, and its condition is not met."""
        intervals = [(int(low), int(high)) for low, high in (part.range() for part in parts)]
        last, (low, high) = parts[-1], intervals[-1]
        if symbol == "//":
            self.facts.append(last - 1)
            intervals[-1] = low, high = max(low, 1), high
        elif symbol == "**":
            self.facts += [last, -last + HIGHEST_EXPONENT]
            intervals[-1] = low, high = max(low, 0), min(high, HIGHEST_EXPONENT)
        if low > high or (symbol == "**" and intervals[0][0] < 1):
            return None
        low, high = combine(symbol, intervals)
        found = Polynomial.of(Symbol(f"{symbol} {len(self.operations)}", low, high))
        if symbol == "//":
            rest = parts[0] - parts[1] * found
            self.facts += [rest, parts[1] - rest - 1]
        elif symbol in FUNCTIONS:
            sign = 1 if symbol == "max" else -1
            self.facts += [(found - part).scaled(sign) for part in parts]
        return found


def limits(fact: Polynomial) -> Iterator[Polynomial]:
    """For a polynomial of one symbol that is not negative: how far the symbol may be from 0. Where
    it is twice as far as each coefficient is small, the first term is greater than all others
    together (Fujiwara's bound of roots), and the sign is that of the first term."""
    if len(fact.symbols) != 1 or fact.degree < 2:
        return
    (symbol,) = fact.symbols
    degree, factors = fact.degree, {len(each): factor for each, factor in fact.terms.items()}
    first, near = factors.pop(degree), 1
    while any(abs(c) > abs(first) * near ** (degree - power) for power, c in factors.items()):
        near *= 2
    if first < 0:
        yield -Polynomial.of(symbol) + 2 * near
    if (first < 0) == (degree % 2 == 0):
        yield Polynomial.of(symbol) + 2 * near


# --- trials


def groups(conditions: Iterable[Condition]) -> list[list[Condition]]:
    """The conditions by the names that they share, each group with more names than one."""
    found: list[tuple[set[str], list[Condition]]] = []
    for condition in conditions:
        near = [each for each in found if not each[0].isdisjoint(condition.names)]
        found = [each for each in found if each not in near]
        words = set(condition.names).union(*(words for words, _ in near))
        found.append((words, [*(c for _, said in near for c in said), condition]))
    return [said for words, said in found if len(words) > 1]


def none_meets(conditions: Sequence[Condition], ranges: Mapping[str, Interval]) -> bool:
    """True if no numbers in the ranges meet the conditions. All are tried; False where that would
    be too many."""
    words = sorted({word for condition in conditions for word in condition.names})
    spans = [range(low, high + 1) for low, high in map(ranges.__getitem__, words)]
    if prod(span.stop - span.start for span in spans) > TRIED_NUMBERS:
        return False
    tried = (dict(zip(words, each, strict=True)) for each in product(*spans))
    return not any(all(meets(c, each.__getitem__) for c in conditions) for each in tried)


def unmet(conditions: Iterable[Condition], low: int, high: int) -> bool:
    """True if no number from ``low`` to ``high`` meets conditions on it alone. All are tried
    that bounds leave, or one period where the rest speaks of remainders; False where that would be
    too many."""
    period, open_ = 1, []
    for condition in conditions:
        bound = ends(condition)
        if bound is not None:
            low, high = max(low, bound[0]), min(high, bound[1])
        else:
            open_.append(condition)
            period = lcm(period, repeats(condition))
    count = min(high - low + 1, period or TRIED_NUMBERS + 1)
    return count <= TRIED_NUMBERS and not any(
        all(
            meets(condition, dict.fromkeys(condition.names, number).__getitem__)
            for condition in open_
        )
        for number in range(low, low + count)
    )


def ends(condition: Condition) -> tuple[int, int] | None:
    """The least and the greatest number that a comparison with a number leaves."""
    left, relation, right = condition.left, condition.relation, condition.right
    if isinstance(left, Number):
        left, right = right, left
        relation = relation.translate({ord("<"): ">", ord(">"): "<"})
    if not isinstance(left, Identifier) or not isinstance(right, Number) or relation == "!=":
        return None
    number, strict = right.value, len(relation) == 1
    low = number + strict if relation[0] in ">=" else -LARGEST
    high = number - strict if relation[0] in "<=" else LARGEST
    return low, high


def repeats(condition: Condition) -> int:
    """The period of a condition, 0 if it has none that is seen."""
    match condition.left, condition.right:
        case Operation("%", (Identifier(), Number(by))), Number():
            return by
    return 0


def meets(condition: Condition, of: Callable[[str], int]) -> bool:
    try:
        return condition.holds(of)
    except ExpressionError:  # it has no value
        return False
