"""Requirements under which the counters of loops do not overflow.

Machine words wrap, and a loop ``for (i = t; i < n; i += step)`` whose counter wraps may access
anything. Nothing that holds of it can then be shown, so what no launch violates that is meant is
assumed as a whole: that each bound of a counter, and one step, stays inside of the type. The middle
of what a search has left is computed from its two ends, so the sum of two ends does, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from analyses.budget import INFERENCE_STEPS
from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.division import common_symbols
from analyses.polynomials.inequality import Inequality, not_least
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Choice,
    Interpretation,
    Quotient,
    spelt_out,
)
from analyses.program import Block
from analyses.proofs.lower_bounds import factor_of
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.preconditions import ConditionalBound, coarse, weakest
from analyses.typical_launch import holds_for_sizes, holds_in_a_small_launch
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.binary_searches import searched
from ptxlint.inference.digit_masks import digits
from ptxlint.inference.divisors import not_negative
from ptxlint.inference.exact_floats import exact
from ptxlint.inference.launch_parts import decided_part, last_thread, launch_part
from ptxlint.inference.reasons import BEHIND, FACTOR, FORWARD, INSIDE, NEGATIVE, WRAPS
from ptxlint.inference.requirements import Required
from ptxlint.inference.ring_buffers import around
from ptxlint.ir import PtxInstr


def no_overflow(facts: Facts) -> list[Required]:
    """The requirements that the words of branches do not overflow and that loops end, none of which
    another one implies by ranges."""
    found: dict[Polynomial, tuple[str, PtxInstr]] = {}
    looped = in_loops(facts)
    for block in facts.kernel.blocks:
        instr = block.terminator.instr
        if isinstance(instr, PtxInstr):
            for polynomial, reason in steps(facts, block):
                found.setdefault(polynomial, (reason, instr))
            for polynomial, reason in ends(facts, block, looped):
                found.setdefault(polynomial, (reason, instr))
    for polynomial, reason, instr in (
        *indispensable(facts),
        *unsigned_limits(facts),
    ):
        found.setdefault(polynomial, (reason, instr))
    small = filter(holds_in_a_small_launch, (need for need in found if need.range()[0] < 0))
    open_ = list(filter(holds_for_sizes, small))
    needs = [n for n in open_ if not not_least(n, (other for other in open_ if other != n))]
    return [Required(need, *found[need]) for need in needs]


def indispensable(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """Those without which hardly any access of a loop has bounds, with the reason and what needs
    them."""
    for found in (around, exact, not_negative, digits, searched):
        yield from found(facts)


def steps(facts: Facts, block: Block) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that the words that are compared do not overflow, each with the
    reason: the greatest value of the type, less the bound of a counter and a step, or of
    one that doubles, less the greatest value of an integer that the launch and the place of a
    thread decide. A step that the launch decides must be positive."""
    compared = list(said(facts, block))
    for fact in compared:
        bound = launch_part(facts, fact.polynomial)
        for integer in sorted(fact.polynomial.parts, key=order):
            if not isinstance(integer, Interpretation):
                continue
            most = (1 << (integer.width - integer.signed)) - 1
            wraps = WRAPS.format(integer.width)
            yield from ((need, wraps) for need in divided(facts, integer.polynomial, most))
            yield from of_last_thread(facts, integer.polynomial, most, wraps)
            if not integer.rank:
                rooms = [-integer.polynomial + most]
                rooms += [integer.polynomial + (most + 1)] if integer.signed else []
                for room in rooms:  # an unsigned n - 1 may wrap where no loop is entered
                    yield from with_reasons(stated(facts, room), wraps)
            factor = multiplied(facts, integer.polynomial)
            if factor > 1 and fact.polynomial.terms.get((integer,)) == -1:
                yield (-bound.scaled(factor) + (most + 1)).primitive(), wraps
            yield from of_counters(facts, block, fact, integer, compared)
    for target in dict.fromkeys(block.terminator.targets):
        edge = facts.footprints.proofs.conditions.edge(target)
        for fact in edge.apart:
            yield from counted(facts, fact.polynomial)


def of_counters(
    facts: Facts,
    block: Block,
    fact: Inequality,
    integer: Interpretation,
    compared: list[Inequality],
) -> Iterator[tuple[Polynomial, str]]:
    """The same of an integer that a counter changes, and a limit of it that a fact states."""
    names, limit = facts.decided.keys(), fact.polynomial
    most, wraps = (1 << (integer.width - integer.signed)) - 1, WRAPS.format(integer.width)
    for counter in facts.symbolic.counters.values():
        step = by_counter(integer.polynomial, counter)
        if not (step.terms and step.symbols <= names and linear(integer.polynomial, counter)):
            continue
        upward = limit.terms.get((integer,)) == -1
        if upward and step.range()[0] <= 0:
            yield (step - 1).primitive(), FORWARD
        if upward and step.range()[1] > 0:
            ends = dict.fromkeys((launch_part(facts, limit), decided_part(limit)))
            rooms = (-(end + step) + (most + 1) for end in ends)
            yield from ((need, wraps) for room in rooms for need in stated(facts, room))
            end = limit + Polynomial.of(integer)
            yield from moving_end(facts, block, -(end + step) + most, wraps)
        if step.range()[1] >= 0 and downward(limit, integer, compared):
            yield (-step - 1).primitive(), FORWARD
            if step.symbols and step.range()[0] < 0:
                yield from begun(facts, integer, counter)


def moving_end(
    facts: Facts, block: Block, room: Polynomial, wraps: str
) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that there is room for a step of a counter behind an end that an
    outer loop moves: of the elements of a window that ends at ``i``. Nothing if the steps end."""
    if room.parts.isdisjoint(facts.symbolic.counters.values()):
        return
    proofs = facts.footprints.proofs
    budget = proofs.conditions.budget
    budget.left = INFERENCE_STEPS
    bounds = proofs.bounds(proofs.conditions.at(block.index), room, weakest)
    for under in bounds if budget.left >= 0 else ():
        yield from with_reasons(needs_of(under), wraps)


def begun(
    facts: Facts, integer: Interpretation, counter: Symbol
) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that an integer that a loop counts down to a limit is not
    negative before it: ``j = i*stride; while (j >= n) j -= n`` leaves a place in n."""
    proofs, symbolic = facts.footprints.proofs, facts.symbolic
    loop = next(symbolic.loops[head] for head, own in symbolic.counters.items() if own is counter)
    start = symbolic.integers.rewritten(Polynomial.of(integer), {counter: Polynomial.of(0)})
    proofs.conditions.budget.left = INFERENCE_STEPS
    for under in proofs.bounds(proofs.conditions.entry(loop), start, weakest) if start else ():
        for need in under.preconditions:
            word = need.no_wrap
            yield need.polynomial, INSIDE if word is None else WRAPS.format(word.width)
        yield under.enough, INSIDE


def downward(limit: Polynomial, integer: Symbol, compared: list[Inequality]) -> bool:
    """True if it is a lower limit of the integer. One that equals it is none: a loop that ends
    there ends behind its start."""
    equal = any(fact.polynomial == -limit for fact in compared)
    return limit.terms.get((integer,)) == 1 and not equal


def counted(facts: Facts, compared: Polynomial) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that a number of iterations does not overflow, which a compiler
    computes as ``max(n - 1, 0) + 1`` and counts down to 0."""
    for integer in sorted(compared.parts, key=order):
        if not isinstance(integer, Interpretation):
            continue
        maxima = [s for s in integer.polynomial.symbols if isinstance(s, Choice) and s.greatest]
        for case in (case for one in maxima[:1] for case in one.cases):
            count = integer.polynomial.replaced({maxima[0]: spelt_out(case.polynomial)})
            if count.symbols and count.symbols <= facts.decided.keys():
                most = (1 << (integer.width - integer.signed)) - 1
                yield -count + most, WRAPS.format(integer.width)


def divided(facts: Facts, polynomial: Polynomial, most: int) -> Iterator[Polynomial]:
    """What must not be negative so that a word with whole groups of a number that the launch
    decides, ``((n - 1)/blockDim.x + 1)*blockDim.x``, does not wrap: the number, as it is divided as
    an unsigned one, and what the word is less than ``most`` then."""
    quotients = [s for s in sorted(polynomial.symbols, key=order) if isinstance(s, Quotient)]
    words = [of.dividend.alone for of in quotients if of.divisor.constant is None]
    numbers = [w for w in words if isinstance(w, Interpretation) and not (w.rank or w.signed)]
    if numbers:
        proofs = facts.footprints.proofs
        proofs.conditions.budget.left = INFERENCE_STEPS
        each = (proofs.bounds(NOTHING, word.polynomial, weakest) for word in numbers)
        needs = [under.enough for found in each for under in found if not under.preconditions]
        held = PathCondition(tuple(map(Inequality, needs)))
        found = proofs.bounds(held, -polynomial + most, weakest)
        yield from (*needs, *(under.enough for under in found if not under.preconditions))


def said(facts: Facts, block: Block) -> Iterator[Inequality]:
    """What the branch of a block says, and what selects the pointers of its accesses."""
    conditions = facts.footprints.proofs.conditions
    for target in dict.fromkeys(block.terminator.targets):
        yield from conditions.edge(target).known
    for place in facts.places:
        for one in place.choices if place.block == block.index else ():
            for predicate, truth in one.way.selected:
                yield from conditions.implied(predicate, truth, place.instr).known


def ends(
    facts: Facts, block: Block, looped: Collection[Symbol]
) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that a loop that compares addresses, or compares by ``!=``, does
    not run away: where the launch lets it end, from its start, and where the array begins, from the
    place in it that addresses are compared with. Each with the reason. Nothing by a flag, which is
    none of the symbols that are compared in loops (``looped``)."""
    symbolic = facts.symbolic
    for words, relation in compared_words(facts, block):
        if words[0].origin is None and relation not in ("eq", "ne"):
            continue
        for polynomial in filter(None, (word.offset.polynomial for word in words)):
            if polynomial.parts.isdisjoint(looped):
                continue
            part = launch_part(facts, at_start(facts, polynomial))
            if len(part.terms) == 1:
                yield (part if min(part.terms.values()) > 0 else -part).primitive(), BEHIND
            elif part.terms and relation in ("eq", "ne"):
                yield from ((factor, BEHIND) for factor in factors_of(part))
            elif relation in ("eq", "ne"):
                yield from ((one, BEHIND) for one in halves(facts, at_start(facts, polynomial)))
            if words[0].origin is not None:
                yield from before(facts, block, polynomial - part)
                whole = symbolic.integers.interpret(words[0].offset.width, True, polynomial)
                yield from before(facts, block, whole) if whole != polynomial else ()


def in_loops(facts: Facts) -> frozenset[Symbol]:
    """The symbols of the words that branches in loops compare."""
    nodes = frozenset[int]().union(*(loop.nodes for loop in facts.symbolic.loops.values()))
    blocks = (block for block in facts.kernel.blocks if block.index in nodes)
    each = (word for block in blocks for words, _ in compared_words(facts, block) for word in words)
    found = (word.offset.polynomial for word in each)
    return frozenset[Symbol]().union(*(one.parts for one in found if one is not None))


def compared_words(facts: Facts, block: Block) -> Iterator[tuple[list[BasePlusOffset], str]]:
    """The words, or places in one buffer, that a branch compares, with the relation."""
    symbolic, condition = facts.symbolic, block.terminator.condition
    if condition is None or condition.width > 1:
        return
    for a, relation, b in facts.values.flow.formulas.implied(condition, True):
        words = [symbolic.word(each) for each in (a, b)] if a.width > 1 else []
        if len({word.origin for word in words}) == 1:
            yield words, relation


def before(facts: Facts, block: Block, place: Polynomial) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that a place, which no iteration moves, is not before its array:
    a row begins at ``row*pitch``, of which the product may wrap."""
    if not place.symbols or not place.parts.isdisjoint(facts.symbolic.counters.values()):
        return
    proofs = facts.footprints.proofs
    proofs.conditions.budget.left = INFERENCE_STEPS
    for under in proofs.bounds(proofs.conditions.at(block.index), place, weakest):
        for need in under.preconditions:
            word = need.no_wrap
            yield need.polynomial, BEHIND if word is None else WRAPS.format(word.width)
        yield under.enough.primitive(), BEHIND


def unsigned_limits(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that an index is not, of which a guard says as an unsigned
    number that it is less than a parameter: the room of that in a signed word."""
    for block in facts.kernel.blocks:
        instr = block.terminator.instr
        for fact in said(facts, block) if isinstance(instr, PtxInstr) else ():
            limit = launch_part(facts, fact.polynomial)
            index = (limit - fact.polynomial + fact.polynomial.terms.get((), 0)).alone
            if not isinstance(index, Interpretation) or index.signed or limit.alone is None:
                continue
            room = -limit + (1 << (index.width - 1))
            if index.polynomial.range()[0] < 0 and room.range()[0] < 0:
                assert isinstance(instr, PtxInstr)
                yield room, NEGATIVE, instr


def multiplied(facts: Facts, polynomial: Polynomial) -> int:
    """By what a word that a loop carries is multiplied; 0 if the polynomial is not such a product:
    the next value of a counter that doubles."""
    if len(polynomial.terms) != 1:
        return 0
    ((monomial, factor),) = polynomial.terms.items()
    values = [facts.symbolic.opaque.get(symbol) for symbol in monomial]
    carried = len(values) == 1 and values[0] in facts.symbolic.head_phis
    return factor if carried else 0


def stated(facts: Facts, need: Polynomial) -> Iterator[Polynomial]:
    """What must not be negative, in names of the launch, so that this is not: it itself, or what it
    is at least where there are quotients in it that have no name yet."""
    if need.symbols <= facts.decided.keys():
        yield need
        return
    proofs = facts.footprints.proofs
    proofs.conditions.budget.left = INFERENCE_STEPS
    for under in proofs.bounds(NOTHING, need, weakest):
        needs = needs_of(under)
        named = [each for each in needs if each.symbols <= facts.decided.keys()]
        held = PathCondition(tuple(map(Inequality, named)))
        implied = all(proofs.proves(held, each) for each in needs if each not in named)
        if implied and not any(map(coarse, named)):
            yield from named


def needs_of(under: ConditionalBound) -> list[Polynomial]:
    """What must not be negative so that the goal of the bound is not."""
    return [*(need.polynomial for need in under.preconditions), under.enough]


def with_reasons(needs: Iterable[Polynomial], wraps: str) -> Iterator[tuple[Polynomial, str]]:
    """The requirements so that a word does not wrap: signs of parameters are assumed for it."""
    return ((need, wraps if need.alone is None else FACTOR) for need in needs)


def at_start(facts: Facts, polynomial: Polynomial) -> Polynomial:
    """What a word was before the loop, that is compared after a step."""
    counters = facts.symbolic.counters.values()
    return polynomial.replaced(dict.fromkeys(counters, Polynomial.of(-1)))


def halves(facts: Facts, start: Polynomial) -> Iterator[Polynomial]:
    """What is divided by a number in it, where the launch decides it, as ``n`` in ``2*(n//2)``: the
    end of a loop of which an iteration is two."""
    for monomial, by in decided_part(start).terms.items():
        symbol = monomial[0] if len(monomial) == 1 else None
        if not isinstance(symbol, Quotient) or by * (symbol.divisor.constant or 0) <= 0:
            continue
        if symbol.dividend.symbols <= facts.decided.keys():
            yield symbol.dividend


def factors_of(polynomial: Polynomial) -> Iterator[Polynomial]:
    """The symbols that all of its terms have, and what is left: where none of them is negative, the
    polynomial is not."""
    for symbol in common_symbols(polynomial):
        yield Polynomial.of(symbol)
        polynomial = factor_of(polynomial, symbol) or polynomial
    yield polynomial.primitive()


def by_counter(polynomial: Polynomial, counter: Symbol) -> Polynomial:
    """What the counter is multiplied by."""
    return Polynomial(
        {
            tuple(symbol for symbol in monomial if symbol is not counter): factor
            for monomial, factor in polynomial.terms.items()
            if monomial.count(counter) == 1
        }
    )


def linear(polynomial: Polynomial, counter: Symbol) -> bool:
    """True if the counter is in no product with itself, so that each step adds the same."""
    return all(monomial.count(counter) <= 1 for monomial in polynomial.terms)


def multipliers(facts: Facts, polynomial: Polynomial) -> Iterator[Polynomial]:
    """The parameters, of either sign, that multiply what is no parameter: of a negative one the
    last thread has the least value."""
    factors = {
        symbol
        for monomial in polynomial.terms
        for symbol in monomial
        if symbol in facts.decided and symbol.low < 0 and not facts.decided.keys() >= {*monomial}
    }
    yield from map(Polynomial.of, sorted(factors, key=order))


def of_last_thread(
    facts: Facts, polynomial: Polynomial, most: int, wraps: str
) -> Iterator[tuple[Polynomial, str]]:
    """What must not be negative so that a word that grows with the number of the thread is ``most``
    at the most."""
    greatest = last_thread(facts, polynomial)
    if greatest is not None:
        yield -greatest + most, wraps
        yield from ((factor, FACTOR) for factor in multipliers(facts, polynomial))
    elif in_groups(facts, polynomial):
        yield from with_reasons(stated(facts, -polynomial + most), wraps)


def in_groups(facts: Facts, polynomial: Polynomial) -> bool:
    """True if it is a number of groups of threads, ``blockIdx.x*(blockDim.x/32) + threadIdx.x/32``,
    and what parameters add to that; or begins a part of as many elements for each thread,
    ``threadIdx.x*((n + 31)/32)``."""
    parts = {s for s in polynomial.parts if s.rank or not isinstance(s, Interpretation)}
    quotients = {part for part in parts if isinstance(part, Quotient)}
    threads = {part for part in parts if part.label.partition(".")[0] in ("tid", "ctaid")}
    return bool(quotients and threads) and parts <= quotients | threads | facts.decided.keys()
