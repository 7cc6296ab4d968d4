"""What a suite counts over a whole run, printed when pytest ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def tallied(kind: Callable[[], T]) -> tuple[Any, Callable[..., None]]:
    """For a conftest: the fixture ``tally`` with the one total of this run, and the hook that
    prints it."""
    key = pytest.StashKey[T]()

    @pytest.fixture(name="tally")
    def total(pytestconfig: pytest.Config) -> T:
        return pytestconfig.stash.setdefault(key, kind())

    def summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if key in config.stash:
            terminalreporter.write_line(str(config.stash[key]))

    return total, summary
