"""Traces of PyTorch's profiler and of Nsight Systems become records of launches."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import ptxlint
from ptxlint.contracts.traces import plain
from tests.cli.conftest import Ptxlint

KERNEL = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z4fillILi7EEvPf(.param .u64 x)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""
EVENT: dict[str, Any] = {
    "ph": "X", "cat": "kernel", "name": "void fill<7>(float*)", "ts": 1, "dur": 2,
    "args": {"grid": [4, 1, 1], "block": [64, 2, 1], "shared memory": 96, "stream": 7},
}  # fmt: skip


def kineto(*events: Any) -> str:
    other = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "args": {}}
    return json.dumps({"schemaVersion": 1, "traceEvents": [other, *events]})


def nsys(path: Path, rows: list[tuple[int, ...]], columns: str = "mangledName") -> None:
    shape = "gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicSharedMemory"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO StringIds VALUES (3, '_Z4fillILi7EEvPf')")
        connection.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({shape}, {columns})")
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})", row)
    connection.close()


def test_a_trace_of_pytorch_is_checked(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "fill.ptx").write_text(KERNEL)
    (tmp_path / "trace.json").write_text(kineto(EVENT, EVENT, EVENT | {"name": "void g(int)"}))
    assert ptxlint("launches", "convert", "trace.json", "-o", "launches.jsonl").code == 0
    lines = (tmp_path / "launches.jsonl").read_text().splitlines()
    assert [(json.loads(one)["kernel"], json.loads(one)["count"]) for one in lines] == [
        ("fill<7>", 2),
        ("g", 1),
    ]
    result = ptxlint("fill.ptx", "--launches", "launches.jsonl")
    assert "block 64x2, grid 4, 96 bytes of dynamic shared memory" in result.out


def test_a_compressed_trace_is_read(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "trace.json.gz").write_bytes(gzip.compress(kineto(EVENT).encode()))
    result = ptxlint("launches", "convert", "trace.json.gz")
    assert json.loads(result.out)["block"] == [64, 2, 1]


def test_a_database_of_nsight_systems_is_read(ptxlint: Ptxlint, tmp_path: Path) -> None:
    row = (4, 1, 1, 64, 2, 1, 96, 3)
    nsys(tmp_path / "report.sqlite", [row, row])
    result = ptxlint("launches", "convert", "report.sqlite")
    found = json.loads(result.out)
    assert (found["kernel"], found["count"], found["shared"]) == ("_Z4fillILi7EEvPf", 2, 96)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.json", "{", "t.json: this is no trace: expected JSON, or SQLite"),
        ("t.json", "[" * 100_000, "t.json: this is no trace: expected JSON, or SQLite"),
        ("t.json", "{}", "t.json: expected traceEvents"),
        ("t.json", kineto(), "t.json: no launch of a kernel in this trace"),
        ("t.json", kineto(EVENT | {"args": 3}), "t.json: event 1: no grid, block and shared"),
        ("t.sqlite", "SQLite format 3\0" + "x" * 200, "t.sqlite: file is not a database"),
        ("t.gz", "\x1f\x8b\x08", "t.gz: this is no trace"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(
    ptxlint: Ptxlint, tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    result = ptxlint("launches", "convert", name)
    assert result.code == 2 and message in result.err
    assert len(result.err.splitlines()) == 1


def test_a_database_without_launches_is_refused(ptxlint: Ptxlint, tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "t.sqlite").execute("CREATE TABLE x (y)").connection.close()
    result = ptxlint("launches", "convert", "t.sqlite")
    assert "t.sqlite: no table CUPTI_ACTIVITY_KIND_KERNEL of launches" in result.err


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void fill<7>(float*)", "fill<7>"),
        ("saxpy", "saxpy"),
        ("void a::b<(c)1, int (*)(int)>(d<e>, f)", "a::b<(c)1, int (*)(int)>"),
        ("void (anonymous namespace)::k<int>(int)", "(anonymous namespace)::k<int>"),
    ],
)
def test_a_kernel_is_called_without_its_parameters(name: str, short: str) -> None:
    assert plain(name) == short


def test_the_launches_are_those_of_the_api(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    record.write_text('{"schema": "ptxlint-launch/1", "kernel": "fill<7>", "grid": [1, 1, 1],'
                      ' "block": [32, 1, 1]}\n')  # fmt: skip
    (kernel,) = ptxlint.check(KERNEL, launches=record).kernels
    assert kernel.launch.startswith("block 32, grid 1")
