"""What a page or an editor shows of a kernel beyond its verdict, as plain data.

Lines are those of the PTX. Texts are those of ``ptxlint why``: formulas over launch symbols, ranges
and known bits, which threads agree on a word.
"""

from __future__ import annotations

from msgspec import Struct

from ptxlint.results.finding import Finding
from ptxlint.results.report import AccessResult, KernelResult
from ptxlint.results.verdict import Unproved

Note = tuple[str, str]
"""A label and a text; an empty label goes on with the last one."""

Offsets = tuple[int | None, ...]
"""The bytes of the 32 lanes of a warp from a common base; None where a lane touches nothing."""


class RegisterFacts(Struct, frozen=True, kw_only=True):
    """What is known of the word that an instruction of the ``line`` puts into a register.
    ``because`` says why there is no formula; ``how`` that it is merged from several paths, or
    narrowed by a branch, else it is empty."""

    register: str
    line: int
    formula: str | None = None
    range: str | None = None
    bits: str | None = None
    uniformity: str = ""
    because: str | None = None
    how: str = ""


class AccessView(Struct, frozen=True, kw_only=True):
    """An access: what is known of it, ``unproved`` what is not proved, and the lane offsets of its
    costliest warp, if these are known. ``share`` is the percentage of the kernel's traffic in its
    space. ``calls`` are the calls of inlined code, as captions with a place, innermost first."""

    result: AccessResult
    notes: tuple[Note, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    offsets: Offsets | None = None
    share: int | None = None


class BranchView(Struct, frozen=True):
    """A branch, and the threads that agree on its condition."""

    line: int
    uniformity: str
    divergent: bool


class LoopView(Struct, frozen=True):
    """A loop: the lines of its first and last instruction; ``divergent`` if threads of a warp leave
    it in different iterations."""

    first: int
    last: int
    divergent: bool


class UnorderedPath(Struct, frozen=True):
    """The lines on a path from one access to another without a barrier."""

    first: int
    last: int
    lines: tuple[int, ...]


class KernelView(Struct, frozen=True, kw_only=True):
    """A kernel as it was analysed for one launch. ``reproduce`` has a command that replays the
    witness of a finding, by its place in ``findings``; ``required`` is the table of TOML that the
    conditional accesses need."""

    result: KernelResult
    first: int
    last: int
    findings: tuple[Finding, ...] = ()
    accesses: tuple[AccessView, ...] = ()
    registers: tuple[RegisterFacts, ...] = ()
    branches: tuple[BranchView, ...] = ()
    loops: tuple[LoopView, ...] = ()
    paths: tuple[UnorderedPath, ...] = ()
    sources: tuple[tuple[int, tuple[tuple[str, int], ...]], ...] = ()
    reproduce: tuple[str | None, ...] = ()
    required: str | None = None
