"""Where the texts of sources are looked for, what is believed of the paths in PTX, and that the
line is named without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ptxlint.reports import render
from ptxlint.reports.view import View
from ptxlint.results.report import Report
from ptxlint.source import Source
from ptxlint.source_files import SourceFiles, tails_of

from .conftest import CUDA, PTX, Checked
from .test_reports import everything

ELSEWHERE = PTX.replace("FOLDER/two.cu", "/home/somebody/project/src/two.cu")


def where(report: Report) -> str:
    return report.findings[0].location.path


@pytest.mark.parametrize(
    "place", ["out/two.cu", "two.cu", "src/two.cu", "../two.cu", "../src/two.cu"]
)
def test_a_source_is_found(
    checked: Checked, folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Beside the PTX, in the current folder, at the root of the repository; with folders of the
    path that the PTX has, and without."""
    here = folder / "here"
    (here / "out").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "two.cu").unlink()
    monkeypatch.chdir(here)
    path = here / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(CUDA)
    report = checked(everything, path="out/two.ptx", ptx=ELSEWHERE)
    assert Path(where(report)).resolve() == path.resolve()
    assert not Path(where(report)).is_absolute()


def test_a_source_below_the_current_folder_is_named_from_there(
    checked: Checked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole path of ``.file`` leads to it from the root of the repository, too."""
    (folder / ".git").mkdir()
    here = folder / "project" / "src"
    here.mkdir(parents=True)
    (folder / "two.cu").rename(here / "two.cu")
    monkeypatch.chdir(here)
    assert where(checked(everything, ptx=ELSEWHERE)) == "two.cu"


def test_folders_can_be_named(checked: Checked, folder: Path) -> None:
    (folder / "two.cu").rename(folder / "x.cu")
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "two.cu").write_text(CUDA)
    files = SourceFiles([Source("two.ptx", ELSEWHERE)], folders=["deep/er"])
    found = files.find("two.ptx", "/home/somebody/project/src/two.cu")
    assert found is not None and found.path == "deep/er/two.cu"


def test_the_longest_part_of_the_path_counts(folder: Path) -> None:
    for name in ("a/k.cu", "b/k.cu", "k.cu"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    files = SourceFiles()
    texts = [files.find("k.ptx", f"C:\\work\\{name}") for name in ("b\\k.cu", "a\\k.cu", "c\\k.cu")]
    assert [text and text.text for text in texts] == ["b/k.cu", "a/k.cu", "k.cu"]


def test_without_its_text_the_line_is_named_and_the_ptx_is_shown(
    checked: Checked, folder: Path
) -> None:
    (folder / "two.cu").unlink()
    report = checked(everything)
    assert "two.cu:3:5: error[out-of-bounds]" in render(report, "concise")
    text = render(report, "full", View(files=SourceFiles([Source("two.ptx", PTX)])))
    assert "ld.global.f32 %f1, [%rd4];\n   | \t^^^" in text.replace("    ^", "\t^")


def test_lines_that_nvcc_embeds_are_quoted(checked: Checked, folder: Path) -> None:
    (folder / "two.cu").unlink()
    line = "\t.loc 1 3 5"
    ptx = PTX.replace(line, "//two.cu:2 {\n//two.cu:3     return p[i] * 2.0f;\n" + line)
    files = SourceFiles([Source("two.ptx", ptx)])
    assert where(checked(everything, ptx=ptx)) == "two.cu"
    found = files.find("two.ptx", "FOLDER/two.cu")
    assert found is not None and found.line_text(3) == "    return p[i] * 2.0f;"


@pytest.mark.parametrize(
    ("path", "tails"),
    [
        ("/a/b.cu", [("a", "b.cu"), ("b.cu",)]),
        ("..\\..\\x\\b.cu", [("x", "b.cu"), ("b.cu",)]),
        ("a/../../etc/passwd", [("etc", "passwd"), ("passwd",)]),
        ("a/..", []),
        ("", []),
        ("x\0y", []),
    ],
)
def test_a_path_leads_downwards_only(path: str, tails: list[tuple[str, ...]]) -> None:
    assert tails_of(path) == tails


def test_neither_links_out_of_the_tree_nor_pipes_are_read(folder: Path) -> None:
    outside = folder / "outside"
    outside.mkdir()
    (outside / "secret.cu").write_text("secret")
    here = folder / "here"
    (here / "src").mkdir(parents=True)
    (here / "src" / "link").symlink_to(outside)
    (here / "file.cu").symlink_to(outside / "secret.cu")
    os.mkfifo(here / "pipe.cu")
    os.chdir(here)
    files = SourceFiles()
    for path in ("src/link/secret.cu", "file.cu", "pipe.cu", "/etc/passwd", "/dev/zero"):
        assert files.find("k.ptx", path) is None, path
    assert {problem.severity for problem in files.problems} == {"note"}
