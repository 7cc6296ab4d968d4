"""Mutants of the clean kernels, under the launch that each declares: a harm that the interpreter
meets is reported at its instruction with a witness, and nothing is called an error that it does not
meet. A sample of them here, all of them with ``-m slow``. A clean kernel earns its place by being
close to harm: some slip of an index or a guard must be one that the interpreter meets. Where it
declares ranges of sizes, nothing is proved that faults at a size in between. And where its launch
is left open, nothing is reported that only a launch of the wrong size does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ptxlint.checker import check
from ptxlint.options import Options
from ptxlint.source import Source
from tests.sampled import sampled

from .judging import Tally, assembled, contract_of, has_ranges, judged, ran, wrongly_proved
from .mutants import Mutant, mutants

CLEAN = sorted((Path(__file__).parents[2] / "corpus" / "clean").glob("*.ptx"))
RANGES = [path for path in CLEAN if has_ranges(contract_of(path))]
STRIDE = 211
ENDED_BY_THE_GRID = ("residual_up_to_n",)  # its guard lets thread n pass
BOUNDS = ("out-of-bounds", "param-out-of-bounds")
SLIPS = ("comparison", "sign", "guard", "scale", "number", "offset")


def wrong(path: Path, chosen: list[Mutant], tally: Tally) -> list[str]:
    contract = contract_of(path)
    found = []
    for mutant in chosen:
        verdict = judged(mutant.text, contract)
        tally.judge(verdict)
        if verdict.missed:
            found.append(f"{mutant.change}: not reported {sorted(verdict.missed)}")
        if verdict.alarms:
            found.append(f"{mutant.change}: reported {sorted(verdict.alarms)}, does not happen")
        found += [f"{mutant.change}: {problem}" for problem in verdict.problems]
    return found


@pytest.mark.parametrize("path", sampled(CLEAN, 2))
def test_a_sample_of_mutants_is_judged_rightly(path: Path, tally: Tally) -> None:
    found = wrong(path, list(mutants(path.read_text("utf-8")))[::STRIDE], tally)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_every_mutant_is_judged_rightly(path: Path, tally: Tally) -> None:
    found = wrong(path, list(mutants(path.read_text("utf-8"))), tally)
    assert not found, "\n".join(found)


def errors_of_any_shape(path: Path) -> list[str]:
    """What is reported of the bounds when block and grid are left open."""
    source = Source(path.name, path.read_text("utf-8"))
    contract = replace(contract_of(path), block=None, grid=None)
    return [
        f.message for f in check([source], Options(contracts=(contract,), select=BOUNDS)).findings
    ]


@pytest.mark.parametrize("path", sampled([p for p in CLEAN if p.stem not in ENDED_BY_THE_GRID], 4))
def test_a_clean_kernel_is_not_blamed_for_its_launch(path: Path) -> None:
    assert not errors_of_any_shape(path)


@pytest.mark.parametrize("path", [path for path in CLEAN if path.stem in ENDED_BY_THE_GRID])
def test_a_guard_that_lets_one_thread_more_pass_is_blamed_where_the_grid_has_it(path: Path) -> None:
    assert errors_of_any_shape(path)


@pytest.mark.parametrize("path", sampled(CLEAN, 2))
def test_a_clean_kernel_is_one_slip_from_harm(path: Path) -> None:
    slips = [m for m in mutants(path.read_text("utf-8")) if m.kind in SLIPS]
    assert len({m.kind for m in slips}) >= 3
    contract = contract_of(path)
    programs = filter(None, (assembled(mutant.text) for mutant in slips))
    assert any(ran(program, contract)[0] for program in programs)


def proved(path: Path, chosen: list[Mutant]) -> list[str]:
    """The mutants of which an access is proved for all sizes, and faults in one."""
    contract = contract_of(path)
    programs = ((mutant.change, assembled(mutant.text)) for mutant in chosen)
    return [change for change, p in programs if p is not None and wrongly_proved(p, contract)]


@pytest.mark.parametrize("path", RANGES, ids=lambda path: path.stem)
def test_what_faults_at_some_size_is_not_proved(path: Path) -> None:
    assert not proved(path, list(mutants(path.read_text("utf-8")))[STRIDE // 2 :: STRIDE])


@pytest.mark.slow
@pytest.mark.parametrize("path", RANGES, ids=lambda path: path.stem)
def test_what_faults_at_some_size_is_never_proved(path: Path) -> None:
    assert not proved(path, list(mutants(path.read_text("utf-8"))))
