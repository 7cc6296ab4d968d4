"""Parameters of a test of which only some run by default."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest


def sampled(values: Iterable[Any], stride: int, *more: str) -> list[Any]:
    """Each value, with what else the test takes; those between the strides run with ``-m slow``
    alone."""
    return [
        pytest.param(
            value,
            *more,
            id="-".join([named(value), *more]),
            marks=pytest.mark.slow if number % stride else (),
        )
        for number, value in enumerate(values)
    ]


def named(value: Any) -> str:
    if isinstance(value, Path):
        return f"{value.parent.name}/{value.stem}"
    return str(getattr(value, "name", value))
