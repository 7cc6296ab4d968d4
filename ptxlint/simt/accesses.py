"""Loads, stores and atomics of many lanes at once.

``requested`` holds one address for each lane of ``lanes`` (None: all lanes of the batch). Stores of
lanes to one word happen in lane order: the last one wins. Atomics on one word happen in lane order:
by one unbuffered ufunc if the old words are unused, by a running sum for integer ``add``, else in
passes, the k-th lane of each word in pass k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector, Lanes
from analyses.program import Access
from ptxlint.ir import PtxInstr
from ptxlint.simt.memory import WORDS, Memory, Part, Refused, Space

FAST: Mapping[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
FLOATS: Mapping[int, type[np.floating[Any]]] = {32: np.float32, 64: np.float64}


def load(
    memory: Memory,
    instr: PtxInstr,
    requested: Array,
    lanes: Array | None,
    total: int,
    lengths: Sequence[BitVector] = (),
) -> tuple[list[BitVector], list[Refused]]:
    """One word of ``total`` lanes for each result of the instruction; 0 in lanes without an
    access. If a word of ``lengths`` is given, the bytes behind as many are arbitrary."""
    parts, refused = _found(memory, instr, requested, lanes, lengths=lengths)
    widths = [value.width for value in instr.defs]
    if lanes is None and not refused and len(parts) == 1:
        whole = parts[0]
        return [
            BitVector(width, whole.space.load(whole.starts + i * width // 8, width))
            for i, width in enumerate(widths)
        ], refused
    words = [_zeros(width, total) for width in widths]
    for part in parts:
        users = pick(lanes, part.which)
        for i, word in enumerate(words):
            bits = part.space.load(part.starts + i * word.width // 8, word.width)
            word.bits[..., slice(None) if users is None else users] = bits
    return words, refused


def store(
    memory: Memory,
    instr: PtxInstr,
    requested: Array,
    lanes: Array | None,
    data: Sequence[BitVector],
) -> list[Refused]:
    parts, refused = _found(memory, instr, requested, lanes, data)
    for part in parts:
        users = pick(lanes, part.which)
        for i, word in enumerate(data):
            bits = of_lanes(word.bits, users)
            part.space.store(part.starts + i * word.width // 8, word.width, bits)
    return refused


def update(
    memory: Memory,
    o: Lanes,
    instr: PtxInstr,
    requested: Array,
    lanes: Array | None,
    data: Sequence[BitVector],
    total: int,
    wants_old: bool,
) -> tuple[list[BitVector], list[Refused]]:
    """An atomic: the old word of each lane, one for each element of a vector; the elements are
    updated one after the other."""
    parts, refused = _found(memory, instr, requested, lanes)
    assert instr.form is not None and instr.access is not None
    width = instr.form.type.bits
    size = width // 8
    elements = instr.access.bytes // size
    old = [_zeros(width, total) for _ in range(elements)]
    for part in parts:
        users = pick(lanes, part.which)
        for i, word in enumerate(old):
            own = [of_lanes(operand.bits, users) for operand in data[i::elements]]
            own_words = [np.broadcast_to(bits, part.starts.shape) for bits in own]
            before = _in_lane_order(
                part.space, part.starts + i * size, o, instr, own_words, wants_old
            )
            if before is not None:
                word.bits[slice(None) if users is None else users] = before
    return old, refused


def _found(
    memory: Memory,
    instr: PtxInstr,
    requested: Array,
    lanes: Array | None,
    data: Sequence[BitVector] = (),
    lengths: Sequence[BitVector] = (),
) -> tuple[list[Part], list[Refused]]:
    access = instr.access
    assert access is not None
    if not lengths:
        parts, refused = memory.find(access.space, requested, access.bytes, access.align, lanes)
    else:
        parts, refused = _of_lengths(memory, access, requested, lanes, lengths[0])
    if memory.watch is not None:
        for part in parts:
            users = pick(lanes, part.which)
            words = [of_lanes(word.bits, users) for word in data]
            size = part.starts.size
            spread = [np.broadcast_to(bits, (*bits.shape[:-1], size)) for bits in words]
            memory.watch(instr, part, users, spread)
    return parts, refused


def _of_lengths(
    memory: Memory, access: Access, requested: Array, lanes: Array | None, length: BitVector
) -> tuple[list[Part], list[Refused]]:
    own = np.broadcast_to(of_lanes(length.bits, lanes), requested.shape)
    parts: list[Part] = []
    refused: list[Refused] = []
    for size in np.unique(own).tolist():
        which = np.flatnonzero(own == size)
        size = min(size, access.bytes)
        found = memory.find(access.space, requested[which], size, access.align, pick(lanes, which))
        parts += [part.of(which) for part in found[0]]
        refused += [each.of(which) for each in found[1]]
    return parts, refused


def addressed(base: BitVector, offset: int) -> Array:
    """The addresses, computed in the width of their register, as 64-bit words."""
    bits: Array = base.unsigned
    if offset:
        bits = bits + bits.dtype.type(offset % (1 << base.width))
    addresses: Array = bits.astype(np.uint64, copy=False)
    return addresses


def _zeros(width: int, total: int) -> BitVector:
    if width == 128:
        return BitVector(width, np.zeros((2, total), np.uint64))
    return BitVector(width, np.zeros(total, WORDS[width // 8]))


def pick(lanes: Array | None, which: Array | None) -> Array | None:
    """The lanes selected by ``which``; None is all."""
    if which is None:
        return lanes
    return which if lanes is None else lanes[which]


def of_lanes(bits: Array, lanes: Array | None) -> Array:
    """The words of these lanes; a vector of one element is the same in all."""
    return bits if lanes is None or bits.shape[-1] == 1 else bits[..., lanes]


# --- atomics


def _in_lane_order(
    space: Space, starts: Array, o: Lanes, instr: PtxInstr, data: list[Array], wants_old: bool
) -> Array | None:
    form, sem = instr.form, instr.sem
    assert form is not None and sem is not None
    width = form.type.bits
    packed = form.type.element is not None or (form.type.floating and width == 16)
    name = "" if packed else form.one_of(*FAST)
    words = space.storage.view(WORDS[width // 8])
    places = starts // (width // 8)
    if name and not wants_old:
        number: Any = words.dtype
        if form.type.floating:
            number = FLOATS[width]
        elif form.type.signed:
            number = np.dtype(f"i{width // 8}")
        with np.errstate(all="ignore"):
            FAST[name].at(words.view(number), places, data[0].view(number))
        return None
    if name == "add" and not form.type.floating:
        return _running_sums(words, places, data[0])

    def after(old: Array, own: list[Array]) -> Array:
        new = sem(o, form, BitVector(width, old), *(BitVector(width, bits) for bits in own))
        assert isinstance(new, BitVector)
        return new.bits

    return _in_passes(words, places, data, after)


def _running_sums(words: Array, places: Array, data: Array) -> Array:
    order = np.argsort(places, kind="stable")
    target, added = places[order], data[order]
    before = np.cumsum(added, dtype=added.dtype) - added
    head = np.flatnonzero(np.r_[True, target[1:] != target[:-1]])
    group = np.repeat(head, np.diff(np.r_[head, target.size]))
    old = np.empty_like(added)
    old[order] = words[target] + before - before[group]
    np.add.at(words, places, data)
    return old


def _in_passes(
    words: Array,
    places: Array,
    data: list[Array],
    after: Callable[[Array, list[Array]], Array],
) -> Array:
    order = np.argsort(places, kind="stable")
    target = places[order]
    head = np.flatnonzero(np.r_[True, target[1:] != target[:-1]])
    rank = np.arange(target.size) - np.repeat(head, np.diff(np.r_[head, target.size]))
    by_rank = order[np.argsort(rank, kind="stable")]
    old = np.empty(places.size, words.dtype)
    first = 0
    for count in np.bincount(rank):
        now = by_rank[first : first + count]
        first += count
        old[now] = words[places[now]]
        words[places[now]] = after(old[now], [bits[now] for bits in data])
    return old


def zero(o: Lanes, width: int) -> BitVector:
    """The word 0."""
    if width == 128:  # there are no constants of this width
        return o.concat(o.const(64, 0), o.const(64, 0))
    return o.const(width, 0)
