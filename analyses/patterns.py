"""What the lanes of a warp add to an address: their offsets, for every distinct warp of the block.

From the polynomial's terms in the thread's coordinates; the rest of the polynomial is the same in
all lanes of a warp, and matters for the cost of an access modulo 128 at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from analyses.addresses import Place
from analyses.divergence import Divergence
from analyses.domains.affine import Monomial
from analyses.domains.uniformity import Level
from analyses.program import Value
from analyses.values import Values

WARP = 32
LINE = 128
AXES = ("tid.", "laneid")

Block3 = tuple[int, int, int]
Offsets = tuple[int | None, ...]  # of the 32 lanes; None where a lane touches nothing


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the lanes of a warp add to the address. ``warps`` are the distinct offsets of the
    warps of a block; ``base`` is (r, m): what they add it to is r modulo m. ``assumed`` where the
    index is taken not to wrap, or ntid.x to be a multiple of the warp."""

    warps: tuple[Offsets, ...]
    base: tuple[int, int]
    assumed: bool
    stride: int | None  # in bytes, along x


def pattern(
    values: Values, divergence: Divergence, found: Place, shape: Block3 | None, align: int
) -> Pattern | str:
    """The pattern, or the reason why there is none. ``align`` is the region's, in bytes."""
    a = found.polynomial
    if a.terms is None or found.origin is None:
        return "generic-space" if found.origin is None else "nonlinear-lane"
    lane_terms: dict[str, int] = {}
    base, modulus = 0, 4096
    for monomial, factor in a.terms:
        if not monomial:
            base += factor
            continue
        axes = [s for s in monomial if isinstance(s, str) and s.startswith(AXES)]
        reason = _varies(values, divergence, monomial, found.block)
        if reason:
            return reason
        if not axes:
            modulus = gcd(modulus, factor * _power(values, monomial))
        elif len(monomial) == 1:
            lane_terms[axes[0]] = factor
        elif shape is None and "tid.x" not in axes and "laneid" not in axes:
            modulus = gcd(modulus, factor)  # one row of a warp: assumed below
        else:
            return "symbolic-stride"
    modulus = gcd(modulus, align)
    warps = tuple(dict.fromkeys(_warps(lane_terms, shape)))
    if shape is None:
        modulus = gcd(modulus, *(f for axis, f in lane_terms.items() if axis != "tid.x"), modulus)
    return Pattern(
        warps, (base % modulus, modulus), a.assumed or shape is None, lane_terms.get("tid.x")
    )


def _varies(values: Values, divergence: Divergence, monomial: Monomial, block: int) -> str:
    """Why a term may differ between the lanes of a warp in a way that nobody knows."""
    for symbol in monomial:
        if isinstance(symbol, Value):
            if divergence.use(symbol, block) is Level.DIVERGENT:
                instr = values.definition.get(symbol)
                loaded = instr is not None and instr.access is not None
                return "loaded-index" if loaded else "nonlinear-lane"
        elif symbol in values.counters:
            if divergence.counter(int(symbol.removeprefix("k")), block) is Level.DIVERGENT:
                return "nonlinear-lane"
        elif not symbol.startswith(AXES) and divergence.symbol(symbol) is Level.DIVERGENT:
            return "nonlinear-lane"
    return ""


def _power(values: Values, monomial: Monomial) -> int:
    """A power of two that divides the product of the symbols."""
    power = 1
    for symbol in monomial:
        if isinstance(symbol, Value) and symbol in values.number.facts:
            fact = values.number.facts[symbol]
            if fact.origin is None and not values.numbers.is_bottom(fact):
                residue, bits = fact.offset[1].alignment
                power *= 1 << (bits if residue == 0 else (residue & -residue).bit_length() - 1)
    return power


@lru_cache(maxsize=64)
def lanes_of(shape: Block3 | None) -> tuple[tuple[tuple[int, int, int] | None, ...], ...]:
    """The thread coordinates of the lanes of every warp; unknown shapes have one row of 32."""
    if shape is None:
        return (tuple((lane, 0, 0) for lane in range(WARP)),)
    x, y, z = shape
    threads: list[tuple[int, int, int] | None] = [
        (i % x, i // x % y, i // (x * y)) for i in range(x * y * z)
    ]
    threads += [None] * (-len(threads) % WARP)
    return tuple(tuple(threads[i : i + WARP]) for i in range(0, len(threads), WARP))


def _warps(terms: Mapping[str, int], shape: Block3 | None) -> Iterator[Offsets]:
    """Offsets relative to the warp's first lane plus that lane's own, reduced modulo a line."""
    for warp in lanes_of(shape):
        offsets = [
            None if t is None else sum(
                factor * (lane if axis == "laneid" else t["xyz".index(axis[-1])])
                for axis, factor in terms.items()
            )
            for lane, t in enumerate(warp)
        ]  # fmt: skip
        first = next(o for o in offsets if o is not None)
        whole = first - first % LINE
        yield tuple(None if o is None else o - whole for o in offsets)
