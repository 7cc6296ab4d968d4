"""Read-modify-write updates by a load and a store: ``h[k] = h[k] + 1``.

The store goes to the address of the load, and its word, its mask or its execution depends on the
word loaded (Ferrante, Ottenstein & Warren 1987: data and control dependence). If two threads make
the update at one address with nothing between, one update is lost, whatever is added. A store that
depends on no load of the address, as in a scatter, overwrites.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from analyses.addresses import ResolvedAccess
from analyses.def_use import User, users_of
from analyses.graph import postdominators
from analyses.program import Instr, Operand, SsaFunction, Value
from analyses.slices import forward_slice


def updates(function: SsaFunction, places: Sequence[ResolvedAccess]) -> frozenset[Instr]:
    """The loads and stores of updates. An access whose address is equal for another reason than its
    base or its polynomial is missed."""
    refined = {node.target: node.source for block in function.blocks for node in block.assumes}
    loads = dict[Hashable, list[ResolvedAccess]]()
    for place in places:
        if place.access.kind == "load":
            for address in addresses(place, refined):
                loads.setdefault(address, []).append(place)
    pairs = {
        (load.instr, store.instr)
        for store in places
        if store.access.kind == "store"
        for address in addresses(store, refined)
        for load in loads.get(address, ())
    }
    users = users_of(function) if pairs else {}
    dependents = {load: dependent(function, users, load.defs) for load, _ in pairs}
    found = ((load, store) for load, store in pairs if store in dependents[load])
    return frozenset(instr for pair in found for instr in pair)


def addresses(place: ResolvedAccess, refined: dict[Value, Value]) -> Iterator[Hashable]:
    """Keys that are equal only for accesses of one address in a thread."""
    base: Operand = place.access.base
    while isinstance(base, Value) and base in refined:
        base = refined[base]
    yield place.space, base, place.access.offset
    if place.region is not None and place.polynomial is not None:
        yield place.region, place.polynomial


def dependent(
    function: SsaFunction, users: Mapping[Operand, Iterable[User]], names: Iterable[Value]
) -> set[Instr]:
    """The instructions that depend on the names, by data or control, but not through memory."""
    roots: set[Operand] = set(names)
    governed, fresh = set[int](), True
    joins = postdominators([block.terminator.targets for block in function.blocks])
    while fresh:
        known = forward_slice(users, roots)
        reached = governed_by(function, known, joins)
        fresh = not reached <= governed
        governed |= reached
        roots |= {v for b in governed for i in function.blocks[b].instrs for v in i.defs}
    return {
        instr
        for block in function.blocks
        for instr in block.instrs
        if block.index in governed or not known.isdisjoint(instr.uses)
    }


def governed_by(
    function: SsaFunction, words: Collection[Operand], joins: Sequence[int]
) -> set[int]:
    """The blocks that a thread enters or not as a branch on one of the words says; ``joins`` are
    the immediate post-dominators of blocks."""
    branches = (b.index for b in function.blocks if b.terminator.condition in words)
    return set().union(*(between(function, branch, joins[branch]) for branch in branches))


def between(function: SsaFunction, branch: int, join: int) -> set[int]:
    """The blocks on the paths from a branch to its post-dominator."""
    found, open_ = set[int](), list(function.blocks[branch].terminator.targets)
    while open_:
        block = open_.pop()
        if block != join and block not in found:
            found.add(block)
            open_ += function.blocks[block].terminator.targets
    return found
