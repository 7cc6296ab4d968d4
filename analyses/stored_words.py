"""The words that are loaded from arrays of shared memory, and their ranges.

Such an array holds what threads of the CTA have stored in it. So a load gives a word of some store
to it, whichever thread made it, and whenever: the join of all stored words, as the summary of an
array in Gopan, DiMaio, Dor, Reps and Sagiv ("Numeric domains with summarized dimensions", TACAS
2004). Stores to the bytes that are loaded must be of elements of as many bytes: an access is
aligned or faults, so elements of one size share all of their bytes or none. A store outside of its
own array faults before what it wrote can be loaded.

Memory is taken to be written before it is read; what else it holds is undefined. The ranges are
found from above: those of stored words hold whatever loads give, so they hold of what loads give.
A further round may narrow what passes through a second array.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, NamedTuple

from msgspec import Struct

from analyses.domains.regions import BasePlusOffset, BasePlusOffsets
from analyses.fixpoint import Solution, solve
from analyses.flow import Flow
from analyses.offset_index import ANY, Bytes, OffsetIndex, touched
from analyses.program import Access, AccessKind, Instr, Operand, Region, Value, opaque_writes
from analyses.slices import Slice, address_words, extended

ROUNDS = 4
"""Through so many arrays, less one, a word may pass."""


class StoredWord(NamedTuple):
    """A word, and the store that writes it."""

    word: Operand
    store: Instr


class SharedWords(Struct):
    """The slice with all words that loads may give of which addresses in it are made, what is known
    of these, and by the name of each the words that it may be."""

    part: Slice
    needed: Collection[Value]
    """The words that addresses are made of, be it through memory."""
    facts: Mapping[Value, BasePlusOffset] = {}
    stored: Mapping[Value, tuple[StoredWord, ...]] = {}


def shared_words(flow: Flow, domain: BasePlusOffsets[Any], part: Slice) -> SharedWords:
    """Those of the slice."""
    found = SharedWords(part, address_words(flow.function))
    if not any(loads(part, found.needed)) or opaque_writes(flow.function, "shared"):
        return found
    for _ in range(ROUNDS):
        number = solve(flow, domain, found.part, found.facts)
        stored = dict(_Stores(flow, number, domain).loaded(loads(found.part, found.needed)))
        words = [one.word for several in stored.values() for one in several]
        facts = {value: joined(number, domain, several) for value, several in stored.items()}
        known = {value: fact for value, fact in facts.items() if fact is not None}
        whole, needed = extended(flow.function, part, words), address_words(flow.function, words)
        before, found = found, SharedWords(whole, needed, known, stored)
        if found.facts == before.facts and found.part.names == before.part.names:
            break
    return found


def loads(part: Slice, needed: Collection[Value]) -> Iterator[Instr]:
    """The instructions of the slice that may load one of these words from shared memory."""
    each = (instr for instrs in part.instrs for instr in instrs if accesses(instr, "load"))
    return (instr for instr in each if any(value in needed for value in instr.defs))


def accesses(instr: Instr, *kinds: AccessKind) -> bool:
    """True if it may access shared memory in such a way."""
    access = instr.access
    return access is not None and access.kind in kinds and access.space in ("shared", "generic")


def joined(
    number: Solution[BasePlusOffset], domain: BasePlusOffsets[Any], several: tuple[StoredWord, ...]
) -> BasePlusOffset | None:
    """The join of the facts about these words; None if it is top or bottom."""
    facts = [number(one.word) for one in several]
    found = reduce(domain.join, facts)
    known = not domain.is_bottom(found) and not domain.leq(domain.top(domain.width(found)), found)
    return found if known else None


class _Stores:
    """The stores to arrays of shared memory, by the bytes that they may touch. One at an unknown
    address may write them ``anywhere``."""

    def __init__(
        self, flow: Flow, number: Solution[BasePlusOffset], domain: BasePlusOffsets[Any]
    ) -> None:
        self.number = number
        self.domain = domain
        self.into: defaultdict[Region, OffsetIndex[Instr]] = defaultdict(OffsetIndex)
        self.anywhere = False
        for instr in (instr for block in flow.blocks for instr in block.instrs):
            if instr.access is None or not accesses(instr, "store", "atomic"):
                continue
            if domain.is_bottom(number(instr.access.base)):
                continue  # no thread executes it
            at = self.place(instr.access)
            if at is None:
                self.anywhere = True
            elif at[0].space == "shared":
                self.into[at[0]].add(at[1], instr)

    def place(self, access: Access) -> tuple[Region, Bytes] | None:
        """The array of an access and the bytes there; None if the array is not known."""
        fact = self.number(access.base)
        if fact.origin is None:
            return None
        bounds = self.domain.inner.bounds(fact.offset)
        if bounds is None:
            return fact.origin.region, ANY
        low, high = bounds
        return fact.origin.region, touched(low + access.offset, high + access.offset, access.bytes)

    def loaded(self, loads: Iterable[Instr]) -> Iterator[tuple[Value, tuple[StoredWord, ...]]]:
        """The names that these loads define, with the words that they may be, where these are all
        known."""
        for load in () if self.anywhere else loads:
            assert load.access is not None
            at = self.place(load.access)
            if at is not None and at[0].space == "shared":
                stores = list(self.into[at[0]].at(at[1]))
                for value in load.defs:
                    words = [words_of(store, value.width) for store in stores]
                    found = [one for several in words if several is not None for one in several]
                    if found and None not in words:
                        yield value, tuple(found)


def words_of(store: Instr, width: int) -> list[StoredWord] | None:
    """The words that it stores, if it is known to store words of that width."""
    access = store.access
    assert access is not None
    words = [use for use in store.uses if use not in (access.base, access.mask)]
    whole = 8 * access.bytes == width * len(words) and all(w.width == width for w in words)
    known = access.kind == "store" and whole
    return [StoredWord(word, store) for word in words] if known else None
