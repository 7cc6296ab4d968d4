"""Requirements under which the middle of what a search has left does not overflow."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import Choice, Interpretation
from analyses.proofs.preconditions import extents
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.launch_parts import last_thread
from ptxlint.inference.reasons import WRAPS
from ptxlint.ir import PtxInstr


def searched(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that the middle of two words that a loop carries, the ends of
    what a search has left, does not overflow, with the reason and the instruction that needs it:
    where it adds the ends, the greatest value of the type, less twice what an end before
    the loop is at most; where it subtracts them, that end, since loop invariants are those of
    signed integers."""
    symbolic, names = facts.symbolic, facts.decided.keys()
    for block in facts.kernel.blocks:
        for instr in facts.instructions(block):
            word = symbolic.words.get(instr.defs[0]) if len(instr.defs) == 1 else None
            terms = word.offset.polynomial.terms if word and word.offset.polynomial else {}
            values = [symbolic.opaque.get(m[0]) for m in terms if len(m) == 1]
            phis = [value for value in values if value in symbolic.head_phis]
            if len(terms) != 2 or len(phis) != 2 or {abs(c) for c in terms.values()} != {1}:
                continue
            for value in phis:
                assert value is not None
                (latch,) = symbolic.head_phis[value].latches
                start = symbolic.heads.start(symbolic.joined[value][0], latch, symbolic.words)
                end = start.offset.polynomial if start is not None else None
                added, most = sum(terms.values()) == 2, (1 << (value.width - 1)) - 1
                for least in not_above_launch(facts, end) if end is not None and added else ():
                    yield -least.scaled(2) + most, WRAPS.format(value.width), instr
                if end is not None and not added and end.symbols and end.symbols <= names:
                    yield end, WRAPS.format(value.width), instr


def not_above_launch(facts: Facts, polynomial: Polynomial) -> list[Polynomial]:
    """What the launch decides that the polynomial is at most, if no word wraps: of a minimum its
    parameters, or else the last thread of its cases."""
    if not polynomial.symbols:
        return []
    if polynomial.symbols <= facts.decided.keys():
        return [polynomial]
    if (last := last_thread(facts, polynomial)) is not None:
        return [last]
    symbol = (polynomial.alone or (-polynomial).alone) if len(polynomial.terms) == 1 else None
    if isinstance(symbol, Interpretation) and polynomial.alone:
        return not_above_launch(facts, symbol.polynomial)
    if not isinstance(symbol, Choice) or not symbol.greatest or polynomial.alone:
        return []
    each = [not_above_launch(facts, -case.polynomial) for case in symbol.cases]
    found = [least for cases in each for least in cases]
    return [least for least in found if not extents(least.symbols)] or found
