"""A run that meets nothing new after a fault ends early, unless its observer awaits a fault."""

from __future__ import annotations

import pytest

from ptxlint.simt import Allocation, ConcreteLaunch, Observer, Outcome, RunOptions, run
from ptxlint.simt.barriers import Barriers
from ptxlint.simt.outcome import Faults

from .programs import kernel_of, ran, text_of

LOOP = """
AGAIN:
    ld.global.u32 %r9, [%rd6];
    sub.u64 %rd6, %rd6, 4;      // ever farther before x
    setp.eq.u32 %p1, %r9, 0;
    @%p1 bra AGAIN;
"""
STEPS, STRAY = 10_000, 100


class Awaiting(Observer):
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def awaits(self, faults: Faults) -> bool:
        return all(kind != self.kind for _, kind in faults)


def looped(observer: Observer | None) -> Outcome:
    kernel = kernel_of(text_of(LOOP))
    launch = ConcreteLaunch((1, 1, 1), (1, 1, 1), 0, (Allocation(4), Allocation(4), 1))
    return run(kernel, launch, RunOptions(max_steps=STEPS, stray_steps=STRAY), observer)


@pytest.mark.parametrize("observer", [None, Awaiting("out-of-bounds")], ids=["none", "there"])
def test_a_run_that_strays_ends(observer: Observer | None) -> None:
    outcome = looped(observer)
    assert outcome.kinds() == {"out-of-bounds"}
    assert outcome.exhausted
    assert outcome.steps < 3 * STRAY


def test_a_run_that_strays_goes_on_for_a_fault_that_is_awaited() -> None:
    assert looped(Awaiting("misaligned-access")).steps > STEPS


def test_blocks_at_different_barriers_open_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks whose threads all wait at one barrier are released together."""
    body = """
    and.b32 %r7, %r2, 1;
    setp.eq.u32 %p1, %r7, 0;
    @%p1 bra EVEN;
    bar.sync 1;
    bra END;
EVEN:
    bar.sync 2;
    bar.sync 2;
END:
    st.global.u32 [%rd5], %r7;
"""
    alone: list[int] = []
    one = Barriers._open_in

    def counted(self: Barriers, cta: int, *others: object) -> None:
        alone.append(cta)
        one(self, cta, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(Barriers, "_open_in", counted)
    result = ran(body, 40, 7)
    assert not result.faults
    assert not alone
    assert result.y().tolist() == [block % 2 for block in range(7) for _ in range(40)]
