"""Launches are recorded as JSON Lines, merged, read back, and checked without a GPU."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ptxlint
from ptxlint.contracts.captured import ArrayBytes, array_bytes, launch_of
from ptxlint.contracts.launch import Allocation, PointerArgument
from ptxlint.contracts.records import RecordedLaunch, launches, read, text_of
from tests.frontends.tensors import Tensor

DEMO = "ptxlint/demo/transpose.ptx"


def line(**changed: object) -> str:
    said: dict[str, object] = {
        "schema": "ptxlint-launch/1",
        "kernel": "transpose",
        "grid": [4, 4, 1],
        "block": [32, 32, 1],
        "arguments": [
            {"name": "out", "address": 1 << 20, "bytes": 48000},
            {"name": "in", "address": 1 << 21, "bytes": 48000},
            {"name": "width", "value": 100},
            {"name": "height", "value": 120},
        ],
        "site": "test_image.py:41",
    }
    return json.dumps({key: value for key, value in (said | changed).items() if value is not None})


def test_a_recorded_launch_is_checked(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    record.write_text(line())
    report = ptxlint.check(DEMO, launches=record, select="out-of-bounds")
    (finding,) = report.findings
    assert finding.message == (
        "out-of-bounds read of `in`: access range [0, 48400) exceeds size 48000 bytes"
    )
    assert f"{record}:1 (test_image.py:41)" in report.kernels[0].launch


def test_a_value_that_no_parameter_holds_is_named_by_its_line(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    arguments = json.loads(line())["arguments"]
    arguments[2]["value"] = 2**40
    record.write_text(f"{line()}\n{line(arguments=arguments)}\n")
    said = r"launches.jsonl:2: arg width: width is .u32, the value does not fit in 32 bits"
    with pytest.raises(ptxlint.Error, match=said):
        ptxlint.check(DEMO, launches=record)


def test_the_same_launch_is_checked_once_whatever_its_addresses(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    moved = json.loads(line())["arguments"]
    moved[0]["address"] = 1 << 30
    record.write_text("\n".join([line(), line(arguments=moved), line(grid=[3, 4, 1])]))
    assert len(ptxlint.check(DEMO, launches=record).kernels) == 2


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("{", "this is no JSON"),
        ("[" * 100_000, "this is no JSON"),
        ("{}", "expected an object with schema ptxlint-launch/1"),
        (line(schema="ptxlint-launch/2"), "expected an object with schema ptxlint-launch/1"),
        (line(kernel=None), "kernel: expected a name"),
        (line(grid=[0, 1, 1]), "grid: expected three sizes, like [256, 1, 1]"),
        (line(block=[2048, 1, 1]), "2048 threads, a block has at most 1024"),
        (line(shared=-1), "shared: expected a natural number"),
        (line(speed=9), "unknown key speed"),
        (line(arguments=[{"name": "n"}]), "argument n: expected a value, or bytes"),
        (line(arguments=[{"name": "n", "value": "7"}]), "argument n: expected a number"),
        (line(arguments=[{"value": 1, "name": "n"}] * 2), "arguments: a name stands twice"),
        (line(arguments=[{"name": "x", "bytes": 4, "align": 3}]), "align is no power of two"),
    ],
)
def test_a_corrupt_line_is_named_and_skipped(tmp_path: Path, broken: str, why: str) -> None:
    record = tmp_path / "launches.jsonl"
    record.write_text(f"{line()}\n{broken}\n")
    report = ptxlint.check(DEMO, launches=record)
    (problem,) = report.diagnostics
    assert (problem.path, problem.line, problem.severity) == (str(record), 2, "warning")
    assert problem.message.startswith("skipped: ") and why in problem.message
    assert len(report.kernels) == 1 and report.kernels[0].launch != "unspecified"


def test_a_line_that_is_no_text_is_named_and_skipped(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    broken = line(site="é".encode("latin-1").decode("utf-8", "surrogateescape"))
    written = broken.replace("\\udce9", "\udce9").encode("utf-8", "surrogateescape")
    record.write_bytes(b"\n".join([b"\xff\xfe", line().encode(), written, line(site="é").encode()]))
    report = ptxlint.check(DEMO, launches=record)
    said = [(one.line, one.message, one.severity) for one in report.diagnostics]
    assert said == [(at, "skipped: this is no text in UTF-8", "warning") for at in (1, 3)]
    assert not report.failed and len(report.kernels) == 1


def test_a_record_without_any_launch_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    record.write_text("{}\n")
    with pytest.raises(ptxlint.Error, match=r"launches\.jsonl:1: expected an object with schema"):
        ptxlint.check(DEMO, launches=record)


def test_memory_without_an_address_has_its_size_and_is_apart() -> None:
    arguments = [{"name": name, "bytes": 48000} for name in ("out", "in")]
    ((_, found),) = read(line(arguments=arguments))
    assert isinstance(found, RecordedLaunch)
    held = [one for one in found.launch.arguments if isinstance(one, Allocation)]
    assert [(one.size, one.address) for one in held] == [(48000, None)] * 2


def test_what_is_written_is_read_back() -> None:
    whole = np.zeros(100, np.float32)
    arguments = {"x": whole, "y": whole[10:20], "far": np.zeros(3), "n": 7, "a": float("inf")}
    launch = launch_of(
        (2, 1, 1),
        (64, 1, 1),
        16,
        {name: array_bytes(value) or value for name, value in arguments.items()},  # type: ignore[misc]
    )
    one = RecordedLaunch("k", launch, "t.py:3")
    ((_, back),) = read(text_of([one, one]))
    assert isinstance(back, RecordedLaunch)
    assert (back.key, back.count, back.site) == (one.key, 2, "t.py:3")
    x, y, far, *_ = back.launch.arguments
    assert y == PointerArgument(0, 40)
    assert isinstance(x, Allocation) and x.size == 400
    assert isinstance(far, Allocation) and far.size == 24


# --- arrays


def test_views_that_share_no_bytes_are_memory_of_their_own() -> None:
    whole = np.zeros(100, np.float32)
    halves = {"low": array_bytes(whole[:50]), "high": array_bytes(whole[50:])}
    launch = launch_of((1, 1, 1), (1, 1, 1), 0, halves)  # type: ignore[arg-type]
    assert [type(each) for each in launch.arguments] == [Allocation, Allocation]


def test_the_extent_of_a_strided_array_ends_with_its_last_element() -> None:
    columns = np.zeros((4, 10), np.float64)[:, 2:5]
    found = array_bytes(columns)
    assert found is not None and found.size == 3 * 80 + 2 * 8 + 8
    backwards = array_bytes(np.zeros(4)[::-1])
    assert backwards is not None and backwards.size is None
    empty = array_bytes(np.zeros((0, 3)))
    assert empty is not None and empty.size == 0


def test_a_tensor_is_described_where_its_interface_is_refused() -> None:
    found = array_bytes(Tensor(100, 1 << 20, "torch.bfloat16", 2))
    assert found == ArrayBytes(1 << 20, 200, (100,), (2,), 2)


def test_a_contract_that_wants_distinct_buffers_is_held_against_addresses(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    shared = json.loads(line())["arguments"]
    shared[1]["address"] = shared[0]["address"] + 400
    shared[1]["bytes"] = 48400
    record.write_text(line(arguments=shared))
    declared = ptxlint.Contract(params="out,in,width,height", distinct=["out, in"])
    report = ptxlint.check(DEMO, contract=declared, launches=record, select="contract-violated")
    (finding,) = report.findings
    assert "distinct out, in" in finding.message
    record.write_text(line())
    assert not ptxlint.check(
        DEMO, contract=declared, launches=record, select="contract-violated"
    ).findings


def test_the_lines_of_a_record_keep_their_order(tmp_path: Path) -> None:
    record = tmp_path / "launches.jsonl"
    record.write_text("\n".join(line(grid=[at, 1, 1]) for at in (3, 1, 2)))
    found = launches(str(record), [])
    assert [contract.grid for contract in found] == [(3, 1, 1), (1, 1, 1), (2, 1, 1)]
