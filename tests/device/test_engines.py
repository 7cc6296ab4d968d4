"""The command for our own engines: what it says without a device, and of stand-ins for one."""

from __future__ import annotations

import json
import pickle
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from analyses.traffic.occupancy import occupancy
from pricing_kernels.catalogue import kernels
from pricing_kernels.exercise import lsmc

from . import engines
from .counts import counted, machine_text
from .driver import Driver
from .launches import Case, of_own, ours, packed
from .measure import EXECUTED
from .ours import LARGE, SMALL, OwnKernel, own_kernels
from .test_device import StandIn

NAME = "kernels/lsmc_moments_1"


@pytest.fixture(scope="module")
def case() -> Case:
    return of_own(OwnKernel("lsmc_moments_1", lsmc.moments_kernel()))


def test_without_a_device_it_says_so_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert engines.main(tmp_path / "found.json", "libnone.so") == 2
    said = capsys.readouterr().err
    assert said.startswith("no device: libnone.so: ") and said.count("\n") == 1
    assert not (tmp_path / "found.json").exists()


def test_every_kernel_of_the_catalogue_has_a_small_and_a_large_launch() -> None:
    names = []
    for own in own_kernels():
        names.append(own.name)
        small, large = own.launch(SMALL), own.launch(LARGE)
        assert small.contract is large.contract is own.kernel.contract
        assert set(own.arrays(small)) == set(own.kernel.contract.buffers)
    assert set(names) > set(kernels())
    assert {"asian_simulation", "asian_record", "picazo_scenarios"} < set(names)


@pytest.mark.slow
def test_every_small_launch_ends_without_a_fault() -> None:
    for each in ours():
        outcome = each.interpreted()
        assert not outcome.faults and not outcome.exhausted, each.name


def answers(case: Case, folder: Path, resident: int) -> None:
    """What a device leaves that does what the interpreter does."""
    timed = {
        "seconds": 1e-3, "bytes": 10**9, "fill_rate": 2e12, "registers": 40, "shared": 11 * 129 * 8,
        "resident": {128: resident}, "capability": [9, 0],
    }  # fmt: skip
    for name, found in (("small", case.left(case.interpreted())), ("large", timed)):
        (folder / f"{name}.results").write_bytes(pickle.dumps((case.name, found)))
    rows = [
        [line, machine_text(min(own.kinds)), own.counters(space)]
        for (line, space), own in counted(case).items()
    ]
    (folder / "small.counters").write_text(json.dumps([case.name, {}, rows]) + "\n")


def test_a_device_that_does_the_same_is_as_predicted(case: Case, tmp_path: Path) -> None:
    answers(case, tmp_path, occupancy((9, 0), 128, 40, 11 * 129 * 8).blocks)
    found = engines.reported(tmp_path, {NAME: case})
    assert found[NAME]["bits"] == "equal"
    assert found[NAME]["counters"] == found[NAME]["blocks"] == "as predicted"
    (line,) = engines.lines(found)
    assert "1.000 ms   1000.0 GB/s,  50.0% of a fill; bits equal" in line


def test_what_a_device_does_otherwise_is_told(case: Case, tmp_path: Path) -> None:
    answers(case, tmp_path, 3)
    name, left = pickle.loads((tmp_path / "small.results").read_bytes())
    left[0] = bytes([left[0][0] ^ 1]) + left[0][1:]
    (tmp_path / "small.results").write_bytes(pickle.dumps((name, left)))
    row = json.loads((tmp_path / "small.counters").read_text())
    changed = row[2][0][2]
    changed |= {name: 5 + value for name, value in changed.items() if name not in EXECUTED}
    (tmp_path / "small.counters").write_text(json.dumps(row) + "\n")
    found = engines.reported(tmp_path, {NAME: case})
    assert found[NAME]["bits"] == f"buffer 0: 1 of {len(left[0]) // 4} words, up to 1 apart"
    assert found[NAME]["blocks"] == "128 threads: 3, not 12"
    (counter, *_) = found[NAME]["counters"]
    assert "memory_l" in counter and "on the device" in counter
    assert len([*engines.lines(found)]) >= 3


def test_a_launch_is_timed_on_the_driver(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    timing: Any = import_module("timing")
    monkeypatch.setattr(timing, "TURNS", 1)
    found = timing.timed(Driver(StandIn(case)), packed(case), b"")
    assert found["resident"].keys() == {32, 64, 96, 128}
    assert found["bytes"] == sum(map(len, case.left(case.interpreted())))
