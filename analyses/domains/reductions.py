"""Reductions: one domain's value refined by another's value of the same word.

One function each, opened by its case table (the habit of IKOS and MOPSA; theory: Granger,
"Improving the results of static analyses of programs by local decreasing iterations", FSTTCS 1992).
A reduction keeps every word that both values admit, never enlarges a value, and returns values that
agree as they are, which makes the common case cheap.
"""

from __future__ import annotations

from analyses.domains import known_bits as alignment
from analyses.domains import wrapped_interval as arcs
from analyses.domains.arithmetic_progression import known_bits
from analyses.domains.tnum import Tnum
from analyses.domains.wrapped_interval import StridedInterval


def interval_and_bits(interval: StridedInterval, bits: Tnum) -> tuple[StridedInterval, Tnum]:
    """Strided interval x known bits.

    ============================  ======================================================
    known                         follows
    ============================  ======================================================
    either is empty               both are
    either is constant            so is the other, or it is empty
    low a bits of bits            interval meets the class modulo 2**a
    any bits of bits              interval lies between the least and the greatest word
    stride is a multiple of 2**a  low a bits are those of any element
    unsigned bounds agree above   those high bits are known
    ============================  ======================================================
    """
    width = interval.width
    if interval.span < 0 or bits.unknown < 0:
        return arcs.empty(width), alignment.empty(width)
    if not interval.span and not bits.unknown and interval.lo == bits.value:
        return interval, bits
    interval = _within(interval, bits)
    bits = _common_bits(interval, bits)
    if bits.unknown < 0 or interval.span < 0:
        return arcs.empty(width), alignment.empty(width)
    if not bits.unknown and interval.span:
        return arcs.constant(width, bits.value), bits
    return interval, bits


def _within(interval: StridedInterval, bits: Tnum) -> StridedInterval:
    """The interval met with the residue class and the range of the bits."""
    width, value, unknown = bits
    step = unknown & -unknown
    if not step:
        return arcs.restricted(interval, arcs.constant(width, value))
    if step > 1 and (interval.stride & (step - 1) or (interval.lo ^ value) & (step - 1)):
        residue = value & (step - 1)
        size = 1 << width
        interval = arcs.restricted(interval, StridedInterval(width, residue, size - step, step))
    hi = value | unknown
    if interval.lo < value or interval.lo + interval.span > hi:
        interval = arcs.restricted(interval, arcs.wrapped(width, (value, hi, step)))
    return interval


def _common_bits(interval: StridedInterval, bits: Tnum) -> Tnum:
    """The bits, with those common to all elements of the interval."""
    pieces = arcs.unsigned(interval)
    if not pieces:
        return alignment.empty(bits.width)
    value, unknown = known_bits(pieces[0])
    for piece in pieces[1:]:
        other, maybe = known_bits(piece)
        unknown |= maybe | (value ^ other)
        value &= ~unknown
    if (value ^ bits.value) & ~(unknown | bits.unknown):
        return alignment.empty(bits.width)
    if bits.unknown & ~unknown:
        return Tnum(bits.width, (value | bits.value), unknown & bits.unknown)
    return bits
