"""Alignment tests: the addresses that a branch shows to be multiples of a power of two.

``(p & 15) == 0`` chooses the copy of a loop that loads whole vectors, wherever the buffer of ``p``
begins; so does ``((p | q) & 15) == 0`` of two addresses.

Sound because the branches on the way to a block were taken: an address that differs from a tested
one by a multiple of its alignment has this alignment, too.
"""

from __future__ import annotations

from analyses.domains.regions import BasePlusOffset, Origin
from analyses.polynomials.congruence import congruence
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Interpretation
from analyses.program import Constant, Operand, branch_into
from analyses.scalar_evolution import SymbolicValues

Tested = tuple[tuple[BasePlusOffset, int], ...]
"""Addresses, each with a power of two that it is a multiple of."""


class AlignmentTests:
    """The alignment tests of a function."""

    def __init__(self, symbolic: SymbolicValues) -> None:
        self.symbolic = symbolic
        self.parent = symbolic.values.tree.parent
        self.blocks = symbolic.values.function.blocks
        self._edges: dict[int, Tested] = {}

    def aligned(self, block: int, origin: Origin, offset: Polynomial, align: int) -> bool:
        """True if ``origin + offset`` is a multiple of ``align``, a power of two, in threads that
        enter the block."""
        while block >= 0:
            for (base, tested), multiple in self._edge(block):
                if base == origin and multiple % align == 0 and tested.polynomial is not None:
                    apart = modulo(offset - tested.polynomial, align)
                    if congruence(apart, {}, self.symbolic.congruence).divides(align):
                        return True
            block = self.parent[block]
        return False

    def _edge(self, block: int) -> Tested:
        """What the branch to a block with a single predecessor shows."""
        if block not in self._edges:
            taken = branch_into(self.blocks, block)
            self._edges[block] = () if taken is None else self._shown(*taken)
        return self._edges[block]

    def _shown(self, condition: Operand, truth: bool) -> Tested:
        """What holds where a predicate is ``truth``."""
        formulas, word = self.symbolic.values.flow.formulas, self.symbolic.word
        return tuple(
            (word(part), multiple)
            for a, relation, b in formulas.implied(condition, truth)
            if relation == "eq" and isinstance(b, Constant) and not b.bits
            for part, multiple in formulas.multiples(a)
        )


def modulo(polynomial: Polynomial, align: int) -> Polynomial:
    """An equal polynomial modulo ``align``, without integers of words that wrap at a multiple of
    it."""
    while True:
        by: dict[Symbol, Polynomial] = {
            symbol: symbol.polynomial
            for symbol in polynomial.symbols
            if isinstance(symbol, Interpretation) and (1 << symbol.width) % align == 0
        }
        if not by:
            return polynomial
        polynomial = polynomial.replaced(by)
