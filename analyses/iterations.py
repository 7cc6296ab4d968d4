"""How many iterations a loop has: bounds of its counter by the ranges of its words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import accumulate, repeat, takewhile
from math import inf
from operator import mul

from analyses.conditions import Fact
from analyses.graph import Loop
from analyses.loop_phis import Moved
from analyses.polynomials.polynomial import Number, Polynomial
from analyses.polynomials.symbols import Interpretation, Quotient, type_range
from analyses.program import Constant, Operand, Phi, branch_taken
from analyses.values import Values


def by_range(values: Values, loop: Loop, phi: Phi, step: Polynomial) -> Number:
    """The greatest k with start + step*k in the range of the phi, if that cannot wrap: the
    range and one step beyond it lie inside the signed range, so by induction every iteration
    adds the step over the integers."""
    by = step.constant
    entries = [op for p, op in phi.sources.items() if p not in loop.latches]
    facts = [values.number(operand) for operand in (phi.target, *entries)]
    if not by or any(fact.origin or values.numbers.is_bottom(fact) for fact in facts):
        return inf
    (low, high), *firsts = (values.interval(fact).signed_bounds() for fact in facts)
    least, most = type_range(phi.target.width, signed=True)
    if low - abs(by) < least or high + abs(by) > most:
        return inf
    start = min(first for first, _ in firsts) if by > 0 else max(last for _, last in firsts)
    return max(0, ((high if by > 0 else low) - start) // by)


def by_halving(
    values: Values,
    loop: Loop,
    phi: Phi,
    moved: Moved,
    plain: Callable[[Operand], Operand],
) -> Number:
    """The greatest k with by**k <= start for a phi that each iteration divides by a number ``by``
    of at least two, if the loop goes on only where the quotient is positive: that is at least 1
    after k iterations, and a quotient that is rounded down, times the divisor, is not above the
    dividend. ``plain`` gives the name that another one stands for."""
    now, quotient = moved.symbol.alone, (moved.symbol + moved.step).alone
    if now is None or not isinstance(quotient, Quotient) or quotient.limit < inf:
        return inf
    by, word, signed = quotient.divisor.constant, quotient.dividend.alone, True
    if isinstance(word, Interpretation) and word.width == moved.width:
        signed = word.signed
        word = word.polynomial.alone
    if by is None or by < 2 or word is not now:
        return inf
    numbers = {plain(phi.target): by, plain(phi.sources[loop.latches[0]]): 1}
    signs = (True, False) if now.low >= 0 else (signed,)
    if not any(positive(fact, numbers, signs, plain) for fact in back_edge(values, loop)):
        return inf
    entries = [op for p, op in phi.sources.items() if p not in loop.latches]
    facts = [values.number(operand) for operand in entries]
    if any(fact.origin or values.numbers.is_bottom(fact) for fact in facts):
        return inf
    firsts = [values.interval(fact) for fact in facts]
    most = max((one.signed_bounds() if signed else one.unsigned_bounds())[1] for one in firsts)
    powers = takewhile(lambda power: power <= most, accumulate(repeat(by), mul))
    return sum(1 for _ in powers)


def back_edge(values: Values, loop: Loop) -> Iterator[Fact]:
    """What holds between operands where the loop goes on."""
    (block,), target, blocks = loop.latches, loop.head, values.function.blocks
    while True:
        taken = branch_taken(blocks, block, target)
        if taken is not None:
            yield from values.flow.formulas.implied(*taken)
        if block == loop.head or len(blocks[block].predecessors) != 1:
            return
        block, target = blocks[block].predecessors[0], block


def positive(
    fact: Fact,
    numbers: Mapping[Operand, int],
    signs: Collection[bool],
    plain: Callable[[Operand], Operand],
) -> bool:
    """True if it says that an operand is at least its number, as an integer with one of these
    signs."""
    a, relation, b = fact
    if relation == "ne":
        a, b = (b, a) if isinstance(a, Constant) else (a, b)
        unsigned = False in signs and isinstance(b, Constant) and not b.bits
        return unsigned and numbers.get(plain(a)) == 1
    of = numbers.get(plain(b))
    if of is None or relation == "eq" or not isinstance(a, Constant):
        return False
    least = a.bits + (relation[:2] == "lt")
    if relation.endswith("s"):  # a word that is positive with a sign is that number without, too
        return of <= least < 1 << (a.width - 1)
    return False in signs and of <= least
