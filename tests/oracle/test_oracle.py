"""Every operator of every domain is sound on small words and as precise as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from .floors import floors
from .judge import MEMBERS, Verdict, subjects, verdict_on
from .operators import CASES, NOT_APPLICABLE, operators_of_algebra


def test_every_operator_of_the_algebra_is_tried_or_named() -> None:
    tried = {case.operator for case in CASES}
    assert tried | NOT_APPLICABLE == operators_of_algebra()
    assert not tried & NOT_APPLICABLE


def test_every_floor_belongs_to_a_domain_and_an_operator() -> None:
    recorded = floors()
    assert recorded.keys() == MEMBERS.keys()
    assert all(operators.keys() <= set(subjects()) for operators in recorded.values())


@pytest.mark.parametrize("operator", subjects())
@pytest.mark.parametrize("domain", MEMBERS)
def test_operator(domain: str, operator: str, tally: Verdict) -> None:
    verdict = verdict_on(MEMBERS[domain], operator)
    tally.add(verdict)
    assert verdict.checks > 0
    assert not verdict.losses, "\n".join([f"{verdict.losses} lost", *verdict.examples])
    if verdict.ratios:
        assert verdict.precision >= floors()[domain][operator]


@pytest.mark.slow
@pytest.mark.parametrize("operator", subjects())
@pytest.mark.parametrize("domain", MEMBERS)
def test_operator_on_operands_of_four_bits(domain: str, operator: str, tally: Verdict) -> None:
    member = MEMBERS[domain]
    member = replace(member, widths=(4,), unary_widths=(4,), budget=40 * member.budget)
    verdict = verdict_on(member, operator)
    tally.add(verdict)
    assert not verdict.losses, "\n".join([f"{verdict.losses} lost", *verdict.examples])
