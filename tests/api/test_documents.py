"""What ``docs/api.md`` shows is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_examples_of_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("networkx")
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(
        str(ROOT / "docs" / "api.md"), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert found.attempted > 15
    assert found.failed == 0
