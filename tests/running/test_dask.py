"""On a Dask cluster a check gives the same report, also where a worker is killed in mid-run."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from ptxlint.checker import Running, check
from ptxlint.errors import Error
from ptxlint.executors import Dask, run

from .test_running import MANY, corpus, timeless

distributed = pytest.importorskip("distributed", reason="distributed is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as found:
        yield found


def test_a_cluster_changes_nothing(cluster: Any) -> None:
    sources = [*corpus(), MANY]
    running = Running(lambda _: Dask(cluster.scheduler_address))
    assert timeless(check(sources, running=running)) == timeless(check(sources))


def test_a_worker_is_killed_in_mid_run(cluster: Any) -> None:
    """Nothing is lost, and nothing is there twice."""
    mark = os.path.join(cluster.workers[0].local_directory, "killed")
    tasks = [(number, mark) for number in range(40)]
    results = list(run(kill_once, tasks, range(40), Dask(cluster.scheduler_address)))
    assert os.path.exists(mark)
    assert sorted(results) == [(number, number * number) for number in range(40)]


def kill_once(task: tuple[int, str]) -> int:
    number, mark = task
    if number == 7 and not os.path.exists(mark):
        with open(mark, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_an_address_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlint.executors.PATIENCE", 1)
    with pytest.raises(Error, match=r"dask:127\.0\.0\.1:1: no scheduler answers there"):
        check([MANY], running=Running(lambda _: Dask("127.0.0.1:1")))
