"""Requirements under which a divisor is not negative, as a signed number that is divided by as an
unsigned one: ``blockIdx.z / ((height + 3) / 4)``.

A division rounds a negative number up, so ``(height + 3) / 4`` is no quotient that rounds down
unless ``height + 3`` is not negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyses.polynomials.polynomial import Polynomial, order
from analyses.polynomials.symbols import Interpretation, Quotient, is_sign
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.reasons import DIVIDES, WRAPS
from ptxlint.ir import PtxInstr


def not_negative(facts: Facts) -> Iterator[tuple[Polynomial, str, PtxInstr]]:
    """What must not be negative so that rounded numbers of the launch that divide are not, each
    with the reason and a division: their parameters, and what keeps their words from wrapping."""
    names, quotients = facts.decided.keys(), facts.symbolic.integers.quotients
    for instr in facts.kernel.instructions:
        for divided in divisions(facts, instr):
            by = divided.divisor
            signs = [part for part in by.parts if is_sign(part) and not part.rank]
            if divided not in quotients or not signs or by.symbols <= names:
                continue
            words = dict.fromkeys(sign.dividend.alone for sign in sorted(signs, key=order))
            for word in words:
                if isinstance(word, Interpretation) and word.polynomial.symbols <= names:
                    most = (1 << (word.width - 1)) - 1
                    yield -word.polynomial + most, WRAPS.format(word.width), instr
                    for symbol in sorted(word.polynomial.symbols, key=order):
                        yield Polynomial.of(symbol), DIVIDES, instr


def divisions(facts: Facts, instr: PtxInstr) -> Iterator[Quotient]:
    """The quotients in the words that an instruction computes."""
    for value in instr.defs:
        word = facts.symbolic.words.get(value)
        whole = None if word is None else word.offset.polynomial
        for symbol in sorted(whole.symbols if whole is not None else (), key=order):
            if isinstance(symbol, Quotient):
                yield symbol
