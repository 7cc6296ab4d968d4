"""What a suite counts over a whole run, on every worker of it, printed when pytest ends."""

from __future__ import annotations

import pickle
from typing import Any, Protocol

import pytest


class Total(Protocol):
    """What was counted; the totals of two workers add up."""

    def add(self, other: Any, /) -> None: ...


TOTALS = pytest.StashKey[dict[type[Total], Total]]()
SENT = "totals"


def tallied(kind: type[Total]) -> Any:
    """The fixture ``tally`` for a conftest: the one total of its kind in this process."""

    @pytest.fixture(name="tally")
    def total(pytestconfig: pytest.Config) -> Total:
        return pytestconfig.stash.setdefault(TOTALS, {}).setdefault(kind, kind())

    return total


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist sends its totals."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[SENT] = pickle.dumps(session.config.stash.get(TOTALS, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The totals of a worker are added to those of the run."""
    totals = node.config.stash.setdefault(TOTALS, {})
    sent = getattr(node, "workeroutput", {}).get(SENT)
    for kind, total in pickle.loads(sent).items() if sent else ():
        totals.setdefault(kind, kind()).add(total)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for text in sorted(map(str, config.stash.get(TOTALS, {}).values())):
        terminalreporter.write_line(text)
