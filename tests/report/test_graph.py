"""The control flow of a kernel as DOT, and as SVG where Graphviz is found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ptxlint.cli import called_with

pytest.importorskip("networkx")

DEMO = Path(__file__).parents[2] / "ptxlint" / "demo"


def drawn(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert called_with(["graph", str(DEMO / "transpose.ptx"), *words]) == 0
    return capsys.readouterr().out


def test_blocks_have_instructions_and_costs_and_divergent_branches_are_dashed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = drawn(capsys, "--block", "32x32", "--params", "out,in,width,height")
    assert text.startswith('digraph "transpose" {')
    assert "ld.shared.f32 %f2, [%r23]  // 32 wavefronts where 1 would do" in text
    assert re.search(r'  0 -> 3 \[label="taken, divergent", style=dashed, color=purple\];', text)
    assert len(re.findall(r"fillcolor=mistyrose", text)) == 1


def test_a_uniform_branch_is_not_dashed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = """.version 8.0
.target sm_80
.entry k(.param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [n];
LOOP:
    add.u32 %r1, %r1, -1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra LOOP;
    ret;
}
"""
    path = tmp_path / "loop.ptx"
    path.write_text(source)
    assert called_with(["graph", str(path)]) == 0
    text = capsys.readouterr().out
    assert 'label="taken, loop"' in text
    assert "dashed" not in text


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn(capsys, "-o", str(tmp_path / "flow.svg"))
    assert "<svg" in (tmp_path / "flow.svg").read_text()


def test_without_graphviz_dot_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    words = ["graph", str(DEMO / "transpose.ptx"), "-o", str(tmp_path / "flow.svg")]
    assert called_with(words) == 2
    told = f"Graphviz is not installed, which draws SVG; {tmp_path / 'flow.dot'} has the graph"
    assert told in capsys.readouterr().err
    assert (tmp_path / "flow.dot").read_text().startswith("digraph")
    assert not (tmp_path / "flow.svg").exists()


def test_another_kind_of_picture_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["graph", str(DEMO / "transpose.ptx"), "-o", str(tmp_path / "flow.png")]
    assert called_with(words) == 2
    assert "FILE.dot or FILE.svg" in capsys.readouterr().err
    assert not (tmp_path / "flow.png").exists()


def test_of_several_kernels_one_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "both.ptx"
    body = ".entry {}() {{ ret; }}\n"
    path.write_text(".version 8.0\n.target sm_80\n" + body.format("a") + body.format("b"))
    assert called_with(["graph", str(path)]) == 2
    assert "choose with --kernel: a, b" in capsys.readouterr().err
    assert called_with(["graph", str(path), "--kernel", "b"]) == 0
