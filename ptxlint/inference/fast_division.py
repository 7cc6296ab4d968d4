"""Fast divisions: the reciprocals that the addresses of a kernel rest on.

A kernel that shifts ``mulhi(x, m) + x`` by s, three words that the launch gives, divides by a
number that m and s are the reciprocal of. If it multiplies the result by a parameter d to find what
is left, that number is d: a contract requires it (``ptxlint.contracts.reciprocals``).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from analyses.polynomials.fast_division import Scaled
from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation, deep, unwrapped
from analyses.proofs.definitions import launch_upper_bound
from ptxlint.contracts.reciprocals import Reciprocal
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.inferred_contract import InferredRequirement
from ptxlint.ir import PtxInstr


def fast_divisions(facts: Facts) -> dict[str, InferredRequirement]:
    """What the launch must meet so that the kernel divides: for words of which an address is
    made."""
    offsets = [deep(place.polynomial) for place in facts.places if place.polynomial is not None]
    used = frozenset[Symbol]().union(*offsets)
    found: dict[str, InferredRequirement] = {}
    for quotient, division, instr, block in scaled(facts):
        dividend, *factors = division[:3]
        divisors = set(divided_by(facts, quotient, dividend)) if quotient in used else set()
        names = [facts.decided.get(symbol) for symbol in (*factors, *divisors)]
        if len(divisors) == 1 and None not in names:
            one = Reciprocal(*map(str, names))
            for text, because in stated(facts, one, division, block):
                found.setdefault(text, InferredRequirement(text, because, instr))
    return found


def stated(
    facts: Facts, one: Reciprocal, division: Scaled, block: int
) -> Iterator[tuple[str, str]]:
    """The requirements of one division, with their reasons. A kernel that divides a multiple of 32
    handles 32 elements in a row: what is left must be such a multiple too."""
    because = f"so that {one.multiplier} and {one.shift} divide by {one.divisor}"
    yield one.text, because
    group = gcd(*unwrapped(division.dividend).terms.values())
    if group > 1:
        left = f"so that a division by {one.divisor} leaves a multiple of {group}"
        yield f"{one.divisor} % {group} == 0", left
    yield from ((text, because) for text in limits(facts, division, block))


def limits(facts: Facts, division: Scaled, block: int) -> Iterator[str]:
    """That a dividend which a guard bounds by the launch is no larger than such a division allows:
    else the sum that is shifted may wrap."""
    whole = unwrapped(division.dividend)
    for fact in facts.footprints.proofs.conditions.at(block).known:
        most = launch_upper_bound(whole, unwrapped(fact.polynomial))
        if most is None or not most.symbols <= facts.decided.keys():
            continue
        if most.symbols and most.range()[1] > division.most:
            yield at_least((-most + division.most).terms, facts.decided)


def scaled(facts: Facts) -> Iterator[tuple[Symbol, Scaled, PtxInstr, int]]:
    """The results of such shifts, what is shifted, and the block."""
    symbolic = facts.symbolic
    for block, instr in ((b, i) for b in facts.kernel.blocks for i in facts.instructions(b)):
        opcode = instr.form.row.opcode if instr.form is not None else ""
        if opcode != "shr" or len(instr.uses) != 2 or len(instr.defs) != 1:
            continue
        word, by, result = map(symbolic.word, (*instr.uses, *instr.defs))
        found = symbolic.integers.scaled(word.offset, by.offset)
        quotient = result.offset.polynomial.alone if result.offset.polynomial else None
        if found is not None and quotient is not None and word.origin is None:
            yield quotient, found, instr, block.index


def divided_by(facts: Facts, quotient: Symbol, dividend: Polynomial) -> Iterator[Symbol]:
    """The launch symbols d of words ``dividend - d*quotient``."""
    for word in facts.symbolic.words.values():
        polynomial, width = word.offset.polynomial, word.offset.width
        if polynomial is None or quotient not in polynomial.parts:
            continue
        for monomial, factor in polynomial.terms.items():
            by = [symbol for symbol in monomial if not stands_for(symbol, quotient)]
            if factor != -1 or len(monomial) != 2 or len(by) != 1:
                continue
            rest = polynomial.plus(Polynomial({monomial: 1}), 1)
            if facts.symbolic.integers.interpret(width, False, rest) == dividend:
                yield by[0]


def stands_for(symbol: Symbol, word: Symbol) -> bool:
    """True if it is the word, or an integer that this is read as."""
    read = isinstance(symbol, Interpretation) and symbol.polynomial.alone is word
    return symbol is word or read
