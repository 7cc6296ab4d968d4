"""With --z3 more is proved, and nothing that faults."""

from __future__ import annotations

import pytest

from analyses.proofs.smt import Solver
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts

from .debt import CORPUS
from .judging import assembled, contract_of, wrongly_proved
from .mutants import mutants

pytest.importorskip("z3", reason="z3 is not installed")


def effortless(facts: Facts) -> Facts:
    """Which find no proofs of their own."""
    facts.footprints.proofs.conditions.budget.left = 0
    return facts


@pytest.mark.parametrize(
    ("name", "more"), [("rows_by_warps", 1), ("saxpy_grid_stride", 0), ("loop_halving_search", 0)]
)
def test_it_proves_more_and_nothing_wrong(name: str, more: int) -> None:
    """Of the kernel itself, and of its mutants, whose accesses do leave their buffers."""
    path = CORPUS / "clean" / f"{name}.ptx"
    contract, text = contract_of(path), path.read_text("utf-8")
    program = assembled(text)
    assert program is not None
    (kernel,) = program.kernels
    launch = resolved([contract], kernel)
    without = effortless(Facts(kernel, launch, "sm_80")).accesses
    asked = effortless(Facts(kernel, launch, "sm_80", Solver)).accesses
    gained = [a for a, b in zip(asked, without, strict=True) if a.in_bounds and not b.in_bounds]
    assert len(gained) >= more
    for mutant in list(mutants(text))[::25]:
        changed = assembled(mutant.text)
        if changed is not None:
            assert not wrongly_proved(changed, contract, Solver), mutant.change
