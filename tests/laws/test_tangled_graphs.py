"""A function of many blocks that branch to any other takes work in proportion to the square
of its size: no analysis of control flow multiplies its loops by their depth."""

from __future__ import annotations

from random import Random

from ptxlint import api
from ptxlint.contracts.launch import Launch
from ptxlint.facts.kernel_facts import Facts
from tests.calls import calls_of

BLOCKS = 75


def tangled(blocks: int) -> str:
    """A kernel whose every block may branch to one drawn at random."""
    random, lines = Random(1), []
    for block in range(blocks):
        lines += [
            f"L{block}: add.u32 %r{block % 20 + 2}, %r{(block + 1) % 20 + 2}, {block};",
            f"setp.lt.u32 %p, %r{block % 20 + 2}, {7 * block};",
            f"@%p bra L{random.randrange(blocks)};",
        ]
    return (
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %r<22>; .reg .pred %p;\nmov.u32 %r2, %tid.x;\n" + "\n".join(lines) + "\nret; }\n"
    )


def divergence(blocks: int) -> None:
    (kernel,) = api.kernels(tangled(blocks))
    facts = Facts(kernel, Launch(), "sm_80")
    assert any(not loop.natural for loop in facts.divergence.inside[blocks // 2])


def test_divergence_of_a_tangled_function() -> None:
    work, more = calls_of(lambda: divergence(BLOCKS)), calls_of(lambda: divergence(4 * BLOCKS))
    assert more < 4**2.1 * work
