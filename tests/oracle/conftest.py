"""Counts what the oracle checked and prints it when pytest ends."""

from __future__ import annotations

import pytest

from .judge import Verdict

TALLY = pytest.StashKey[Verdict]()


@pytest.fixture
def tally(pytestconfig: pytest.Config) -> Verdict:
    """The verdict on everything judged in this run."""
    return pytestconfig.stash.setdefault(TALLY, Verdict())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if TALLY in config.stash:
        verdict = config.stash[TALLY]
        terminalreporter.write_line(
            f"oracle: {verdict.checks:,} concrete results held against facts, "
            f"{verdict.losses:,} lost"
        )
