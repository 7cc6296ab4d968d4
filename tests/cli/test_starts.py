"""The pages that a reader follows: each command prints what its page shows, in a folder with the
files of the page and of the demonstration."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, REPORT_NDIFF, Example, OutputChecker
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from shutil import copytree

import pytest

from ptxlint.cli import called_with
from ptxlint.extraction.cuda import nvrtc_library

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
NAMED = re.compile(r"(?://|#) ([\w.-]+)\n")
PYTEST = ("-m", "pytest", "-p", "ptxlint.integrations.pytest_plugin", "-p", "no:cacheprovider")
SECONDS = re.compile(r"\d+\.\d s$", re.M)
NEEDED = {"from numba": "numba", "import triton": "triton", "ElementwiseKernel": "cupy"}
"""What a program imports, by a word that it has."""
PAGES = sorted(
    page.relative_to(DOCS).as_posix()
    for page in DOCS.rglob("*.md")
    if re.search(r"^\$ (ptxlint|pytest|python) ", page.read_text("utf-8"), re.M)
)


def blocks(page: str) -> list[tuple[str, str]]:
    """The code blocks of a page, each with its language."""
    return [(found[1], found[2]) for found in BLOCK.finditer((DOCS / page).read_text("utf-8"))]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The command lines of a console, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, printed = part.replace("\\\n", " ").partition("\n")
        yield command, printed


def check(command: str, printed: str, said: str) -> None:
    checker, shown = OutputChecker(), SECONDS.sub("0.0 s", printed)
    if not checker.check_output(shown, said, ELLIPSIS):
        pytest.fail(
            f"$ {command}\n{checker.output_difference(Example('', shown), said, REPORT_NDIFF)}"
        )


def test_there_are_pages_to_follow() -> None:
    assert {"start/nvcc.md", "concepts.md", "ci.md"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_is_printed(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    every = blocks(page)
    files = {named[1]: text for _, text in every if (named := NAMED.match(text))}
    compiler = nvrtc_library() or shutil.which("nvcc")
    if any(name.endswith(".cu") for name in files) and not compiler:
        pytest.skip("no compiler for CUDA C")
    if "$ ptxlint report" in (DOCS / page).read_text("utf-8"):
        pytest.importorskip("jinja2")
    copytree(DOCS.parent / "ptxlint" / "demo", tmp_path, dirs_exist_ok=True)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    absent: list[str] = []
    for command, printed in (
        each for kind, text in every if kind == "console" for each in commands(text)
    ):
        line, _, file = command.partition(" > ")
        program, *words = shlex.split(line)
        if program == "ptxlint":
            called_with(words)
            said = SECONDS.sub("0.0 s", capsys.readouterr().out)
            if file:
                Path(file).write_text(said)
            check(command, printed, "" if file else said)
        elif program == "python" and (missing := missing_for(files[words[0]])):
            absent += missing
        elif program == "python":
            monkeypatch.syspath_prepend(tmp_path)
            run_path(words[0], run_name="__main__")
            check(command, printed, SECONDS.sub("0.0 s", capsys.readouterr().out))
        elif program == "pytest":
            run_pytest(words, printed)
    if absent:
        pytest.skip(f"the rest of the page holds; not installed: {', '.join(absent)}")


def missing_for(program: str) -> list[str]:
    """What a program needs that is not installed."""
    return [name for word, name in NEEDED.items() if word in program and find_spec(name) is None]


@pytest.mark.parametrize("page", ["configuration.md"])
def test_a_configuration_on_a_page_is_right(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = [text for kind, text in blocks(page) if kind == "toml"]
    (tmp_path / "ptxlint.toml").write_text(shown)
    monkeypatch.chdir(tmp_path)
    assert called_with(["config"]) == 0
    assert "# ptxlint.toml" in capsys.readouterr().out


def run_pytest(words: list[str], printed: str) -> None:
    """In a process of its own, with the plug-in alone."""
    path = os.pathsep.join([str(DOCS.parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, *PYTEST, *words]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    check(" ".join(["pytest", *words]), printed, SECONDS.sub("0.0 s", ran.stdout + ran.stderr))
