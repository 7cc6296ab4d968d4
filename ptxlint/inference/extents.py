"""Upper bounds of the bytes that an access touches, as contracts state them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from math import gcd, inf
from typing import NamedTuple

from msgspec import Struct, field

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import number, sum_of
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.polynomials.symbols import LaunchQuotient, Quotient
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import ConditionalBound
from ptxlint.contracts.launch import MAX_BUFFER
from ptxlint.ir import PtxInstr


class UpperBound(NamedTuple):
    """The greatest number not above ``polynomial/scale`` that is ``-rest`` modulo ``step``."""

    polynomial: Polynomial
    scale: int = 1
    step: int = 1
    rest: int = 0

    @classmethod
    def of(cls, under: ConditionalBound) -> UpperBound:
        """The bound of bytes that end at the negative of a goal."""
        return cls(-under.least, under.scale, under.step, under.rest).plain

    @property
    def plain(self) -> UpperBound:
        """The same bound, as a sum if it is rounded by a constant."""
        by, over = self.scale * self.step, self.raised.terms.get((), 0)
        whole = self.raised - over % by
        if any(factor % by for factor in whole.terms.values()):
            return self
        terms = {monomial: factor // self.scale for monomial, factor in whole.terms.items()}
        return UpperBound(Polynomial(terms) - self.rest)

    @property
    def constant(self) -> int:
        return self.polynomial.terms.get((), 0)

    @property
    def moving(self) -> UpperBound:
        """The bound without its constant."""
        return self._replace(polynomial=self.polynomial - self.constant)

    def less(self, other: UpperBound) -> Polynomial | None:
        """Not negative where the other bound is not greater; None if the roundings differ."""
        mine, theirs = self.polynomial, other.polynomial
        if self.step == other.step and self.rest <= other.rest:
            mine, theirs = self.raised, other.raised
        elif other.step % self.step or (other.rest - self.rest) % self.step:
            return None
        return mine.scaled(other.scale) - theirs.scaled(self.scale)

    def covers(self, other: UpperBound) -> bool:
        """True if it is not below the other bound in any launch: by ranges, so not always found."""
        gap = self.less(other)
        exact = other.scale * other.step == 1
        gaps = [gap, *(self.rooms(other.polynomial) if exact else ())]
        return any(one is not None and one.range()[0] >= 0 for one in gaps)

    def rooms(self, behind: Polynomial) -> Iterator[Polynomial]:
        """Polynomials that are not negative only where bytes up to ``behind`` lie below the bound:
        rounding down a multiple of ``by`` takes less from it, and rounding up to a multiple of
        ``step`` adds less to bytes that are a multiple of ``of``. The quotient that the bound is a
        multiple of may be a symbol of ``behind``."""
        by = gcd(self.scale * self.step, *self.raised.terms.values())
        of = gcd(self.step, *(behind + self.rest).terms.values())
        yield self.polynomial - (behind + (self.step - of)).scaled(self.scale) + (by - 1)
        dividend, by = self.shortened
        quotients = (s for s in behind.symbols if isinstance(s, Quotient) and s.limit == inf)
        for s in quotients:
            if s.dividend == dividend and s.divisor.constant == by:
                yield Polynomial.of(s).scaled(self.step) - self.rest - behind

    @property
    def raised(self) -> Polynomial:
        """The value that is rounded down to a multiple of ``scale*step``, before ``rest`` is
        subtracted."""
        return self.polynomial + self.scale * self.rest

    @property
    def limited(self) -> bool:
        """True if its symbols may be so large that no buffer is: a launch that meets it then has
        smaller ones."""
        return self.spare.range()[0] < 0

    @property
    def spare(self) -> Polynomial:
        """Not negative where the largest possible buffer has as many bytes."""
        return -self.polynomial + (self.scale * (MAX_BUFFER + self.step) - 1)

    @property
    def shortened(self) -> tuple[Polynomial, int]:
        """A dividend and its divisor: ``step`` times this quotient, less ``rest``, is the bound."""
        by, raised = self.scale * self.step, self.raised
        common = gcd(by, *(factor for monomial, factor in raised.terms.items() if monomial))
        terms = {m: q for m, c in raised.terms.items() if (q := c // common)}
        return Polynomial(terms), by // common

    @property
    def some(self) -> Polynomial:
        """Not negative where the bound is more than 0, or 0 if it is not rounded: where it is
        negative, no byte is accessed."""
        dividend, by = self.shortened
        return self.polynomial if self.rest or by == 1 else dividend - by

    def text(self, names: Mapping[Symbol, str]) -> str:
        if self.scale * self.step == 1:
            return sum_of(self.raised.terms, names)
        dividend, by = self.shortened
        terms = dividend.terms.items()
        even = Polynomial({m: c // by for m, c in terms if m and c % by == 0}).scaled(self.step)
        odd = Polynomial({m: c for m, c in terms if not m or c % by})
        if even.terms and odd.symbols:  # the rows before what is left
            left = LaunchQuotient(odd, Polynomial.of(by), 0)
            whole = even + Polynomial.of(left).scaled(self.step) - self.rest
            return sum_of(whole.terms, {**names, left: left.text(names)})
        shown = sum_of(dividend.terms, names)
        shown = f"{shown if dividend.alone else f'({shown})'}//{number(by)}"
        if self.step > 1:
            shown = f"{self.step}*({shown})"
        return f"{shown} - {self.rest}" if self.rest else shown


class AccessEnd(NamedTuple):
    """An access: where it happens, the offset behind it, and a bound of that."""

    here: PathCondition
    behind: Polynomial
    end: UpperBound


Accesses = dict[UpperBound, dict[Hashable, AccessEnd]]
"""Upper bounds with their accesses."""


class BufferAccesses(Struct):
    """The accesses of one kind to one buffer, by their bounds. Of upper bounds that differ by a
    constant only the greatest is kept, with the accesses of all. Where one has a ``lesser``, that
    is a bound of all of its accesses, too."""

    name: str
    kind: str
    instr: PtxInstr
    optional: bool = False  # a null pointer may be passed
    low: list[int] = []
    high: Accesses = field(default_factory=dict)
    alike: dict[UpperBound, UpperBound] = {}  # by what moves
    lesser: dict[UpperBound, UpperBound] = {}
    align: int = 1

    @property
    def some(self) -> bool:
        """True if bytes may be touched: no thread is at an access that ends at none."""
        return any(end.polynomial.range()[1] > 0 for end in self.high)

    @property
    def sole(self) -> list[UpperBound]:
        """The upper bounds that a buffer has at least as many bytes as."""
        return [end for end in self.high if end not in self.lesser]

    def limiting(self, accessed: Collection[str] = ()) -> list[UpperBound]:
        """Of these, the ones that limit parameters: no buffer is larger than the largest possible
        one. A buffer that may be missing limits none, unless it alone is ``accessed``."""
        there = not self.optional or {self.name} == set(accessed)
        return [end for end in self.sole if there and end.limited]

    def stated(self, even: Callable[[UpperBound], UpperBound]) -> Iterator[tuple[UpperBound, ...]]:
        """The upper bounds, each with its lesser one, as ``even`` rounds them."""
        for end in self.high:
            both = (end, self.lesser.get(end))
            yield tuple(even(one) for one in both if one is not None)

    def reach(self, end: UpperBound, here: PathCondition, behind: Polynomial) -> None:
        known = self.alike.get(end.moving, end)
        places = self.high.pop(known, {})
        greatest = self.alike[end.moving] = max(known, end, key=lambda one: one.constant)
        own = places.get((here.key, behind))
        if own is None or own.end.constant < end.constant:  # else another case ends behind it
            places[here.key, behind] = AccessEnd(here, behind, end)
        self.high[greatest] = places


def merged(bounds: Iterable[tuple[UpperBound, ...]]) -> Iterator[tuple[UpperBound, ...]]:
    """The same bounds in fewer. Where a thread takes several elements, their bounds are one
    polynomial, rounded down to each residue class modulo a step. The greatest of these is the
    polynomial rounded down to the smaller step between the classes."""
    alike: dict[UpperBound, list[UpperBound]] = {}
    for each in dict.fromkeys(bounds):
        if len(each) > 1:
            yield each
        else:
            alike.setdefault(each[0]._replace(rest=0), []).append(each[0])
    for like, ends in alike.items():
        apart = gcd(like.step, *(end.rest - ends[0].rest for end in ends))
        if len(ends) == like.step // apart:
            yield (like._replace(step=apart, rest=ends[0].rest % apart).plain,)
        else:
            yield from ((end,) for end in ends)


def least_text(bounds: Sequence[UpperBound], names: Mapping[Symbol, str]) -> str:
    """The least of bounds, in words."""
    texts = [bound.text(names) for bound in bounds]
    return texts[0] if len(texts) == 1 else f"min({', '.join(texts)})"


def sized_by_block(place: ResolvedAccess) -> bool:
    """True if it is to dynamic shared memory, of which a launch gives as much as a block needs,
    whatever bounds its index by the data."""
    return place.region is not None and place.region.space == "shared"
