"""What the documents promise: the demonstration's output, the test command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxlint.cli import called_with
from ptxlint.cli.demo import LAUNCH

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_readme_shows_what_the_demonstration_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "ptxlint" / "demo")
    assert called_with(["demo"]) == 0
    command, report = capsys.readouterr().out.split("\n\n", 1)
    example = README.split("```console\n")[1].split("```")[0]
    shown = example.index("transpose.cu:")
    words = example[:shown].replace("\\\n", " ").split()
    assert " ".join(words) == command == f"$ ptxlint {LAUNCH} transpose.ptx"
    seconds = re.compile(r"[\d.]+ s$")
    assert seconds.sub("", example[shown:].rstrip()) == seconds.sub("", report.rstrip())


def test_the_readme_shows_what_an_undeclared_launch_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    command, shown = README.split("```console\n$ ptxlint ")[2].split("```")[0].split("\n", 1)
    assert called_with(command.split()) == 0
    seconds = re.compile(r"[\d.]+ s$")
    assert seconds.sub("", shown.rstrip()) == seconds.sub("", capsys.readouterr().out.rstrip())


def test_the_demonstration_declares_what_its_source_says() -> None:
    source = (ROOT / "ptxlint" / "demo" / "transpose.cu").read_text()
    launch = re.search(r"// launch: (.*)\n// params: (.*)\n", source)
    assert launch is not None
    assert f"--params {launch[2]} {launch[1]}" == LAUNCH


def test_continuous_integration_finds_one_command() -> None:
    assert len(re.findall(r"-m pytest$", README, re.MULTILINE)) == 1
