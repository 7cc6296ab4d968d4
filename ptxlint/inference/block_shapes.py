"""Block shapes: limits of the block under which accesses to arrays of known size stay inside.

A kernel with a tile of 32 by 32 elements is made for blocks that fit. Of an offset that is no
polynomial, such as that of a swizzle ``x ^ y``, no such limit follows; but typical blocks can be
tried: where the accesses are proved for all blocks of at most 32 by 8 threads, the contract
requires ``ntid.x <= 32`` and ``ntid.y <= 8``. An array of 64 elements that is indexed by
``t / 16 * 16 + t % 4`` gives a limit of 52 threads; of 64 threads all accesses are proved. And
where a guard ``x < n`` bounds the thread, an array of 32 rows would limit ``n``: the block is.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from analyses.typical_launch import SHAPES, WARP, typical_launch_value
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import MAX_BLOCK, SHAPE
from ptxlint.facts.kernel_facts import Facts
from ptxlint.facts.wording import region_name
from ptxlint.inference.infer import Inference
from ptxlint.inference.inferred_contract import InferredRequirement, Unknown
from ptxlint.inference.reasons import avoids_overflow
from ptxlint.ir import PtxInstr

ASSUMED = "assumed: no larger block is meant"
OF_BLOCK = ("shared", "local")  # spaces of arrays that are made for a block
ROWS = [(1 << n, 1, 1) for n in range(5, 11)]


def limits(inference: Inference) -> Iterator[tuple[Triple, PtxInstr]]:
    """The limits that are worth a trial, each with an access that gives the reason: typical ones
    where accesses to arrays are open, or a requirement bounds a row of threads by less than a warp;
    else the next power of two above one that bounds it by no whole number of warps, or the number
    of rows by no power of two."""
    open_ = [one.instr for one in in_arrays(inference)] or strict(inference)
    if open_:
        yield from ((shape, open_[0]) for shape in shapes(inference.facts))
        return
    rows = [(most, instr) for _, most, instr in ends(inference, "x")]
    least, instr = min(rows, key=lambda end: end[0], default=(WARP, None))
    if instr and least < WARP and not any(reads(inference.facts, axis) for axis in "yz"):
        yield from ((shape, instr) for shape in shapes(inference.facts))
        return
    for at, most, instr in ends(inference, "xyz"):
        extent = 1 << (most - 1).bit_length()
        odd = extent > most > 1 if at else most % WARP and extent > WARP
        if odd and extent <= MAX_BLOCK[at]:
            yield (*MAX_BLOCK[:at], extent, *MAX_BLOCK[at + 1 :]), instr  # type: ignore[misc]


def ends(inference: Inference, axes: str) -> Iterator[tuple[int, int, PtxInstr]]:
    """The requirements that limit an extent of the block by a number: the place of its axis, the
    number, and the access."""
    facts = inference.facts
    for at, axis in enumerate(axes):
        if not reads(facts, axis):
            continue  # to name its extent would say that it is read
        extent = facts.symbolic.named(f"ntid.{axis}", 32)
        for need in inference.needs.values():
            most = (need.polynomial + extent).constant
            if most:
                yield at, most, need.instr


def strict(inference: Inference) -> list[PtxInstr]:
    """The accesses to arrays of known size in shared or local memory that require parameters to be
    smaller than those of a typical launch, or limit one that is a power of two. A table of the
    module is not made for a block: it has so many rows."""
    symbolic = inference.facts.symbolic
    return [
        need.instr
        for need in inference.needs.values()
        if any(p.region and p.region.size and p.region.space in OF_BLOCK for p in need.places)
        and not avoids_overflow(need.reason)
        and any(symbol.label not in SHAPE for symbol in need.polynomial.symbols)
        and (
            typical_launch_value(need.polynomial) < 0
            or any(symbolic.names.get(one) in symbolic.powers for one in need.polynomial.symbols)
        )
    ]


def in_arrays(inference: Inference) -> list[Unknown]:
    """The open accesses to arrays of known size."""
    sized = {
        one.instr
        for place in inference.facts.places
        for one in place.each
        if one.region is not None and one.region.size is not None
    }
    return [one for one in inference.unknown if one.instr in sized]


def settled(inference: Inference, shape: Triple, before: Inference) -> bool:
    """True if no access to an array is open or limits a parameter, and the requirements allow a
    block of these extents: else smaller ones are better. Where one was open ``before``, those that
    did limit a parameter may."""
    limiting = set(strict(inference)).difference(strict(before) if in_arrays(before) else ())
    return allowed(inference, shape) and not in_arrays(inference) and not limiting


def allowed(inference: Inference, shape: Triple) -> bool:
    """True if the requirements allow a block of these extents."""
    extents = dict(zip(("ntid.x", "ntid.y", "ntid.z"), shape, strict=True))
    return all(
        need.value(lambda symbol: extents[symbol.name]) >= 0
        for need in inference.needs
        if all(symbol.name in extents for symbol in need.symbols)
    )


def shapes(facts: Facts) -> Iterator[Triple]:
    """Typical limits of the extents that the kernel reads, the largest blocks first; other extents
    have no limit."""
    if facts.launch.block is not None:
        return
    read = [axis for axis in "xyz" if reads(facts, axis)]
    tried = SHAPES if {"y", "z"} & set(read) else ROWS
    fitting = [
        shape
        for shape in tried
        if all(extent == 1 or axis in read for axis, extent in zip("xyz", shape, strict=True))
    ]
    limits = [
        tuple(
            extent if axis in read else limit
            for axis, extent, limit in zip("xyz", shape, MAX_BLOCK, strict=True)
        )
        for shape in sorted(within(fitting, facts.launch.max_threads), key=prod, reverse=True)
    ]
    yield from dict.fromkeys(limits)  # type: ignore[misc]


def within(found: list[Triple], threads: int) -> Iterator[Triple]:
    """The shapes, with fewer rows where that makes one of so many threads at most."""
    for x, y, z in found:
        rows = min(y, threads // (x * z))
        if rows:
            yield x, rows, z


def reads(facts: Facts, axis: str) -> bool:
    """True if the kernel reads the coordinate of a thread, or the extent of the block."""
    return any((f"{kind}.{axis}", 32) in facts.symbolic.specials for kind in ("tid", "ntid"))


def block_limits(shape: Triple, instr: PtxInstr, facts: Facts) -> list[InferredRequirement]:
    """The requirements that the block has at most these extents, because of an access."""
    places = (one for place in facts.places if place.instr is instr for one in place.each)
    sized = (one.region for one in places if one.region and one.region.size is not None)
    region = next(sized, None)
    because = f"because {region_name(region)} has {region.size} bytes" if region else ASSUMED
    return [
        InferredRequirement(f"ntid.{axis} <= {extent}", because, instr)
        for axis, extent, limit in zip("xyz", shape, facts.launch.largest, strict=True)
        if extent < limit
    ]
