"""The analyses of one kernel under one launch, each run on demand, and cached.

This is the seam between PTX and the analyses. ``requests`` computes costs from these facts,
``wording`` puts them into words; rules read all three and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess, chosen, origins, resolve, resolved_accesses
from analyses.divergence import Divergence, divergence
from analyses.domains.regions import Origin
from analyses.domains.uniformity import Level, Uniformities
from analyses.flow import Flow
from analyses.footprints import Footprints
from analyses.hardware import capability
from analyses.lanes.accesses import scopes
from analyses.lanes.evaluation import Warps
from analyses.loaded_data import LoadedData
from analyses.polynomials.polynomial import Symbol
from analyses.program import Access, AddressOf, Block, Instr, Operand, Region, Value
from analyses.proofs.guarded_values import GuardedValues
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.smt import Solver
from analyses.races.candidates import RaceCandidates
from analyses.races.phases import CtaBarriers
from analyses.races.updates import updates
from analyses.scalar_evolution import SymbolicValues
from analyses.traffic.costs import Cost, Metric, cost
from analyses.traffic.devices import Device, device
from analyses.traffic.fixes import LayoutChange
from analyses.traffic.layouts import ArrayOfStructures
from analyses.traffic.occupancy import Occupancy, occupancy
from analyses.traffic.patterns import NEVER_REACHED, Pattern, pattern
from analyses.traffic.share import Traffic
from analyses.values import LaunchFacts, Values
from ptxlint.contracts.assumptions import Terms, levels, names_of, pointers, specials
from ptxlint.contracts.declaration import ALLOCATION_ALIGN
from ptxlint.contracts.launch import Launch
from ptxlint.facts import metrics
from ptxlint.facts.data_dependent import DataDependentAddresses
from ptxlint.facts.launched import footprints
from ptxlint.facts.spaces import mismatch
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.undefined_values import UndefinedValues, undefined_values

WORD = 4  # bytes: the least that an instruction without a type moves


class AccessFacts(Struct, frozen=True):
    """One access: its address, and its pattern and cost (or the reason why these are unknown)."""

    place: ResolvedAccess
    in_bounds: bool  # every thread of every launch stays inside of the region
    aligned: bool  # its address is a multiple of what the access asks for
    pattern: Pattern | str
    cost: Cost | None
    mismatch: str | None  # how the address belongs to another space than the instruction's

    @property
    def instr(self) -> PtxInstr:
        return self.place.instr  # type: ignore[return-value]

    @property
    def space(self) -> str:
        return self.place.space

    @property
    def status(self) -> str:
        """``proved`` if every thread stays in bounds, aligned and in its state space."""
        safe = self.in_bounds and self.aligned and self.mismatch is None
        return "proved" if safe else "unknown"


class Facts:
    """``kernel`` under ``launch``; ``arch`` selects the row of the device table, e.g. sm_80. A
    ``solver`` is queried for proofs that are not found otherwise. What is ``known`` of the kernel
    under another launch is taken over where the two launches say the same."""

    def __init__(
        self,
        kernel: Kernel,
        launch: Launch,
        arch: str,
        solver: Callable[[PathConditions], Solver] | None = None,
        known: Facts | None = None,
    ) -> None:
        self.kernel = kernel
        self.known = known
        self.derived: list[Facts] = []  # for which these are known
        if known is not None:
            known.derived.append(self)
        self.launch = launch
        self.arch = arch
        self.solver = solver
        self._decided: tuple[tuple[int, int], dict[Symbol, str]] | None = None

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.kernel) if self.known is None else self.known.flow

    @cached_property
    def declared(self) -> LaunchFacts:
        """What the launch says of single words."""
        shared = self.launch.shared
        return LaunchFacts(
            dict(specials(self.kernel, self.launch)),
            self.pointers,
            frozenset(self.kernel.arguments[i].word for i in self.launch.interior),
            {} if shared is None else {"shared": shared.bytes.low},
        )

    @cached_property
    def like(self) -> Facts | None:
        """What is known, if the launches differ in the value ranges of buffers and tables alone."""
        if (known := self.known) is None:
            return None
        said = known.launch
        alike = replace(self.launch, contents=said.contents, tables=said.tables) == said
        return known if alike else None

    @cached_property
    def values(self) -> Values:
        if self.known is not None and self.known.declared == self.declared:
            return self.known.values
        return Values(self.flow, self.declared)

    @cached_property
    def divergence(self) -> Divergence:
        if self.known is not None and self.known.launch.block == self.launch.block:
            return self.known.divergence
        return divergence(self.flow, Uniformities(dict(levels(self.launch))))

    @cached_property
    def data_dependent(self) -> DataDependentAddresses:
        """The accesses of which no proof is tried, since data decides their addresses."""
        return DataDependentAddresses(self)

    @cached_property
    def loaded_data(self) -> LoadedData:
        """The words that depend on loaded data."""
        if self.known is not None and self.known.values is self.values:
            return self.known.loaded_data
        return LoadedData(self.values)

    @cached_property
    def pointers(self) -> dict[str, Region]:
        """The regions of pointer parameters, under the user's names."""
        return dict(pointers(self.kernel, self.launch))

    @cached_property
    def addressed(self) -> frozenset[Region]:
        """The regions that some word which decides an address or a branch points into."""
        origins = (fact.origin for fact in self.values.number.facts.values())
        return frozenset(origin.region for origin in origins if origin is not None)

    @cached_property
    def layout_changes(self) -> dict[tuple[Region, int, int], tuple[LayoutChange, ...]]:
        """The layouts that were counted, by region, bytes of a row and of an element."""
        return {}

    @cached_property
    def imprecisions(self) -> dict[Operand, Mapping[str, PtxInstr | None]]:
        """The reason codes that are known, by operand: see ``imprecision``."""
        return {}

    @cached_property
    def ends(self) -> frozenset[Origin | None]:
        """The origins of the values that branches compare with a pointer parameter that is not
        declared to point into their region."""
        conditions = [block.terminator.condition for block in self.kernel.blocks]
        return frozenset(
            self.values.number(one).origin
            for condition in conditions
            if condition is not None and condition.width == 1
            for a, _, b in self.flow.formulas.implied(condition, True)
            for one, other in ((a, b), (b, a))
            if self._holds_parameter(other)
        )

    def _holds_parameter(self, operand: Operand) -> bool:
        """True if the operand is the address or the number that a parameter holds."""
        word = self.symbolic.word(operand)
        polynomial = word.offset.polynomial
        if word.origin is not None:
            return polynomial is not None and polynomial.constant == 0
        symbol = polynomial.alone if polynomial is not None else None
        return symbol is not None and "+" in self.symbolic.names.get(symbol, "")

    @cached_property
    def textures(self) -> dict[PtxInstr, str]:
        """The fetches from a texture that a parameter holds, with its name. What a fetch may touch
        lies inside of the texture, whatever its coordinates are."""
        opaque = (instr for instr in self.kernel.instructions if instr.opaque)
        fetches = [instr for instr in opaque if all(one.inside for one in instr.opaque)]
        names = {p.word: self.launch.names[p.index] for p in self.kernel.words}
        held = {fetch: self.read_from(fetch.uses[0]) for fetch in fetches if fetch.uses}
        return {fetch: names[word] for fetch, word in held.items() if word in names}

    def read_from(self, operand: Operand) -> str | None:
        """The word of the parameters that the operand was read from."""
        defined = self.values.definition.get(operand) if isinstance(operand, Value) else None
        access = None if defined is None else defined.access
        if access is None or access.space != "param" or not isinstance(access.base, AddressOf):
            return None
        return f"{access.base.region.name}+{access.offset}"

    @cached_property
    def structures(self) -> dict[Region, ArrayOfStructures]:
        """The buffers that are declared to be arrays of structures."""
        arguments, buffers = self.kernel.arguments, self.launch.buffers.items()
        declared = ((arguments[i].word, buffer.layout) for i, buffer in buffers)
        return {self.pointers[word]: layout for word, layout in declared if layout is not None}

    @cached_property
    def footprints(self) -> Footprints:
        """The bytes that accesses touch, as functions of the launch."""
        if self.like is not None:
            found = self.like.footprints
            terms = Terms(self.kernel, self.launch, found.symbolic)
            return found.with_contents(terms.contents(self.pointers))
        of = partial(footprints, self.kernel, self.launch, self.values, self.pointers)
        declared = frozenset(self.kernel.arguments[index].word for index in self.launch.unsigned)
        if self.known is not None and self.known.values is self.values:
            return of(declared | self.known.unsigned, self.solver)
        first = of(declared, self.solver)
        unsigned = first.unsigned()
        return of(declared | unsigned, self.solver) if unsigned else first

    @property
    def symbolic(self) -> SymbolicValues:
        """Every word as a polynomial."""
        return self.footprints.symbolic

    @property
    def guarded(self) -> GuardedValues:
        """The ranges of words at a program point."""
        return self.footprints.guarded

    @cached_property
    def unsigned(self) -> frozenset[str]:
        """The parameters that are interpreted as unsigned: declared so, or undeclared and never
        interpreted as signed by the kernel."""
        return self.footprints.symbolic.unsigned

    @property
    def decided(self) -> dict[Symbol, str]:
        """The launch symbols, with the user's names."""
        symbolic, integers = self.symbolic, self.symbolic.integers
        quotients = len(integers.parts_of_launch) + len(integers.launch_quotients)
        there = len(symbolic.specials), quotients + len(integers.powers)  # both only grow
        if self._decided is None or self._decided[0] != there:
            self._decided = there, names_of(self.kernel, self.launch, symbolic)
        return self._decided[1]

    @cached_property
    def undeclared(self) -> frozenset[Region]:
        """The regions of pointer parameters of which no buffer is declared."""
        declared = self.launch.buffers.keys() | self.launch.interior.keys()
        return frozenset(
            self.pointers[p.word]
            for p in self.kernel.words
            if p.word in self.pointers and p.index not in declared
        )

    @cached_property
    def optional(self) -> frozenset[Region]:
        """The undeclared buffers that are accessed only where a null check shows that there are
        any: a launch may pass a null pointer."""
        of: dict[Region, list[ResolvedAccess]] = {}
        for place in (one for several in self.places for one in several.each):
            if place.reached and place.region in self.undeclared:
                of.setdefault(place.region, []).append(place)
        nonnull = self.footprints.nonnull
        return frozenset(region for region, places in of.items() if all(map(nonnull, places)))

    @cached_property
    def aligns(self) -> dict[Region, int]:
        """The alignment of undeclared buffers: that of the widest scalar accessed."""
        aligns: dict[Region, int] = {}
        for block in self.kernel.blocks:
            for instr in block.instrs:
                access = instr.access
                if access is None or isinstance(access.base, AddressOf):
                    continue
                for region in self._pointed(access, block.index) & self.undeclared:
                    types = instr.form.types  # type: ignore[attr-defined]
                    element = types[0].bits // 8 if types else WORD
                    aligns[region] = max(aligns.get(region, region.align), element)
        return aligns

    def _pointed(self, access: Access, block: int) -> frozenset[Region]:
        """The regions that an access may be to, as far as its address has any."""
        origin = self.values.number(access.base).origin
        if origin is not None:
            return frozenset((origin.region,))
        words = [word for word, _ in chosen(self.guarded, access, block)]
        return frozenset(word.origin.region for word in words if word.origin is not None)

    @cached_property
    def places(self) -> tuple[ResolvedAccess, ...]:
        """The addresses of all accesses but those of the kernel's own parameters."""
        return tuple(p for p in self._all_places if p.access.space != "param")

    def places_of(self, instrs: Collection[PtxInstr]) -> Iterator[ResolvedAccess]:
        """The accesses of these instructions, each resolved when it is asked for. Those to arrays
        of known size come first."""
        later = list[tuple[PtxInstr, Access, int]]()
        for block in self.kernel.blocks:
            for instr in self.instructions(block):
                access = instr.access
                if instr not in instrs or access is None or access.space == "param":
                    continue
                origin = self.values.number(access.base).origin
                if origin is None or origin.region.size is None:
                    later.append((instr, access, block.index))
                else:
                    yield resolve(self.guarded, self.aligns, instr, access, block.index)
        yield from (resolve(self.guarded, self.aligns, *one) for one in later)

    @cached_property
    def _all_places(self) -> tuple[ResolvedAccess, ...]:
        if self.like is not None:
            return self.like._all_places
        return tuple(resolved_accesses(self.guarded, self.aligns))

    @cached_property
    def accesses(self) -> tuple[AccessFacts, ...]:
        """All accesses but those of the kernel's own parameters."""
        return tuple(a for a in self.all_accesses if a.place.access.space != "param")

    @cached_property
    def all_accesses(self) -> tuple[AccessFacts, ...]:
        return tuple(map(self._access, self._all_places))

    @cached_property
    def reached(self) -> tuple[AccessFacts, ...]:
        """The accesses that some thread reaches."""
        return tuple(a for a in self.accesses if a.pattern != NEVER_REACHED)

    @cached_property
    def traffic(self) -> dict[str, Traffic]:
        """The traffic of these, by space."""
        spaces: dict[str, list[tuple[int, Cost | None]]] = {}
        for access in self.reached:
            spaces.setdefault(access.space, []).append((access.place.block, access.cost))
        return {space: Traffic(self.warps, there) for space, there in spaces.items()}

    @property
    def capability(self) -> tuple[int, int]:
        return capability(self.arch)

    @cached_property
    def device(self) -> Device:
        """The row of the device table."""
        return device(self.capability)

    @cached_property
    def occupancy(self) -> Occupancy | None:
        """The occupancy of a declared block, registers aside; None if no block fits."""
        if self.launch.block is None:
            return None
        try:
            return occupancy(self.capability, prod(self.launch.block), shared=self.shared)
        except ValueError:
            return None

    @property
    def shared(self) -> int:
        """The most bytes of shared memory of a block, as far as declared."""
        dynamic = self.launch.shared
        return self.kernel.shared_bytes + (dynamic.bytes.high if dynamic is not None else 0)

    @cached_property
    def warps(self) -> Warps:
        block, grid = self.launch.block, self.launch.grid
        return Warps(self.symbolic, self.divergence, block, grid, self.aligns)

    @cached_property
    def cta_barriers(self) -> CtaBarriers:
        """The barriers at which all threads of a CTA wait."""
        block = self.launch.block
        return CtaBarriers(self.kernel, self.divergence, None if block is None else prod(block))

    def whole_warps(self, block: int) -> bool:
        """True if all lanes of a warp that have not exited enter the block together."""
        return all(
            self.divergence.branches.get(branch, Level.GRID) <= Level.WARP
            or self._same_in_warps(self.kernel.blocks[branch])
            for branch in self.divergence.controlling[block]
        )

    def _same_in_warps(self, branch: Block) -> bool:
        condition = branch.terminator.condition
        if condition is None:
            return True
        word = self.warps.at(branch.index).word(condition)
        return word.uniform and not word.assumptions

    @cached_property
    def race_candidates(self) -> set[PtxInstr]:
        """Accesses by which two threads may race, in a grid of any size if none is declared. Empty
        without a declared block."""
        if self.launch.block is None:
            return set()
        x, y, z = (self.declared.specials[f"ctaid.{axis}"].cardinality for axis in "xyz")
        found = RaceCandidates(self.warps, (x, y, z), self.footprints)
        places = [one for access in self.accesses for one in access.place.each]
        return found.among(places)  # type: ignore[return-value]

    @cached_property
    def updates(self) -> frozenset[Instr]:
        """The loads and stores of read-modify-write updates."""
        return updates(self.kernel, [access.place for access in self.accesses])

    def instructions(self, block: Block) -> Iterator[PtxInstr]:
        for instr in block.instrs:
            assert isinstance(instr, PtxInstr)
            yield instr

    def branch(self, block: Block) -> PtxInstr:
        """The instruction that ends the block."""
        instr = block.terminator.instr
        assert isinstance(instr, PtxInstr)
        return instr

    def unconditional(self, block: int, mask: Operand | None = None) -> bool:
        """True if every thread of every launch executes the block, and is not masked there."""
        return mask is None and block in self.values.unconditional

    @cached_property
    def undefined(self) -> UndefinedValues:
        return undefined_values(self.kernel)

    def aligned_in_allocations(self, access: AccessFacts) -> bool:
        """True if the address is aligned wherever undeclared buffers begin where an allocation
        does."""
        place = access.place
        if place.region not in self.undeclared:
            return access.aligned
        aligns = {place.region: ALLOCATION_ALIGN}
        other = resolve(self.guarded, aligns, place.instr, place.access, place.block)
        return other.aligned or self.footprints.aligned(place, aligns)

    def _access(self, place: ResolvedAccess) -> AccessFacts:
        aligned = place.aligned or self.footprints.aligned(place, self.aligns)
        inside = self._in_bounds(place)
        crossed = mismatch(place.origin, place.access.space) if place.reached else None
        access = AccessFacts(place, inside, aligned, "not-counted", None, crossed)
        by = metric(self, access)
        if by is None:
            return access
        lanes = scopes(self.warps, place.access, place.block)
        found = pattern(place, lanes, self.warps.shape)
        price = cost(found, by, place.access.bytes) if isinstance(found, Pattern) else None
        return replace(access, pattern=found, cost=price)

    def mixed(self, access: AccessFacts) -> dict[Origin, str]:
        """The origins of an address of several, with how each belongs to another space."""
        place = access.place
        found = origins(self.guarded, place) if place.origin is None else ()
        crossed = {origin: mismatch(origin, place.access.space) for origin in found}
        return {origin: text for origin, text in crossed.items() if text is not None}

    def _in_bounds(self, place: ResolvedAccess) -> bool:
        """By ranges, which is fast, or by polynomials over launch symbols."""
        crossed = [mismatch(one.origin, one.access.space) for one in place.choices]
        if crossed and not any(crossed) and all(map(self._in_bounds, place.choices)):
            return True
        if self.footprints.may_be_null(place):
            return False
        known = place.in_bounds or place.size is None or place.origin is None
        if known or self.data_dependent(place) is not None:
            return place.in_bounds
        return self.footprints.in_bounds(place)

    def never_in_bounds(self, access: AccessFacts) -> bool:
        """True if every thread that executes the access is out of bounds."""
        place = access.place
        if self._fixed(place.region):
            return place.never_in_bounds
        return place.reached and self.footprints.never_in_bounds(place)

    def _fixed(self, region: Region | None) -> bool:
        """True if the region's size is constant."""
        sizes = (*self.launch.buffers.values(), self.launch.shared)
        return all(s is None or s.bytes.single for s in sizes) or (
            region not in self.footprints.extents
        )


def metric(facts: Facts, access: AccessFacts) -> Metric | None:
    """The metric of the requests of an access; None if they are not counted."""
    return metrics.metric(facts.device, access.instr, access.place.access, access.space)
