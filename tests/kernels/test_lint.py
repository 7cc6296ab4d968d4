"""Every kernel of the package is linted with its contract. In one launch, at the upper edge of what
is quick to run, every access is proved; none has a finding in all launches that are allowed."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pricing_kernels.build import BuildError
from pricing_kernels.catalogue import kernels
from pricing_kernels.kernel import Kernel
from pricing_kernels.link import Fragment
from pricing_kernels.lint import lint
from pricing_kernels.rng import lcg32, memory

UNPROVED = {
    # the index is selected: at the end of a ring it goes on at its beginning
    "mt19937_generate": 3,
    "mt19937_fast_generate": 4,
    "mt19937_light_generate": 4,
    "mt19937_realigned_generate": 3,
    "mt607_generate": 3,
    "mt607_shared_generate": 3,
}
"""At most."""

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


def unproved(kernel: Kernel, largest: int | None = None) -> int:
    """The accesses of a kernel that are not proved; it must have no finding."""
    try:
        code, said = lint(kernel, largest)
    except BuildError as error:
        pytest.skip(str(error))
    assert code == 0, said
    counted = re.search(r"(\d+) proved, 0 flagged, (\d+) unknown; 0 instructions unmodelled", said)
    assert counted, said
    return int(counted[2])


@pytest.mark.parametrize("name", kernels())
def test_every_access_of_a_launch_is_proved(name: str) -> None:
    assert unproved(kernels()[name], 1000) <= UNPROVED.get(name, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels())
def test_a_kernel_is_clean_in_every_launch_that_its_contract_allows(name: str) -> None:
    unproved(kernels()[name])


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
