"""Ends of buffers that guards of an access say: behind so many elements as a guard compares."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.addresses import ResolvedAccess
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Interpretation, Quotient
from analyses.proofs.path_condition import PathCondition
from ptxlint.contracts.launch import SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.launch_parts import launch_part
from ptxlint.ir import PtxInstr


def guarded_ends(
    facts: Facts, place: ResolvedAccess
) -> Iterator[tuple[Polynomial, tuple[Polynomial, ...]]]:
    """Where the bytes of an access may end by its guards: behind as many elements as these compare
    a word with, which is a polynomial over parameters and, in shared memory, extents of the launch,
    or a parameter divided by a number and then not negative. The smallest elements come first: a
    vector has several."""
    of_block = place.region is not None and place.region.space == "shared"
    sizes, seen = element_sizes(place), set[Polynomial]()
    for fact in facts.footprints.premises(place).known:
        count = launch_part(facts, fact.polynomial)
        divided = [(n, by) for n, by in quotients(facts, fact.polynomial)]
        for bytes_ in sizes:
            ends = [(count.scaled(bytes_), ())] if count.terms else []
            ends += [(n.scaled(-(-bytes_ // by)), (n,)) for n, by in divided]  # type: ignore[misc]
            for end, assumed in ends:
                shaped = any(symbol.label in SHAPE for symbol in end.symbols)
                if (of_block or not shaped) and end not in seen:
                    seen.add(end)
                    yield end, assumed


def element_sizes(place: ResolvedAccess) -> list[int]:
    """The bytes that an element of the buffer may have, the fewest first: those of the access, of
    its type, or between neighbours along x."""
    formula, instr = place.formula or Polynomial({}), place.instr
    strides = [abs(c) for m, c in formula.terms.items() if [s.label for s in m] == ["tid.x"]]
    assert isinstance(instr, PtxInstr)
    types = [of.bits // 8 for of in instr.form.types[:1]] if instr.form is not None else []
    return sorted({place.access.bytes, *strides, *types} - {0})


def quotients(facts: Facts, polynomial: Polynomial) -> Iterator[tuple[Polynomial, int]]:
    """The parameters, each with the number that divides it, in the quotients of a guard."""
    for symbol in sorted(polynomial.symbols, key=order):
        by = symbol.divisor.constant if isinstance(symbol, Quotient) else None
        if by is not None and symbol.rank == 0:
            parameters = list(symbol.parts & facts.decided.keys())
            if len(parameters) == 1:
                yield Polynomial.of(parameters[0]), by


def not_above(facts: Facts, here: PathCondition, offset: Polynomial) -> PathCondition:
    """An interpretation is congruent to its polynomial modulo 2**width, so it is at most that where
    that is not negative, whether it wraps or not."""
    proves, integers = facts.footprints.proofs.proves, sorted(offset.symbols, key=order)
    return PathCondition(
        tuple(
            Inequality(integer.polynomial - Polynomial.of(integer), integer)
            for integer in integers
            if isinstance(integer, Interpretation) and proves(here, integer.polynomial)
        )
    )
