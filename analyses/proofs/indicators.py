"""Bounds of numbers that a comparison selects.

``i + (i < n - 1 ? 1 : 0)``, the right one of two neighbours, is ``n - 1`` at most where i is. For
integers ``a < b`` says ``b - a >= 1``, so ``a < b ? 1 : 0`` is at most the greater of ``b - a`` and
0: of two numbers less the other one, where the lesser of both is the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import Choice
from analyses.program import Operand
from analyses.proofs.path_condition import PathCondition


def selected_bounds(
    choice: Choice,
    implied: Callable[[Operand, bool, object], PathCondition],
    made: Iterable[Symbol],
) -> Iterator[Inequality]:
    """What a choice of 1 or 0 by a comparison is not greater than, in every thread, by what the
    comparison implies and by the maxima among the symbols ``made``."""
    number = {case.polynomial.constant: case for case in choice.cases}
    if number.keys() != {0, 1} or (condition := number[1].condition) is None:
        return
    facts = implied(condition, number[1].truth, choice).known
    gaps = [gap for fact in facts if len((gap := fact.polynomial + 1).terms) > 1]
    maxima = [one for one in made if isinstance(one, Choice) and one.greatest] if gaps else []
    for one in (one for one in maxima if len(one.cases) == 2):
        for case, other in permutations(one.cases):
            if case.polynomial - other.polynomial in gaps:
                above = Polynomial.of(one) - other.polynomial
                yield Inequality(above - Polynomial.of(choice), choice)
