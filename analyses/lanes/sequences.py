"""Sequences of integers: one for each lane, or a single one for all.

Most are arithmetic progressions: ``4*tid``. These are a ``range``, and computing with them takes
the same time for a thousand lanes as for one. Others are a tuple. The form is unique, so ``==``
compares the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import add, mul, sub

Numbers = tuple[int, ...] | range


def normal(numbers: Sequence[int]) -> Numbers:
    """The sequence in its unique form."""
    count = len(numbers)
    if type(numbers) is range and count > 1:
        return numbers
    spelt = tuple(numbers)
    step = spelt[1] - spelt[0] if count > 1 else 0
    if spelt[-1] == spelt[0] + step * (count - 1):
        even = arithmetic(spelt[0], step, count)
        if spelt == (tuple(even) if step else (*even,) * count):
            return even
    return spelt


def arithmetic(first: int, step: int, count: int) -> Numbers:
    return range(first, first + step * count, step) if step and count > 1 else (first,)


def modulo(bits: int, numbers: Sequence[int]) -> Numbers:
    """The numbers modulo 2**bits."""
    if type(numbers) is range:
        wraps = numbers[0] >> bits
        if wraps == numbers[-1] >> bits:
            back = wraps << bits
            return (
                numbers if not back else arithmetic(numbers[0] - back, numbers.step, len(numbers))
            )
    mask = (1 << bits) - 1
    if least(numbers) >= 0 and greatest(numbers) <= mask:
        return normal(numbers)
    return normal([number & mask for number in numbers])


def mapped(
    function: Callable[[int, int], int], a: Sequence[int], b: Sequence[int]
) -> Sequence[int]:
    """The function of both, lane by lane; sums and multiples of progressions are progressions."""
    one, other = len(a), len(b)
    count = max(one, other)
    linear = function is add or function is sub or (function is mul and 1 in (one, other))
    if linear and (one == 1 or type(a) is range) and (other == 1 or type(b) is range):
        first = function(a[0], b[0])
        return arithmetic(first, function(a[one > 1], b[other > 1]) - first, count)
    left: Iterable[int] = repeat(a[0]) if one < count else a
    right: Iterable[int] = repeat(b[0]) if other < count else b
    return list(map(function, left, right))


def least(numbers: Sequence[int]) -> int:
    return min(numbers[0], numbers[-1]) if type(numbers) is range else min(numbers)


def greatest(numbers: Sequence[int]) -> int:
    return max(numbers[0], numbers[-1]) if type(numbers) is range else max(numbers)


def signed_values(width: int, numbers: Sequence[int]) -> Numbers:
    """Words of this width as signed integers."""
    half = 1 << (width - 1)
    if -half <= least(numbers) and greatest(numbers) < half:
        return normal(numbers)
    return normal(mapped(sub, modulo(width, mapped(add, numbers, (half,))), (half,)))


def offsets_from(width: int, numbers: Sequence[int], start: int) -> Numbers:
    """The signed distances of words from ``start``, modulo 2**width."""
    return signed_values(width, mapped(sub, numbers, (start,)))


def trailing_zeros(number: int) -> int:
    """The exponent of the largest power of two that divides the number; 128 for 0."""
    return (number & -number).bit_length() - 1 if number else 128


def common_trailing_zeros(numbers: Sequence[int]) -> int:
    """The exponent of the largest power of two that divides all numbers."""
    if type(numbers) is range:
        return min(trailing_zeros(numbers[0]), trailing_zeros(numbers.step))
    return min(map(trailing_zeros, numbers))
