"""Mutants of the clean kernels, under the launch that each declares: a harm that the interpreter
meets is reported at its instruction with a witness, and nothing is called an error that it does not
meet. A sample of them here, all of them with ``-m slow``."""

from __future__ import annotations

from pathlib import Path

import pytest

from .judging import contract_of, judged
from .mutants import Mutant, mutants

CLEAN = sorted((Path(__file__).parents[2] / "corpus" / "clean").glob("*.ptx"))
STRIDE = 29


def wrong(path: Path, chosen: list[Mutant]) -> list[str]:
    contract = contract_of(path)
    found = []
    for mutant in chosen:
        verdict = judged(mutant.text, contract)
        if verdict.missed and verdict.whole:
            found.append(f"{mutant.change}: not reported {sorted(verdict.missed)}")
        if verdict.alarms and verdict.whole:
            found.append(f"{mutant.change}: reported {sorted(verdict.alarms)}, does not happen")
        found += [f"{mutant.change}: {problem}" for problem in verdict.problems]
    return found


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_a_sample_of_mutants_is_judged_rightly(path: Path) -> None:
    found = wrong(path, list(mutants(path.read_text("utf-8")))[::STRIDE])
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_every_mutant_is_judged_rightly(path: Path) -> None:
    found = wrong(path, list(mutants(path.read_text("utf-8"))))
    assert not found, "\n".join(found)
