"""What address arithmetic must keep: facts at 32 and 64 bits, as the compilers write the code."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from analyses.concrete.machine import BitVector, Lanes
from analyses.domains.known_bits import KnownBits
from analyses.domains.regions import BasePlusOffset, BasePlusOffsets, Origin
from analyses.domains.strided_interval import StridedIntervals, interval
from analyses.program import Region

D = StridedIntervals({"tid": interval(32, 0, 1023), "n": interval(32, 0, 2**31 - 1)})
A = KnownBits()

TID, N = D.special("tid", 32), D.special("n", 32)
ANY, BIT = D.top(32), D.top(1)


def c(value: int, width: int = 32) -> Any:
    return D.const(width, value)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (D.and_(TID, c(31)), "[0..31]"),
        (D.and_(ANY, c(31)), "[0..31]"),
        (D.and_(ANY, c(-32)), "0 mod 32"),
        (D.and_(interval(32, 100, 110), c(31)), "[4..14]"),
        (D.shr_u(TID, c(5)), "[0..31]"),
        (D.shr_s(ANY, c(31)), "[-1..0]"),
        (D.shl(TID, c(2)), "4*[0..1023]"),
        (D.shl(ANY, c(2)), "0 mod 4"),
        (D.mul(TID, c(-12)), "12*[-1023..0]"),
        (D.mul(D.sext(64, D.sub(TID, c(1))), c(4, 64)), "4*[-1..1022]"),
        (D.mul(D.zext(64, ANY), c(4, 64)), "4*[0..4294967295]"),
        (D.add(D.mul(D.and_(TID, c(7)), c(132)), c(8)), "8+132*[0..7]"),
        (D.or_(D.shl(D.and_(TID, c(7)), c(5)), D.and_(ANY, c(31))), "[0..255]"),
        (D.min_s(D.sub(ANY, TID), c(256)), "[-2147483648..256]"),
        (D.min_s(D.sub(N, c(256)), c(256)), "[-256..256]"),
        (D.max_s(ANY, c(0)), "[0..2147483647]"),
        (D.rem_u(ANY, c(32)), "[0..31]"),
        (D.rem_s(N, c(32)), "[0..31]"),
        (D.div_u(D.shl(TID, c(2)), c(4)), "[0..1023]"),
        (D.select(BIT, c(4), c(12)), "4+8*[0..1]"),
        (D.sext(64, N), "[0..2147483647]"),
        (D.extract(8, 3, TID), "[0..127]"),
        (D.concat(TID, c(0)), "[0..1023]"),
        (D.popc(D.and_(ANY, c(0xFF))), "[0..8]"),
        (D.assume(ANY, "lt_s", c(10))[0], "[-2147483648..9]"),
        (D.assume(ANY, "lt_u", c(10))[0], "[0..9]"),
        (D.assume(D.assume(ANY, "lt_s", N)[0], "le_s", c(-1))[0], "[-2147483648..-1]"),
        (D.assume(c(0), "le_s", D.assume(ANY, "lt_s", N)[0])[1], "[0..2147483646]"),
        (D.assume(D.shl(TID, c(2)), "lt_u", c(42))[0], "4*[0..10]"),
        (D.assume(D.shl(TID, c(2)), "eq", c(42))[0], "none"),
        (D.assume(TID, "ne", c(0))[0], "[1..1023]"),
        (D.assume(TID, "ne", c(5))[0], "[0..1023]"),
        (D.assume(ANY, "ne", c(0))[0], "[1..4294967295]"),
        (D.eq(TID, c(1024)), "0"),
        (D.lt_u(TID, c(1024)), "1"),
        (D.widen(c(0), interval(32, 0, 4, 4), (63, 255)), "4*[0..15]"),
        (D.widen(c(0), interval(32, 0, 4, 4)), "4*[0..536870911]"),
    ],
)
def test_interval(fact: Any, expected: str) -> None:
    assert str(fact) == expected


X, K = A.top(32), A.const


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (A.shl(X, K(32, 2)), (0, 2)),
        (A.add(A.shl(X, K(32, 2)), K(32, 6)), (2, 2)),
        (A.mul(X, K(32, 12)), (0, 2)),
        (A.mul(A.shl(X, K(32, 4)), A.or_(X, K(32, 1))), (0, 4)),
        (A.sub(K(32, 3), A.shl(X, K(32, 3))), (3, 3)),
        (A.rem_s(A.shl(X, K(32, 2)), K(32, 48)), (0, 2)),
        (A.shl(X, A.or_(A.const(32, 2), A.and_(X, K(32, 1)))), (0, 2)),
        (A.prmt(A.shl(X, K(32, 8)), X, K(32, 0x3210)), (0, 8)),
    ],
)
def test_alignment(fact: Any, expected: tuple[int, int]) -> None:
    assert fact.alignment == expected


@pytest.mark.parametrize("widened", [True, False])
def test_addresses_of_a_small_space_change_their_width(widened: bool) -> None:
    """What a state space holds lies below 2**31, so its addresses are the same at both widths."""
    random, machine, tile = Random(7), Lanes(), Origin(Region("shared", "tile", None, 4), False)
    kept = 0
    for _ in range(300):
        base = 4 * random.randrange(1 << 29)
        domain = BasePlusOffsets(StridedIntervals(), bases={tile: base})
        low = random.choice((0, -4, random.randrange(1 << 30), -random.randrange(1 << 30)))
        high = low + random.randrange(1 << random.randrange(30))
        here, there = (32, 64) if widened else (64, 32)
        fact = BasePlusOffset(tile, interval(here, low, high))
        word = BitVector.of(here, [base + low, base + high, base + (low + high) // 2])
        if widened:
            found, seen = domain.zext(there, fact), machine.zext(there, word)
        else:
            found, seen = domain.extract(there, 0, fact), machine.extract(there, 0, word)
        assert domain.admits(found, seen).all(), f"{fact}, from {base}: {found}"
        kept += found.origin is not None
    assert kept > 50
