"""Null checks: the pointers that are not null at a program point.

A branch or a mask on ``p != 0`` shows it. So does one on ``p + offset != 0``, if the offset is 0
wherever p is: compilers move ``p += row * (p != nullptr)`` in front of a test of ``p``.

Sound because the address that a parameter holds is the same throughout the launch, and the branches
on the way to a block were taken.
"""

from __future__ import annotations

from analyses.domains.regions import BasePlusOffset
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Case, Choice
from analyses.program import Operand, Region, branch_into, on_the_way
from analyses.scalar_evolution import SymbolicValues

Checked = frozenset[tuple[Region, bool]]
"""Regions, each with true if its address is 0."""

NOTHING: Checked = frozenset()


class NullChecks:
    """The null checks of a function, on pointers to global memory."""

    def __init__(self, symbolic: SymbolicValues) -> None:
        self.symbolic = symbolic
        self.parent = symbolic.values.tree.parent
        self.blocks = symbolic.values.function.blocks
        self._at: dict[int, Checked] = {}
        self._implied: dict[tuple[Operand, bool], Checked] = {}

    def nonnull(self, block: int, mask: Operand | None = None) -> frozenset[Region]:
        """The regions whose address is not 0 in threads that enter the block, where ``mask``
        holds."""
        return frozenset(region for region, null in self.known(block, mask) if not null)

    def known(self, block: int, mask: Operand | None = None) -> Checked:
        """What holds in threads that enter the block, where ``mask`` holds."""
        return self.at(block) if mask is None else self.at(block) | self.implied(mask, True)

    def at(self, block: int) -> Checked:
        """What the branches on the way to a block show."""
        return on_the_way(block, self.parent, self._at, self._edge)

    def _edge(self, block: int) -> Checked:
        """What the branch to a block with a single predecessor implies."""
        taken = branch_into(self.blocks, block)
        return NOTHING if taken is None else self.implied(*taken)

    def implied(self, condition: Operand, truth: bool) -> Checked:
        """What holds where a predicate is ``truth``."""
        condition = self.symbolic.plain(condition)
        key = condition, truth
        if key not in self._implied:
            self._implied[key] = NOTHING  # while it is computed
            compared = [
                self._compared(relation == "eq", self.symbolic.word(a), self.symbolic.word(b))
                for a, relation, b in self.symbolic.values.flow.formulas.implied(condition, truth)
                if relation in ("eq", "ne") and a.width > 1
            ]
            self._implied[key] = frozenset(fact for fact in compared if fact is not None)
        return self._implied[key]

    def _compared(
        self, equal: bool, a: BasePlusOffset, b: BasePlusOffset
    ) -> tuple[Region, bool] | None:
        """The pointer is null if it equals 0 and has no offset. It is not null if it differs from
        0, together with an offset that is 0 wherever it is null."""
        pointer, other = (b, a) if a.origin is None else (a, b)
        offset: Polynomial | None = pointer.offset.polynomial
        zero: Polynomial | None = other.offset.polynomial
        if pointer.origin is None or other.origin is not None or offset is None or zero is None:
            return None
        region = pointer.origin.region
        if region.space != "global" or zero.terms:
            return None
        where_null = offset if equal else self.reduced(offset, frozenset({(region, True)}))
        return None if where_null.terms else (region, equal)

    def reduced(self, offset: Polynomial, known: Checked) -> Polynomial:
        """The offset where this is ``known``: with the cases of its choices that are left, if one
        is."""
        chosen = {symbol: self._left(symbol, known) for symbol in offset.symbols} if known else {}
        return offset.replaced({s: case for s, case in chosen.items() if case is not None})

    def _left(self, symbol: Symbol, known: Checked) -> Polynomial | None:
        """The only case of a choice that does not contradict what is known."""
        if not isinstance(symbol, Choice) or symbol.greatest:
            return None
        against = {(region, not null) for region, null in known}
        left = {case.polynomial for case in symbol.cases if against.isdisjoint(self._way(case))}
        return left.pop() if len(left) == 1 else None

    def _way(self, case: Case) -> Checked:
        """What holds where a choice is this case."""
        if case.condition is not None:
            return self.implied(case.condition, case.truth)
        return NOTHING if case.edge is None else self.at(case.edge[0])
