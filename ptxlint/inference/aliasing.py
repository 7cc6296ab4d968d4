"""The buffers of a kernel that must not overlap, so that the order of threads does not matter.

Two buffers must not overlap if one of them is written. The exception is an in-place update: each
byte that is read belongs to one thread (``analyses.races.injectivity``), which alone writes it in
the other buffer, and never before. Then the two may be the same buffer, with the result of separate
buffers. Read-only loads (``ld.global.nc``) exclude that: their data must not change while the
kernel runs.

An access whose region is not known may touch any buffer; a fetch from a texture lies inside of the
texture, of which no launch says where it is. One through one of several pointers is one
through each of them, which allows no in-place update.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from analyses.addresses import ResolvedAccess
from analyses.polynomials.formatting import at_least
from analyses.polynomials.polynomial import Symbol
from analyses.program import AddressOf, Region, opaque_accesses
from analyses.proofs.path_condition import PathCondition
from analyses.races.injectivity import injective
from analyses.races.intra_thread import reads_after_write
from ptxlint.contracts.declaration import extreme
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.parameter_types import handles
from ptxlint.ir import PtxInstr

PLAIN = {"ld": "load", "st": "store"}
READS = "so that no thread reads what another one writes"
WRITES = "because threads write the same bytes in no order"
CONSTANT = "because ld.global.nc requires read-only data"
INDICES = "because the values read from it must stay in their range"
ANYWHERE = "because this accesses memory at an unknown address"


class InferredDistinct(Struct, frozen=True):
    """Buffers that must not overlap pairwise. Two that may be the ``same`` may also begin at one
    address, in launches that meet the condition ``when``. ``instr`` is one of the accesses that
    require it."""

    names: tuple[str, ...]
    reason: str
    instr: PtxInstr
    same: bool = False
    when: str | None = None

    @property
    def text(self) -> str:
        """As it is declared."""
        listed = ", ".join(self.names)
        condition = f" when {self.when}" if self.when else ""
        return f"{listed} or same{condition}" if self.same else listed


def distinct(
    facts: Facts,
    held: PathCondition,
    unknown: Collection[PtxInstr],
    ranged: Collection[Region],
) -> Iterator[InferredDistinct]:
    """The requirements of the kernel, pair by pair. Where ``held`` holds, all accesses but the
    ``unknown`` ones stay inside of their buffers. The contract speaks of the integers in the
    ``ranged`` buffers."""
    called = {p.index: facts.launch.names[p.index] for p in facts.kernel.words}
    spaces = {region.space for region in facts.pointers.values()} | {"global", "generic"}
    places = [p for p in facts.places if p.reached and p.space in spaces]
    reached = [one for place in places for one in place.each]
    unknown = {*unknown, *(ptx(place) for place in places if place.region is None)}
    loose = anywhere(facts, reached)
    if loose is not None:
        for names in combinations([called[index] for index in maybe_pointers(facts)], 2):
            yield InferredDistinct(names, ANYWHERE, loose)
        return
    pointed = [(facts.pointers.get(p.word), called[p.index]) for p in facts.kernel.words]
    touched: dict[Region | None, list[tuple[int, ResolvedAccess]]] = {}
    for at, place in enumerate(reached):
        touched.setdefault(place.region, []).append((at, place))
    for (one, name), (other, beside) in combinations(pointed, 2):
        if one != other and one in touched and other in touched:  # of one buffer, both are known
            both = sorted([*touched[one], *touched[other]], key=lambda item: item[0])
            accesses = [place for _, place in both]
            yield from _pair(facts, held, unknown, accesses, (name, beside), ranged)


def written_buffers(facts: Facts) -> tuple[str, ...] | None:
    """The buffers that the kernel may write; None if that is not known."""
    if facts.footprints.written_anywhere("global"):
        return None
    pointers, may_be = facts.pointers.values(), facts.footprints.may_be_written
    return tuple(region.name for region in pointers if may_be(region))


def together(pairs: Iterable[InferredDistinct]) -> Iterator[InferredDistinct]:
    """Merges pairs: buffers that must be distinct from each other for one reason."""
    pairs = list(pairs)
    alike: dict[tuple[str, str], dict[str, None]] = {}  # by reason and buffer: those not to be same
    for pair in pairs:
        if not pair.same:
            for name, other in (pair.names, pair.names[::-1]):
                alike.setdefault((pair.reason, name), {})[other] = None
    done = set[frozenset[str]]()
    for pair in pairs:
        if frozenset(pair.names) in done:
            continue
        names, reason = list(pair.names), pair.reason
        for name in () if pair.same else alike[reason, names[0]]:
            if name not in names and all(
                name in alike[reason, other] and frozenset((name, other)) not in done
                for other in names
            ):
                names.append(name)
        done.update(map(frozenset, combinations(names, 2)))
        yield replace(pair, names=tuple(names))


def maybe_pointers(facts: Facts) -> list[int]:
    """The positions of the words that an access at an unknown address may go through: those that
    the kernel reads and that are no numbers, nor handles. It does not show more."""
    kernel, launch, bound = facts.kernel, facts.launch, handles(facts)
    accesses = [instr.access for instr in kernel.instructions if instr.access is not None]
    bases = [access.base for access in accesses if access.space == "param"]
    read = {base.region for base in bases if isinstance(base, AddressOf)}
    every = len(read) < len({*bases})  # one is computed
    return [
        word.index
        for word in kernel.words
        if word.size == kernel.address_size and word.type[0] != "f" and launch.is_pointer(word)
        and (every or word.region in read) and word.word not in bound
    ]  # fmt: skip


def anywhere(facts: Facts, reached: Iterable[ResolvedAccess]) -> PtxInstr | None:
    """An instruction that may touch any buffer."""
    for access in reached:
        if access.region is None:
            return ptx(access)
    for instr, opaque in opaque_accesses(facts.kernel):
        assert isinstance(instr, PtxInstr)
        if opaque.reaches("global") and instr not in facts.textures:
            return instr
    return None


def _pair(
    facts: Facts,
    held: PathCondition,
    unknown: Collection[PtxInstr],
    accesses: list[ResolvedAccess],
    names: tuple[str, str],
    ranged: Collection[Region],
) -> Iterator[InferredDistinct]:
    """The requirement of two buffers that only these accesses touch."""
    writes = [a for a in accesses if a.access.kind != "load"]
    written = {a.region for a in writes}
    reads = [a for a in accesses if a.region not in written]
    if len(written) == 2:
        yield InferredDistinct(names, WRITES, ptx(writes[0]))
    elif constant := next((ptx(a) for a in reads if read_only(ptx(a))), None) if writes else None:
        yield InferredDistinct(names, CONSTANT, constant)
    elif writes and (held_range := next((a for a in reads if a.region in ranged), None)):
        yield InferredDistinct(names, INDICES, ptx(held_range))
    elif writes:
        when = None
        if all(plain(ptx(a)) and ptx(a) not in unknown for a in (*reads, *writes)):
            when = in_place(facts, held, reads, writes, ranged)
        yield InferredDistinct(names, READS, ptx(reads[0]), when is not None, when or None)


def ptx(place: ResolvedAccess) -> PtxInstr:
    assert isinstance(place.instr, PtxInstr)
    return place.instr


def read_only(instr: PtxInstr) -> bool:
    form = instr.form
    return form is not None and (form.has("nc") or form.row.opcode == "ldu")


def plain(instr: PtxInstr) -> bool:
    """True if it is one load or store, complete when the thread goes on."""
    form = instr.form
    assert instr.access is not None
    return form is not None and PLAIN.get(form.row.opcode) == instr.access.kind


def in_place(
    facts: Facts,
    held: PathCondition,
    reads: list[ResolvedAccess],
    writes: list[ResolvedAccess],
    ranged: Collection[Region],
) -> str | None:
    """The condition under which the buffer that is read may be the one that is written; empty if
    there is none, None if it is not known or holds for blocks of one thread at most."""
    footprints = facts.footprints
    general = footprints.proofs.conditions.general + held
    found = injective(footprints, [*reads, *writes], held)
    if found is None or "ntid.x" in found.single:
        return None
    if reads_after_write(footprints, found, writes, reads):
        return None
    needs = [need.polynomial for need in found.preconditions]
    needs = [need for need in needs if not footprints.proofs.proves(general, need)]
    names = called(facts, ranged) if needs else {}
    if not all(need.symbols <= names.keys() for need in needs):
        return None
    conditions = [at_least(need.primitive().terms, names) for need in needs]
    if found.single:
        conditions.append(f"{'*'.join(found.single)} == 1")
    return " and ".join(conditions)


def called(facts: Facts, ranged: Collection[Region]) -> dict[Symbol, str]:
    """The launch symbols with the user's names; the ends of value ranges of the ``ranged`` buffers
    alone."""
    known = {region.name for region in ranged}
    return {
        symbol: name
        for symbol, name in facts.decided.items()
        if (end := extreme(name)) is None or end[0] in known
    }
