"""Linear arithmetic, held against all points of a small box.

Random sums of three variables with random bounds: if bounds contradict each other, no point of the
box meets those of the variables named; else the values found meet all bounds.
"""

from __future__ import annotations

from itertools import product
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st

from analyses.polynomials.polynomial import Number
from analyses.proofs.simplex import Simplex

ENDS = ((-2, 3), (0, 4), (-1, 1))
Sum = tuple[tuple[int, ...], Number, Number]

sums = st.tuples(
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(-9, 9) | st.just(-inf),
    st.integers(-9, 9) | st.just(inf),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(sums, max_size=6), st.data())
def test_bounds_contradict_only_where_no_point_meets_them(
    each: list[Sum], data: st.DataObject
) -> None:
    simplex = Simplex()
    variables = [simplex.variable(*ends) for ends in ENDS]
    each = [one for one in each if one[1] <= one[2]]
    made: dict[int, Sum] = {}
    for one in each:
        made[simplex.sum(dict(zip(variables, one[0], strict=True)), *one[1:])] = one
        if data.draw(st.booleans()):  # later sums are made of basic variables too
            simplex.contradiction(1_000)
    contradiction = simplex.contradiction(1_000)
    assert simplex.steps < 1_000
    if contradiction is None:
        for variable, (low, high) in enumerate(simplex.bounds):
            value, by = simplex.value(variable)
            assert low * by <= value <= high * by
    else:
        named = [made[variable] for variable in contradiction if variable in made]
        for point in product(*(range(low, high + 1) for low, high in ENDS)):
            totals = [sum(f * x for f, x in zip(one[0], point, strict=True)) for one in named]
            assert not all(
                one[1] <= total <= one[2] for one, total in zip(named, totals, strict=True)
            )
