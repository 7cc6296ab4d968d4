"""Facts grow no faster than the kernel: counts, which are the same under any load."""

from __future__ import annotations

from cProfile import Profile
from pstats import Stats
from typing import Any

import pytest

from analyses.budget import DEFINITION_PARTS
from analyses.lanes.evaluation import LaneEvaluation
from analyses.polynomials.polynomial import Symbol, order
from analyses.races.outstanding import Outstanding
from analyses.scalar_evolution import SymbolicValues
from bench.scale import generated
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.missing import LONGEST, UserNames
from tests.observation.launches import kernels_of

SIZE = 2_000  # instructions
LARGER = 3  # times


def symbolic(shape: str, size: int) -> SymbolicValues:
    (kernel,) = kernels_of(generated(shape, size))
    return Facts(kernel, resolved([Contract()], kernel), "sm_80").symbolic


def symbols_of(values: SymbolicValues) -> set[Symbol]:
    words = (word.offset.polynomial for word in values.words.values())
    return {symbol for word in words if word is not None for symbol in word.symbols}


def size_of(values: SymbolicValues) -> int:
    """The symbols in all definitions."""
    return sum(len(symbol.parts) for symbol in symbols_of(values))


@pytest.mark.parametrize("shape", ["diamonds", "selections", "predicated"])
def test_definitions_grow_no_faster_than_the_kernel(shape: str) -> None:
    """In these chains each value depends on all before."""
    small, large = symbolic(shape, SIZE), symbolic(shape, LARGER * SIZE)
    assert size_of(large) < 1.2 * LARGER * size_of(small)
    most = max(len(symbol.parts) for symbol in symbols_of(large))
    assert DEFINITION_PARTS // 2 < most <= 2 * DEFINITION_PARTS + 2


@pytest.mark.parametrize("shape", ["bisection", "minima", "selections"])
def test_formulas_of_chains_are_short(shape: str) -> None:
    """In full, each would be as long as all before together; and no deep stack is needed."""
    (kernel,) = kernels_of(generated(shape, SIZE))
    facts = Facts(kernel, resolved([Contract()], kernel), "sm_80")
    names = UserNames(facts)
    youngest = max(symbols_of(facts.symbolic), key=order)
    assert len(youngest.parts) > DEFINITION_PARTS // 2
    assert len(names[youngest]) <= LONGEST


def calls(shape: str, size: int) -> int:
    """The calls that the facts of a kernel take."""
    (kernel,) = kernels_of(generated(shape, size))
    profile = Profile()
    with profile:
        facts = Facts(kernel, resolved([Contract()], kernel), "sm_80")
        assert facts.values and facts.divergence and facts.all_accesses is not None
    return Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


def copying(copies: int) -> str:
    """A kernel of one block that copies to shared memory, and waits for each copy."""
    copy = """
    cp.async.ca.shared.global [tile], [%rd1], 4;
    cp.async.commit_group;
    cp.async.wait_group 0;"""
    return f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x)
{{
    .reg .b64 %rd<2>;
    .shared .align 4 .b8 tile[4];
    ld.param.u64 %rd1, [x];{copy * copies}
    ret;
}}
"""


def places(copies: int) -> int:
    """The calls that it takes to find the outstanding accesses at each place of a block. A copy
    is a load and a store."""
    (kernel,) = kernels_of(copying(copies))
    block = kernel.blocks[0]
    profile = Profile()
    with profile:
        outstanding = Outstanding(kernel)
        ages = [outstanding.at(0, place) for place, _ in enumerate(block.instrs)]
    assert [list(of.values()) for of in ages[:6]] == [[], [], [0], [0, 0], [1, 1], []]
    return Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


def test_outstanding_accesses_at_all_places_of_a_block_take_one_walk() -> None:
    assert places(100 * LARGER) < 1.3 * LARGER * places(100)


def test_passes_of_nested_loops_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of twelve loops is evaluated inside of three around it, in a pass or two."""
    depth = 12
    (kernel,) = kernels_of(generated("nested_loops", 8 * depth + 12))
    made = list[LaneEvaluation]()
    begin = LaneEvaluation.__init__

    def counted(self: LaneEvaluation, *arguments: Any) -> None:
        made.append(self)
        begin(self, *arguments)

    monkeypatch.setattr(LaneEvaluation, "__init__", counted)
    assert Facts(kernel, resolved([Contract()], kernel), "sm_80").accesses
    assert depth**3 < len(made) < 2 * depth**3


def test_facts_of_nested_loops_take_no_more_than_a_cube() -> None:
    small, large = (calls("nested_loops", 8 * depth + 12) for depth in (4, 8))
    assert large < 2 * (8 / 4) ** 3 * small


@pytest.mark.parametrize(
    ("shape", "size"), [("nested_ifs", 500), ("arrays", 500), ("sums", 500), ("frame", 500)]
)
def test_time_grows_no_faster_than_the_kernel(shape: str, size: int) -> None:
    assert calls(shape, LARGER * size) < 1.3 * LARGER * calls(shape, size)
