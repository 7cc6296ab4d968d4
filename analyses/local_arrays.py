"""Local arrays: the words that a load may give from an array of the thread's own.

Compilers keep an array of pointers in local memory if its index is no constant. Each element that
the load may read has been stored before, and only by stores at constant offsets; an access outside
of its own array is a fault. Stores at unknown addresses must be ``elsewhere``, which may rest on
what is loaded from the array: what the first such store rests on, no such store has changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from analyses.budget import POINTERS
from analyses.offset_index import OffsetIndex, touched
from analyses.program import Access, Instr, Operand, Region, opaque_writes
from analyses.proofs.guarded_values import GuardedValues

Elements = tuple[Region, range]

WRITTEN = ("local", "generic")  # the state spaces of stores that may write local memory


def elements(guarded: GuardedValues, access: Access, block: int) -> Elements | None:
    """The region of an access, and the offsets of its first byte; None if they are not known."""
    fact = guarded.at(access.base, block, access.mask)
    if fact.origin is None or guarded.values.numbers.is_bottom(fact):
        return None
    interval = guarded.values.interval(fact)
    low, high = interval.signed_bounds()
    if high - low != interval.span:
        return None
    first, last = low + access.offset, high + access.offset
    return fact.origin.region, range(first, last + 1, interval.stride or 1)


class Store(NamedTuple):
    """A store or an atomic in a block; ``own`` are the elements that it may write."""

    instr: Instr
    access: Access
    block: int
    own: range


class LocalStores:
    """The stores of a function that may write local memory: at ``unknown`` addresses, or in an
    array. ``blind``: an instruction may write it anywhere."""

    def __init__(self, guarded: GuardedValues) -> None:
        function = guarded.values.function
        self.blind = opaque_writes(function, "local")
        self.unknown: dict[Operand, None] = {}  # the addresses
        self.elsewhere: dict[Operand, bool] = {}  # whether these are none of local memory
        self._into: defaultdict[Region, OffsetIndex[Store]] = defaultdict(OffsetIndex)
        for block in function.blocks:
            for instr in block.instrs:
                store = instr.access
                if store is not None and store.kind != "load" and store.space in WRITTEN:
                    self._add(instr, store, block.index, elements(guarded, store, block.index))

    def _add(self, instr: Instr, store: Access, block: int, own: Elements | None) -> None:
        if own is None:
            self.unknown[store.base] = None
            return
        region, offsets = own
        touches = touched(offsets[0], offsets[-1], store.bytes)
        self._into[region].add(touches, Store(instr, store, block, offsets))

    def at(self, region: Region, offsets: range, size: int) -> Iterator[Store]:
        """Those that may write a byte of elements at these offsets."""
        return self._into[region].at(touched(offsets[0], offsets[-1], size))


def stored(
    guarded: GuardedValues, load: Instr, block: int, elsewhere: Callable[[Operand], bool]
) -> tuple[Operand, ...]:
    """The words that may be loaded from a local array; none if these are not known. ``elsewhere``
    says if an address is none of local memory."""
    access = load.access
    where = None if access is None else elements(guarded, access, block)
    if access is None or access.mask is not None or where is None:
        return ()
    region, read = where
    if region.space != "local" or len(read) > POINTERS or not inside(region, read, access):
        return ()
    stores = guarded.once(LocalStores)
    if stores.blind:
        return ()
    found, written = dict[Operand, None](), set[int]()
    for instr, store, home, own in stores.at(region, read, access.bytes):
        words = [use for use in instr.uses if use not in (store.base, store.mask)]
        whole = 8 * store.bytes == sum(word.width for word in words)
        if store.kind != "store" or store.mask is not None or len(own) != 1 or not whole:
            return ()
        if not inside(region, own, store):
            return ()
        for number, word in enumerate(words):
            at = own[0] + number * store.bytes // len(words)
            if at in read and word.width == 8 * access.bytes:
                found[word] = None
                written |= {at} if before(guarded, instr, home, load, block) else set()
            elif not apart(range(at, at + 1), word.width // 8, read, access.bytes):
                return ()
    return tuple(found) if written.issuperset(read) and all(map(elsewhere, stores.unknown)) else ()


def before(guarded: GuardedValues, store: Instr, home: int, load: Instr, block: int) -> bool:
    """True if every path to the load passes the store."""
    if home != block:
        return guarded.values.tree.dominates(home, block)
    instrs = guarded.values.function.blocks[block].instrs
    return next(instr for instr in instrs if instr is store or instr is load) is store


def inside(region: Region, offsets: range, access: Access) -> bool:
    """True if an access at these offsets neither leaves the array nor is misaligned: a store that
    faults stores nothing."""
    bounded = region.size is not None and offsets[-1] + access.bytes <= region.size
    aligned = all(at % access.align == 0 for at in (*offsets, region.align))
    return offsets[0] >= 0 and bounded and aligned


def apart(one: range, size: int, other: range, length: int) -> bool:
    """True if words of these sizes at these offsets share no byte."""
    return one[-1] + size <= other[0] or other[-1] + length <= one[0]
