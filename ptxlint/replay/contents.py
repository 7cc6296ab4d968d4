"""What buffers hold in replays that look for races, or for accesses out of bounds.

The data decide whether a scatter or a histogram collides, and where a row of a list begins. So a
kernel is replayed with several contents. In all of them a word lies in the value range of its
buffer if one is declared, else in [0, ``limit``). Where a range has numbers on both sides of 0,
those below are marks and no places, as -100 is of a label to be ignored: ``LOWEST`` alone has one.
All are functions of the position of the parameter and of the word: the same on every machine.

``NEAR_ZERO``
    Each word is the one nearest to 0.
``LOWEST``, ``GREATEST``
    Each word is that end of its range.
``RISING``
    From one end of the range to the other, in equal steps.
``PERMUTED``
    The first words of the range, each once, in no order; again, if these are too few.
``ASCENDING``
    Words differ as long as the range has others, in order and as far apart as the range allows, but
    no word is its own index: offsets of rows.
``APART``
    As ``PERMUTED``, but each buffer has a residue class of its own: lists that share no word.
``RANDOM``
    Words repeat at random.
``SPARSE``
    Every other word is the one nearest to 0, the rest repeat at random, alike in all buffers.
``GREAT``, ``ONES``
    Each byte is 0x7f, or 0xff: a great number of any type; -1, which as a float is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import gcd
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from analyses.budget import BUFFER_WORDS
from analyses.concrete.bitvectors import Array
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, WordRange
from ptxlint.simt.memory import Bytes


class Contents(Enum):
    """The value says to a reader what the buffers hold."""

    NEAR_ZERO = "the number nearest to 0, again and again"
    LOWEST = "the lowest number of their range, again and again"
    GREATEST = "the greatest number of their range, again and again"
    RISING = "numbers that rise from the lowest to the greatest"
    PERMUTED = "different numbers, shuffled"
    ASCENDING = "different numbers, in ascending order"
    APART = "different numbers, none of them in two buffers"
    RANDOM = "random numbers, some of them equal"
    SPARSE = "random numbers, every other one 0"
    GREAT = "great numbers"
    ONES = "words with all bits set, which are -1 or no number"


ENDS = (Contents.LOWEST, Contents.GREATEST, Contents.RISING)
FAR = {Contents.GREAT: 0x7F, Contents.ONES: 0xFF}
"""The byte of contents that are only in buffers without a declared range."""


class WordType(Struct, frozen=True):
    """How a kernel reads the words of a buffer; ``index`` if they decide addresses or branches."""

    bits: int
    floating: bool = False
    index: bool = False


WORD = WordType(32)
STEP = 0.125  # between floats


def filled(
    launch: ConcreteLaunch,
    contents: Contents,
    types: Mapping[int, WordType] = MappingProxyType({}),
    limit: int | None = None,
) -> ConcreteLaunch:
    """The launch with other contents in all buffers that are not given, but for ends of ranges:
    these are only in buffers with a declared one, and ``FAR`` ones only in others. ``types`` by
    position of the argument. Without a ``limit`` it is the number of words in the buffer."""
    open_ = [
        index
        for index, argument in enumerate(launch.arguments)
        if isinstance(argument, Allocation)
        and (contents not in FAR if argument.range else argument.data is None)
        and (argument.range or contents not in ENDS)
    ]
    lists = [i for i in open_ if types.get(i, WORD).index]
    arguments = list(launch.arguments)
    for index in open_:
        argument = arguments[index]
        assert isinstance(argument, Allocation)
        word_type = types.get(index, WORD)
        bits = argument.range.bits if argument.range else 8 if contents in FAR else word_type.bits
        count = BUFFER_WORDS if argument.size is None else 8 * argument.size // bits
        values = min(max(limit or count, 1), 1 << bits)
        known = argument.range or WordRange(bits, 0, values - 1)
        which = (lists.index(index), max(len(lists) | 1, 3)) if index in lists else (0, 1)
        words = words_of(contents, count, known, index, which)
        data = as_bytes(words, bits, word_type.floating and argument.range is None, known)
        arguments[index] = replace(argument, data=data)
    return replace(launch, arguments=tuple(arguments))


def words_of(
    contents: Contents, count: int, known: WordRange, seed: int, which: tuple[int, int]
) -> Array:
    """So many integers of a range, but no more than ``BUFFER_WORDS`` if those behind may be 0;
    ``which`` list of an odd number of lists they are."""
    number, lists = which
    nearest = min(max(known.low, 0), known.high)
    low = known.low if known.high < 0 else nearest
    values = max(known.high - low + 1, 1)
    index = np.arange(min(count, BUFFER_WORDS), dtype=np.int64)
    match contents:
        case Contents.GREAT | Contents.ONES:
            words = np.full(index.size, FAR[contents])
        case Contents.NEAR_ZERO:
            words = np.full(index.size, nearest)
        case Contents.LOWEST:
            words = np.full(index.size, known.low)
        case Contents.GREATEST:
            words = np.full(index.size, known.high)
        case Contents.RISING:
            last = max(index.size - 1, 1)
            words = low + (values - 1) // last * index + (values - 1) % last * index // last
        case Contents.PERMUTED:
            words = low + permuted(index, min(values, max(count, 1)), seed)
        case Contents.APART:
            part = -(-(values - number) // lists)
            words = low + number + permuted(index, max(part, 1), seed) * lists
            words = np.minimum(words, known.high)
        case Contents.ASCENDING:
            words = low + (index + 1 + seed) * max(values // max(count, 1), 1) % values
        case Contents.RANDOM:
            words = low + scrambled(index, seed) % values
        case Contents.SPARSE:
            drawn = scrambled(index, 0)
            words = np.where(drawn % 2 == 0, low + drawn // 2 % values, nearest)
    return np.resize(words, count) if nearest and count > words.size else words


def permuted(index: Array, values: int, seed: int) -> Array:
    """Numbers below ``values`` that differ, spread evenly, while there are as many."""
    count = max(index.size, 3)
    factor = int(count * 0.618) + seed
    while gcd(factor, count) != 1 or factor % count == 1:  # ends: count - 1 will do
        factor += 1
    step = max(values // count, 1)
    words: Array = (index * factor + 1 + seed) % count * step % values
    return words


def scrambled(index: Array, seed: int) -> Array:
    """Pseudo-random numbers of 48 bits (Steele, Lea & Flood, "SplitMix", OOPSLA 2014)."""
    words = (index.astype(np.uint64) + np.uint64(1 + (seed << 40))) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (words ^ (words >> np.uint64(31))).view(np.int64) & ((1 << 48) - 1)


def as_bytes(words: Array, bits: int, floating: bool, known: WordRange) -> Bytes:
    """The words in memory; floats lie around 0."""
    if floating:
        middle = (known.low + known.high) // 2
        return ((words - middle) * STEP).astype(f"f{bits // 8}").view(np.uint8)
    return words.astype(f"u{bits // 8}").view(np.uint8)
