"""The facts of the kernels of a file, each under the launch that the file declares: what several
suites hold against something is computed once. ``conftest`` has them run one after the other."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from tests.observation.launches import contract_of, kernels_of

SUITES = (
    "corpus/test_proofs.py",
    "corpus/test_debt.py",
    "costs/test_decided.py",
    "observation/test_corpus.py",
    "rules/test_data_race.py",
)


@cache
def facts_of(path: Path) -> tuple[Facts, ...]:
    contract = contract_of(path)
    kernels = kernels_of(path.read_text("utf-8"), path.name)
    return tuple(Facts(kernel, resolved([contract], kernel), "sm_80") for kernel in kernels)
