"""Every kernel of the package is linted with its contract. It has no finding, and its accesses are
proved for all launches that the contract allows."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import kernels
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.lint import lint
from pricing_kernels.rng import lcg32, memory
from tests.sampled import sampled

OFFENDER = "    state[1] = local.x;  // the state has one word"
TOO_FAR = Fragment(
    "too_far",
    __file__,
    """\
struct Local { unsigned x; };

__device__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.x = seed;
}

__device__ void save(Local& local, M::State state)
{
    state[1] = local.x;  // the state has one word
}
""",
    {"M": memory.FRAGMENT},
)


def proved(kernel: EmittedKernel, largest: int | None = None) -> set[str]:
    """The properties that are proved of a kernel; it must have no finding."""
    try:
        code, said = lint(kernel, largest)
    except BuildError as error:
        pytest.skip(str(error))
    assert code == 0, said
    named = re.search(r"^proved: (.*)$", said, re.MULTILINE)
    assert named, said
    return set(named[1].split(", "))


@pytest.mark.parametrize("name", sampled(kernels(), 8))
def test_every_access_is_proved_for_all_launches_of_the_contract(name: str) -> None:
    assert proved(kernels()[name]) >= {"bounds", "alignment", "spaces"}


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_every_access_of_one_launch_is_proved(name: str) -> None:
    assert proved(kernels()[name], 1000) >= {"bounds", "alignment", "spaces"}


def test_a_finding_stands_in_the_file_of_the_fragment() -> None:
    """One word too far, in a fragment of this file."""
    right = lcg32.GENERATOR
    kernel = replace(right, fragment=TOO_FAR).kernels[0]
    try:
        code, said = lint(kernel, 1000)
    except BuildError as error:
        pytest.skip(str(error))
    line = Path(__file__).read_text().split("\n").index(OFFENDER) + 1
    assert code == 1
    assert said.startswith(f"{os.path.relpath(__file__)}:{line}:5: error[out-of-bounds]"), said
    assert "called at pricing_kernels/rng/generator.py" in said


@dataclass(frozen=True)
class Racing:
    """All threads that are below n store to one word."""

    name: str = "racing"
    files: frozenset[str] = frozenset()

    @property
    def contract(self) -> KernelContract:
        params = {"n": Scalar(np.uint32, 1, 4096), "out": GlobalArray(np.uint32, "1")}
        return KernelContract(self.name, params, (64,), ("n",))

    def ptx(self) -> str:
        return """
.version 8.0
.target sm_80
.address_size 64
.visible .entry racing(.param .u32 n, .param .u64 out) {
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd, [out];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @!%p st.global.u32 [%rd], %r2;
    ret;
}
"""


def test_races_are_looked_for_without_a_number() -> None:
    """One thread does not race, in the least launch; many do."""
    code, said = lint(Racing())
    assert code == 1
    assert said.count("error[data-race]") == 1
    assert "racing.ptx" in said
    assert "races: 1 flagged, not checked in 1 kernel: the contract allows many grids;" in said
    assert said.endswith("races in grid 1, n=1: 1 proved\nraces in grid 16, n=1000: 1 flagged\n")


FEW_BLOCKS = ("nctaid.x <= 64", "nctaid.y == 1", "nctaid.z == 1")


class Apart(Racing):
    """Each thread that is below n stores to its own word."""

    @property
    def contract(self) -> KernelContract:
        params = {"n": Scalar(np.uint32, 1, 4096), "out": GlobalArray(np.uint32, "n")}
        return KernelContract(self.name, params, (64,), ("n",), FEW_BLOCKS)

    def ptx(self) -> str:
        own = "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r3, 64, %r2; mad.wide.u32 %rd, %r2, 4, %rd;"
        return super().ptx().replace("    setp", f"    {own}\n    setp")


def test_races_that_are_proved_for_all_launches_are_looked_for_in_none() -> None:
    code, said = lint(Apart(), require=["races"])
    assert code == 0
    assert "races in grid" not in said
    (proved,) = re.findall(r"^proved: .*$", said, re.MULTILINE)
    assert "races" in proved
