"""What is not proved of the corpus does not grow, whatever the reason."""

from __future__ import annotations

import pytest

from .debt import FOLDERS, owed, recorded


@pytest.mark.parametrize("folder", FOLDERS)
def test_debts_only_fall(folder: str) -> None:
    """``python -m tests.corpus.debt --record`` writes down what has fallen, or what new kernels
    bring along."""
    written = recorded()[folder]
    risen = {
        name: f"{count}, recorded {written.get(name, 0)}"
        for name, count in owed(folder).items()
        if count > written.get(name, 0)
    }
    assert not risen


def test_every_folder_is_recorded() -> None:
    assert tuple(recorded()) == FOLDERS
