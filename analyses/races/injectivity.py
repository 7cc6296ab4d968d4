"""Whether every byte that some accesses touch belongs to one thread, and to one iteration of it.

The accesses must have one linear form: an offset is a sum of digits (coordinates, iterations and
other integers that a thread computes), each times a factor that is the same for all threads, and a
constant. In the order of their size, whatever the lower digits add up to must leave room for the
bytes of the accesses below the factor of the next one. Then offsets that meet have equal digits, as
in a mixed radix: the highest digit that differs keeps them at least that factor apart, of which
the lower ones cannot make up. Where every coordinate is a digit, or there is one only, threads with
equal digits are one thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from analyses.addresses import ResolvedAccess
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import deep
from analyses.program import Instr
from analyses.proofs.footprints import Footprints
from analyses.proofs.path_conditions import PathCondition
from analyses.proofs.preconditions import Precondition, in_a_launch_like_many, unique
from analyses.proofs.prover import replaced

COORDINATES = tuple(f"{kind}.{axis}" for kind in ("tid", "ctaid") for axis in "xyz")
ZERO = Polynomial({})


@dataclass(frozen=True)
class AccessForm:
    """The offset ``constant + rest + sum of factors times digits``, for what holds at the place.
    The rest is the same for all threads."""

    place: ResolvedAccess
    premises: PathCondition
    needs: tuple[Precondition, ...]
    constant: int
    rest: Polynomial
    factors: dict[Symbol, Polynomial] = field(default_factory=dict)


@dataclass(frozen=True)
class Injective:
    """Each byte belongs to one thread in launches that meet the ``needs`` and have an extent of 1
    along ``alone`` (``ntid.y``); and to an iteration of the loops that ``digits`` count. Where the
    digits are equal, so are offsets but for what the accesses start with."""

    needs: tuple[Precondition, ...]
    alone: tuple[str, ...]
    digits: frozenset[Symbol]
    starts: dict[Instr, int]


def owned(
    footprints: Footprints, places: Sequence[ResolvedAccess], held: PathCondition
) -> Injective | None:
    """What makes the bytes that these accesses touch those of one thread, offsets being counted
    from the start of their regions; None where that is not shown. ``held`` holds in every launch
    that is asked about. No offset may leave its region there."""
    forms = [form(footprints, place, held) for place in places]
    found = [one for one in forms if one is not None]
    if not found or len(found) < len(forms):
        return None
    first = found[0]
    if any((one.factors, one.rest) != (first.factors, first.rest) for one in found):
        return None
    if not _in_order(footprints, found):
        return None
    alone = list(_alone(footprints, found))
    if None in alone:
        return None
    needs = tuple(unique(need for one in found for need in one.needs))
    starts = {one.place.instr: one.constant for one in found}
    return Injective(needs, tuple(name for name in alone if name), frozenset(first.factors), starts)


def form(footprints: Footprints, place: ResolvedAccess, held: PathCondition) -> AccessForm | None:
    """None where the offset is not linear in what threads compute. A word is read as its
    polynomial where that is shown, or where the launch can see to it."""
    offset = footprints.offset(place)
    if offset is None:
        return None
    premises, integers = footprints.premises(place) + held, footprints.symbolic.integers
    opened = footprints.proofs.opened(premises, offset, needed=True)
    own = deep(offset)
    chosen = [r for r, fit in opened.fits.items() if r in own or not fit.needs]
    opened = opened.only(chosen, integers)
    premises, offset = replaced(integers, premises, offset, opened.by)
    premises += PathCondition(tuple(Inequality(need.polynomial) for need in opened.needs))
    rest, factors = ZERO, dict[Symbol, Polynomial]()
    for monomial, number in offset.terms.items():
        digits = [symbol for symbol in monomial if symbol.rank]
        same = Polynomial({tuple(symbol for symbol in monomial if not symbol.rank): number})
        if len(digits) > 1:
            return None
        if digits:
            factors[digits[0]] = factors.get(digits[0], ZERO) + same
        elif monomial:
            rest += same
    return AccessForm(place, premises, opened.needs, offset.terms.get((), 0), rest, factors)


def _in_order(footprints: Footprints, forms: Sequence[AccessForm]) -> bool:
    """Whether the digits make a mixed radix. Where all factors are negative, that of the negated
    offsets."""
    factors = forms[0].factors
    sizes = {digit: in_a_launch_like_many(factor) for digit, factor in factors.items()}
    if any(size < 0 for size in sizes.values()):
        factors = {digit: -factor for digit, factor in factors.items()}
    first = min(one.constant for one in forms)
    span = max(one.constant + one.place.access.bytes for one in forms) - first
    lower, proves = ZERO, footprints.proofs.proves
    for digit in sorted(factors, key=lambda digit: (abs(sizes[digit]), order(digit))):
        goals = (lower, factors[digit] - lower - span)
        if not all(proves(one.premises, goal) for one in forms for goal in goals):
            return False
        lower += factors[digit] * Polynomial.of(digit)
    return True


def _alone(footprints: Footprints, forms: Sequence[AccessForm]) -> Iterator[str | None]:
    """The extents that must be 1, for threads along that axis have equal digits; None for one that
    is not."""
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


# --- the order of accesses


def overtaken(
    footprints: Footprints,
    found: Injective,
    writes: Sequence[ResolvedAccess],
    reads: Sequence[ResolvedAccess],
) -> bool:
    """Whether a thread may read a byte after it wrote it, the digits being equal."""
    blocks = footprints.values.function.blocks
    at = {
        instr: number
        for index in {place.block for place in (*writes, *reads)}
        for number, instr in enumerate(blocks[index].instrs)
    }
    ways: dict[tuple[int, int], bool] = {}
    for write, read in product(writes, reads):
        first, other = found.starts[write.instr], found.starts[read.instr]
        if first >= other + read.access.bytes or other >= first + write.access.bytes:
            continue
        if write.block == read.block and at[write.instr] < at[read.instr]:
            return True
        way = write.block, read.block
        if way not in ways:
            ways[way] = leads(footprints, *way, found.digits)
        if ways[way]:
            return True
    return False


def leads(footprints: Footprints, one: int, other: int, digits: Collection[Symbol]) -> bool:
    """Whether a thread may come from the end of a block to another one, the digits being equal.

    A way that goes back to the head of a loop around both changes the number of the iteration, and
    only an outer loop could begin it anew. Loops around neither can be gone through without turning
    back. So where the digits count all loops around both, ways that turn back need not be looked
    at. A loop with two entries is taken to be turned back in."""
    values, counters = footprints.values, footprints.symbolic.counters
    around = [head for head, loop in values.loops.items() if one in loop.nodes]
    beside = [head for head, loop in values.loops.items() if other in loop.nodes]
    counted = around == beside and all(counters.get(head) in digits for head in around)
    loops = [loop for loop in values.loops.values() if counted and loop.natural]
    back = {(latch, loop.head) for loop in loops for latch in loop.latches}
    blocks = values.function.blocks
    seen, open_ = set[int](), [one]
    while open_:
        block = open_.pop()
        ahead = {t for t in blocks[block].terminator.targets if (block, t) not in back} - seen
        seen |= ahead
        open_ += ahead
    return other in seen
