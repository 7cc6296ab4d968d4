"""A call leaves the process as it found it, and two calls may run in two threads."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import numpy as np
import pytest
from msgspec.structs import replace

import ptxlint
from ptxlint import Contract, Report, analysis, api
from ptxlint.facts.kernel_facts import Facts

from .test_api import HEAD, OVER, TWO

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = [
    *sorted((CORPUS / "flawed").glob("*.ptx"))[5::40],
    *sorted((CORPUS / "clean").glob("*.ptx"))[3::60],
]


def state() -> dict[str, object]:
    """What belongs to the process and not to a call."""
    return {
        "gc": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.callbacks[:]),
        "numpy": np.geterr(),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "warnings": list(warnings.filters),
        "recursion": sys.getrecursionlimit(),
        "interval": sys.getswitchinterval(),
        "threads": threading.active_count(),
        "path": list(sys.path),
        "int": sys.get_int_max_str_digits(),
        "hooks": (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile()),
    }


CALLS: dict[str, Callable[[], object]] = {
    "check": lambda: ptxlint.check(HEAD + TWO, contract=OVER, pedantic=True, contracts=True),
    "infer": lambda: ptxlint.infer(HEAD + TWO),
    "kernels": lambda: ptxlint.kernels(HEAD + TWO),
    "run": lambda: ptxlint.run(HEAD + TWO, Contract(block=32, buffers={"x": 64}), checks="all"),
    "an error": lambda: ptxlint.check(HEAD + ".entry k( {}"),
}


@pytest.fixture(autouse=True)
def _nothing_is_frozen() -> None:
    """The count of frozen objects would fall with each that is freed."""
    gc.unfreeze()


@pytest.mark.parametrize("name", CALLS)
def test_the_process_is_as_before(name: str) -> None:
    with np.errstate(over="raise", invalid="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        before = state()
        CALLS[name]()
        assert state() == before


@pytest.mark.parametrize("name", CALLS)
def test_nothing_changes_meanwhile(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread would see it: the collector, which belongs to all of them."""
    for function in ("disable", "enable", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, function, lambda *_, f=function: pytest.fail(f"gc.{f} is called"))
    monkeypatch.setattr(os, "chdir", lambda *_: pytest.fail("os.chdir is called"))
    CALLS[name]()


def checked(path: Path) -> Report:
    written = path.with_suffix(".cu")
    comments = (written if written.exists() else path).read_text("utf-8")
    report = ptxlint.check(path, contract=Contract.from_comments(comments), contracts=True)
    return replace(report, seconds=0.0)


def test_threads_find_the_same_as_one_after_another() -> None:
    alone = [checked(path) for path in FILES]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(checked, FILES + FILES[::-1]))
    finally:
        sys.setswitchinterval(before)
    assert together == alone + alone[::-1]


COLD = """
import sys, threading
sys.setswitchinterval(1e-6)
import ptxlint
text = open(sys.argv[1]).read()
start, found = threading.Barrier(6), []
def call():
    start.wait()
    found.append(ptxlint.check(text).findings)
threads = [threading.Thread(target=call) for _ in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(found) == 6 and len(set(found)) == 1, found
"""


def test_the_first_calls_may_be_at_once() -> None:
    """Imports, the grammar and caches are made while all threads ask for them."""
    import subprocess

    path = CORPUS / "flawed" / "transpose_tile_32.ptx"
    done = subprocess.run(
        [sys.executable, "-c", COLD, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_solver_may_be_asked_in_two_threads() -> None:
    pytest.importorskip("z3", reason="z3 is not installed")
    text = (CORPUS / "clean" / "guard_2d_early_return.ptx").read_text("utf-8")

    def asked(_: int) -> tuple[object, ...]:
        report = ptxlint.check(text, z3=True, pedantic=True)
        return tuple(access.status for access in report.accesses)

    alone = asked(0)
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(asked, range(6))) == {alone}


def test_the_facts_of_a_kernel_are_freed_before_the_next_is_analysed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive: list[ReferenceType[Facts]] = []
    most = 0
    analyse = analysis.analyse

    def observed(*arguments: Any) -> analysis.Analysis:
        nonlocal most
        found = analyse(*arguments)
        assert found.facts is not None
        alive.append(ref(found.facts))
        most = max(most, sum(facts() is not None for facts in alive))
        return found

    monkeypatch.setattr(analysis, "analyse", observed)
    head = ".version 8.0\n.target sm_80\n.address_size 64\n"
    kernels = "".join(f".visible .entry k{i}() {{ ret; }}\n" for i in range(4))
    api.check(head + kernels)
    assert (len(alive), most) == (4, 1)


def test_a_check_without_a_run_imports_no_numpy() -> None:
    """It takes a quarter of a small check."""
    text = (CORPUS / "clean" / "saxpy_guarded.ptx").read_text("utf-8")
    program = f"import sys, ptxlint; ptxlint.check({text!r}); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
