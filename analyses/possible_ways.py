"""Possible ways: those by which threads in a block may have come, as far as flags and null checks
say.

``bool present = false; if (p) { present = true; q = p + i; } ... if (present) *q``: where the flag
holds, its block was entered by an edge on which it was set. What other phis of the block are on the
other edges, such as a null pointer, they are not there: all of them are of the same entry. And a
pointer that was chosen where ``p`` is null is not there if ``p`` is known not to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyses.null_checks import NOTHING, NullChecks
from analyses.program import Constant, Operand, Value, branch_into, on_the_way
from analyses.proofs.guarded_values import GuardedValues
from analyses.ways import Edge, Way

Edges = frozenset[Edge]


class PossibleWays:
    """Those of a function."""

    def __init__(self, guarded: GuardedValues) -> None:
        self.symbolic = guarded.symbolic
        self.parent = guarded.values.tree.parent
        self.blocks = guarded.values.function.blocks
        self.null_checks = NullChecks(guarded.symbolic)
        self._at: dict[int, Edges] = {}

    def includes(self, block: int, mask: Operand | None, way: Way) -> bool:
        """False if threads in the block, where ``mask`` holds, have not come by a way: as they have
        not by one of its edges, or a pointer is null on the way and not there, or only there."""
        if not self.not_taken(block, mask).isdisjoint(way.edges):
            return False
        known = self.null_checks.known(block, mask) if way.selected else NOTHING
        said = (one for by in way.selected for one in self.null_checks.implied(*by))
        return not any((region, not null) in known for region, null in said)

    def not_taken(self, block: int, mask: Operand | None) -> Edges:
        """The edges that threads in the block have not come by, where ``mask`` holds."""
        found = self.at(block)
        return found if mask is None else found.union(self.excluded(mask, True))

    def at(self, block: int) -> Edges:
        """Those that threads in the block have not come by."""
        return on_the_way(block, self.parent, self._at, self._edge)

    def _edge(self, block: int) -> Iterable[Edge]:
        """Those that the branch to a block with a single predecessor excludes."""
        taken = branch_into(self.blocks, block)
        return () if taken is None else self.excluded(*taken)

    def excluded(self, predicate: Operand, truth: bool) -> Iterator[Edge]:
        """The edges on which the predicate, or one that it implies, is a phi's other number."""
        for name, relation, known in self.symbolic.values.flow.formulas.implied(predicate, truth):
            flag = self.symbolic.plain(name)
            if not isinstance(flag, Value) or flag.width > 1 or relation != "eq":
                continue
            if flag not in self.symbolic.joined or not isinstance(known, Constant):
                continue
            phi, home = self.symbolic.joined[flag]
            for source, operand in phi.sources.items():
                if not self.symbolic.values.may_be(operand, bool(known.bits)):
                    yield source, home.index
