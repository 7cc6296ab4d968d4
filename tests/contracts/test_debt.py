"""What ``corpus/CONTRACTS.toml`` says of incomplete contracts is what is inferred."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampled import sampled

from .debt import HEADER, PLACE, owed, recorded, written
from .kernels import files


@pytest.mark.parametrize("path", sampled(files(), 12))
def test_what_is_open_is_written_down(path: Path) -> None:
    """``python -m tests.contracts.debt --record`` writes it."""
    begin = f"{path.parent.name}/{path.stem}: "
    assert owed(path) == [debt for debt in recorded() if debt.kernel.startswith(begin)]


def test_the_file_is_as_the_command_writes_it() -> None:
    text = PLACE.read_text("utf-8")
    assert text.startswith(HEADER)
    assert text == "\n".join(written(recorded())) + "\n"


def test_each_kernel_is_in_the_corpus() -> None:
    names = {f"{path.parent.name}/{path.stem}" for path in files()}
    assert {debt.kernel.partition(": ")[0] for debt in recorded()} <= names
