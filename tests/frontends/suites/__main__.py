"""Prints the figures of a front end: ``python -m tests.frontends.suites cupy``"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

from tests.frontends.suites.case import Figures, lines_of

warnings.simplefilter("ignore")
for name in sys.argv[1:] or ["cupy", "numba", "triton"]:
    suite = import_module(f"tests.frontends.suites.{name}_kernels")
    print(f"{name}: {Figures.of(suite.CASES)}")
    found = list(suite.defects())
    print(f"{name}: {len(found)} defects; at another line: {', '.join(lines_of(found)) or 'none'}")
