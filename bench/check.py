"""What does a check of real code cost and find?

``python -m bench.check [--stages | --seeds] FILE|FOLDER ...``

``python -m bench.real_code FOLDER`` builds the files that are measured. This runs
``ptxlint check`` with nothing declared on each PTX file, as one command, and prints its errors and
warnings, the processor seconds that it took, the ratio to ``ptxas -O3`` on the same file (where
that is found), its peak memory, and the seconds of the same command ``again``, with the results of
the first in its cache. Each error in third-party code is reviewed: it is a defect of that code, or
a false alarm. The last line has the sums, and the median and the worst ratio.
``--stages`` prints the processor seconds of each stage instead (``bench.stages``). ``--seeds`` runs
each file under several hash seeds and names those whose output differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.stages import STAGES

SEEDS = ("0", "1", "2")
HEAD = f"{'errors':>6} {'warnings':>8} {'notes':>5} {'CPU s':>8} {'x ptxas':>7} {'MB':>5}"


@dataclass(frozen=True)
class Command:
    """The outcome of a command: its output, the processor seconds, and the peak memory in bytes."""

    code: int
    output: str
    seconds: float
    memory: int

    @staticmethod
    def of(words: Sequence[str], seed: str = "0") -> Command:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True) as process:
            assert process.stdout is not None
            output = process.stdout.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        return Command(process.returncode, output, seconds, used.ru_maxrss * 1024)


def checked(path: Path, seed: str = "0", cache: str | None = None) -> Command:
    """A check in one process, since two beside each other take more processor time; with the
    results in a folder, or without any."""
    kept = ["--no-cache"] if cache is None else ["--cache-dir", cache]
    words = ["check", "--jobs", "1", "--output-format", "json", *kept, str(path)]
    return Command.of([sys.executable, "-m", "ptxlint", *words], seed)


def assembled(path: Path) -> float | None:
    """The seconds of ``ptxas -O3``; None if it is not found or refuses the file."""
    ptxas = shutil.which("ptxas")
    target = re.search(r"^\.target\s+(\w+)", path.read_text("utf-8"), re.MULTILINE)
    if ptxas is None or target is None:
        return None
    done = Command.of([ptxas, "-O3", f"-arch={target[1]}", "-o", os.devnull, str(path)])
    return None if done.code else done.seconds


def row(path: Path) -> tuple[float, float, float | None]:
    """Prints the row of a file; the seconds of the check, of one again, and of ptxas."""
    with TemporaryDirectory() as folder:
        done, again = (checked(path, cache=folder) for _ in range(2))
    other = assembled(path)
    report: dict[str, Any] = json.loads(done.output)
    found = Counter(finding["severity"] for finding in report["findings"])
    refused = [d["message"] for d in report.get("diagnostics", ()) if d["severity"] == "error"]
    ratio = f"{done.seconds / other:7.1f}" if other else f"{'-':>7}"
    figures = f"{found['error']:>6} {found['warning']:>8} {found['note']:>5} {done.seconds:>8.2f}"
    said = f"  refused: {refused[0]}" if refused else ""
    more = f"{done.memory >> 20:>5} {again.seconds:>6.2f}"
    print(f"{figures} {ratio} {more}  {path.name}{said}", flush=True)
    return done.seconds, again.seconds, other


def table(paths: Iterator[Path]) -> None:
    print(f"{HEAD} {'again':>6}  file")
    rows = [(own, again, other) for own, again, other in map(row, paths) if other]
    if rows:
        ratios = [own / other for own, _, other in rows]
        own, again, other = (sum(column) for column in zip(*rows, strict=True))
        print(
            f"sum of {len(rows)} files: {own:.1f} s, ptxas {other:.1f} s, ratio {own / other:.2f};"
            f" median ratio {statistics.median(ratios):.2f}, worst {max(ratios):.1f};"
            f" again: {again:.1f} s, ratio {again / other:.2f}"
        )


def stages(paths: Iterator[Path]) -> None:
    """Prints the seconds of each stage, by file and in sum."""
    print(*(f"{stage:>10}" for stage in STAGES), "    MB  file", sep="")
    total = dict.fromkeys(STAGES, 0.0)
    for path in paths:
        done = Command.of([sys.executable, "-m", "bench.stages", str(path)])
        found = json.loads(done.output)
        for stage in STAGES:
            total[stage] += found["seconds"][stage]
        figures = "".join(f"{found['seconds'][stage]:10.2f}" for stage in STAGES)
        print(f"{figures} {found['peak'] >> 20:>5}  {path.name}", flush=True)
    whole = sum(total.values()) or 1
    print("".join(f"{seconds:10.2f}" for seconds in total.values()), "  sum", sep="     ")
    print("".join(f"{seconds / whole:10.0%}" for seconds in total.values()), "  share", sep="     ")


def differing(path: Path) -> bool:
    """True if the output depends on the hash seed."""
    outputs = {re.sub(r'"seconds": [\d.]+', "", checked(path, seed).output) for seed in SEEDS}
    return len(outputs) > 1


def files(names: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, names):
        yield from sorted(path.glob("*.ptx")) if path.is_dir() else (path,)


def main() -> None:
    parser = argparse.ArgumentParser(description="checks real code with nothing declared")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--seeds", action="store_true")
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args()
    if options.seeds:
        different = [path for path in files(options.paths) if differing(path)]
        for path in different:
            print(f"depends on the hash seed: {path}")
        sys.exit(bool(different))
    (stages if options.stages else table)(files(options.paths))


if __name__ == "__main__":
    main()
