"""Choices that a test of floats decides: ``x > 0 ? 1 : 0`` is 1 behind a branch by ``x > 0``.

The inequalities are about integers, so none states a test of floats. Two predicates are one test
if they compare the same operands. In SSA form the operands have one value until they are computed
again, and the name that was computed first, whose block dominates the other one's, is computed
again in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from analyses.conditions import Atom, FloatTest, Not, normal
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial
from analyses.polynomials.symbols import Case, Choice
from analyses.program import Operand, Value
from analyses.scalar_evolution import SymbolicValues


class Selected(NamedTuple):
    """A case that is chosen by the predicate ``by`` where the test that it is has this value."""

    choice: Choice
    case: Case
    by: Value
    value: bool


class FloatChoices(Struct, frozen=True, dict=True):
    """Those of one function."""

    symbolic: SymbolicValues

    def decided(self, predicate: Operand, truth: bool, what: object) -> Iterator[Inequality]:
        """That choices are the cases that are chosen where the predicate has this value."""
        values, test = self.symbolic.values, self.test(predicate)
        for one in self.selected.get(test[0], ()) if test is not None else ():
            before = values.tree.dominates(values.home[one.by], values.home[predicate])  # type: ignore[index]
            if before and test is not None and one.value is (truth is test[1]):
                gap = Polynomial.of(one.choice) - one.case.polynomial
                yield from (Inequality(gap, what), Inequality(-gap, what))

    def test(self, predicate: Operand | None) -> tuple[FloatTest, bool] | None:
        """The test of floats that a predicate is, or is not if it is false."""
        if not isinstance(predicate, Value) or predicate.width > 1:
            return None
        meant = self.symbolic.values.flow.formulas.meaning(predicate)
        if isinstance(meant, Not) and isinstance(meant.a, Atom):
            inner = self.test(meant.a.operand)
            return None if inner is None else (inner[0], not inner[1])
        test, truth = normal(meant) or (None, True)
        return (test, truth) if isinstance(test, FloatTest) else None

    @cached_property
    def selected(self) -> dict[FloatTest, list[Selected]]:
        """The cases that tests of floats choose."""
        found: dict[FloatTest, list[Selected]] = {}
        for choice in self.symbolic.integers.made.values():
            for case in choice.cases if isinstance(choice, Choice) else ():
                by, test = case.condition, self.test(case.condition)
                if test is not None and isinstance(by, Value) and isinstance(choice, Choice):
                    one = Selected(choice, case, by, case.truth is test[1])
                    found.setdefault(test[0], []).append(one)
        return found
