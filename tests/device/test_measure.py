"""A measurement goes on when a launch fails, dies or hangs, with stand-ins for NVIDIA's tools."""

from __future__ import annotations

import json
import pickle
import sys
import tarfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from . import measure

DRIVER = """
import os, pickle, sys, time
path, results, *names = sys.argv[1:]
with open(results, "ab") as out:
    for name in names:
        if "dies" in name:
            os._exit(3)
        if "hangs" in name:
            time.sleep(60)
        pickle.dump((name, "CUDA_ERROR" if "fails" in name else [b"left"]), out)
        out.flush()
        if "fails" in name:
            sys.exit(1)
"""
NCU = """#!/bin/sh
test "$1" = --query-metrics && { echo idc__requests; exit; }
test "$1" = --version && { echo Version 2025.3.1.0; exit; }
echo "$@" > "$3"
"""
SANITIZER = """#!/bin/sh
echo ========= COMPUTE-SANITIZER
case "$*" in *memcheck*bad*) echo "========= Invalid __global__ read of size 4 bytes"; exit 9;; esac
"""
NAMES = ("flawed/good", "flawed/fails", "flawed/dies", "flawed/bad", "flawed/hangs", "clean/last")


class Metric:
    """A counter with a number for each of two instructions."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def num_instances(self) -> int:
        return len(self.numbers)

    def as_uint64(self, place: int | None = None) -> int:
        return sum(self.numbers) if place is None else self.numbers[place]

    def correlation_ids(self) -> Metric:
        return Metric(16, 32)


class Action:
    """A launch of two instructions: a load, and one that only has been executed."""

    metrics = {
        "inst_executed": Metric(4, 4),
        "memory_l1_wavefronts_shared": Metric(8, 0),
        "idc__requests.sum": Metric(),
    }

    def metric_by_name(self, name: str) -> Metric | None:
        return self.metrics.get(name)

    def sass_by_pc(self, place: int) -> str:
        return {16: "LDS R0, [R2]", 32: "IADD3 R0, R0, R1, RZ"}[place]

    def source_info(self, place: int) -> Any:
        return SimpleNamespace(line=lambda: 57)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {"ncu": NCU, "compute-sanitizer": SANITIZER, "driver.py": DRIVER}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    monkeypatch.setattr(measure, "DRIVER", str(tools / "driver.py"))
    monkeypatch.setattr(measure, "ENDLESS", 2.0)
    report = SimpleNamespace(load_report=lambda path: [[Action()] * len(NAMES)])
    monkeypatch.setitem(sys.modules, "ncu_report", report)
    launches = {name: {"faults": False} for name in NAMES} | {"flawed/wrong": {"faults": True}}
    (tmp_path / "corpus.launches").write_bytes(pickle.dumps({"launches": launches}))
    return tmp_path


def test_a_launch_that_fails_takes_no_other_with_it(folder: Path) -> None:
    path = folder / "corpus.launches"
    measure.run(path, time.monotonic() + 60)
    left = dict(measure.pickles(folder / "corpus.results"))
    assert list(left) == list(NAMES)
    assert [name for name, found in left.items() if found == [b"left"]] == [
        "flawed/good", "flawed/bad", "clean/last",
    ]  # fmt: skip
    assert left["flawed/fails"] == "CUDA_ERROR"
    assert left["flawed/dies"].startswith("exit 3") and left["flawed/hangs"].startswith("exit 124")


def test_counters_are_those_of_instructions_that_touch_memory(folder: Path) -> None:
    with (folder / "corpus.results").open("wb") as file:
        pickle.dump(("flawed/good", [b"left"]), file)
        pickle.dump(("flawed/fails", "CUDA_ERROR"), file)
    measure.profile(folder / "corpus.launches", time.monotonic() + 60)
    command = (folder / "corpus.0.ncu-rep").read_text()
    assert "idc__requests.sum" in command and "l1tex" not in command
    assert command.split()[-1] == "flawed/good"
    ((name, whole, lines),) = map(json.loads, (folder / "corpus.counters").read_text().splitlines())
    assert (name, whole["memory_l1_wavefronts_shared"]) == ("flawed/good", 8)
    assert lines == [
        [57, "LDS R0, [R2]", {"inst_executed": 4, "memory_l1_wavefronts_shared": 8}]
    ]  # fmt: skip


def test_what_the_sanitizers_say_is_kept(folder: Path) -> None:
    measure.sanitize(folder / "corpus.launches", time.monotonic() + 60)
    said = [*map(json.loads, (folder / "corpus.sanitizer").read_text().splitlines())]
    assert len(said) == 3 * 6
    assert [[*found[:3], found[3][-1]] for found in said if found[2]] == [
        ["flawed/bad", "memcheck", 9, "Invalid __global__ read of size 4 bytes"]
    ]


def test_of_launches_that_ran_together_each_is_told_where_one_is_wrong(folder: Path) -> None:
    names = [f"clean/{word}" for word in ("one", "bad", "other")]
    launches = {"launches": {name: {"faults": False} for name in (*names, "clean/unrun")}}
    (folder / "corpus.launches").write_bytes(pickle.dumps(launches))
    with (folder / "corpus.results").open("wb") as file:
        for name in names:
            pickle.dump((name, [b"left"]), file)
    measure.sanitize(folder / "corpus.launches", time.monotonic() + 60)
    said = [*map(json.loads, (folder / "corpus.sanitizer").read_text().splitlines())]
    assert [found[:3] for found in said] == [
        [name, tool, 9 if (name, tool) == ("clean/bad", "memcheck") else 0]
        for tool in measure.TOOLS
        for name in names
    ]


def test_a_step_that_breaks_is_told_and_the_rest_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = ((measure.run, "missing.launches", 1), (measure.printed("this"), "this.txt", 30))
    monkeypatch.setattr(measure, "STEPS", steps)
    measure.main(folder)
    assert "run missing.launches: ValueError" in capsys.readouterr().out
    with tarfile.open(folder / "measured.tar.gz") as measured:
        text = measured.extractfile("this.txt")
        assert text is not None and b"Beautiful is better than ugly" in text.read()
