"""The contract of a kernel as it is inferred, as plain data: what it needs, reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from ptxlint.source import harmless

if TYPE_CHECKING:
    from ptxlint.contracts.contract import Contract

SHARED = "dynamic_smem_size"
"""The name of dynamic shared memory: its special register."""


class NeedReason(Struct, frozen=True, kw_only=True):
    """Why something is needed: a condition, that buffers are distinct, or what is assumed."""

    need: str | None = None
    distinct: str | None = None
    assumed: str | None = None
    reason: str
    location: str


class TouchedBytes(Struct, frozen=True):
    """``reads``, ``writes`` or ``updates`` only bytes [low, high) of a buffer, ``when`` that is so
    in some launches only."""

    kind: str
    buffer: str
    low: int
    high: str
    when: str | None = None


class UnknownAccess(Struct, frozen=True, kw_only=True):
    """An access, or an instruction with accesses that are not modelled, that the contract says
    nothing about: of which buffer, if that is known, the reason, as a code and in words, and the
    fact that ``decides`` it."""

    access: str | None = None
    reason: str
    message: str
    location: str
    decides: str


class InferredContract(Struct, frozen=True, kw_only=True):
    """The contract of one kernel. ``needs`` are conditions, ``reads`` and ``writes`` the end of
    what is touched of each buffer, ``buffers`` the bytes that each must have and its alignment,
    ``values`` the range of the integers in those that the contract speaks of,
    ``shared`` those of dynamic shared memory; ``written`` are the only buffers that are written,
    if that is known, ``aligned`` the alignment of every buffer; the pointers to ``optional`` ones
    may be null, and their bytes are only required if they are not; ``assumed`` is what no launch
    decides: how an assembler places an array, that an argument is a texture."""

    kernel: str
    demangled: str
    path: str
    params: tuple[str, ...] = ()
    block: tuple[int, int, int] | None = None
    needs: tuple[str, ...] = ()
    reasons: tuple[NeedReason, ...] = ()
    reads: Mapping[str, str] = {}
    writes: Mapping[str, str] = {}
    buffers: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    shared: str | None = None
    distinct: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    unknown: tuple[UnknownAccess, ...] = ()
    touched: tuple[TouchedBytes, ...] = ()
    written: tuple[str, ...] | None = None
    aligned: Mapping[str, int] = {}
    optional: tuple[str, ...] = ()

    def as_toml(self) -> str:
        """A ``[[launch]]`` table that ``--contract`` takes; reasons are comments."""
        from ptxlint.contracts.files import written

        notes = {
            text: harmless(f"{one.reason}, {one.location}")
            for one in self.reasons
            for text in (one.need, one.distinct)
            if text is not None
        }
        lines = list(written(self.contract(), notes))
        for one in self.reasons:
            if one.assumed is not None:
                lines.append(f"# assumed: {harmless(f'{one.assumed}: {one.reason}')}")
        for (about, message, _), group in self.by_reason().items():
            what = f"{len(group)} of {about}" if about else f"{len(group)}"
            where = f"{message}, {group[0].location}"
            lines.append(f"# nothing is known of accesses: {harmless(what)}: {harmless(where)}")
            lines.append(f"# decided by {harmless(group[0].decides)}")
        return "\n".join(lines) + "\n"

    def contract(self) -> Contract:
        """As a declared contract."""
        from ptxlint.contracts.contract import Contract

        return Contract(
            self.kernel,
            block=self.block,
            shared=self.shared,
            buffers=self.buffers,
            values=self.values,
            params=self.params,
            requires=self.needs,
            writes=self.written,
            distinct=self.distinct,
            origin="inferred",
        )

    @property
    def complete(self) -> bool:
        """True if every access is accounted for: launches that meet the contract stay in bounds."""
        return not self.unknown

    def by_reason(self) -> dict[tuple[str | None, str, str], list[UnknownAccess]]:
        """The unknown accesses by buffer, message and the fact that decides them."""
        groups: dict[tuple[str | None, str, str], list[UnknownAccess]] = {}
        for one in self.unknown:
            groups.setdefault((one.access, one.message, one.decides), []).append(one)
        return groups
