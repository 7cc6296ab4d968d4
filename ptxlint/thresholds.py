"""From where on the rules report: every number that somebody had to choose, with its reason.

A threshold is no fact of the hardware (those are in ``analyses.traffic.devices``) and nothing that
a proof rests on: it says what is worth a person's time.
"""

from __future__ import annotations

TOLERATED = {
    "sectors": 1,  # what a row that begins off a sector's edge costs, for every allocator
    "lines": 1,  # the same for lines
    "transactions": 0,  # they are joined or they are not
    "segments": 1,  # as for sectors
    "wavefronts": 0,  # a pass more doubles the time of a request
    "wavefronts per try": 0,  # the same, as often as the update is tried
    "half-warp wavefronts": 0,
    "wide-bank wavefronts": 0,
    "local sectors": 1,  # as for sectors
    "updates of one address": 6,  # below eight lanes a sum over the warp costs as much
    "addresses": 1,  # two addresses are what lanes on both sides of a boundary ask for
}
"""Units above the ideal that are no finding, by the unit."""

RESIDENT = 4
"""One of so many of a multiprocessor's warps is enough where shared memory allows no more: kernels
that keep their tiles there hide latency by other means, with a quarter of the warps as a rule."""

APART = 4
"""Iterations between the lanes of a warp that leave a loop: fewer are what any boundary costs."""

COPIES, UNROLLED = 64, 1000
"""Copies of the same instructions, and all their instructions: compilers unroll by 4 to 32 of
themselves, and from 1000 instructions on ptxas takes several times as long as for the loop."""

PERIODS = range(4, 513)
"""Instructions of a copy: fewer are products of registers, more are no body that was repeated."""
