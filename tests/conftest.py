"""The tests run on all cores: mypy starts first, what shares facts comes next, and totals are
printed when the run ends."""

from __future__ import annotations

import gc
import os

import pytest

from pricing_kernels.build import cache_folder
from tests.declared import SUITES

gc.set_threshold(300_000, 20, 50)  # what collections find costs more than what they free
pytest_plugins = ["tests.tally", "pytester"]
os.environ["PRICING_KERNELS_CACHE"] = str(cache_folder())  # compiled kernels, which never change
os.environ["XDG_CACHE_HOME"] = os.devnull  # no cache of results, but for tests that name one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """mypy runs beside all the rest, not after it; suites that share facts run in one process."""
    first = "test_style.py", *SUITES
    items.sort(key=lambda item: not item.path.as_posix().endswith(first))


def pytest_collection_finish() -> None:
    """Ten thousand tests stay to the end: no collection of garbage looks at them, which is a sixth
    of the time."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Neither do the collections of pytest, at its end, look at what the tests have kept."""
    gc.freeze()
