"""What is inferred of a flawed kernel holds as well: a launch that meets it does not fault, however
wrong the kernel is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from tests.corpus import judging
from tests.corpus.mutants import Mutant, mutants

from .__main__ import held
from .kernels import ROOT, Subject
from .launches import Launches

CLEAN = sorted((ROOT / "clean").glob("*.ptx"))
STRIDE, LAUNCHES = 29, 6
OF_INDICES = frozenset({
    "comparison", "sign", "guard", "scale", "number", "offset", "axis", "sum", "connective",
    "clamp",
})  # fmt: skip


def faults(path: Path, chosen: list[Mutant]) -> list[str]:
    """The mutants that fault in a launch which meets what is inferred of them."""
    found = []
    params = judging.contract_of(path).params
    for mutant in chosen:
        program = judging.assembled(mutant.text)
        for kernel in program.kernels if program is not None else ():
            launch = resolved([Contract(params=params)], kernel)
            contract = contract_of(kernel, launch)
            launches = Launches(Subject(path, kernel, contract), Random(mutant.change))
            found += [f"{mutant.change}: {f}" for f in held(launches, LAUNCHES, Counter())]
    return found


def of_indices(path: Path) -> list[Mutant]:
    return [m for m in mutants(path.read_text("utf-8")) if m.kind in OF_INDICES]


@pytest.mark.parametrize("path", CLEAN[::STRIDE], ids=lambda path: path.stem)
def test_a_launch_that_meets_the_contract_of_a_mutant_does_not_fault(path: Path) -> None:
    slips = of_indices(path)
    assert faults(path, slips[:: max(len(slips) // 2, 1)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_no_launch_that_meets_the_contract_of_a_mutant_faults(path: Path) -> None:
    assert faults(path, of_indices(path)[::5]) == []
