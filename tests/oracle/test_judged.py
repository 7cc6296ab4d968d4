"""Every domain is judged because it stands in its folder, and the judges find slips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from analyses.algebra import Algebra
from analyses.domains.known_bits import KnownBits
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets
from analyses.domains.strided_interval import StridedIntervals
from analyses.domains.uniformity import Level, Uniform, Uniformities
from analyses.lanes.offsets import LaneValues
from analyses.lattice import Domain
from analyses.polynomials.modular import ModularPolynomials
from tests.domains import defined, judged, unjudged

from . import test_modular, test_offsets, test_uniformity
from .judge import MEMBERS, Verdict, verdict_on
from .operators import CASES


def test_every_domain_is_judged() -> None:
    known, found = judged(), list(defined())
    missing = [lack for name, one in found if (lack := unjudged(name, one, known))]
    assert not missing, f"missing: {', '.join(missing)}"
    assert known.keys() <= {name for name, _ in found}, "samples of a domain that is gone"


def test_a_newcomer_is_noticed() -> None:
    class Parities(Domain[int]):
        pass

    class Signs(Algebra[int]):
        pass

    known = judged()
    assert unjudged("parity", Parities, known) == "tests/domains/parity.py with samples of Parities"
    assert unjudged("sign", Signs, known) == "test_sign.py with a judge of Signs"
    assert unjudged("known_bits", Parities, known) is not None
    half = {"parity": replace(known["known_bits"], domain=Parities(), elements=None)}
    assert unjudged("parity", Parities, half) is not None


# --- slips that are planted


def by_members(name: str) -> Callable[[str], bool]:
    """Whether the oracle of words finds something in an operator."""
    return lambda operator: verdict_on(replace(MEMBERS[name], budget=900), operator).losses > 0


def by_points(operator: str) -> bool:
    tried = [case for case in CASES if case.operator == operator]
    return any(next(test_modular.judge(case, 4, Verdict()), None) for case in tried)


def by_threads(operator: str) -> bool:
    tried, random = [case for case in CASES if case.operator == operator], Random(operator)
    return any(next(test_uniformity.judge(case, 8, random, Verdict()), None) for case in tried)


def by_warps(operator: str) -> bool:
    try:
        test_offsets.test_operators(operator, 8)
    except AssertionError:
        return True
    return False


def without_origin(domain: BasePlusOffsets[Any], a: BasePlusOffset, b: BasePlusOffset) -> Any:
    return BasePlusOffset(a.origin, domain.inner.sub(a.offset, b.offset))


def first_alone(domain: Uniformities, p: Uniform, a: Uniform, b: Uniform) -> Uniform:
    return Uniform(max(a.level, b.level), a.width)


def as_uniform(domain: Uniformities, width: int, *operands: Uniform) -> Uniform:
    return Uniform(min((a.level for a in operands), default=Level.GRID), width)


SLIPS: list[tuple[type, str, Any, Callable[[str], bool], str]] = [
    (StridedIntervals, "sub", StridedIntervals.add, by_members("strided_interval"), "sub"),
    (StridedIntervals, "join", StridedIntervals.meet, by_members("strided_interval"), "join"),
    (KnownBits, "xor", KnownBits.or_, by_members("known_bits"), "xor"),
    (KnownBits, "sext", KnownBits.zext, by_members("known_bits"), "sext"),
    (BasePlusOffsets, "sub", without_origin, by_members("regions"), "sub"),
    (BasePlusOffsets, "word", lambda self, a: a.offset, by_members("regions"), "mul"),
    (Uniformities, "unknown", as_uniform, by_threads, "add"),
    (Uniformities, "select", first_alone, by_threads, "select"),
    (ModularPolynomials, "zext", ModularPolynomials.sext, by_points, "zext"),
    (ModularPolynomials, "max_u", ModularPolynomials.max_s, by_points, "max_u"),
    (LaneValues, "xor", LaneValues.or_, by_warps, "xor"),
    (LaneValues, "sub", LaneValues.add, by_warps, "sub"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "slip", "wrong", "finds", "operator"),
    SLIPS,
    ids=[f"{domain.__name__}.{slip}" for domain, slip, *_ in SLIPS],
)
def test_a_slip_is_found(
    domain: type,
    slip: str,
    wrong: Any,
    finds: Callable[[str], bool],
    operator: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not finds(operator)
    monkeypatch.setattr(domain, slip, wrong)
    assert finds(operator)
