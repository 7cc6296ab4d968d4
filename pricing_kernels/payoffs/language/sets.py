"""What a fold or an array runs over: assets by number, dates as parts of the maturity.

Times are in (0, 1]; 1 is the maturity. A fold over dates is a loop of the kernel; a fold over
assets is written out, so an asset's number is a plain Python integer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pricing_kernels.payoffs.language.expression import PayoffError, here, whole_number


@dataclass(frozen=True)
class Assets:
    """Some assets, by number, from 0."""

    numbers: tuple[int, ...]

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Dates:
    """Some times, rising."""

    times: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[float]:
        return iter(self.times)

    def before(self, time: float) -> Dates:
        """The times before another."""
        return times(t for t in self.times if t < time)

    def since(self, time: float) -> Dates:
        """The times from another on, that one included."""
        return times(t for t in self.times if t >= time)


def assets(number: int) -> Assets:
    """The assets 0 .. number - 1."""
    return Assets(tuple(range(_count(number, "assets"))))


def dates(number: int) -> Dates:
    """So many equal steps to the maturity: 1/number, 2/number, ..., 1."""
    count = _count(number, "dates")
    return Dates(tuple(k / count for k in range(1, count + 1)))


def _count(number: Any, of: str) -> int:
    count = whole_number(number)
    if count is None or count < 1:
        raise PayoffError(f"{number!r} {of}, expected an integer from 1 on", here())
    return count


def times(given: Iterable[float]) -> Dates:
    """The dates at these times, in parts of the maturity."""
    try:
        rising = tuple(sorted({float(time) for time in given}))
    except (TypeError, ValueError):
        raise PayoffError(f"the times {given!r:.60} are no numbers", here()) from None
    if not rising:
        raise PayoffError("the set of times is empty", here())
    for time in rising:
        if not 0.0 < time <= 1.0:
            raise PayoffError(
                f"the time {time:g} is not in (0, 1]: times are parts of the maturity", here()
            )
    return Dates(rising)
