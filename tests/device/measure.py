"""Measures the device of this machine: ``python measure.py FOLDER``, in less than ten minutes.

FOLDER holds the launches that ``python -m tests.device prepare FOLDER`` wrote. Each step keeps what
it has when a launch fails: its context is gone, and the rest goes on in a new process. What was
measured is laid into FOLDER as ``measured.tar.gz`` too. It needs the driver, Nsight Compute and
compute-sanitizer; the steps ``engine`` and ``speed`` need CuPy and this project's packages as well.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path
from typing import Any

DRIVER = str(Path(__file__).with_name("driver.py"))
ROOT = Path(__file__).parents[2]
REPORTER = "/opt/nvidia/nsight-compute/*/extras/python"  # where the package ncu_report lies
REPORT = 40  # launches of one report
TOGETHER = 250  # launches of one process
ENDLESS = 20.0  # seconds of these
EXECUTED = ("inst_executed", "thread_inst_executed_true")
OF_INSTRUCTIONS = (
    *EXECUTED, "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal", "memory_l2_theoretical_sectors_local",
    "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
)  # fmt: skip
OF_KERNELS = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "idc__requests.sum",
)
ENGINE = ("pytest", "-q", "-rs", "tests/kernels/test_generators.py", "tests/kernels/test_normal.py",
          "tests/kernels/test_estimators.py", "tests/kernels/test_price.py")  # fmt: skip
TOOLS = ("memcheck", "racecheck", "synccheck")
SANITIZED = 20  # launches of one process under a sanitizer
HANGING = 15.0  # seconds of a launch under a sanitizer, most of which are the tool's start


def output_of(command: Sequence[str], seconds: float) -> tuple[int, str]:
    """The exit code, 124 if it took too long, and what it printed."""
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "ENGINE": "cupy"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as missing:
        return 127, str(missing)
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def pickles(path: Path) -> Iterator[Any]:
    if path.exists():
        with path.open("rb") as file:
            while True:
                try:
                    yield pickle.load(file)
                except EOFError:
                    return


def launches(path: Path) -> dict[str, Any]:
    (given,) = pickles(path)
    found: dict[str, Any] = given["launches"]
    return found


def run(path: Path, end: float, program: str = "") -> None:
    """Runs each launch without a fault by a program, the driver's if none is named; a launch that
    does not end is recorded as such."""
    results = path.with_suffix(".results")
    names = [name for name, launch in launches(path).items() if not launch["faults"]]
    while (left := names[len(dict(pickles(results))) :]) and time.monotonic() < end:
        command = [sys.executable, program or DRIVER, str(path), str(results), *left[:TOGETHER]]
        code, text = output_of(command, ENDLESS)
        after = names[len(dict(pickles(results))) :]
        if after and (code == 124 or after == left):
            with results.open("ab") as file:
                pickle.dump((after[0], f"exit {code}: {text[-300:]}"), file)


# --- counters


def profile(path: Path, end: float) -> None:
    """The counters of each launch that ran, a line of JSON each."""
    results = dict(pickles(path.with_suffix(".results")))
    names = [name for name in launches(path) if isinstance(results.get(name), list)]
    code, text = output_of(["ncu", "--query-metrics"], 60)
    there = set(re.findall(r"^\w+", text, re.MULTILINE))
    whole = [m for m in OF_KERNELS if code or m.partition(".")[0] in there]
    for first in range(0, len(names), REPORT):
        chunk, report = names[first : first + REPORT], path.with_suffix(f".{first}.ncu-rep")
        metrics = ",".join([*OF_INSTRUCTIONS, *whole])
        code, text = output_of(
            ["ncu", "-f", "-o", str(report), "--metrics", metrics, "--clock-control", "none",
             "--cache-control", "none", sys.executable, DRIVER, str(path), "/dev/null", *chunk],
            max(1.0, end - time.monotonic()),
        )  # fmt: skip
        if code:
            print(path.stem, first, "ncu:", code, text[-1500:])
        if not report.exists():
            return
        with path.with_suffix(".counters").open("a") as out:
            for name, counters in zip(chunk, counters_of(report), strict=False):
                out.write(json.dumps([name, *counters]) + "\n")


def counters_of(report: Path) -> Iterator[tuple[dict[str, int], list[Any]]]:
    """For each launch the counters of the kernel, and those of its instructions with their lines
    and texts, but for those that only have been executed."""
    sys.path += [place for place in glob(REPORTER) if place not in sys.path]
    import ncu_report  # type: ignore[import-not-found]

    for part in ncu_report.load_report(str(report)):
        for action in part:
            found = {name: metric(action, name) for name in (*OF_INSTRUCTIONS, *OF_KERNELS)}
            rows: dict[int, dict[str, int]] = {}
            for name in OF_INSTRUCTIONS:
                own = found[name]
                for i in range(own.num_instances() if own is not None else 0):
                    place = own.correlation_ids().as_uint64(i)
                    rows.setdefault(place, {})[name] = own.as_uint64(i)
            lines = []
            for place, row in sorted(rows.items()):
                if any(value for name, value in row.items() if name not in EXECUTED):
                    source = action.source_info(place)
                    lines.append([source.line() if source else 0, action.sass_by_pc(place), row])
            yield {n: own.as_uint64() for n, own in found.items() if own is not None}, lines


def metric(action: Any, name: str) -> Any:
    try:
        return action.metric_by_name(name)
    except (KeyError, ValueError):
        return None


# --- the rest


def sanitize(path: Path, end: float) -> None:
    """A line of JSON for each tool and launch, of the flawed ones and those that ran: what the tool
    says. Launches for which no time is left have none."""
    results = dict(pickles(path.with_suffix(".results")))
    flawed = [name for name in launches(path) if name.startswith("flawed/")]
    ran = [name for name, left in results.items() if isinstance(left, list) and name not in flawed]
    groups = [ran[i : i + SANITIZED] for i in range(0, len(ran), SANITIZED)]

    def told(job: tuple[str, list[str]]) -> str:
        """Launches of one process; each has one of its own where the tool finds anything."""
        tool, names = job
        if time.monotonic() > end:
            return ""
        more = ["--racecheck-report", "all"] * (tool == "racecheck")
        code, text = output_of(
            ["compute-sanitizer", "--tool", tool, *more, "--print-limit", "4", "--error-exitcode",
             "9", sys.executable, DRIVER, str(path), "/dev/null", *names], HANGING + len(names),
        )  # fmt: skip
        if code and len(names) > 1:
            return "".join(told((tool, [name])) for name in names)
        lines = re.findall(r"^=+ ?(.*\S)", text, re.MULTILINE)
        kept = [line.strip() for line in lines if "Frame" not in line and "backtrace" not in line]
        return "".join(json.dumps([name, tool, code, kept[:12]]) + "\n" for name in names)

    jobs = [(tool, names) for tool in TOOLS for names in (*groups, *([name] for name in flawed))]
    with ThreadPoolExecutor(12) as pool, path.with_suffix(".sanitizer").open("w") as out:
        for lines in pool.map(told, jobs):
            out.write(lines)


def printed(*command: str) -> Callable[[Path, float], None]:
    """A step that keeps what a command of Python prints."""

    def step(path: Path, end: float) -> None:
        _, text = output_of([sys.executable, "-m", *command], max(1.0, end - time.monotonic()))
        path.write_text(text)
        print(text[-2000:])

    return step


def device() -> dict[str, str]:
    """What is measured, and by which tools."""
    gpu = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 60)[
        1
    ]
    name, _, driver = gpu.strip().partition(", ")
    tools = {tool: output_of([tool, "--version"], 60)[1] for tool in ("ncu", "compute-sanitizer")}
    found = {tool: re.search(r"\d+\.\d+[.\d]*", text) for tool, text in tools.items()}
    return {"device": name, "driver": driver, **{t: v[0] for t, v in found.items() if v}}


STEPS: tuple[tuple[Callable[[Path, float], None], str, int], ...] = (
    (run, "corpus.launches", 30), (run, "ours.launches", 15), (run, "access.launches", 15),
    (run, "random.launches", 30), (run, "isa.launches", 40), (run, "folded.launches", 10),
    (profile, "access.launches", 60), (profile, "corpus.launches", 100),
    (profile, "ours.launches", 30), (sanitize, "corpus.launches", 140),
    (printed(*ENGINE), "engine.txt", 70), (printed("bench.device"), "speed.txt", 40),
)  # fmt: skip
"""What is done, with which files, in at most so many seconds."""


def main(folder: Path) -> None:
    (folder / "device.json").write_text(json.dumps(device()))
    for step, name, seconds in STEPS:
        began = time.monotonic()
        try:
            step((folder / name).resolve(), began + seconds)
        except Exception as error:  # the other steps go on
            print(f"{step.__name__} {name}: {error!r}")
        print(f"{step.__name__} {name}: {time.monotonic() - began:.0f} s", flush=True)
        with tarfile.open(folder / "measured.tar.gz", "w:gz") as all_:
            for path in sorted(folder.iterdir()):
                if path.suffix in (".results", ".counters", ".sanitizer", ".json", ".txt"):
                    all_.add(path, path.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
