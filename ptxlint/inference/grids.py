"""Limits of the grid: requirements under which a block's number is what the kernel takes it for.

A product of matrices by groups of eight rows of tiles divides by the rows of a group,
``min(rows - 8*(pid/width), 8)``, which are positive for blocks that have a tile and for no others.
A kernel that requires at most 2**24 blocks of 128 threads, so that an index does not wrap, may test
the sign of that index by a bit of the block's number, which is then 0. Of such words nothing is
known but where the grid has a limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.def_use import operands_of
from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import Quotient, Remainder, deep
from analyses.program import Constant, Special, Value
from analyses.proofs.preconditions import weakest
from analyses.slices import close
from analyses.typical_launch import typical_launch_value
from ptxlint.contracts.launch import EXTENTS
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred_contract import InferredRequirement
from ptxlint.inference.reasons import avoids_overflow

POSITIVE = "so that a divisor is positive"


def limits_of_grid(inference: Inference) -> list[InferredRequirement]:
    """The limits of the grid with which it is worth another trial: those under which a divisor in
    an open access is positive; else those that it requires so that a word does not wrap, if a word
    of an access that is no polynomial depends on the number of the block."""
    found = {one.condition: one for one in positive_divisors(inference)}
    return list(found.values()) or list(without_wrap(inference))


def positive_divisors(inference: Inference) -> Iterator[InferredRequirement]:
    facts, open_ = inference.facts, {one.instr for one in inference.unknown}
    proofs, seen = facts.footprints.proofs, set[Polynomial]()
    for place in (one for p in facts.places if p.instr in open_ for one in p.each):
        offset = facts.footprints.offset(place)
        for divisor in divisors(offset) if offset is not None and place.reached else ():
            if divisor in seen:
                continue
            seen.add(divisor)
            for under in proofs.bounds(facts.footprints.premises(place), divisor - 1, weakest):
                need = under.enough.primitive()
                typical = typical_launch_value(need) >= 0 and need.range()[0] < 0
                named = need.symbols <= facts.decided.keys() and not under.preconditions
                if typical and named and any(symbol.label in EXTENTS for symbol in need.parts):
                    condition = at_least(need.terms, facts.decided)
                    yield InferredRequirement(condition, POSITIVE, place.instr)  # type: ignore[arg-type]


def divisors(offset: Polynomial) -> Iterator[Polynomial]:
    """What the offset is divided by, but for numbers and what the launch decides."""
    for symbol in sorted(deep(offset), key=order):
        of = symbol.quotient if isinstance(symbol, Remainder) else symbol
        if isinstance(of, Quotient) and any(part.rank for part in of.divisor.symbols):
            yield of.divisor


def without_wrap(inference: Inference) -> Iterator[InferredRequirement]:
    facts = inference.facts
    for need in inference.needs.values():
        single = next(iter(need.polynomial.symbols)) if len(need.polynomial.symbols) == 1 else None
        if single is None or single.label not in EXTENTS or not avoids_overflow(need.reason):
            continue
        if any(depends(facts, symbol, single.label[1:]) for symbol in words(facts)):
            condition = at_least(need.polynomial.terms, facts.decided)
            yield InferredRequirement(condition, need.reason, need.instr)


def words(facts: Facts) -> frozenset[Symbol]:
    """The words in offsets that are no polynomials."""
    offsets = (facts.footprints.offset(one) for place in facts.places for one in place.each)
    parts = (deep(offset) for offset in offsets if offset is not None)
    return frozenset[Symbol]().union(*parts) & facts.symbolic.opaque.keys()


def depends(facts: Facts, symbol: Symbol, special: str) -> bool:
    """True if the word is computed from this special register and numbers."""
    operands, found = operands_of(facts.kernel), set[Value]()
    close(found, [facts.symbolic.opaque[symbol]], operands)
    used = {use for value in found for use in operands.get(value, ())} - found
    leaves = [one for one in used if not isinstance(one, Constant)]
    return leaves == [Special(special, 32)]
