"""What Numba and Triton compiled is checked for recorded launches, without either."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptxlint

HERE = Path(__file__).parent / "recorded"


@pytest.mark.parametrize("name", ["numba_shift", "triton_shift"])
def test_a_recorded_launch_is_decided_at_the_line_of_the_source(name: str) -> None:
    report = ptxlint.check(HERE / f"{name}.ptx", launches=HERE / f"{name}.jsonl")
    source = (HERE / f"{name}.py").read_text().splitlines()
    line = next(at for at, text in enumerate(source, 1) if "reads beyond" in text)
    errors = [finding for finding in report.findings if finding.severity.value == "error"]
    assert {(Path(f.location.path).name, f.location.line) for f in errors} == {(f"{name}.py", line)}
    assert all("out-of-bounds read of `x`" in finding.message for finding in errors)
    wrong, right = report.kernels
    assert "1000 elements" in wrong.launch and "1001 elements" in right.launch
    assert {access.status.value for access in right.accesses} == {"proved"}
    assert "flagged" in {access.status.value for access in wrong.accesses}
