"""Races that only some data bring about: a slip that races on legal data is shown, a clean kernel
is not blamed for data that its caller would not give, and nothing is silent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ptxlint.results.finding import Severity

from .judging import Judged, judged
from .programs import PROGRAMS, Slip, slips

DECLARED = (True, False)
EVERY = [(name, slip) for name, program in PROGRAMS.items() for slip in slips(program)]
STRIDE = 13
SHOWN_OF_SAMPLE, SHOWN = 0.85, 0.95


@pytest.mark.parametrize("values", DECLARED, ids=("values", "any values"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_clean_kernel_is_not_blamed_for_its_data(name: str, values: bool) -> None:
    program = PROGRAMS[name]
    found = judged(program.text, program, values)
    assert found.whole
    assert not found.races
    assert not found.shown


def of_all(every: list[tuple[str, Slip]]) -> Iterator[tuple[str, Judged]]:
    for name, slip in every:
        for values in DECLARED:
            yield f"{name}: {slip.kind}", judged(slip.text, PROGRAMS[name], values)


def weigh(every: list[tuple[str, Slip]], share: float) -> None:
    found = list(of_all(every))
    harmful = [(text, one) for text, one in found if one.harmful]
    missed = [text for text, one in harmful if not one.shown]
    silent = [text for text, one in harmful if not one.shown and not one.open]
    harmless = [(text, one) for text, one in found if one.whole and not one.races]
    alarms = [t for t, one in harmless if any(f.severity is Severity.ERROR for f in one.shown)]
    assert not silent
    assert not alarms
    assert len(missed) <= (1 - share) * len(harmful), missed


def test_a_sample_of_slips() -> None:
    weigh(EVERY[::STRIDE], SHOWN_OF_SAMPLE)


@pytest.mark.slow
def test_every_slip() -> None:
    weigh(EVERY, SHOWN)


@pytest.mark.parametrize(
    ("name", "severity", "condition"),
    [
        ("a histogram of the grid", Severity.ERROR, None),
        ("a histogram with a bin for each thread", Severity.WARNING, "words that two threads load"),
    ],
)
def test_an_update_that_is_lost(name: str, severity: Severity, condition: str | None) -> None:
    """With fewer bins than words some words collide. With as many they may not, and no promise says
    so."""
    program = PROGRAMS[name]
    (slip,) = (slip for slip in slips(program) if slip.kind == "no atomic")
    (finding,) = judged(slip.text, program).shown
    assert finding.severity is severity
    assert (finding.condition or "").startswith(condition or "")


def test_a_scatter_is_undecided() -> None:
    program = PROGRAMS["a scatter"]
    found = judged(program.text, program)
    assert not found.shown
    assert found.open == 1
