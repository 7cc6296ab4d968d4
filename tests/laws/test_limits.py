"""An access that a limit of the analysis may have left open says so."""

from __future__ import annotations

import pytest

from bench.scale import generated
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.imprecision import imprecision, reason_code
from ptxlint.facts.kernel_facts import Facts
from tests.observation.launches import kernels_of


def facts_of(shape: str, size: int, contract: Contract) -> Facts:
    (kernel,) = kernels_of(generated(shape, size))
    return Facts(kernel, resolved([contract], kernel), "sm_80")


def reasons(shape: str, size: int) -> list[str]:
    facts = facts_of(shape, size, Contract())
    return [imprecision(facts, access.place.access.base) for access in facts.accesses]


def test_of_many_guards_the_innermost_narrow_a_range() -> None:
    """A thread returns before each load, so the last ones have many guards."""
    assert "limit" not in reasons("exits", 100)
    found = reasons("exits", 400)
    assert found[0] == "nonlinear" and found[-2] == "limit"


@pytest.mark.parametrize(("shape", "reason"), [("diamonds", "join"), ("selections", "nonlinear")])
def test_a_value_is_made_of_few_others(shape: str, reason: str) -> None:
    assert reasons(shape, 100)[0] == reason
    assert reasons(shape, 3_000)[0] == "limit"


def test_a_proof_that_ends_for_want_of_steps() -> None:
    contract = Contract.of(buffer=["in=400"])
    facts = facts_of("guarded", 100, contract)
    assert not facts.accesses[0].in_bounds
    assert reason_code(facts, facts.accesses[0]) == "nonlinear"
    cut = facts_of("guarded", 100, contract)
    cut.footprints.proofs.conditions.budget.left = -1
    assert reason_code(cut, cut.accesses[0]) == "budget"
