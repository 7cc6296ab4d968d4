"""Tristate numbers: sets of words given by known bits, the elements of ``known_bits``.

A bit set in ``unknown`` may be either, every other bit is that of ``value``.
"""

from __future__ import annotations

from typing import NamedTuple


class Tnum(NamedTuple):
    """The words w with w & ~unknown == value; the empty set if unknown is -1."""

    width: int
    value: int
    unknown: int

    @property
    def alignment(self) -> tuple[int, int]:
        """(r, a): every word is r modulo 2**a."""
        if not self.unknown:
            return self.value, self.width
        a = (self.unknown & -self.unknown).bit_length() - 1
        return self.value & ((1 << a) - 1), a

    def unsigned_bounds(self) -> tuple[int, int]:
        if self.unknown < 0:
            raise ValueError("no words have no bounds")
        return self.value, self.value | self.unknown

    def signed_bounds(self) -> tuple[int, int]:
        """An unknown sign bit is set in the least word and clear in the greatest."""
        lo, hi = self.unsigned_bounds()
        sign = 1 << (self.width - 1)
        swing = sign & self.unknown
        return ((lo | swing) ^ sign) - sign, ((hi & ~swing) ^ sign) - sign

    def __str__(self) -> str:
        if self.unknown < 0:
            return "none"
        digits = zip(f"{self.value:0{self.width}b}", f"{self.unknown:0{self.width}b}", strict=True)
        return "".join("?" if unknown == "1" else bit for bit, unknown in digits)


def constant(width: int, value: int) -> Tnum:
    return Tnum(width, value & ((1 << width) - 1), 0)


def residue(width: int, r: int, a: int) -> Tnum:
    """The words that are r modulo 2**a."""
    low = (1 << a) - 1
    return Tnum(width, r & low, (1 << width) - 1 & ~low)


def between(width: int, lo: int, hi: int) -> Tnum:
    """The bits common to all words from lo to hi, unsigned: those above the first that differs."""
    unknown = (1 << (lo ^ hi).bit_length()) - 1
    return Tnum(width, lo & ~unknown, unknown)


def between_signed(width: int, lo: int, hi: int) -> Tnum:
    """The same for signed bounds: where they differ in sign, no bit is common."""
    ones = (1 << width) - 1
    return between(width, lo & ones, hi & ones) if (lo < 0) == (hi < 0) else full(width)


def empty(width: int) -> Tnum:
    return Tnum(width, 0, -1)


def full(width: int) -> Tnum:
    return Tnum(width, 0, (1 << width) - 1)


def trailing_zeros(a: Tnum) -> int:
    maybe = a.value | a.unknown
    return (maybe & -maybe).bit_length() - 1 if maybe else a.width


def flipped(a: Tnum, bit: int) -> Tnum:
    return Tnum(a.width, a.value ^ (bit & ~a.unknown), a.unknown) if a.unknown >= 0 else a


def without(a: Tnum, b: Tnum) -> Tnum:
    """a without the one word of b: a single word if a has two, empty if it has one."""
    if b.unknown or b.value & ~a.unknown != a.value:
        return a
    if not a.unknown:
        return empty(a.width)
    if a.unknown.bit_count() > 1:
        return a
    return constant(a.width, b.value ^ a.unknown)
