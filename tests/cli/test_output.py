"""Reports in files: whole or not at all, several at once."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ptxlint.cli.output import Refusal, write_file
from tests.cli.conftest import Ptxlint
from tests.cli.test_configuration import KERNEL


@pytest.fixture
def ptx(tmp_path: Path) -> Path:
    path = tmp_path / "k.ptx"
    path.write_text(KERNEL.replace("DIRECTIVE", ""))
    return path


def test_the_report_goes_to_a_file(ptxlint: Ptxlint, ptx: Path) -> None:
    shown = ptxlint("k.ptx", "--output-format", "gitlab").out
    result = ptxlint("k.ptx", "--output-format", "gitlab", "--output", "out.json")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert Path("out.json").read_text() == shown
    assert sorted(path.name for path in Path().iterdir()) == ["k.ptx", "out.json"]


def test_several_files_are_written_beside_the_usual_output(ptxlint: Ptxlint, ptx: Path) -> None:
    result = ptxlint("k.ptx", "--output", "sarif=a.sarif", "--output", "junit=b.xml")
    assert "1 of 1 kernel" in result.out
    assert json.loads(Path("a.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.parse("b.xml").getroot().tag == "testsuites"


def test_what_cannot_be_written_is_refused_before_the_check(ptxlint: Ptxlint) -> None:
    """The PTX is not even looked for."""
    assert ptxlint("no.ptx", "--output", "gone/a.json").err == (
        "ptxlint: --output gone/a.json: there is no folder gone\n"
    )
    assert ptxlint("no.ptx", "--output", "sarif=").err == (
        "ptxlint: --output sarif=: expected a file\n"
    )


@pytest.mark.parametrize("form", ["json", "sarif", "junit"])
def test_counts_and_fixes_are_for_the_formats_that_show_them(ptxlint: Ptxlint, form: str) -> None:
    result = ptxlint("k.ptx", "--statistics", "--output-format", form)
    assert result.code == 2
    assert (
        result.err == f"ptxlint: --statistics: not with --output-format {form}; use full, concise\n"
    )


# --- whole or not at all


def test_a_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(real)
    write_file(str(link), "new")
    assert link.is_symlink() and real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "a.json"
    old.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(Refusal, match=r"a\.json: cannot be written: no space left on device"):
        write_file(str(old), "new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_source_is_not_written_over(tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text("old")
    with pytest.raises(Refusal, match=r"k\.ptx: cannot be written: \.ptx is the name of a source"):
        write_file(str(source), "new")
    assert source.read_text() == "old"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_a_device_is_written_as_it_is() -> None:
    with pytest.raises(Refusal, match="/dev/full: cannot be written: no space left on device"):
        write_file("/dev/full", "text")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Refusal, match="cannot be written: permission denied"):
        write_file(str(tmp_path / "a.json"), "text")


# --- width


@pytest.mark.parametrize(("set_to", "width"), [("60", 60), ("", 100), ("wide", 100)])
def test_columns_set_the_width(monkeypatch: pytest.MonkeyPatch, set_to: str, width: int) -> None:
    from ptxlint.cli.output import columns

    monkeypatch.setenv("COLUMNS", set_to)
    assert columns() == width
