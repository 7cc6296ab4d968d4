"""Writes the PTX of a kernel, and a record of two launches: a wrong one and a right one."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

import ptxlint.numba
import ptxlint.triton
from ptxlint.contracts.records import RecordedLaunch, text_of

HERE = Path(__file__).parent
COUNT = 1000
SIZES = (COUNT, COUNT + 1)
"""Elements of the array that is read: one too few, and enough."""


def main(name: str) -> None:
    shift = import_module(f"tests.frontends.recorded.{name}_shift").shift
    launches = []
    for size in SIZES:
        args = np.zeros(size, np.float32), np.zeros(COUNT, np.float32), COUNT
        if name == "numba":
            loaded, launch = ptxlint.numba.captured(shift, args, ((4, 1, 1), (256, 1, 1), 0))
        else:
            loaded, launch = ptxlint.triton.Call(shift, args, {"BLOCK": 256}).captured((4,))
        launches.append(RecordedLaunch(loaded.kernel.name, launch, f"{size} elements"))
    text = re.sub(r'(\.file\s+\d+\s+")[^"]*/', r"\1", loaded.source.text)
    text = re.sub(r"^\s*\.section.*", "", text, flags=re.S | re.M)
    (HERE / f"{name}_shift.ptx").write_text(text.rstrip() + "\n")
    (HERE / f"{name}_shift.jsonl").write_text(text_of(launches))


main(sys.argv[1])
