"""Footprints: the bytes of a region that an access touches, for every launch.

Offsets are bytes from the start of the region. A 64-bit address is ``region + offset`` modulo
2**64, so an offset proved to lie inside the region over the integers lies inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import Aligns, ResolvedAccess, resolved_accesses
from analyses.alignment_tests import AlignmentTests
from analyses.budget import ACCESS_SHARE, CASE_SPLITS
from analyses.loaded_ranges import Content, LoadedRanges
from analyses.null_checks import Checked, NullChecks
from analyses.other_threads import OtherThreads
from analyses.polynomials.congruence import congruence
from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol, order
from analyses.polynomials.symbols import (
    Interpretation,
    LaunchQuotient,
    choices,
)
from analyses.program import Access, Instr, Region, opaque_writes
from analyses.proofs.assumed_signs import past
from analyses.proofs.guarded_values import GuardedValues
from analyses.proofs.inequalities import solved
from analyses.proofs.no_wrap import by_compared
from analyses.proofs.path_condition import NOTHING, PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.preconditions import (
    ConditionalBound,
    cost,
    met_by_block,
    met_with_zeros,
    needed,
    of_block,
    tightest_of_block,
    typical_launch_meets,
    weakest,
    weakest_in_groups,
)
from analyses.proofs.prover import Proofs
from analyses.proofs.smt import Solver
from analyses.scalar_evolution import SymbolicValues
from analyses.typical_launch import holds
from analyses.ways import NO_CHOICE


class ByteBounds(Struct, frozen=True):
    """The bytes [low, high) that an access touches: ``low`` is at least the least of its bounds,
    ``-high`` at least the least of its own. Empty if nothing is known."""

    low: tuple[ConditionalBound, ...]
    high: tuple[ConditionalBound, ...]


class Footprints:
    """The footprints of a function. ``extents`` are the declared sizes of regions as polynomials
    over launch symbols, ``contents`` their value ranges; the addresses of ``optional`` regions may
    be 0. A ``solver`` decides if an access is in bounds where the inequalities do not."""

    def __init__(
        self,
        symbolic: SymbolicValues,
        extents: Mapping[Region, Polynomial],
        general: PathCondition = NOTHING,
        contents: Mapping[Region, Content] | None = None,
        solver: Callable[[PathConditions], Solver] | None = None,
        optional: frozenset[Region] = frozenset(),
        guarded: GuardedValues | None = None,
    ) -> None:
        self.symbolic = symbolic
        self.values = symbolic.values
        self.guarded = guarded or GuardedValues(symbolic, general)
        self.proofs = Proofs(symbolic, general)
        self.others = OtherThreads(symbolic, self.proofs)
        self.null_checks = NullChecks(symbolic)
        self.alignment_tests = AlignmentTests(symbolic)
        self.optional = optional
        self.extents = extents
        self.cut: set[Instr] = set()
        """Instructions of which the steps for proofs were exhausted before one was found."""
        self.contents = contents or {}
        self.ranges = LoadedRanges(self.guarded, self.contents, self.reads_what_is_declared)
        self._contents_of: dict[Symbol, tuple[Inequality, ...]] = {}
        self.proofs.conditions.contents = self.contents_of
        self.solver = solver(self.proofs.conditions) if solver is not None else None
        self._solver = solver

    def with_contents(self, contents: Mapping[Region, Content]) -> Footprints:
        """Those under other value ranges of the regions' words."""
        general, optional = self.proofs.conditions.general, self.optional
        return Footprints(
            self.symbolic, self.extents, general, contents, self._solver, optional, self.guarded
        )

    def size(self, region: Region) -> Polynomial | None:
        if region in self.extents:
            return self.extents[region]
        size: int | None = self.values.size(region)
        return Polynomial.of(size) if size is not None else None

    def unsigned(self) -> frozenset[str]:
        """The undeclared parameters that the kernel interprets as unsigned only."""
        guards = self.guarded.guards
        for block in self.values.function.blocks:
            guards.edge(block.index)
            for access in (one for instr in block.instrs if (one := instr.access) is not None):
                guards.masked(block.index, access.mask)
        read_as = self.symbolic.integers.read_as
        return frozenset(
            name
            for (name, _), polynomial in self.symbolic.specials.items()
            if name not in self.values.specials
            and name.rpartition("+")[2].isdecimal()
            and (symbol := polynomial.alone) is not None
            and read_as.get(symbol) == {False}
            and name not in self.symbolic.unsigned
        )

    def premises(self, place: ResolvedAccess) -> PathCondition:
        conditions, access = self.proofs.conditions, place.access
        found = conditions.masked(place.block, access.mask)
        if place.way is not NO_CHOICE:
            found += self._taken(place, found)
        if access.length is None:
            return found
        length = self.length(access)
        limits = Inequality(length - access.least), Inequality(-length + access.bytes)
        return found + PathCondition(limits)

    def _taken(self, place: ResolvedAccess, found: PathCondition) -> PathCondition:
        """What holds on the way of an access by one of several pointers: also which case the
        choices are in, of the access and of what is ``found`` to hold, that it decides."""
        conditions, way = self.proofs.conditions, place.way
        for source, target in way.edges:
            found += conditions.along(source, target)
        for predicate, truth in way.selected:
            found += conditions.implied(predicate, truth, place.instr)
        offset = () if place.polynomial is None else (place.polynomial,)
        decided = way.decided(choices([*offset, *found.polynomials]))
        apart = [Polynomial.of(choice) - case for choice, case in decided.items()]
        equal = [Inequality(side, place.instr) for one in apart for side in (one, -one)]
        return found + PathCondition(tuple(equal))

    def offset(self, place: ResolvedAccess) -> Polynomial | None:
        """The offset of the first byte from the start of the region."""
        if place.origin is None or place.polynomial is None:
            return None
        chosen = place.way.decided(place.polynomial.symbols)
        return self.null_checks.reduced(place.polynomial.replaced(chosen), self.checked(place))

    def by_guards(self, place: ResolvedAccess) -> ResolvedAccess | None:
        """The access with its offset, or the words in it, written with the integers that the path
        condition compares, where that is shorter: what is added up may wrap on the way to the word
        that a guard bounds. Both offsets are equal modulo 2**width of the address."""
        if place.polynomial is None:
            return None
        premises, width = self.premises(place), place.access.base.width
        integers, words = self.symbolic.integers, place.polynomial.symbols
        by: dict[Symbol, Polynomial] = {
            word: integers.interpret(word.width, word.signed, other)
            for word in sorted(words, key=order)
            if isinstance(word, Interpretation)
            and (other := by_compared(premises, word.width, word.polynomial)) != word.polynomial
        }
        found = by_compared(premises, width, integers.respelt(place.polynomial, by))
        return None if found == place.polynomial else replace(place, polynomial=found)

    def checked(self, place: ResolvedAccess) -> Checked:
        """The pointers that null checks show to be null, or not to be, where the access is made."""
        checks, way = self.null_checks, place.way
        known = checks.known(place.block, place.access.mask)
        known = known.union(*(checks.at(source) for source, _ in way.edges))
        return known.union(*(checks.implied(by, truth) for by, truth in way.selected))

    def length(self, access: Access) -> Polynomial:
        """The number of bytes, or an upper bound."""
        integer = None
        if access.length is not None:
            integer = self.symbolic.integer(access.length, signed=False)
        return Polynomial.of(access.bytes) if integer is None else integer

    def end(self, place: ResolvedAccess) -> Polynomial | None:
        """The offset of the byte behind the last one."""
        offset = self.offset(place)
        return None if offset is None else offset + self.length(place.access)

    def goals(self, place: ResolvedAccess) -> tuple[Polynomial, Polynomial] | None:
        """The bytes before the access and those behind it: not negative if it stays inside. None if
        they are not known."""
        size = self.size(place.region) if place.region is not None else None
        offset, end = self.offset(place), self.end(place)
        return None if size is None or offset is None or end is None else (offset, size - end)

    def nonnull(self, place: ResolvedAccess) -> bool:
        """True if the address of the region is shown not to be 0 by a null check."""
        return place.region is not None and (place.region, False) in self.checked(place)

    def may_be_null(self, place: ResolvedAccess) -> bool:
        """True if a thread may access a region that the launch does not have."""
        if place.choices:
            return any(map(self.may_be_null, place.choices))
        optional = place.reached and place.region in self.optional
        return optional and not self.nonnull(place) and not self.excluded(place)

    def excluded(self, place: ResolvedAccess) -> bool:
        """True if threads come here only where the pointer to a buffer is null that the launch has:
        one that is not optional, and has bytes."""
        return any(
            null
            and region not in self.optional
            and (size := self.size(region)) is not None
            and self.proofs.proves(self.premises(place), size - 1)
            for region, null in self.checked(place)
        )

    def in_bounds(self, place: ResolvedAccess) -> bool:
        """True if every thread of every launch stays inside."""
        if place.choices and all(map(self.in_bounds, place.choices)):
            return True
        goals = self.goals(place)
        if goals is None or self.may_be_null(place):
            return False
        with self.proofs.conditions.budget.share(ACCESS_SHARE):
            inside = self._proves(place, goals)
            if not inside and (other := self.by_guards(place)) is not None:
                inside = self._proves(other, self.goals(other))
            if not inside and self.proofs.conditions.budget.left < 0:
                self.cut.add(place.instr)
            return inside

    def _proves(self, place: ResolvedAccess, goals: tuple[Polynomial, Polynomial] | None) -> bool:
        """True if the goals are known, and both are proved."""
        premises = self.premises(place)
        return goals is not None and all(
            self.proofs.proves(premises, goal)
            or (self.solver is not None and self.solver.proves(premises, goal))
            for goal in goals
        )

    def aligned(self, place: ResolvedAccess, aligns: Aligns) -> bool:
        """True if the address is aligned as the access requires. ``aligns`` overrides the alignment
        of regions."""
        each = (one.aligned or self.aligned(one, aligns) for one in place.choices)
        if place.choices and all(each):
            return True
        offset, region = self.offset(place), place.region
        if offset is None or region is None:
            return False
        if self.tested_alignment(place):
            return True
        if aligns.get(region, region.align) % place.access.align:
            return False
        facts = (*self.symbolic.launch, *self.premises(place).known)
        equal, _ = solved(facts, launch=True)
        return congruence(offset, equal, self.symbolic.congruence).divides(place.access.align)

    def tested_alignment(self, place: ResolvedAccess) -> bool:
        """True if a branch shows that the address is aligned, wherever the region begins."""
        offset, align = self.offset(place), place.access.align
        if place.origin is None or offset is None:
            return False
        return self.alignment_tests.aligned(place.block, place.origin, offset, align)

    def counterexample(self, place: ResolvedAccess) -> dict[str, int]:
        """A launch and a thread that leave the region, if the solver finds one: numbers by the
        names of special registers and parameters. Only a candidate: a replay decides."""
        goals = self.goals(place)
        if self.solver is None or goals is None:
            return {}
        premises = self.premises(place)
        for goal in goals:
            found = self.solver.counterexample(premises, goal)
            if found is not None:
                named = ((name, word.alone) for (name, _), word in self.symbolic.specials.items())
                return {name: found[symbol] for name, symbol in named if symbol in found}
        return {}

    # --- loaded values

    def contents_of(self, symbol: Symbol) -> tuple[Inequality, ...]:
        """The value range of the region that a symbol was loaded from; none while that load is
        resolved."""
        if symbol not in self._contents_of:
            self._contents_of[symbol] = ()
            declared = self.ranges.of(symbol) if symbol in self.symbolic.loaded else ()
            self._contents_of[symbol] = (*declared, *self.others.bounds(symbol))
        return self._contents_of[symbol]

    def reads_what_is_declared(
        self, region: Region, where: Callable[[], ResolvedAccess] | None
    ) -> bool:
        """True if a load of a region that the kernel does not write is in bounds, or assumed to be,
        if no place is given."""
        if self.may_be_written(region):
            return False
        if where is None:
            return True
        place = where()
        return (place.in_bounds and not self.may_be_null(place)) or self.in_bounds(place)

    def may_be_written(self, region: Region) -> bool:
        """True if the kernel may write the region."""
        return region in self._written or self.written_anywhere(region.space)

    def written_anywhere(self, space: str) -> bool:
        """True if the kernel may write memory of the space at an unknown address."""
        if space not in self._anywhere:
            spaces = {s.access.space for s in self._stores if s.region is None}
            unknown = not spaces.isdisjoint((space, "generic"))
            self._anywhere[space] = unknown or opaque_writes(self.values.function, space)
        return self._anywhere[space]

    @cached_property
    def _anywhere(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _written(self) -> frozenset[Region]:
        return frozenset(store.region for store in self._stores if store.region is not None)

    @cached_property
    def _stores(self) -> tuple[ResolvedAccess, ...]:
        """The stores and atomics, at the addresses that are known without value ranges."""
        stores = (p for p in resolved_accesses(self.guarded, {}) if p.access.kind != "load")
        return tuple(one for place in stores if place.reached for one in place.each)

    def never_in_bounds(self, place: ResolvedAccess) -> bool:
        """True if every thread that executes the access is out of bounds, in every launch."""
        goals, premises = self.goals(place), self.premises(place)
        return goals is not None and any(self.proofs.proves(premises, -goal - 1) for goal in goals)

    def span(self, place: ResolvedAccess) -> ByteBounds:
        """The bytes that the access touches, for any size of the region."""
        end = self.end(place)
        if end is None:
            return ByteBounds((), ())
        low = self.start(place)
        by = tightest_of_block if of_shared(place) else cost
        return ByteBounds(low, tuple(self.proofs.bounds(self.premises(place), -end, by)))

    def start(self, place: ResolvedAccess) -> tuple[ConditionalBound, ...]:
        """Lower bounds of the offset of the first byte that the access touches."""
        offset = self.offset(place)
        if offset is None:
            return ()
        premises = self.premises(place)
        ways = [of_block if of_shared(place) else cost, weakest]
        if of_shared(place) and nested(offset):
            ways.reverse()
        low: tuple[ConditionalBound, ...] = ()
        for by in ways:
            found = tuple(self.proofs.bounds(premises, offset, by)) or low
            met = all(map(met_with_zeros, found))
            if met or not (low and all(holds(under.least) for under in low)):
                low = found
            if met:
                break
        sure = bool(low) and all(plain(under) for under in low)
        if not sure and self.proofs.proves(premises, offset):
            return (ConditionalBound(Polynomial.of(0)),)
        bounds = partial(self.proofs.bounds, by=weakest)
        more = past(premises, offset, bounds) if low and not sure else NOTHING
        found = tuple(self.proofs.bounds(premises + more, offset, cost)) if more.known else ()
        again = bool(found) and all(under.least.range()[0] >= 0 for under in found)
        return found if again else low

    def starts_inside(self, place: ResolvedAccess) -> bool:
        """True if the access begins inside of the region in typical launches."""
        low = self.start(place)
        return bool(low) and all(map(typical_launch_meets, low))

    def slack(self, place: ResolvedAccess) -> tuple[ConditionalBound, ...]:
        """Lower bounds of the bytes between the access and the end of a region of known size;
        satisfiable ones if there are any. Of shared arrays, whose size is a number, bounds by the
        block that a typical launch meets come first, unless they need more: no size of the data
        decides them."""
        goals = self.goals(place)
        if goals is None:
            return ()
        premises, goal = self.premises(place), goals[1]
        by = weakest_in_groups if self.proofs.by_power(goal) else weakest
        shared, by_block = of_shared(place), list[ConditionalBound]()
        found = tuple(self.proofs.bounds(premises, goal, by)) if nested(goal) or not shared else ()
        if shared and not (found and all(map(met_by_block, found)) and not needed(found)):
            by_block = self.proofs.bounds(premises, goal, of_block)
        typical = bool(by_block) and all(map(met_by_block, by_block))
        if typical and not needed(by_block):
            return tuple(by_block)
        found = found or tuple(self.proofs.bounds(premises, goal, by))
        if typical and by is weakest and needed(by_block) <= needed(found):
            return tuple(by_block)
        if found and all(under.least.range()[1] >= 0 for under in found):
            return self.behind_groups(premises, goal, found)
        met = [
            bound
            for bound in self.proofs.conditions.facts(premises, goal).least(goal)
            if bound.least.range()[1] >= 0
        ]
        return (ConditionalBound(met[0].least, (), met[0]),) if met else found

    def behind_groups(
        self, premises: PathCondition, goal: Polynomial, bounds: tuple[ConditionalBound, ...]
    ) -> tuple[ConditionalBound, ...]:
        """The bounds with ``(n - 1)//d`` in place of ``n//d`` where they still show that the goal
        is not negative: there is nothing behind whole groups of d if these are all of n."""
        integers = self.symbolic.integers
        for at, under in enumerate(bounds):
            less: dict[Symbol, Polynomial] = {
                symbol: Polynomial.of(integers.launch_quotient(symbol.dividend - 1, symbol.divisor))
                for symbol in under.least.symbols
                if isinstance(symbol, LaunchQuotient) and under.least.terms.get((symbol,), 0) < 0
            }
            each = list(bounds)
            each[at] = replace(under, least=under.least.replaced(less))
            held = [one.enough for one in each]
            held += [need.polynomial for one in each for need in one.preconditions]
            enough = PathCondition(tuple(map(Inequality, held)))
            if less and self.proofs.proves(premises + enough, goal):
                bounds = tuple(each)
        return bounds


def nested(goal: Polynomial) -> bool:
    """True if it has more choices than it is split by: a bound without looking at the cases, if it
    does, is sought before the best one of all cases."""
    return len(choices((goal,))) > CASE_SPLITS


def of_shared(place: ResolvedAccess) -> bool:
    """True if it is an access to shared memory."""
    return place.region is not None and place.region.space == "shared"


def plain(under: ConditionalBound) -> bool:
    """True if it is non-negative in every launch."""
    return not under.preconditions and under.least.range()[0] >= 0
