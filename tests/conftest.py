"""The tests run on all cores: mypy starts first, and totals are printed when the run ends."""

from __future__ import annotations

import gc
import os

import pytest

from pricing_kernels.build import cache_folder

pytest_plugins = ["tests.tally", "pytester"]
os.environ["PRICING_KERNELS_CACHE"] = str(cache_folder())  # compiled kernels, which never change
os.environ["XDG_CACHE_HOME"] = os.devnull  # no cache of results, but for tests that name one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """mypy runs beside all the rest, not after it."""
    items.sort(key=lambda item: item.path.name != "test_style.py")


def pytest_collection_finish() -> None:
    """Ten thousand tests stay to the end: no collection of garbage looks at them, which is a sixth
    of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
