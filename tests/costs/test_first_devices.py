"""The first generation, compute capability 1.0 to 1.3: half-warps, 16 banks, strict alignment.

Each number is the answer of NVIDIA's *CUDA C Programming Guide* 4.2, appendix F.3, to one of its
examples, for the two half-warps of a warp together.
"""

from __future__ import annotations

from math import gcd

import pytest

from analyses.traffic.costs import Cost

from .kernels import cost_of

STRICT = ["sm_10", "sm_11"]
RELAXED = ["sm_12", "sm_13"]


def row(words: int, arch: str, size: int = 4) -> Cost:
    """Lanes on neighbouring words of global memory, from so many words past an aligned address."""
    return cost_of(f"mad.lo.u32 %i, %t, {size}, {words * size};", "32", "global", size, arch)


def stride(words: int, arch: str, space: str) -> Cost:
    return cost_of(f"mul.lo.u32 %i, %t, {4 * words};", "32", space, arch=arch)


@pytest.mark.parametrize("arch", STRICT + RELAXED)
def test_strides_share_sixteen_banks(arch: str) -> None:
    """A half-warp is free of conflicts if and only if the stride is odd: structures of three words
    are, of two are not."""
    for k in range(1, 65):
        found = stride(k, arch, "shared")
        assert (found.best, found.ideal) == (2 * gcd(k, 16), 2), k


@pytest.mark.parametrize(
    ("size", "passes"), [(1, 4), (2, 2), (4, 1), (8, 4)], ids=["char", "short", "float", "double"]
)
def test_lanes_on_neighbours_of_other_sizes_meet_in_banks(size: int, passes: int) -> None:
    """Four bytes share a bank, and a double asks in two requests with conflicts of two each."""
    assert cost_of(f"mul.lo.u32 %i, %t, {size};", size=size, arch="sm_13").best == 2 * passes


@pytest.mark.parametrize(
    ("index", "size"), [("mov.u32 %i, 0;", 4), ("and.b32 %i, %t, 3;", 1), ("and.b32 %i, %t, 2;", 2)]
)
def test_one_word_for_all_is_broadcast(index: str, size: int) -> None:
    """Whichever part of it a lane asks for."""
    assert cost_of(index, size=size, arch="sm_10").best == 2


@pytest.mark.parametrize("arch", STRICT)
def test_a_half_warp_is_joined_in_order_and_aligned_or_not_at_all(arch: str) -> None:
    for words in range(32):
        assert row(words, arch).best == (2 if words % 16 == 0 else 32), words
    assert [row(0, arch, size).best for size in (1, 2, 4, 8, 16)] == [32, 32, 2, 2, 4]
    assert [stride(k, arch, "global").best for k in (1, 2, 3, 4)] == [2, 32, 32, 32]
    assert cost_of("xor.b32 %i, %t, 1;\nshl.b32 %i, %i, 2;", "32", "global", 4, arch).best == 32


@pytest.mark.parametrize("arch", RELAXED)
def test_a_half_warp_takes_the_segments_that_it_touches(arch: str) -> None:
    """Segments of 32 bytes for words of one byte, of 64 for two, else of 128."""
    for words in range(32):
        assert row(words, arch).best == (2 if words % 16 == 0 else 3), words
    assert [row(0, arch, size).best for size in (1, 2, 4, 8, 16)] == [2, 2, 2, 2, 4]
    assert [stride(k, arch, "global").best for k in (1, 2, 4, 8, 16, 32)] == [2, 2, 4, 8, 16, 32]
    assert cost_of("xor.b32 %i, %t, 1;\nshl.b32 %i, %i, 2;", "32", "global", 4, arch).best == 2
