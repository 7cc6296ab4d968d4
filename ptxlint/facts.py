"""The facts about one kernel under one launch: computed when a rule asks, and once.

This is the seam between PTX and the mathematics. Rules read facts and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from analyses.addresses import ResolvedAccess, resolved_accesses
from analyses.divergence import Divergence, divergence
from analyses.domains.uniformity import Uniformities
from analyses.flow import Flow
from analyses.lanes.evaluation import Warps
from analyses.polynomials.polynomial import Symbol
from analyses.program import AddressOf, Block, Operand, Region, Value
from analyses.proofs.footprints import Footprints
from analyses.proofs.path_conditions import PathCondition, PathConditions
from analyses.proofs.smt import Solver
from analyses.races.candidates import Races
from analyses.scalar_evolution import SymbolicValues
from analyses.traffic.cost_functions import CostFunction, of_first, of_stride
from analyses.traffic.costs import Cost, Metric, cost
from analyses.traffic.devices import Device, device
from analyses.traffic.fixes import Cure, cures
from analyses.traffic.occupancy import Occupancy, occupancy
from analyses.traffic.patterns import NEVER_REACHED, Pattern, pattern
from analyses.traffic.share import Share, share
from analyses.values import LaunchFacts, Values
from ptxlint.contracts.assumptions import levels, pointers, specials
from ptxlint.contracts.contract import Launch
from ptxlint.contracts.terms import Terms, names_of
from ptxlint.finding import AccessFact, Related
from ptxlint.finding import RequestCost as RequestCost
from ptxlint.ir import Kernel, PtxInstr, partly_undefined
from ptxlint.isa.synchronization import retried
from ptxlint.lowering.bulk import repeats
from ptxlint.mangling import demangled

DECLARED = 48 * 1024  # bytes of shared memory that declarations may take
WORD = 4  # bytes: the least that an instruction without a type moves
DOUBTS = {
    "guarded": "lanes that a guard switches off are not known",
    "in-step": "lanes may have come by different ways",
    "no-wrap": "the index may wrap",
    "rows-of-32": "the block may have rows that are no whole warps",
}


@dataclass(frozen=True)
class AccessFacts:
    """One access: where it goes and what a request costs (or the reason why nobody can say)."""

    place: ResolvedAccess
    in_bounds: bool  # every thread of every launch stays inside of the region
    aligned: bool  # its address is a multiple of what the access asks for
    pattern: Pattern | str
    cost: Cost | None
    mismatch: str | None  # how the address belongs to another space than the instruction

    @property
    def instr(self) -> PtxInstr:
        return self.place.instr  # type: ignore[return-value]

    @property
    def space(self) -> str:
        """The space that the address is in, where a generic access tells."""
        place = self.place
        if place.access.space == "generic" and place.region is not None:
            return place.region.space
        return place.access.space

    @property
    def status(self) -> str:
        """``proved`` when every thread stays in bounds, aligned and in its space."""
        safe = self.in_bounds and self.aligned and self.mismatch is None
        return "proved" if safe else "unknown"


class Facts:
    """``kernel`` under ``launch``; ``arch`` names the device table's row, e.g. sm_80. A ``solver``
    is asked for proofs that are not found otherwise."""

    def __init__(
        self,
        kernel: Kernel,
        launch: Launch,
        arch: str,
        solver: Callable[[PathConditions], Solver] | None = None,
    ) -> None:
        self.kernel = kernel
        self.launch = launch
        self.arch = arch
        self.solver = solver

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.kernel)

    @cached_property
    def values(self) -> Values:
        shared = self.launch.shared
        extents = {} if shared is None else {"shared": shared.bytes.low}
        return Values(
            self.flow, LaunchFacts(dict(specials(self.kernel, self.launch)), self.pointers, extents)
        )

    @cached_property
    def divergence(self) -> Divergence:
        return divergence(self.flow, Uniformities(dict(levels(self.launch))))

    @cached_property
    def pointers(self) -> dict[str, Region]:
        """What pointer parameters point to, under the names that the user gave them."""
        return dict(pointers(self.kernel, self.launch))

    @cached_property
    def footprints(self) -> Footprints:
        """What accesses touch as a function of the launch, given what it keeps to."""
        declared = frozenset(self.kernel.arguments[index].word for index in self.launch.unsigned)
        first = self._footprints(declared)
        unsigned = first.unsigned()
        return self._footprints(declared | unsigned) if unsigned else first

    @cached_property
    def unsigned(self) -> frozenset[str]:
        """The words of parameters that are read as unsigned: declared as such, or nobody declares
        anything and the kernel reads them in no other way."""
        return self.footprints.symbolic.unsigned

    def _footprints(self, unsigned: frozenset[str]) -> Footprints:
        symbolic = SymbolicValues(self.values, self.pointers, unsigned)
        terms = Terms(self.kernel, self.launch, symbolic)
        general = PathCondition(tuple(terms.limits()))
        extents, contents = terms.extents(self.pointers), terms.contents(self.pointers)
        return Footprints(symbolic, extents, general, contents, self.solver)

    @property
    def decided(self) -> dict[Symbol, str]:
        """The symbols that the launch decides, and what the user calls them."""
        return names_of(self.kernel, self.launch, self.footprints.symbolic)

    @cached_property
    def aligns(self) -> dict[Region, int]:
        """A pointer whose buffer nobody declared is aligned as its elements are: to the widest
        scalar that is read or written through it."""
        declared = set(self.launch.buffers)
        open_ = {
            self.pointers[p.word]
            for p in self.kernel.words
            if p.word in self.pointers and p.index not in declared
        }
        aligns: dict[Region, int] = {}
        for block in self.kernel.blocks:
            for instr in block.instrs:
                access = instr.access
                if access is None or isinstance(access.base, AddressOf):
                    continue
                origin = self.values.number(access.base).origin
                if origin is not None and origin.region in open_:
                    types = instr.form.types  # type: ignore[attr-defined]
                    element = types[0].bits // 8 if types else WORD
                    region = origin.region
                    aligns[region] = max(aligns.get(region, region.align), element)
        return aligns

    @cached_property
    def accesses(self) -> tuple[AccessFacts, ...]:
        """All accesses but those of the kernel's own parameters."""
        return tuple(a for a in self.all_accesses if a.place.access.space != "param")

    @cached_property
    def all_accesses(self) -> tuple[AccessFacts, ...]:
        return tuple(self._access(place) for place in resolved_accesses(self.values, self.aligns))

    @property
    def capability(self) -> tuple[int, int]:
        digits = "".join(c for c in self.arch if c.isdigit())
        return int(digits[:-1]), int(digits[-1])

    @cached_property
    def device(self) -> Device:
        """The row of the device table."""
        return device(self.capability)

    @cached_property
    def occupancy(self) -> Occupancy | None:
        """What a multiprocessor holds of a declared block, registers aside; None where it does not
        hold one."""
        if self.launch.block is None:
            return None
        try:
            return occupancy(self.capability, prod(self.launch.block), shared=self.shared)
        except ValueError:
            return None

    @property
    def shared(self) -> int:
        """The bytes of shared memory that a block has at most, as far as they are declared."""
        dynamic = self.launch.shared
        return self.kernel.shared_bytes + (dynamic.bytes.high if dynamic is not None else 0)

    @cached_property
    def warps(self) -> Warps:
        return Warps(self.values, self.divergence, self.launch.block, self.launch.grid, self.aligns)

    @cached_property
    def suspects(self) -> set[PtxInstr]:
        """Accesses by which two threads may run into each other; of a block and a grid that are
        declared."""
        if self.launch.block is None or self.launch.grid is None:
            return set()
        races = Races(self.warps, self.launch.grid)
        return races.suspects([access.place for access in self.accesses])  # type: ignore[return-value]

    # --- what rules ask of a place

    def instructions(self, block: Block) -> Iterator[PtxInstr]:
        for instr in block.instrs:
            assert isinstance(instr, PtxInstr)
            yield instr

    @staticmethod
    def name(region: Region) -> str:
        """What a person calls the region: compilers mangle the names of arrays in functions."""
        return demangled(region.name)

    def branch(self, block: Block) -> PtxInstr:
        """The instruction that ends the block."""
        instr = block.terminator.instr
        assert isinstance(instr, PtxInstr)
        return instr

    def everybody(self, block: int) -> bool:
        """Whether every thread of every launch gets to the block."""
        return block in self.values.passed

    def certain(self, access: AccessFacts) -> bool:
        """Whether every warp makes this access, all lanes together, and its cost is exact."""
        found, at = access.pattern, access.place.block
        exact = isinstance(found, Pattern) and found.exact
        return exact and self.everybody(at) and access.place.access.mask is None

    def measure(self, access: AccessFacts) -> Metric | None:
        """How its requests are counted; of a load that does not use all its bytes, as few would do
        as those need."""
        asked = access.place.access
        form = access.instr.form
        kind = "retried" if form is not None and retried(form) else asked.kind
        by = self.device.measure(access.space, kind)
        return by if by is None or asked.used is None else replace(by, used=asked.used)

    def price(self, access: AccessFacts, other: Metric | None = None) -> RequestCost | None:
        """What a request costs, counted as its space is or by another measure. Where the pattern or
        the lanes are not decided, but the launch is, a replay can tell: the cost is 0 until
        then."""
        by = other or self.measure(access)
        if by is None or repeats(access.instr.form):  # the copy engine asks by itself
            return None
        price, found = access.cost, access.pattern
        if other is not None and isinstance(found, Pattern):
            price = cost(found, other, access.place.access.bytes)
        split = isinstance(found, Pattern) and found.split
        if price is not None and (not split or price.best > price.ideal + 1):
            best = price.best if price.best < price.worst else None
            return RequestCost(price.unit, price.worst, price.ideal, best)
        asked = access.pattern == "symbolic-stride" or self.launch.concrete(self.kernel)
        return RequestCost(by.unit, 0, 0) if asked else None

    def law(self, access: AccessFacts) -> CostFunction | None:
        """The cost as a function of what the launch decides: a stride, or where a warp begins."""
        place, found = access.place, access.pattern
        by = self.measure(access)
        if by is None or repeats(access.instr.form):
            return None
        if isinstance(found, Pattern):
            return of_first(found, by, place.access.bytes)
        if found != "symbolic-stride":
            return None
        law = of_stride(self.warps, place, by, place.access.bytes)
        return law and replace(law, subject=self.parameter(law.subject))

    def share(self, access: AccessFacts) -> Share | None:
        """How much of what the kernel moves in its space the access makes, if its cost is known."""
        reached = [a for a in self.accesses if a.pattern != NEVER_REACHED]
        there = [(a.place.block, a.cost) for a in reached if a.space == access.space]
        return share(self.warps, (access.place.block, access.cost), there)

    def parameter(self, name: str) -> str:
        """What a person calls a parameter that is known by its name in the PTX and an offset."""
        for formal in self.kernel.words:
            if name == formal.word:
                names = self.launch.names
                return names[formal.index] if formal.index < len(names) else formal.name
        return self.register_name(name)

    @staticmethod
    def register_name(name: str) -> str:
        return name.rstrip("'").partition(".")[0]

    def cure(self, access: AccessFacts) -> Cure | None:
        """A change of the array that makes the access cheap, and no other one dearer."""
        place, found = access.place, access.pattern
        by = self.measure(access)
        if by is None or not isinstance(found, Pattern) or found.split:
            return None
        others = [
            (other.place, measure)
            for other in self.accesses
            if other.place.region == place.region and (measure := self.measure(other))
        ]
        known = cures(self.warps, place, found, by, others)
        return next((cure for cure in known if self._fits(cure, place.region)), None)

    def _fits(self, cure: Cure, region: Region | None) -> bool:
        """Whether a declared array may have longer rows: compilers give all of them 48 KiB."""
        row = cure.layout.row
        if row is None or region is None or region.size is None:
            return True
        return self.kernel.shared_bytes + (row[1] - row[0]) * region.size // row[0] <= DECLARED

    def doubt(self, access: AccessFacts) -> str:
        """Why the cost is not proved."""
        if isinstance(access.pattern, str):
            return access.pattern
        return ", ".join(DOUBTS.get(doubt, doubt) for doubt in access.pattern.doubts)

    def described(self, access: AccessFacts) -> AccessFact:
        place = access.place
        bounded = place.low is not None and place.high is not None
        return AccessFact(
            access.space,
            place.access.bytes,
            self.name(place.region) if place.region is not None else None,
            str(place.polynomial),
            (place.low, place.high) if bounded else None,  # type: ignore[arg-type]
        )

    def touched(self, access: AccessFacts) -> str:
        """The bytes that may be touched, beside those that there are."""
        place = access.place
        size = self.room(place.region) if place.region is not None else None
        if place.low is None or place.high is None or place.high - place.low >= 1 << 40:
            return f"its offset is not bounded, it has {size} bytes"
        last = place.high + place.access.bytes
        return f"bytes {place.low} to {last - 1} may be touched, it has {size}"

    def room(self, region: Region) -> str:
        """The bytes of a region: a number or, where that depends on the launch, what the user
        wrote."""
        sized = {
            self.pointers.get(self.kernel.arguments[index].word): extent
            for index, extent in self.launch.buffers.items()
        }
        shared = region.space == "shared" and region.size is None
        extent = self.launch.shared if shared else sized.get(region)
        if extent is not None and extent.size is not None:
            return extent.text
        return str(self.footprints.size(region))

    def origin(self, operand: Operand, caption: str) -> tuple[Related, ...]:
        """Where the operand's value is computed."""
        instr = self.values.definition.get(operand) if isinstance(operand, Value) else None
        return (Related(caption, instr),) if isinstance(instr, PtxInstr) else ()

    @cached_property
    def undefined(self) -> frozenset[Value]:
        return partly_undefined(self.kernel)

    @staticmethod
    def register(operand: Operand) -> str:
        """The register that a value came from."""
        return str(operand).rstrip("'").partition(".")[0]

    def _access(self, place: ResolvedAccess) -> AccessFacts:
        aligned = place.aligned or self.footprints.aligned(place, self.aligns)
        inside, crossed = self._in_bounds(place), mismatch(place)
        access = AccessFacts(place, inside, aligned, "not-counted", None, crossed)
        by = self.measure(access)
        if by is None or repeats(access.instr.form):
            return access
        found = pattern(self.warps, place)
        price = cost(found, by, place.access.bytes) if isinstance(found, Pattern) else None
        return replace(access, pattern=found, cost=price)

    def _in_bounds(self, place: ResolvedAccess) -> bool:
        """By numbers, which is quick, or by polynomials over what the launch decides."""
        known = place.in_bounds or place.size is None or place.origin is None
        return place.in_bounds if known else self.footprints.in_bounds(place)

    def never_in_bounds(self, access: AccessFacts) -> bool:
        """No thread that gets here touches only bytes of the region, whatever its size is."""
        place = access.place
        if self._fixed(place.region):
            return place.never_in_bounds
        return place.reached and self.footprints.never_in_bounds(place)

    def _fixed(self, region: Region | None) -> bool:
        """Whether the region's size is one number."""
        sizes = (*self.launch.buffers.values(), self.launch.shared)
        return all(s is None or s.bytes.single for s in sizes) or (
            region not in self.footprints.extents
        )


def mismatch(place: ResolvedAccess) -> str | None:
    """What the address is, if that is not what the instruction's state space asks for."""
    origin, space = place.origin, place.access.space
    if origin is None or not place.reached or origin.region.parameter:
        return None
    held = origin.region.space
    if space == "generic":
        if held == "global" or origin.generic:
            return None
        return f"an address inside {held} memory, used as a generic one"
    if held == space and not (origin.generic and held != "global"):
        return None
    form = "a generic address" if origin.generic or held == "global" else "an address"
    return f"{form} of {held} memory, used inside {space} memory"
