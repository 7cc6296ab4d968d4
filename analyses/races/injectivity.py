"""Injectivity of the access map: accesses that share a byte are made by one thread.

Theorem. Accesses have the offsets ``base + f1*d1 + ... + fn*dn``. The base is the same for all
threads up to a constant, and the bytes of all accesses at their constants lie in a window of
``span`` bytes. The digits d are integers: coordinates, iterations and other words of a thread.
If in every thread, for each digit k,

    0 <= f1*d1 + ... + f(k-1)*d(k-1) <= fk - span,

then accesses that share a byte have equal digits.

Proof. Let k be the last digit in which two accesses differ. The terms behind it are equal. The
terms before it differ by at most fk - span, and fk*dk differs by at least fk. So the windows of the
two accesses are at least ``span`` bytes apart, and no byte lies in both.

These are the digits of a mixed radix (Knuth, The Art of Computer Programming 2, 4.1). Dependence
analysis knows the test as delinearization (Maslov, PLDI 1992). Negative factors and digits that do
not begin at 0 are covered: negating all offsets, or subtracting a constant from a digit, changes no
distance.

Corollary. If each coordinate in which threads differ is a digit, accesses that share a byte are
made by one thread.

``linear_form`` finds the digits and ``reach`` is the test. They serve the numbers of one launch
(``analyses.races.candidates``) and the polynomials of every launch (``injective``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from msgspec import Struct

from analyses.addresses import ResolvedAccess
from analyses.footprints import Footprints
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import deep
from analyses.program import Instr
from analyses.proofs.no_wrap import replaced
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.preconditions import Precondition, unique
from analyses.typical_launch import typical_launch_value

COORDINATES = tuple(f"{kind}.{axis}" for kind in ("tid", "ctaid") for axis in "xyz")
ZERO = Polynomial({})

V = TypeVar("V", int, Polynomial)


def reach(digits: Iterable[tuple[V, V]], span: V, not_negative: Callable[[V], bool]) -> V | None:
    """The bytes from the start of the window to the end of the last access, if the theorem holds
    for pairs of a factor and its digit. Numbers give the greatest value of a digit."""
    end = span
    for factor, digit in digits:
        if not (not_negative(end - span) and not_negative(factor - end)):
            return None
        end = end + factor * digit
    return end


def window(accesses: Iterable[tuple[int, ResolvedAccess]]) -> int:
    """The span of accesses at their constants."""
    ends = [(constant, constant + place.access.bytes) for constant, place in accesses]
    return max(end for _, end in ends) - min(start for start, _ in ends)


class LinearForm(NamedTuple):
    """``base + sum of factors times digits``, with base and factors the same for all threads."""

    base: Polynomial
    factors: dict[Symbol, Polynomial]


def linear_form(offset: Polynomial, common: Callable[[Symbol], bool]) -> LinearForm | None:
    """None if a term has two digits: symbols that are not ``common`` to all threads."""
    base, factors = ZERO, dict[Symbol, Polynomial]()
    for monomial, number in offset.terms.items():
        digits = [symbol for symbol in monomial if not common(symbol)]
        same = Polynomial({tuple(symbol for symbol in monomial if common(symbol)): number})
        if len(digits) > 1:
            return None
        if digits:
            factors[digits[0]] = factors.get(digits[0], ZERO) + same
        else:
            base += same
    return LinearForm(base, factors)


class AccessForm(Struct, frozen=True):
    """The offset ``constant + base + sum of factors times digits`` of one access, under the
    premises."""

    place: ResolvedAccess
    premises: PathCondition
    preconditions: tuple[Precondition, ...]
    constant: int
    base: Polynomial
    factors: dict[Symbol, Polynomial] = {}


class Injective(Struct, frozen=True):
    """Accesses to disjoint bytes: in launches that meet ``preconditions`` and have an extent of 1
    along ``single`` axes (``ntid.y``), accesses that share a byte have equal ``digits`` and are
    made by one thread. ``constants`` are those of the offsets, by access."""

    preconditions: tuple[Precondition, ...]
    single: tuple[str, ...]
    digits: frozenset[Symbol]
    constants: dict[Instr, int]


def injective(
    footprints: Footprints, places: Sequence[ResolvedAccess], held: PathCondition
) -> Injective | None:
    """The preconditions under which each byte that these accesses touch belongs to one thread,
    with offsets from the start of their regions; None if that is not shown. ``held`` holds in
    every launch that is asked about. No offset may leave its region there."""
    forms = [form(footprints, place, held) for place in places]
    found = [one for one in forms if one is not None]
    if not found or len(found) < len(forms):
        return None
    first = found[0]
    if any((one.factors, one.base) != (first.factors, first.base) for one in found):
        return None
    if not _mixed_radix(footprints, found):
        return None
    single = list(_single(footprints, found))
    if None in single:
        return None
    preconditions = tuple(unique(need for one in found for need in one.preconditions))
    constants = {one.place.instr: one.constant for one in found}
    axes = tuple(name for name in single if name)
    return Injective(preconditions, axes, frozenset(first.factors), constants)


def form(footprints: Footprints, place: ResolvedAccess, held: PathCondition) -> AccessForm | None:
    """None if the offset is not linear in what threads compute. A word is read as its polynomial
    if it does not wrap, or if a precondition excludes that."""
    offset = footprints.offset(place)
    if offset is None:
        return None
    premises, integers = footprints.premises(place) + held, footprints.symbolic.integers
    no_wrap = footprints.proofs.no_wrap(premises, offset, needed=True)
    own = deep(offset)
    chosen = [r for r, fit in no_wrap.fits.items() if r in own or not fit.preconditions]
    no_wrap = no_wrap.only(chosen, integers)
    premises, offset = replaced(integers, premises, offset, no_wrap.by)
    premises += PathCondition(tuple(Inequality(need.polynomial) for need in no_wrap.preconditions))
    linear = linear_form(offset, lambda symbol: not symbol.rank)
    if linear is None:
        return None
    constant = linear.base.terms.get((), 0)
    base = linear.base - constant
    return AccessForm(place, premises, no_wrap.preconditions, constant, base, linear.factors)


def _mixed_radix(footprints: Footprints, forms: Sequence[AccessForm]) -> bool:
    """True if the theorem holds for the forms, or for the negated offsets if all factors are
    negative."""
    factors, proves = forms[0].factors, footprints.proofs.proves
    sizes = {digit: typical_launch_value(factor) for digit, factor in factors.items()}
    if any(size < 0 for size in sizes.values()):
        factors = {digit: -factor for digit, factor in factors.items()}
    span = Polynomial.of(window((one.constant, one.place) for one in forms))
    ordered = sorted(factors, key=lambda digit: (abs(sizes[digit]), order(digit)))
    digits = [(factors[digit], Polynomial.of(digit)) for digit in ordered]
    return reach(digits, span, lambda p: all(proves(f.premises, p) for f in forms)) is not None


def _single(footprints: Footprints, forms: Sequence[AccessForm]) -> Iterator[str | None]:
    """The extents that must be 1 because their coordinate is no digit; None for an extent that is
    declared as another number."""
    symbolic, proves = footprints.symbolic, footprints.proofs.proves
    for name in COORDINATES:
        extent = footprints.values.specials.get(f"n{name}")
        if extent is not None and extent.is_constant and extent.value == 1:
            continue
        position = symbolic.specials.get((name, 32))
        digit = position.alone if position is not None else None
        if digit is not None and digit in forms[0].factors:
            continue
        if position is not None and all(proves(one.premises, -position) for one in forms):
            continue
        yield None if extent is not None and extent.is_constant else f"n{name}"
