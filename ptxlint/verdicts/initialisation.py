"""Initialisation: every read of shared or local memory is of bytes that were written before.

A store to shared memory writes the bytes of its offset in every thread of a declared block. That
holds if every thread executes it: in an unconditional block, without a mask, at an offset that is a
polynomial of the thread index alone. A read after it finds them if a barrier of the CTA lies
between: a block of the barrier that the store's block dominates, and that dominates the read's. A
thread finds what it wrote itself if its store, at the same offset, dominates the read. Neither
holds of an asynchronous store that its thread has not waited for.

So a read is proved if its whole range lies in such bytes; a store that may be skipped, or whose
offset depends on a loop, counts for nothing. Later stores cannot make bytes unwritten.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

from analyses.addresses import ResolvedAccess
from analyses.domains.uniformity import Level
from analyses.offset_index import Bytes, OffsetIndex, touched
from analyses.polynomials.polynomial import Polynomial
from analyses.program import Instr, Region, constant_in_thread, positions
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import region_name
from ptxlint.verdicts.decision import PROVED, Decisions, undecided
from ptxlint.verdicts.ordering import opaque_decisions

FRESH = ("shared", "local")


def initialisation(facts: Facts) -> Decisions:
    """Of each read of shared or local memory, and of each effect that may depend on an undefined
    register."""
    found = dict(opaque_decisions(facts))
    writes = _Writes(facts)
    for access in facts.accesses:
        place, region = access.place, access.place.region
        if place.access.kind == "store" or not place.reached:
            continue
        if region is None and place.space in (*FRESH, "generic"):
            found[access.instr] = undecided("the array that it reads is not known")
        elif region is not None and region.space in FRESH:
            read = writes.before(place)
            found[access.instr] = PROVED if read else undecided(
                f"not every byte of `{region_name(region)}` is shown to be written before"
            )  # fmt: skip
    for _, effect in facts.undefined.all_effects(facts.kernel):
        found[effect.instr] = undecided(f"{effect.role} may depend on an undefined register")
    return found


class _Writes:
    """The stores of a kernel without a mask, and the bytes that they write."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.stores: dict[Region | None, list[ResolvedAccess]] = defaultdict(list)
        self.own: defaultdict[object, OffsetIndex[ResolvedAccess]] = defaultdict(OffsetIndex)
        for access in facts.accesses:
            place, form = access.place, access.instr.form
            if place.access.kind != "store" or place.access.mask is not None or not place.reached:
                continue
            if form is None or form.row.modelled:
                self.stores[place.region].append(place)
                self.own[moving(place)].add(standing(place), place)
        self.outstanding = facts.cta_barriers.outstanding
        self.written: dict[Instr, frozenset[int]] = {}
        self.position = positions(facts.kernel.blocks)
        self.barriers = [
            instr
            for instr, (block, _) in self.position.items()
            if instr in facts.cta_barriers.all and facts.divergence.control[block] <= Level.CTA
        ]

    def before(self, read: ResolvedAccess) -> bool:
        """True if every byte that the access reads has been written."""
        if any(self._own(store, read) for store in self.own[moving(read)].at(standing(read))):
            return True
        if read.low is None or read.high is None or not read.in_bounds:
            return False
        if self.facts.launch.block is None:
            return False  # nothing says which threads there are
        wanted = set(range(read.low, read.high + read.access.bytes))
        for store in self.stores[read.region]:
            if wanted and self._ordered(store, read):
                wanted -= self._written(store)
        return not wanted

    def _own(self, store: ResolvedAccess, read: ResolvedAccess) -> bool:
        """True if the thread itself wrote the bytes, at an offset that is the same throughout."""
        one, other = store.polynomial, read.polynomial
        if one is None or other is None:
            return False
        distance, names = (other - one).constant, self.facts.symbolic.names
        spare = store.access.bytes - read.access.bytes
        if distance is None or not 0 <= distance <= spare:
            return False
        fixed = all(constant_in_thread(names.get(s, "clock")) for s in one.symbols)
        return fixed and self._before(store.instr, read.instr)

    def _ordered(self, store: ResolvedAccess, read: ResolvedAccess) -> bool:
        """True if every thread of the CTA makes the store before any of them reads."""
        if not self.facts.unconditional(store.block):
            return False
        return any(
            self._before(store.instr, barrier) and self._dominates(barrier, read.instr)
            for barrier in self.barriers
        )

    def _before(self, store: Instr, other: Instr) -> bool:
        """True if the store is complete before the thread gets to the other instruction."""
        if not self._dominates(store, other):
            return False
        return store not in self.outstanding.at(*self.position[other])

    def _dominates(self, one: Instr, other: Instr) -> bool:
        (first, before), (last, after) = self.position[one], self.position[other]
        if first == last:
            return before < after
        return self.facts.values.tree.dominates(first, last)

    def _written(self, store: ResolvedAccess) -> frozenset[int]:
        known = self.written.get(store.instr)
        if known is None:
            known = self.written[store.instr] = frozenset(self._bytes(store))
        return known

    def _bytes(self, store: ResolvedAccess) -> Iterator[int]:
        """The bytes that all threads of a CTA write, if only the thread index decides them."""
        offset, names, block = store.polynomial, self.facts.symbolic.names, self.facts.launch.block
        assert block is not None
        if offset is None or not all(names.get(s, "").startswith("tid.") for s in offset.symbols):
            return
        width = 1 << store.access.base.width
        for x, y, z in product(*map(range, block)):
            tid = {"tid.x": x, "tid.y": y, "tid.z": z}
            start = offset.value(lambda s, tid=tid: tid[names[s]]) % width  # type: ignore[misc]
            yield from range(start, start + store.access.bytes)


def standing(access: ResolvedAccess) -> Bytes:
    """The bytes that it touches, from where ``moving`` leads."""
    offset = access.polynomial
    at = None if offset is None else int(offset.terms.get((), 0))
    return touched(at, at, access.access.bytes)


def moving(access: ResolvedAccess) -> tuple[Region | None, Polynomial | None]:
    """The region, and the offset without its constant: accesses at a constant distance share it."""
    offset = access.polynomial
    return access.region, None if offset is None else offset - offset.terms.get((), 0)
