"""Words are the integers that they are said to be, premises hold, and nothing is proved that a run
refutes: in random kernels with loops and guards, and in the corpus, when little is declared.

``pytest -m slow`` runs thousands of kernels; ``python -m tests.observation --integers`` goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts

from .claims import Observation
from .launches import concrete_launches, contract_of, files, kernels_of
from .observe import observe_integers
from .partly import PARTLY
from .randomly import aligned
from .rounds import HEAD, TAIL, generate

DEFAULT = 12
SLOW = 3000
MAX_STEPS = 300


def holds(seed: int, tally: Observation) -> None:
    try:
        seen = PARTLY.observed(generate(seed), seed)
    except Exception:
        pytest.fail(PARTLY.report(seed))
    tally.add(seen)
    assert not seen.violations, PARTLY.report(seed)


@pytest.mark.parametrize("seed", range(DEFAULT))
def test_integers_of_a_random_kernel(seed: int, tally: Observation) -> None:
    holds(seed, tally)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(DEFAULT, SLOW))
def test_integers_of_thousands_of_random_kernels(seed: int, tally: Observation) -> None:
    holds(seed, tally)


# --- the corpus

DECLARED: dict[str, Callable[[Launch], Launch]] = {
    "declared": lambda launch: launch,
    "undeclared": lambda launch: Launch(names=launch.names),
    "any shape": lambda launch: replace(launch, block=None, grid=None),
    "numbers only": lambda launch: replace(launch, block=None, grid=None, buffers={}),
}


def held(path: Path, known: str, tally: Observation) -> None:
    text = path.read_text("utf-8")
    for kernel in kernels_of(text, path.name):
        launch = resolved([contract_of(path)], kernel)
        facts = Facts(kernel, DECLARED[known](launch), "sm_80")
        *_, one = concrete_launches(kernel, launch)
        seen = observe_integers(kernel, aligned(one, facts), facts, MAX_STEPS)
        tally.add(seen)
        assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)


@pytest.mark.parametrize("path", files()[::6], ids=lambda path: path.stem)
def test_integers_of_some_of_the_corpus(path: Path, tally: Observation) -> None:
    held(path, "any shape", tally)


@pytest.mark.slow
@pytest.mark.parametrize("known", DECLARED)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_integers_of_the_corpus(path: Path, known: str, tally: Observation) -> None:
    held(path, known, tally)


# --- what was claimed once, and is not true

BY_A_QUOTIENT = """
div.u32 %r3, %r2, %r0;
mul.wide.u32 %d1, %r3, 4;
add.s64 %d1, %a0, %d1;
st.global.u32 [%d1], %r3;"""

BY_A_CLOCK = """
mov.u32 %r3, %clock;
mov.u32 %r4, %clock;
sub.u32 %r5, %r4, %r3;
mul.wide.u32 %d1, %r5, 4;
add.s64 %d1, %a0, %d1;
st.global.u32 [%d1], %r3;"""

BY_A_CHOICE = """
mov.u32 %r3, 0;
L:
setp.lt.s32 %p1, %r3, 5;
selp.b32 %r5, 1, 2, %p1;
add.s32 %r3, %r3, %r5;
mul.wide.s32 %d1, %r3, 4;
add.s64 %d1, %a0, %d1;
st.global.u32 [%d1], %r3;
setp.lt.s32 %p2, %r3, %r0;
@%p2 bra L;"""


@pytest.mark.parametrize(
    ("body", "n"),
    [(BY_A_QUOTIENT, 0), (BY_A_CLOCK, 1), (BY_A_CHOICE, 20)],
    ids=["a quotient by 0", "the time between two readings", "a step that changes"],
)
def test_nobody_knows_where_a_thread_goes_by(body: str, n: int, tally: Observation) -> None:
    text = HEAD + body + TAIL
    (kernel,) = kernels_of(text)
    facts = Facts(kernel, resolved([Contract.of(block="32", buffer=["x=128"])], kernel), "sm_80")
    single = Contract.of(block="32", grid="1", buffer=["x=128"], arg=[f"n={n}"])
    launch = resolved([single], kernel).concrete(kernel)
    seen = observe_integers(kernel, launch, facts)
    tally.add(seen)
    assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)
    assert not facts.accesses[0].in_bounds
