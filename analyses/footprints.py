"""Which bytes of a region an access touches, for every launch: its part of the kernel's contract.

Offsets are bytes from the start of the region. A 64-bit address is ``region + offset`` modulo
2**64, so an offset that is shown to lie inside the region over the integers lies inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from analyses.addresses import Aligns, ResolvedAccess, resolve, resolved_accesses
from analyses.polynomials.congruence import ANY, Congruence, congruence
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.program import Effect, Region
from analyses.proofs.guarded_values import GuardedValues
from analyses.proofs.inequalities import solved
from analyses.proofs.path_conditions import NOTHING, PathCondition, PathConditions
from analyses.proofs.preconditions import ConditionalBound, cost, everyday, of_block, weakest
from analyses.proofs.prover import Proofs
from analyses.proofs.smt import Solver
from analyses.scalar_evolution import SymbolicValues

UNSEEN = Effect.CALL | Effect.UNMODELLED
WRITES = Effect.STORE | Effect.ATOMIC

SHARE = 2  # of the effort that is left, an access may take one


@dataclass(frozen=True, slots=True)
class ByteBounds:
    """The bytes [low, high) that an access touches: ``low`` is not less than the least of its
    bounds, ``-high`` not less than the least of its own. Empty where nothing is known."""

    low: tuple[ConditionalBound, ...]
    high: tuple[ConditionalBound, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """The words of a region when the launch begins: integers of ``width`` bits that are not less
    than ``low`` and not greater than ``high``, where there are such bounds."""

    width: int
    signed: bool
    low: Polynomial | None
    high: Polynomial | None


class Footprints:
    """``extents`` are the sizes of regions as polynomials over what the launch decides, where the
    launch declares them, and ``contents`` what regions hold. A ``solver`` is asked whether an
    access is in bounds where entailment does not show it."""

    def __init__(
        self,
        symbolic: SymbolicValues,
        extents: Mapping[Region, Polynomial],
        general: PathCondition = NOTHING,
        contents: Mapping[Region, Content] | None = None,
        solver: Callable[[PathConditions], Solver] | None = None,
    ) -> None:
        self.symbolic = symbolic
        self.values = symbolic.values
        self.guarded = GuardedValues(symbolic, general)
        self.proofs = Proofs(symbolic, general)
        self.extents = extents
        self.contents = contents or {}
        self._held: dict[Symbol, tuple[Inequality, ...]] = {}
        self.proofs.places.held = self.held
        self.solver = solver(self.proofs.places) if solver is not None else None

    def size(self, region: Region) -> Polynomial | None:
        if region in self.extents:
            return self.extents[region]
        size: int | None = self.values.size(region)
        return Polynomial.of(size) if size is not None else None

    def unsigned(self) -> frozenset[str]:
        """The parameters that nobody declared and that the kernel only reads as unsigned."""
        for block in self.values.function.blocks:
            self.guarded.guards.edge(block.index)
        read_as = self.symbolic.integers.read_as
        return frozenset(
            name
            for (name, _), polynomial in self.symbolic.specials.items()
            if name not in self.values.specials
            and "+" in name
            and (symbol := polynomial.alone) is not None
            and read_as.get(symbol) == {False}
            and name not in self.symbolic.unsigned
        )

    def premises(self, place: ResolvedAccess) -> PathCondition:
        return self.proofs.places.masked(place.block, place.access.mask)

    def offset(self, place: ResolvedAccess) -> Polynomial | None:
        """Of the first byte from the start of the region that the place belongs to."""
        return place.polynomial if place.origin is not None else None

    def in_bounds(self, place: ResolvedAccess) -> bool:
        """Whether every thread of every launch stays inside."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if size is None or offset is None:
            return False
        goals = (offset, size - offset - place.access.bytes)
        with self.proofs.places.effort.part(SHARE):
            premises = self.premises(place)
            return all(
                self.proofs.proves(premises, goal)
                or (self.solver is not None and self.solver.proves(premises, goal))
                for goal in goals
            )

    def aligned(self, place: ResolvedAccess, aligns: Aligns) -> bool:
        """Whether the address is a multiple of what the access asks for. ``aligns`` overrides the
        alignment of regions."""
        offset, region = self.offset(place), place.region
        if offset is None or region is None:
            return False
        if aligns.get(region, region.align) % place.access.align:
            return False
        facts = (*self.symbolic.launch, *self.premises(place).known)
        equal, _ = solved(facts, launch=True)
        return congruence(offset, equal, self.known).divides(place.access.align)

    def known(self, symbol: Symbol) -> Congruence:
        """What the numbers say that it leaves: the signed word of a value, as its low bits are."""
        value = self.symbolic.opaque.get(symbol)
        fact = self.values.number.facts.get(value) if value is not None else None
        if fact is None or fact.origin is not None or self.values.numbers.is_bottom(fact):
            return ANY
        rest, bits = fact.offset[1].alignment
        return Congruence.of(rest, 1 << bits)

    def breach(self, place: ResolvedAccess) -> dict[str, int]:
        """A launch and a thread that leave the region, where the solver finds some: numbers by the
        names of special registers and parameters. A guess: a run tells."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if self.solver is None or size is None or offset is None:
            return {}
        premises = self.premises(place)
        for goal in (offset, size - offset - place.access.bytes):
            found = self.solver.breach(premises, goal)
            if found is not None:
                named = ((name, word.alone) for (name, _), word in self.symbolic.specials.items())
                return {name: found[symbol] for name, symbol in named if symbol in found}
        return {}

    # --- words that were loaded

    def held(self, symbol: Symbol) -> tuple[Inequality, ...]:
        """What the region says that it was loaded from. Nothing while that load is looked at."""
        if symbol not in self._held:
            self._held[symbol] = ()
            self._held[symbol] = tuple(self._content(symbol))
        return self._held[symbol]

    def _content(self, symbol: Symbol) -> Iterator[Inequality]:
        """The range that the region declares: of a load that stays inside, in whole words, from a
        region that the kernel does not write."""
        instr, value = self.symbolic.loaded[symbol], self.symbolic.opaque[symbol]
        access = instr.access
        assert access is not None
        where = resolve(self.guarded, {}, instr, access, self.values.home[value])
        content = self.contents.get(where.region) if where.region is not None else None
        if content is None or access.mask is not None:
            return
        if content.width != value.width or content.width * len(instr.defs) != 8 * access.bytes:
            return
        if self.written is None or where.region in self.written:
            return
        if not where.in_bounds and not self.in_bounds(where):
            return
        word = Polynomial.of(symbol)
        words = [self.symbolic.integers.read(value.width, content.signed, word)]
        if content.high is not None and content.high.range()[1] < 1 << (value.width - 1):
            words.append(word)  # the unsigned reading is the signed one
        for integer in words:
            if content.low is not None:
                yield Inequality(integer - content.low, instr)
            if content.high is not None:
                yield Inequality(content.high - integer, instr)

    @cached_property
    def written(self) -> frozenset[Region] | None:
        """The regions that the kernel may write; None if nobody can say."""
        instrs = [instr for block in self.values.function.blocks for instr in block.instrs]
        if any(i.effects & UNSEEN or (i.effects & WRITES and i.access is None) for i in instrs):
            return None
        stores = [
            p for p in resolved_accesses(self.guarded, {}) if p.access.kind != "load" and p.reached
        ]
        regions = [store.region for store in stores]
        return None if None in regions else frozenset(r for r in regions if r is not None)

    def never_in_bounds(self, place: ResolvedAccess) -> bool:
        """Whether no thread of any launch that gets there stays inside."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if size is None or offset is None:
            return False
        premises = self.premises(place)
        return self.proofs.proves(premises, -offset - 1) or self.proofs.proves(
            premises, offset + place.access.bytes - size - 1
        )

    def span(self, place: ResolvedAccess) -> ByteBounds:
        """The bytes it touches, whatever the size of the region is."""
        offset = self.offset(place)
        if offset is None:
            return ByteBounds((), ())
        premises = self.premises(place)
        shared = place.region is not None and place.region.space == "shared"
        by = of_block if shared else cost
        low = tuple(self.proofs.bounds(premises, offset, by))
        if any(everyday(under) < 0 for under in low):
            low = tuple(self.proofs.bounds(premises, offset, weakest)) or low
        sure = bool(low) and all(plain(under) for under in low)
        if not sure and self.proofs.proves(premises, offset):
            low = (ConditionalBound(Polynomial.of(0)),)
        return ByteBounds(
            low, tuple(self.proofs.bounds(premises, -offset - place.access.bytes, by))
        )

    def room(self, place: ResolvedAccess) -> tuple[ConditionalBound, ...]:
        """Lower bounds of the bytes that are left behind the access, in a region whose size is
        known: such that some launch leaves any, where there are."""
        size = self.size(place.region) if place.region is not None else None
        offset = self.offset(place)
        if size is None or offset is None:
            return ()
        premises, goal = self.premises(place), size - offset - place.access.bytes
        found = tuple(self.proofs.bounds(premises, goal, weakest))
        if found and all(under.least.range()[1] >= 0 for under in found):
            return found
        met = [
            bound
            for bound in self.proofs.places.facts(premises, goal).least(goal)
            if bound.least.range()[1] >= 0
        ]
        return (ConditionalBound(met[0].least, (), met[0]),) if met else found


def plain(under: ConditionalBound) -> bool:
    """Not negative in any launch."""
    return not under.needs and under.least.range()[0] >= 0
