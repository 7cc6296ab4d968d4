"""An inferred contract: requirements, and the bytes of buffers that the kernel touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from analyses.polynomials.inequality import not_least_of_progression
from ptxlint.facts.missing import MissingFact
from ptxlint.inference.aliasing import InferredDistinct
from ptxlint.inference.extents import UpperBound
from ptxlint.ir import Kernel, PtxInstr


class InferredRequirement(Struct, frozen=True):
    """``condition`` must hold, in the words of ``ptxlint.contracts.expression``."""

    condition: str
    reason: str
    instr: PtxInstr


class Bytes(Struct, frozen=True):
    """``reads``, ``writes`` or ``updates`` only bytes [low, high) of a buffer, ``high`` being the
    greatest of ``ends``, which say in words what the ``bounds`` are: each the least of several.
    Nothing where that is not positive: then no thread gets there."""

    name: str
    kind: str
    low: int
    bounds: tuple[tuple[UpperBound, ...], ...]
    ends: tuple[str, ...]
    align: int
    when: str | None  # the condition under which there are any, if that depends on the launch
    instr: PtxInstr

    @property
    def high(self) -> str:
        return greatest([self])


class Unknown(Struct, frozen=True):
    """An access that the contract says nothing about, and the fact that would decide it."""

    instr: PtxInstr
    name: str | None
    reason: str
    missing: MissingFact


class Inferred(Struct, frozen=True):
    """The contract of one kernel. ``params`` are names and types, in order, and
    those of the members of structures behind them."""

    kernel: Kernel
    params: tuple[tuple[str, str], ...]
    block: tuple[int, int, int] | None
    needs: tuple[InferredRequirement, ...]
    bytes: tuple[Bytes, ...]
    unknown: tuple[Unknown, ...]
    writes: tuple[str, ...] | None = None  # the only buffers that are written, if that is known
    distinct: tuple[InferredDistinct, ...] = ()
    contents: Mapping[str, str] = {}  # ranges of values, by buffer
    assumed: tuple[InferredRequirement, ...] = ()  # what no launch decides, in words
    optional: frozenset[str] = frozenset()  # the buffers whose pointers may be null

    def extents(self) -> dict[str, tuple[str, int]]:
        """The bytes that each buffer must have, and its alignment."""
        found: dict[str, tuple[str, int]] = {}
        for name in dict.fromkeys(part.name for part in self.bytes):
            parts = [part for part in self.bytes if part.name == name]
            found[name] = greatest(parts), max(part.align for part in parts)
        return found


def greatest(parts: Sequence[Bytes]) -> str:
    """The greatest end of the parts, without ends that another one is never less than."""
    known = {e: bounds for part in parts for e, bounds in zip(part.ends, part.bounds, strict=True)}
    for end, bounds in list(known.items()):
        rest = [others for text, others in known.items() if text != end]
        if any(cover(others, bounds) for others in rest) or between_sums(bounds, rest):
            del known[end]
    return next(iter(known)) if len(known) == 1 else f"max({', '.join(known)})"


def cover(others: Sequence[UpperBound], bounds: Sequence[UpperBound]) -> bool:
    """True if the least of the others is not below the least of the bounds in any launch."""
    return all(any(other.covers(bound) for bound in bounds) for other in others)


def between_sums(bounds: Sequence[UpperBound], rest: Sequence[Sequence[UpperBound]]) -> bool:
    """True if it is one sum between two others, of which one is not below it in any launch."""
    sums = [each[0].polynomial for each in rest if len(each) == 1 and exact(each[0])]
    of = bounds[0]
    single = len(bounds) == 1 and exact(of)
    return single and not_least_of_progression(-of.polynomial, [-one for one in sums])


def exact(bound: UpperBound) -> bool:
    """True if it is not rounded."""
    return bound.scale * bound.step == 1
