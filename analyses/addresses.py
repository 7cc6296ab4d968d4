"""Memory accesses: where each one goes, and what a warp's worth of it costs.

Where: the region that the address came from and the bytes it may touch there, under the guards of
its place. In bounds is proved when every byte lies in the region in every thread; this is sound
because the numbers are.

Cost: the offsets of the 32 lanes, from the polynomial's terms in the thread's coordinates, for
every distinct warp of the block; the rest of the polynomial is the same in all lanes of a warp
and matters modulo 128 at most. A *request* is one warp executing the access once. Sectors are 32
bytes; shared memory has 32 banks of 4 bytes, a word read by several lanes counts once, and 8- and
16-byte accesses go in 2 and 4 phases (2-analysis of the counters:
``memory_l2_theoretical_sectors_global`` and ``memory_l1_wavefronts_shared``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, gcd

from analyses.divergence import Divergence
from analyses.domains.affine import Affine, Monomial
from analyses.domains.space import Based, Origin
from analyses.domains.uniformity import Level
from analyses.program import Access, Instr, Region, Value
from analyses.values import Values

WARP = 32
SECTOR = 32
BANKS, BANK = 32, 4
LINE = BANKS * BANK
AXES = ("tid.", "laneid")

Block3 = tuple[int, int, int]
Offsets = tuple[int | None, ...]  # of the 32 lanes; None where a lane touches nothing


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access goes. ``low`` and ``high`` bound the offset of its first byte from the start
    of the region, None where unknown; ``residue`` is (r, m): the address is r modulo m."""

    instr: Instr
    access: Access
    block: int
    origin: Origin | None
    low: int | None
    high: int | None
    residue: tuple[int, int]
    polynomial: Affine
    size: int | None  # of the region
    reached: bool

    @property
    def region(self) -> Region | None:
        return self.origin.region if self.origin is not None else None

    @property
    def in_bounds(self) -> bool:
        if not self.reached:
            return True
        if self.size is None or self.low is None or self.high is None:
            return False
        return self.low >= 0 and self.high + self.access.bytes <= self.size

    @property
    def never_in_bounds(self) -> bool:
        """No thread that gets here touches only bytes of the region."""
        if not self.reached or self.size is None:
            return False
        last = self.size - self.access.bytes
        return (self.low is not None and self.low > last) or (
            self.high is not None and self.high < 0
        )

    @property
    def aligned(self) -> bool:
        residue, modulus = self.residue
        align = self.access.align
        return not self.reached or (modulus % align == 0 and residue % align == 0)


Aligns = Mapping[Region, int]


def places(values: Values, aligns: Aligns) -> Iterator[Place]:
    """Every access of the function. ``aligns`` overrides the alignment of regions."""
    for block in values.function.blocks:
        for instr in block.instrs:
            if instr.access is not None:
                yield place(values, aligns, instr, instr.access, block.index)


def place(values: Values, aligns: Aligns, instr: Instr, access: Access, block: int) -> Place:
    fact = values.at(access.base, block, access.mask)
    polynomial = values.polynomial(access.base)
    offset = polynomial.offset
    if offset.terms is not None:
        moved = values.affines.const(offset.width, access.offset)
        offset = values.resolved(values.affines.add(offset, moved))
    reached = values.reached(block) and not values.numbers.is_bottom(fact)
    low, high = _range(values, fact, polynomial, offset, access.offset) if reached else (None, None)
    residue = _residue(fact, access.offset, aligns) if reached else (0, 1)
    size = values.size(fact.origin.region) if fact.origin is not None else None
    return Place(instr, access, block, fact.origin, low, high, residue, offset, size, reached)


def _range(
    values: Values, fact: Based, polynomial: Based, offset: Affine, shift: int
) -> tuple[int | None, int | None]:
    """The numbers' bounds, and the polynomial's where it holds without an assumption and cannot
    wrap."""
    if fact.origin is None:
        low, high = values.interval(fact).unsigned_bounds()
    else:
        low, high = values.interval(fact).signed_bounds()
    low, high = low + shift, high + shift
    exact = offset.terms is not None and not offset.assumed
    bounds = values.affines.range(offset) if exact and polynomial.origin == fact.origin else None
    half = 1 << (offset.width - 1)
    if bounds is not None and fact.origin is not None and -half <= bounds[0] <= bounds[1] < half:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return low, high


def _residue(fact: Based, shift: int, aligns: Aligns) -> tuple[int, int]:
    residue, bits = fact.offset[1].alignment
    modulus = 1 << min(bits, 12)
    if fact.origin is not None:
        region = fact.origin.region
        modulus = gcd(modulus, max(aligns.get(region, region.align), 1))
    return (residue + shift) % modulus, modulus


# --- lanes


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the lanes of a warp add to the address. ``warps`` are the distinct offsets of the
    warps of a block; ``base`` is (r, m): what they add it to is r modulo m. ``assumed`` where the
    index is taken not to wrap, or ntid.x to be a multiple of the warp."""

    warps: tuple[Offsets, ...]
    base: tuple[int, int]
    assumed: bool
    stride: int | None  # in bytes, along x


def pattern(
    values: Values, divergence: Divergence, found: Place, shape: Block3 | None, align: int
) -> Pattern | str:
    """The pattern, or the reason why there is none. ``align`` is the region's, in bytes."""
    a = found.polynomial
    if a.terms is None or found.origin is None:
        return "generic-space" if found.origin is None else "nonlinear-lane"
    lane_terms: dict[str, int] = {}
    base, modulus = 0, 4096
    for monomial, factor in a.terms:
        if not monomial:
            base += factor
            continue
        axes = [s for s in monomial if isinstance(s, str) and s.startswith(AXES)]
        reason = _varies(values, divergence, monomial, found.block)
        if reason:
            return reason
        if not axes:
            modulus = gcd(modulus, factor * _power(values, monomial))
        elif len(monomial) == 1:
            lane_terms[axes[0]] = factor
        elif shape is None and "tid.x" not in axes and "laneid" not in axes:
            modulus = gcd(modulus, factor)  # one row of a warp: assumed below
        else:
            return "symbolic-stride"
    modulus = gcd(modulus, align)
    warps = tuple(dict.fromkeys(_warps(lane_terms, shape)))
    if shape is None:
        modulus = gcd(modulus, *(f for axis, f in lane_terms.items() if axis != "tid.x"), modulus)
    return Pattern(
        warps, (base % modulus, modulus), a.assumed or shape is None, lane_terms.get("tid.x")
    )


def _varies(values: Values, divergence: Divergence, monomial: Monomial, block: int) -> str:
    """Why a term may differ between the lanes of a warp in a way that nobody knows."""
    for symbol in monomial:
        if isinstance(symbol, Value):
            if divergence.use(symbol, block) is Level.DIVERGENT:
                instr = values.definition.get(symbol)
                loaded = instr is not None and instr.access is not None
                return "loaded-index" if loaded else "nonlinear-lane"
        elif symbol in values.counters:
            if divergence.counter(int(symbol.removeprefix("k")), block) is Level.DIVERGENT:
                return "nonlinear-lane"
        elif not symbol.startswith(AXES) and divergence.symbol(symbol) is Level.DIVERGENT:
            return "nonlinear-lane"
    return ""


def _power(values: Values, monomial: Monomial) -> int:
    """A power of two that divides the product of the symbols."""
    power = 1
    for symbol in monomial:
        if isinstance(symbol, Value) and symbol in values.number.facts:
            fact = values.number.facts[symbol]
            if fact.origin is None and not values.numbers.is_bottom(fact):
                residue, bits = fact.offset[1].alignment
                power *= 1 << (bits if residue == 0 else (residue & -residue).bit_length() - 1)
    return power


@lru_cache(maxsize=64)
def lanes_of(shape: Block3 | None) -> tuple[tuple[tuple[int, int, int] | None, ...], ...]:
    """The thread coordinates of the lanes of every warp; unknown shapes have one row of 32."""
    if shape is None:
        return (tuple((lane, 0, 0) for lane in range(WARP)),)
    x, y, z = shape
    threads: list[tuple[int, int, int] | None] = [
        (i % x, i // x % y, i // (x * y)) for i in range(x * y * z)
    ]
    threads += [None] * (-len(threads) % WARP)
    return tuple(tuple(threads[i : i + WARP]) for i in range(0, len(threads), WARP))


def _warps(terms: Mapping[str, int], shape: Block3 | None) -> Iterator[Offsets]:
    """Offsets relative to the warp's first lane plus that lane's own, reduced modulo a line."""
    for warp in lanes_of(shape):
        offsets = [
            None if t is None else sum(
                factor * (lane if axis == "laneid" else t["xyz".index(axis[-1])])
                for axis, factor in terms.items()
            )
            for lane, t in enumerate(warp)
        ]  # fmt: skip
        first = next(o for o in offsets if o is not None)
        whole = first - first % LINE
        yield tuple(None if o is None else o - whole for o in offsets)


# --- costs


def sectors(offsets: Sequence[int | None], size: int) -> int:
    """Distinct 32-byte sectors that the lanes touch."""
    touched: set[int] = set()
    for offset in offsets:
        if offset is not None:
            touched.update(range(offset // SECTOR, (offset + size - 1) // SECTOR + 1))
    return len(touched)


def ideal_sectors(offsets: Sequence[int | None], size: int) -> int:
    """As many sectors as the distinct bytes fill."""
    return max(1, ceil(len(set(offsets) - {None}) * size / SECTOR))


def wavefronts(offsets: Sequence[int | None], size: int) -> int:
    """Passes over the banks: in each phase the most distinct words that one bank must give."""
    phases = max(1, size // BANK)
    lanes = WARP // phases
    total = 0
    for phase in range(phases):
        words: dict[int, set[int]] = {}
        for offset in offsets[phase * lanes : (phase + 1) * lanes]:
            if offset is not None:
                for word in range(offset // BANK, (offset + size - 1) // BANK + 1):
                    words.setdefault(word % BANKS, set()).add(word)
        total += max((len(found) for found in words.values()), default=0)
    return total


def ideal_wavefronts(offsets: Sequence[int | None], size: int) -> int:
    """As many passes as the distinct words need if they were spread over all banks."""
    phases = max(1, size // BANK)
    lanes = WARP // phases
    groups = (offsets[phase * lanes : (phase + 1) * lanes] for phase in range(phases))
    return max(1, sum(any(offset is not None for offset in group) for group in groups))


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one request of the costliest warp, which spends most beyond its ideal: best and worst
    over what is unknown of the base."""

    unit: str
    best: int
    worst: int
    ideal: int


@lru_cache(maxsize=1024)
def cost(found: Pattern, space: str, size: int) -> Cost:
    """The costliest warp of the block, compared with the ideal for its lanes. ``size`` in bytes."""
    shared = space == "shared"
    count, ideal = (wavefronts, ideal_wavefronts) if shared else (sectors, ideal_sectors)
    period = LINE if shared else SECTOR
    residue, modulus = found.base
    step = gcd(modulus, period)
    results = []
    for offsets in found.warps:
        least = ideal(offsets, size)
        costs = [
            count([None if o is None else o + shift for o in offsets], size)
            for shift in range(residue % step, period, step)
        ]
        results.append((min(costs), max(costs), least))
    least = max(results, key=lambda r: (r[1] - r[2], r[0] - r[2]))[2]
    best = least + max(low - own for low, _, own in results)
    worst = least + max(high - own for _, high, own in results)
    return Cost("wavefronts" if shared else "sectors", best, worst, least)
