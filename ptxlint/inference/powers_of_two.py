"""Powers of two that a kernel is made for.

A tree of sums whose stride doubles up to the block, a scan or a sort by pairs reads what lies
behind the elements if their number is none. A mask ``n - 1`` keeps what a division by n leaves, and
strides that double divide n, if n is a power of two. A block that goes over a tile in steps of its
own height stays inside if that divides the tile's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from analyses.addresses import ResolvedAccess
from analyses.graph import Loop
from analyses.polynomials.formatting import number
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Symbol
from analyses.polynomials.symbols import PowerOfTwo, deep, unwrapped
from analyses.typical_launch import TYPICAL_LAUNCH, typical_launch_value
from ptxlint.contracts.expression import ExpressionError, conditions
from ptxlint.contracts.launch import SHAPE
from ptxlint.contracts.powers import TEXT, powers
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.extents import BufferAccesses
from ptxlint.inference.inferred_contract import InferredRequirement as Requirement
from ptxlint.ir import PtxInstr

WHY = "so that it is a power of two"
ROWS = [1, 8]  # of threads
TRIED = [1 << n for n in range(4, 11)]  # threads in a row, and parameters


class AskedPowers(NamedTuple):
    """Extents and parameters, by their names in symbolic values, that an instruction asks to be
    powers of two, no greater than ``most`` if that is not 0: then something is known of the
    ``words``."""

    names: frozenset[str]
    instr: PtxInstr
    words: frozenset[Symbol]
    most: int = 0

    def by(self, place: ResolvedAccess) -> bool:
        """True if one of the words is in the offset of an access."""
        return place.polynomial is not None and not self.words.isdisjoint(deep(place.polynomial))


def asked(facts: Facts) -> list[AskedPowers]:
    """What may help: powers of two of which masks in addresses are made, those that a loop compares
    with a stride that doubles, and steps of a loop to a power of two."""
    decided = {facts.symbolic.names.get(symbol) for symbol in facts.decided}
    known = decided - {None} - facts.symbolic.powers
    found = [
        one._replace(names=one.names & known)
        for one in (*masks(facts), *ends(facts), *steps(facts))
    ]
    return [one for one in found if one.names and any(map(one.by, accesses(facts)))]


def stated(facts: Facts, sought: Iterable[AskedPowers], in_arrays: bool) -> dict[str, Requirement]:
    """The requirements. If ``in_arrays``, parameters are no greater than the arrays of known size
    have elements."""
    words = {facts.symbolic.names.get(symbol): text for symbol, text in facts.decided.items()}
    widths = {p.word: 8 * p.size for p in facts.kernel.words}
    found: dict[str, Requirement] = {}
    for one in sought:
        limits = filter(None, (elements(place) for place in accesses(facts) if one.by(place)))
        limit = min(limits, default=0) if in_arrays else 0
        for name in sorted(one.names):
            most = 1 << (SHAPE[name][1].bit_length() if name in SHAPE else widths[name]) - 1
            most = min(most, one.most or most)
            if limit and name not in SHAPE:
                most = min(most, 1 << limit.bit_length() - 1)
            text = TEXT.format(most=number(most), name=words[name])
            found.setdefault(name, Requirement(text, WHY, one.instr))
    return {need.condition: need for need in found.values()}


def helps(facts: Facts, sought: Iterable[AskedPowers], open_: Collection[PtxInstr]) -> bool:
    """True if they may close all accesses that are open."""
    sought = list(sought)
    return all(
        any(one.by(place) for one in sought) for place in accesses(facts) if place.instr in open_
    )


def accesses(facts: Facts) -> Iterator[ResolvedAccess]:
    """All accesses, one by each of several pointers."""
    return (one for several in facts.places for one in several.each)


def masks(facts: Facts) -> Iterator[AskedPowers]:
    """What must be powers of two so that words are what a division leaves. A kernel that tests it
    is made for other numbers, too."""
    symbolic = facts.symbolic
    tested = symbolic.divisions.power_tests
    for value, word in symbolic.words.items():
        polynomial, instr = word.offset.polynomial, symbolic.values.definition.get(value)
        symbol = polynomial.alone if polynomial is not None else None
        for division in word.offset.by_power if symbol is not None else ():
            if division.mask in tested:
                continue
            needed = symbolic.powers_of_two.needed(division.mask + 1, value.width)
            if needed is not None and isinstance(instr, PtxInstr) and symbol is not None:
                yield AskedPowers(needed, instr, frozenset([symbol]))


def ends(facts: Facts) -> Iterator[AskedPowers]:
    """What the branches of a loop compare with a stride that is a power of two in every launch."""
    symbolic = facts.symbolic
    heads = {
        symbol: loop.head
        for loop in symbolic.loops.values()
        for phi in symbolic.part.phis[loop.head]
        if (polynomial := symbolic.word(phi.target).offset.polynomial) is not None
        and (symbol := polynomial.alone) in symbolic.opaque
        and symbolic.powers_of_two.needed(polynomial) == frozenset()
    }
    for loop in symbolic.loops.values() if heads else ():
        inside = frozenset(symbol for symbol, head in heads.items() if head in loop.nodes)
        strides = {symbol for symbol, head in heads.items() if head == loop.head}
        for branch, fact in said_in(facts, loop) if strides else ():
            compared = deep(fact.polynomial)
            compared -= exponents(compared)
            if not strides.isdisjoint(compared):
                names = (symbolic.names.get(symbol) for symbol in compared)
                yield AskedPowers(frozenset(filter(None, names)), branch, inside)


def exponents(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    """What stands in the exponents of powers of two, which need no other power."""
    return frozenset[Symbol]().union(
        *(deep(symbol.exponent) for symbol in symbols if isinstance(symbol, PowerOfTwo))
    )


def steps(facts: Facts) -> Iterator[AskedPowers]:
    """What a loop steps by, from 0 on, while it is less than a power of two."""
    for loop in facts.symbolic.loops.values():
        for branch, fact in said_in(facts, loop):
            step = step_to_power(fact)
            name = facts.symbolic.names.get(step.extent) if step is not None else None
            if step is not None and name is not None:
                yield AskedPowers(frozenset([name]), branch, frozenset([step.counter]), step.end)


def said_in(facts: Facts, loop: Loop) -> Iterator[tuple[PtxInstr, Inequality]]:
    """The branches of a loop, each with what holds behind it, on either side."""
    conditions = facts.footprints.proofs.conditions
    for index in sorted(loop.nodes):
        end = facts.symbolic.values.function.blocks[index].terminator
        branch = end.instr
        if isinstance(branch, PtxInstr):
            targets = dict.fromkeys(end.targets)
            yield from ((branch, fact) for edge in targets for fact in conditions.edge(edge).known)


class StepToPower(NamedTuple):
    """A branch of a loop says that ``extent*counter`` is less than ``end``, a power of two."""

    extent: Symbol
    counter: Symbol
    end: int


def step_to_power(fact: Inequality) -> StepToPower | None:
    """What ``end - 1 - extent*counter >= 0`` says, or ``end - 1 - extent*(counter + 1) >= 0``, for
    an extent that the launch decides."""
    terms = dict(unwrapped(fact.polynomial).terms)
    end = terms.pop((), 0) + 1
    products = [monomial for monomial in terms if len(monomial) == 2]
    if end < 2 or end & (end - 1) or len(products) != 1:
        return None
    extent, counter = sorted(products[0], key=lambda symbol: symbol.rank)
    if extent.rank or not counter.rank or any(m not in (products[0], (extent,)) for m in terms):
        return None
    return StepToPower(extent, counter, end) if set(terms.values()) == {-1} else None


def elements(place: ResolvedAccess) -> int:
    """How many elements the array that is accessed has; 0 if that is not known."""
    size = place.region.size if place.region is not None else None
    return (size or 0) // place.access.bytes


def capacity(facts: Facts, requirements: Iterable[str]) -> int:
    """The most threads in a row times rows times the value of all parameters, all powers of two,
    with which a launch meets the requirements, if the rest is as in a typical one."""
    said = [condition for text in requirements for condition in conditions(text)]
    met = [0]
    for row, rows, parameter in product(TRIED, ROWS, TRIED):
        launch = dict.fromkeys(facts.decided.values(), parameter) | TYPICAL_LAUNCH
        launch |= {"ntid.x": row, "ntid.y": rows}
        try:
            if all(condition.holds(launch.__getitem__) for condition in said):
                met.append(row * rows * parameter)
        except ExpressionError:
            continue
    return max(met)


def powers_in(requirements: Iterable[str]) -> frozenset[str]:
    """The names that the requirements say to be powers of two."""
    said = (one for text in requirements for one in conditions(text))
    return frozenset(name for name, _ in powers(said))


def size(ends: BufferAccesses, facts: Facts, names: Collection[str] = ()) -> int:
    """The bytes that accesses need in a typical launch; if there are names of powers of two, in one
    in which these are small ones, and the other parameters larger."""
    small = {symbol: TRIED[0] for symbol, name in facts.decided.items() if name in names}
    parameter = TRIED[-1] if small else None
    return max(
        typical_launch_value(end.raised, parameter, small) // (end.scale * end.step) * end.step
        for end in ends.high
    )
