"""The recorded floors of precision: a domain may grow more precise, never less.

``python -m tests.oracle --record`` writes them anew, rounded down.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path

PLACE = Path(__file__).parent / "precision.toml"
HEADER = """\
# Ideal size / actual size of each operator's results, averaged; written by
#     python -m tests.oracle --record
# The oracle fails where an operator falls below.
"""


def record(measured: Mapping[str, Mapping[str, float]]) -> None:
    lines = [HEADER]
    for domain, operators in measured.items():
        lines.append(f"[{domain}]")
        for operator, precision in operators.items():
            lines.append(f'"{operator}" = {math.floor(precision * 1000) / 1000:.3f}')
        lines.append("")
    PLACE.write_text("\n".join(lines), encoding="utf-8")


def floors() -> dict[str, dict[str, float]]:
    return tomllib.loads(PLACE.read_text(encoding="utf-8"))
