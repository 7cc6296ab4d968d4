"""Accesses that no two threads make both: a branch that all of them take alike leads to one of the
two, and its other way to the other one. Compilers make two loops of one with a test in it that
every iteration decides alike (LLVM's loop unswitching)."""

from __future__ import annotations

from functools import cache

from analyses.divergence import Divergence
from analyses.domains.uniformity import Level
from analyses.flow import Flow
from analyses.program import Effect, Operand, Value

READ_ONLY = ("param", "const")


class Exclusive:
    """The branches of a function that threads take alike, each once."""

    def __init__(self, flow: Flow, divergence: Divergence) -> None:
        self.flow, self.levels = flow, divergence.levels
        self.ways, self.decided = cache(self._ways), cache(self._decided)

    def apart(self, one: int, other: int, level: Level) -> bool:
        """True if threads that agree on words of this level do not reach both blocks."""
        there = self.ways(other, level)
        return any((predicate, not truth) in there for predicate, truth in self.ways(one, level))

    def _ways(self, block: int, level: Level) -> frozenset[tuple[Operand, bool]]:
        """The predicates of the branches to a block that such threads agree on, with their values:
        those that no loop computes anew, nor data that may change meanwhile."""
        return frozenset(
            (predicate, truth)
            for predicate, truth in self.flow.branches(block)
            if isinstance(predicate, Value)
            and self.levels.get(predicate, Level.DIVERGENT) <= level
            and self.decided(predicate)
        )

    def _decided(self, name: Value) -> bool:
        """True if what the launch and the place of a thread decide is all that it is made of."""
        open_, seen = [name], set[Value]()
        while open_:
            value = open_.pop()
            instr = self.flow.definition.get(value)
            if instr is None or self.flow.inside[self.flow.home[value]]:
                return False
            if instr.effects & ~Effect.LOAD:
                return False
            if instr.effects and (instr.access is None or instr.access.space not in READ_ONLY):
                return False
            seen.add(value)
            open_ += [use for use in instr.uses if isinstance(use, Value) and use not in seen]
        return True
