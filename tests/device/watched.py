"""Launches of a front end on the device of this machine, watched: ``python -m tests.device.watched
NAME FILE``, NAME is ``cupy``, ``numba`` or ``triton``.

FILE, JSON, gets for each kernel of the suite whether the device leaves what numpy computes, how
many accesses the watch decides of how many, and what it finds; for all of them how many differ from
a check without a device. Arrays are CuPy's, for Triton tensors of PyTorch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ptxlint.results.report import Report
from tests.frontends.suites.case import Case

DECIDED = ("proved", "flagged")


def there_and_back(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """What puts an array on the device, and what fetches it."""
    if name == "triton":
        import torch

        return lambda array: torch.from_numpy(array).cuda(), lambda tensor: tensor.cpu().numpy()
    import cupy

    return cupy.asarray, cupy.asnumpy


def states(report: Report) -> list[tuple[int, str, str]]:
    """Of each access its line, its kind and whether it is decided."""
    return [(a.location.line, a.access.kind, a.status.value) for a in report.accesses]


def watched(name: str, case: Case) -> dict[str, Any]:
    front_end: Any = import_module(f"ptxlint.{name}")
    there, back = there_and_back(name)
    arrays = [there(v) if isinstance(v, np.ndarray) else v for v in case.arguments()]
    with front_end.watch(on_finding="ignore") as watch:
        case.launch(arrays)
    left = [back(v) if hasattr(v, "shape") and v.shape else v for v in arrays]
    (report,) = watch.check()
    found = states(report)
    return {
        "equal": case.computed(left),
        "accesses": len(found),
        "decided": sum(state in DECIDED for *_, state in found),
        "as without a device": found == states(case.check(case.arguments())),
        "found": [str(f) for f in report.findings if f.severity.value == "error"],
        "skipped": watch.skipped,
        "site": [launch.site for launch in watch.launches],
    }


def main(name: str, path: Path) -> None:
    suite = import_module(f"tests.frontends.suites.{name}_kernels")
    told: dict[str, Any] = {}
    for case in suite.CASES:
        try:
            told[case.name] = watched(name, case)
        except Exception as error:  # the others go on
            told[case.name] = {"error": f"{type(error).__name__}: {error}"[:400]}
        path.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    ran = [one for one in told.values() if "error" not in one]
    print(
        f"{name}: {len(told)} kernels, {len(ran)} ran, {sum(o['equal'] for o in ran)} as numpy,"
        f" {sum(o['decided'] for o in ran)} of {sum(o['accesses'] for o in ran)} accesses decided,"
        f" {sum(not o['as without a device'] for o in ran)} otherwise than without a device,"
        f" {sum(bool(o['found']) for o in ran)} false alarms"
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
