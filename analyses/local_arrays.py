"""Local arrays: the words that a load may give from an array of the thread's own.

Compilers keep an array of pointers in local memory if its index is no constant. Each element that
the load may read has been stored before, and only by stores at constant offsets; an access outside
of its own array is a fault. Stores at unknown addresses must be ``elsewhere``, which may rest on
what is loaded from the array: what the first such store rests on, no such store has changed.
"""

from __future__ import annotations

from collections.abc import Callable

from analyses.budget import POINTERS
from analyses.program import Access, Instr, Operand, Region, opaque_writes
from analyses.proofs.guarded_values import GuardedValues

Elements = tuple[Region, range]


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


def stored(
    guarded: GuardedValues, load: Instr, block: int, elsewhere: Callable[[Operand], bool]
) -> tuple[Operand, ...]:
    """The words that may be loaded from a local array; none if these are not known. ``elsewhere``
    says if an address is none of local memory."""
    access, function = load.access, guarded.values.function
    where = None if access is None else elements(guarded, access, block)
    if access is None or access.mask is not None or where is None:
        return ()
    region, read = where
    if region.space != "local" or len(read) > POINTERS or opaque_writes(function, "local"):
        return ()
    if not inside(region, read, access):
        return ()
    found, written, open_ = dict[Operand, None](), set[int](), dict[Operand, None]()
    for node in function.blocks:
        before = guarded.values.tree.dominates(node.index, block)
        for instr in node.instrs:
            before &= instr is not load
            store = instr.access
            if store is None or store.kind == "load" or store.space not in ("local", "generic"):
                continue
            own = elements(guarded, store, node.index)
            if own is None:
                open_[store.base] = None
                continue
            if own[0] != region or apart(own[1], store.bytes, read, access.bytes):
                continue
            words = [use for use in instr.uses if use not in (store.base, store.mask)]
            whole = 8 * store.bytes == sum(word.width for word in words)
            if store.kind != "store" or store.mask is not None or len(own[1]) != 1 or not whole:
                return ()
            if not inside(region, own[1], store):
                return ()
            for number, word in enumerate(words):
                at = own[1][0] + number * store.bytes // len(words)
                if at in read and word.width == 8 * access.bytes:
                    found[word] = None
                    written |= {at} if before else set()
                elif not apart(range(at, at + 1), word.width // 8, read, access.bytes):
                    return ()
    return tuple(found) if written.issuperset(read) and all(map(elsewhere, open_)) else ()


def inside(region: Region, offsets: range, access: Access) -> bool:
    """True if an access at these offsets neither leaves the array nor is misaligned: a store that
    faults stores nothing."""
    bounded = region.size is not None and offsets[-1] + access.bytes <= region.size
    aligned = all(at % access.align == 0 for at in (*offsets, region.align))
    return offsets[0] >= 0 and bounded and aligned


def apart(one: range, size: int, other: range, length: int) -> bool:
    """True if words of these sizes at these offsets share no byte."""
    return one[-1] + size <= other[0] or other[-1] + length <= one[0]
