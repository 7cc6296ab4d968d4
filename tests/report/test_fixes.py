"""What ``--fix`` prints: the change that was counted again, at the line where a person makes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyses.traffic.fixes import ProposedFix
from ptxlint.cli import called_with
from ptxlint.facts.fixes import declaration
from ptxlint.results.finding import MemoryAccess
from ptxlint.source import Source
from tests.observation.launches import CORPUS, kernels_of

TILE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
    .shared .align 4 .b8 _ZZ1kE4tile[4096];
    .reg .f32 %f<2>;
    ld.shared.f32 %f1, [_ZZ1kE4tile];
    ret;
}
"""
PADDED = ProposedFix("rows of tile", "32 elements", "33", "pad the rows", 1, (32, 33))


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("__shared__ float tile[32][32];", "tile[32][32] -> tile[32][33]"),
        ("__shared__ float a[8], tile[32] [32];", "tile[32] [32] -> tile[32] [33]"),
        ("__shared__ float\ntile[8][4][32];", "tile[8][4][32] -> tile[8][4][33]"),
        ("#define N 32\n__shared__ int tile[N][N];", "tile[N][N] -> tile[N][N + 1]"),
        ("const int N = 32;\n__shared__ int tile[32][N];", "tile[32][N] -> tile[32][N + 1]"),
        ("constexpr int N = 32;\n__shared__ int tile[N][N];", "tile[N][N] -> tile[N][N + 1]"),
        ("// __shared__ tile[9];\n__shared__ u32 tile[32][32];", "tile[32][32] -> tile[32][33]"),
        # nobody knows which declaration, or how long its rows are
        ("/* __shared__ float tile[32][32]; */", None),
        ("__shared__ float tiles[32][32];", None),
        ("__shared__ float tile[32][32];\n__shared__ float tile[32][32];", None),
        ("extern __shared__ float tile[];", None),
        ("__shared__ float tile[32 * 32];", None),
        ("__shared__ float tile[1024];", None),
        ("__shared__ float tile[16][64];", None),
        ("__shared__ double tile[16][32];", None),
        ("__shared__ float tile[N][N];", None),
        ("#define N 32\n#define N 64\n__shared__ float tile[N][N];", None),
        ("#define N 32 * 2\n__shared__ float tile[N][32];", None),
    ],
)  # fmt: skip
def test_a_declaration_gets_longer_rows_where_it_is_certain_which(
    text: str, edit: str | None
) -> None:
    (kernel,) = kernels_of(TILE)
    access = MemoryAccess("shared", 4, "tile")
    found = declaration(Source("tile.cu", text), access, kernel)
    seen = found and found.longer_rows(PADDED)
    if edit is None:
        assert seen is None
    else:
        assert seen is not None and seen.location is not None
        assert str(seen).endswith(f": {edit}")
        at, line = seen.location, text.splitlines()[seen.location.line - 1]
        assert line[at.column - 1 : at.end_column - 1] == edit.partition(" -> ")[0]


CASES = {
    "transpose_tile_32": (
        "n,in,out --grid 2x2 --block 32x8 --arg n=64 --buffer in=4*n*n --buffer out=4*n*n",
        ["transpose_tile_32.cu:6: tile[32][32] -> tile[32][33]"],
    ),
    "shared_stride_four": (
        "out --grid 1 --block 64 --buffer out=4*64",
        [
            "shared_stride_four.cu:8: rows of s: 4 elements -> 5",
            "shared_stride_four.cu:10: rows of s: 4 elements -> 5",
        ],
    ),
    "scaled_along_columns": (
        "n,x,y --grid 2x2 --block 32x32 --arg n=64 --buffer x=4*n*n --buffer y=4*n*n",
        [
            f"scaled_along_columns.cu:{line}: all of scaled_along_columns:"
            " threadIdx.x, threadIdx.y -> threadIdx.y, threadIdx.x"
            for line in (8, 9)
        ],
    ),
    "tiles_of_any_pitch": (
        "pitch,x,y --grid 1 --block 8x4 --arg pitch=9..127 --buffer x=16*pitch --buffer y=128",
        ["tiles_of_any_pitch.cu:6: pitch: any number -> pitch % 8 == 0, pitch >= 16"],
    ),
    "particles_array_of_structures": (
        "dt,p,y --grid 2 --block 128 --arg dt=0.5 --buffer p=16*256 --buffer y=4*256",
        [
            f"particles_array_of_structures.cu:{line}: layout of p:"
            " an array of structures of 16 bytes -> a structure of arrays"
            for line in (8, 9)
        ],
    ),
    "transpose_naive": (
        "n,in,out --grid 2x2 --block 32x8 --arg n=64 --buffer in=4*n*n --buffer out=4*n*n",
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_change_of_a_kernel_stands_at_its_line(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In both forms; the option changes neither the findings nor the exit code, and no file."""
    monkeypatch.chdir(CORPUS / "flawed")
    options, lines = CASES[name]
    command = [f"{name}.ptx", "--params", *options.split()]
    before = Path(f"{name}.cu").read_bytes()

    def printed(*more: str) -> str:
        assert called_with([*command, *more]) == 1
        return capsys.readouterr().out

    text = printed("--fix")
    fixes = [line.partition("= fix:")[2].strip() for line in text.splitlines() if "= fix:" in line]
    assert fixes == lines
    assert text.count("\nfixes: 0 of ") == (not lines) and text.count("; no file is edited\n") == 1
    plain = json.loads(printed("--output-format", "json"))["findings"]
    fixed = json.loads(printed("--output-format", "json", "--fix"))["findings"]
    given = [finding.pop("fix") for finding in fixed if "fix" in finding]
    assert fixed == plain and bool(given) == bool(lines)
    for fix in given:
        assert f"{fix['before']} -> {fix['after']}" in " ".join(lines)
        assert fix["cost"] == fixed[0]["cost"]["ideal"] < fixed[0]["cost"]["actual"]
        assert f"{fix['location']['path']}:{fix['location']['line']}: " in " ".join(lines)
    assert Path(f"{name}.cu").read_bytes() == before


def test_without_its_source_a_change_is_at_the_line_of_the_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ptx = (CORPUS / "flawed" / "shared_stride_four.ptx").read_text("utf-8")
    Path("alone.ptx").write_text(ptx, "utf-8")
    assert called_with(["alone.ptx", "--fix", "--block", "64", "--grid", "1"]) == 1
    assert (
        "= fix:     shared_stride_four.cu:8: rows of s: 4 elements -> 5\n"
        in capsys.readouterr().out
    )


def test_a_concise_report_has_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(TILE)
    assert called_with(["k.ptx", "--fix", "--output-format", "concise"]) == 2
    assert "--fix: not with --output-format concise; use full, json" in capsys.readouterr().err
