"""Launches of ``torch.compile`` are captured, with stand-ins for the classes of PyTorch."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import ptxlint
from ptxlint.frontends import inductor
from ptxlint.frontends.watching import Watch, watching
from tests.frontends.tensors import Tensor

SHIFT = Path(__file__).parent / "recorded" / "triton_shift.ptx"
SOURCE = """
def launcher(x, out, n, stream):
    grid_0 = -(n // -256)
    grid_1 = 1
    grid_2 = 1
    runner(grid_0, grid_1, grid_2, stream, x, out, n)
"""
"""As Inductor writes it."""


class CachingAutotuner:
    """Inductor's class, as far as it is used; a launch that is wrong fails."""

    def __init__(self, *launchers: Any) -> None:
        self.launchers = list(launchers)
        self.fn = SimpleNamespace(__name__="shift")
        self.triton_meta = {
            "signature": {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
        }
        self.device_props = SimpleNamespace(index=None)

    def run(self, *args: Any, stream: int, benchmark_run: bool = False) -> str:
        if not self.launchers:
            raise ValueError("no configuration works")
        self.launchers[0](*args, stream=stream)
        return "launched"


@pytest.fixture
def launched() -> list[Any]:
    """What the launcher hands to the one that launches."""
    return []


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launched: list[Any]) -> Iterator[Any]:
    runtime: Any = ModuleType("torch._inductor.runtime")
    runtime.triton_heuristics = SimpleNamespace(CachingAutotuner=CachingAutotuner)
    utilities: Any = ModuleType("torch._inductor.runtime.cache_dir_utils")
    utilities.triton_cache_dir = lambda device: str(tmp_path / str(device))
    for module in (ModuleType("torch"), ModuleType("torch._inductor"), runtime, utilities):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    folder = tmp_path / "0" / "HASH"
    folder.mkdir(parents=True)
    shutil.copy(SHIFT, folder / "shift.ptx")
    metadata = {"triton_version": "3.6.0", "num_warps": 4, "shared": 0}
    (folder / "shift.json").write_text(json.dumps(metadata))
    scope: dict[str, Any] = {"runner": lambda *given: launched.append(given)}
    exec(SOURCE, scope)
    launcher = scope["launcher"]
    launcher.cache_hash = "HASH"
    yield CachingAutotuner(launcher)


def watch(on_finding: str) -> Any:
    return watching(inductor.install, on_finding)


def test_a_launch_is_checked_with_its_grid_and_its_arrays(kernel: Any, launched: list[Any]) -> None:
    x, out = Tensor(1000, 1 << 20), Tensor(1000, 1 << 21)
    with watch("ignore") as seen:
        assert kernel.run(x, out, 1000, stream=7) == "launched"
    assert launched == [(4, 1, 1, 7, x, out, 1000)]  # once: the grid is found without a launch
    (one,) = seen.launches
    assert (one.launch.grid, one.launch.block, one.launch.shared) == ((4, 1, 1), (128, 1, 1), 0)
    assert one.site.startswith("tests/frontends/test_inductor.py:")
    (finding,) = [each for each in seen.findings if each.severity.value == "error"]
    assert "out-of-bounds read of `x`: access range [8, 4004) exceeds" in finding.message


def test_a_right_launch_is_proved(kernel: Any) -> None:
    with watch("ignore") as seen:
        kernel.run(Tensor(1001, 1 << 20), Tensor(1000, 1 << 21), 1000, stream=7)
    (report,) = seen.check()
    assert {access.status.value for access in report.accesses} == {"proved"}


def test_a_launch_that_fails_is_told(kernel: Any) -> None:
    kernel.launchers.clear()
    with watch("ignore") as seen, pytest.raises(ValueError, match="no configuration works"):
        kernel.run(Tensor(8, 64), Tensor(8, 128), 8, stream=7)
    assert [why.partition(": ")[2] for why in seen.skipped] == ["shift: it was not launched"]


def test_a_kernel_that_is_not_in_the_cache_is_told(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "0" / "HASH" / "shift.ptx").unlink()
    with pytest.raises(ptxlint.NotClean, match="HASH: expected the PTX of one kernel"):  # noqa: SIM117
        with watch("raise"):
            kernel.run(Tensor(8, 64), Tensor(8, 128), 8, stream=7)


def test_nothing_is_changed_afterwards(kernel: Any) -> None:
    before = CachingAutotuner.run
    with watch("ignore"):
        assert CachingAutotuner.run is not before
    assert CachingAutotuner.run is before


def test_without_pytorch_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    inductor.install(Watch())()
    assert "torch" not in sys.modules
