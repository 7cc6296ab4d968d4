"""The closest bounds of a buffer are bounds of all of its accesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.path_condition import NOTHING
from ptxlint.inference import closest_bounds
from ptxlint.inference.extents import AccessEnd, Accesses, BufferAccesses, UpperBound

N, M = (Polynomial.of(Symbol(name, 0, 100, 0)) for name in "nm")
WHOLE, HALF, LESS = UpperBound(N.scaled(4)), UpperBound(N.scaled(2)), UpperBound(M.scaled(4))


def lesser_of_one(facts: Any, high: Accesses, held: Any) -> Iterator[tuple[UpperBound, UpperBound]]:
    """A lesser bound of one of two accesses, of which the other one gets its own bound back."""
    high.setdefault(HALF, {})["other"] = high[WHOLE].pop("other")
    yield WHOLE, LESS


def test_what_a_lesser_bound_does_not_cover_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closest_bounds, "lesser_bounds", lesser_of_one)
    ends: Any = BufferAccesses("x", "reads", None)  # type: ignore[arg-type]
    ends.high = {WHOLE: {p: AccessEnd(NOTHING, N, WHOLE) for p in ("one", "other")}}
    facts: Any = None
    assert closest_bounds.lesser(facts, ends, NOTHING) == {WHOLE: LESS}
    assert {end: list(places) for end, places in ends.high.items()} == {
        WHOLE: ["one"],
        HALF: ["other"],
    }
