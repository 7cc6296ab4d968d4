"""Counts what was observed and prints it when pytest ends."""

from __future__ import annotations

import pytest

from .claims import Observation

TALLY = pytest.StashKey[Observation]()


@pytest.fixture
def tally(pytestconfig: pytest.Config) -> Observation:
    """Everything observed in this run."""
    return pytestconfig.stash.setdefault(TALLY, Observation())


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if TALLY in config.stash:
        seen = config.stash[TALLY]
        claims = ", ".join(f"{count:,} {claim}" for claim, count in seen.by_claim.most_common())
        terminalreporter.write_line(
            f"observation: {seen.checks:,} facts held against runs ({claims}), "
            f"{len(seen.violations)} contradicted"
        )
