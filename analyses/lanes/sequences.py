"""A number for each lane, or one that stands for all.

Lanes mostly rise by even steps: ``4*tid``. Such numbers are a ``range``, and what is computed of
them takes no longer for a thousand lanes than for one. Other numbers are a tuple. Each sequence has
one form only, so that ``==`` means the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import add, mul, sub

Numbers = tuple[int, ...] | range


def normal(numbers: Sequence[int]) -> Numbers:
    """The numbers in the form that they have here."""
    count = len(numbers)
    if type(numbers) is range and count > 1:
        return numbers
    spelt = tuple(numbers)
    step = spelt[1] - spelt[0] if count > 1 else 0
    if spelt[-1] == spelt[0] + step * (count - 1):
        even = rising(spelt[0], step, count)
        if spelt == (tuple(even) if step else (*even,) * count):
            return even
    return spelt


def rising(first: int, step: int, count: int) -> Numbers:
    return range(first, first + step * count, step) if step and count > 1 else (first,)


def modulo(bits: int, numbers: Sequence[int]) -> Numbers:
    """The numbers modulo 2**bits."""
    if type(numbers) is range:
        turns = numbers[0] >> bits
        if turns == numbers[-1] >> bits:
            back = turns << bits
            return numbers if not back else rising(numbers[0] - back, numbers.step, len(numbers))
    mask = (1 << bits) - 1
    if least(numbers) >= 0 and most(numbers) <= mask:
        return normal(numbers)
    return normal([number & mask for number in numbers])


def mapped(
    function: Callable[[int, int], int], a: Sequence[int], b: Sequence[int]
) -> Sequence[int]:
    """The function of both, lane by lane: sums and multiples of even steps have even steps."""
    one, other = len(a), len(b)
    count = max(one, other)
    linear = function is add or function is sub or (function is mul and 1 in (one, other))
    if linear and (one == 1 or type(a) is range) and (other == 1 or type(b) is range):
        first = function(a[0], b[0])
        return rising(first, function(a[one > 1], b[other > 1]) - first, count)
    left: Iterable[int] = repeat(a[0]) if one < count else a
    right: Iterable[int] = repeat(b[0]) if other < count else b
    return list(map(function, left, right))


def least(numbers: Sequence[int]) -> int:
    return min(numbers[0], numbers[-1]) if type(numbers) is range else min(numbers)


def most(numbers: Sequence[int]) -> int:
    return max(numbers[0], numbers[-1]) if type(numbers) is range else max(numbers)


def readings(width: int, numbers: Sequence[int]) -> Numbers:
    """Words of this width, read as signed numbers."""
    half = 1 << (width - 1)
    if -half <= least(numbers) and most(numbers) < half:
        return normal(numbers)
    return normal(mapped(sub, modulo(width, mapped(add, numbers, (half,))), (half,)))


def above(width: int, numbers: Sequence[int], start: int) -> Numbers:
    """How far words lie above another one, by the shorter way round."""
    return readings(width, mapped(sub, numbers, (start,)))


def power(number: int) -> int:
    """The exponent of the greatest power of two that divides the number; many for 0."""
    return (number & -number).bit_length() - 1 if number else 128


def least_power(numbers: Sequence[int]) -> int:
    """The exponent of the greatest power of two that divides all numbers."""
    if type(numbers) is range:
        return min(power(numbers[0]), power(numbers.step))
    return min(map(power, numbers))
