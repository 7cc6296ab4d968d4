"""Parts of the paths on a Dask cluster of this machine, one of whose workers is killed."""

from __future__ import annotations

import os
import signal

import pytest

from pricing_kernels.payoffs import black_scholes, dates, price, products
from pricing_kernels.payoffs.pricing import SEGMENTS_A_LAUNCH

pytestmark = pytest.mark.slow

MODEL = black_scholes(100, 0.03, 0.3)


def test_a_killed_worker_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    payoff = products.asian_put(100, dates(12))
    whole = price(payoff, MODEL, paths=300_000)
    monkeypatch.setitem(SEGMENTS_A_LAUNCH, "simt", 32)
    heard: list[int] = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as local,
        distributed.Client(local) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def progress(done: int, of: int) -> None:
            heard.append(done)
            if len(heard) == 3:
                os.kill(victim, signal.SIGKILL)

        found = price(
            payoff, MODEL, paths=300_000, executor=client.get_executor(), progress=progress
        )
        workers = client.run(os.getpid).values()
    assert found == whole
    assert len(heard) == 37 and heard[-1] == 300_000
    assert victim not in workers
