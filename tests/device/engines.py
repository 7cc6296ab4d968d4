"""``python -m tests.device engines FILE``: our engines on the device of this machine, in less than
ten minutes. FILE, JSON, gets for every kernel of the package

* whether the device leaves the interpreter's bits in a small launch, else how far apart words are;
* the time of a large launch, with the bytes of its buffers a second, beside the rate at which the
  device fills memory, which none of them can exceed if each byte is touched once;
* whether the driver says as we do how many blocks a multiprocessor holds, for each size of block;
* where ncu and ptxas are found, the sectors and wavefronts of each access that the device counts
  otherwise than the interpreter predicts, and how many lines could be compared.

It needs the driver alone. On a machine without a device it says so in one line; the exit code is 2.
"""

from __future__ import annotations

import ctypes
import json
import pickle
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from analyses.traffic.occupancy import occupancy
from ptxlint.contracts.declaration import ContractError

from . import measure
from .counts import DIFFERENT, EQUAL, comparisons
from .driver import Driver, DriverError
from .launches import Case, assembled, lined, ours, packed
from .ours import LARGE
from .record import apart, kept

TIMING = str(Path(__file__).with_name("timing.py"))
SECONDS = {"bits": 60, "times": 120, "counters": 240}
"""What each step may take; the rest of ten minutes is the interpreter's."""

Report = dict[str, dict[str, Any]]
"""What is said of each kernel."""


def written(path: Path, cases: Iterable[Case]) -> dict[str, Case]:
    """Writes the launches of cases as the driver wants them, and gives the cases by name. Without
    ptxas the driver assembles the PTX, and accesses have no lines."""
    given: dict[str, dict[str, Any]] = {"images": {}, "launches": {}}
    found: dict[str, Case] = {}
    for case in cases:
        try:
            launch = packed(case)
        except ContractError as error:
            print(f"left out: {case.name}: {error}")
            continue
        found[case.name] = case
        given["launches"][case.name] = {**launch, "faults": False}
        image = assembled(lined(case.text)) if shutil.which("ptxas") else f"{case.text}\0".encode()
        given["images"][case.name] = image
    path.write_bytes(pickle.dumps(given))
    return found


def bits(case: Case, left: list[bytes] | str) -> str:
    """How the buffers of a device differ from the interpreter's."""
    if isinstance(left, str):
        return left
    expected = case.left(case.interpreted())
    pairs = enumerate(zip(left, expected, strict=True))
    far = ((k, apart(kept(one, other), other)) for k, (one, other) in pairs)
    return "; ".join(f"buffer {k}: {said}" for k, said in far if said) or "equal"


def blocks(found: dict[str, Any]) -> str:
    """Where the driver holds another number of blocks than the calculator says."""
    other = []
    for threads, resident in found["resident"].items():
        capability = tuple(found["capability"])
        ours = occupancy(capability, threads, found["registers"], found["shared"]).blocks
        if ours != resident:
            other.append(f"{threads} threads: {resident}, not {ours}")
    return "; ".join(other) or "as predicted"


def speed(found: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds; bytes a second, and as a part of what a fill reaches."""
    rate = found["bytes"] / found["seconds"] if found["seconds"] else 0.0
    part = rate / found["fill_rate"] if found["fill_rate"] else 0.0
    return {
        "ms": 1e3 * found["seconds"], "GB/s": rate / 1e9, "of_fill": part,
        "registers": found["registers"], "blocks": blocks(found),
    }  # fmt: skip


def measured(folder: Path) -> Report:
    """Runs everything on the device."""
    small, large = folder / "small.launches", folder / "large.launches"
    cases = written(small, ours())
    written(large, ours(LARGE))
    steps: list[tuple[str, Callable[[float], None]]] = [
        ("bits", lambda end: measure.run(small, end)),
        ("times", lambda end: measure.run(large, end, TIMING)),
    ]
    if shutil.which("ncu") and shutil.which("ptxas"):
        steps.append(("counters", lambda end: measure.profile(small, end)))
    for name, step in steps:
        began = time.monotonic()
        step(began + SECONDS[name])
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return reported(folder, cases)


def reported(folder: Path, cases: dict[str, Case]) -> Report:
    """What was measured in the folder, held against the interpreter and the analysis."""
    report: Report = {name: {} for name in cases}
    for name, left in measure.pickles(folder / "small.results"):
        report[name]["bits"] = bits(cases[name], left)
    for name, found in measure.pickles(folder / "large.results"):
        report[name] |= {"error": found} if isinstance(found, str) else speed(found)
    counters = folder / "small.counters"
    for line in counters.read_text().splitlines() if counters.exists() else ():
        name, _, rows = json.loads(line)
        found = list(comparisons(cases[name], rows))
        compared = sum(each.outcome in (EQUAL, DIFFERENT) for each in found)
        report[name] |= {
            "counters": [said for each in found for said in each.said] or "as predicted",
            "compared": f"{compared} of {len(found)} lines",
        }
    return report


def lines(report: Report) -> Iterator[str]:
    """The report as a table."""
    for name, found in report.items():
        timed = "not timed"
        if "ms" in found:
            timed = "{ms:9.3f} ms {GB/s:8.1f} GB/s, {of_fill:6.1%} of a fill".format(**found)
        yield f"{name:40} {timed}; bits {found.get('bits', 'not run')}"
        counters = found.get("counters", "not counted")
        if isinstance(counters, list):
            yield from (f"    {line}" for line in counters)
        if found.get("blocks", "as predicted") != "as predicted":
            yield f"    blocks: {found['blocks']}"


def main(path: Path, library: str = "libcuda.so.1") -> int:
    try:
        Driver(ctypes.CDLL(library))
    except (OSError, DriverError) as error:
        print(f"no device: {error}", file=sys.stderr)
        return 2
    with TemporaryDirectory() as folder:
        report = measured(Path(folder))
    text = json.dumps({**measure.device(), "kernels": report}, indent=1)
    path.write_text(f"{text}\n", "utf-8")
    print(*lines(report), sep="\n")
    return 0
