"""The launches that a kernel was checked for, as plain data."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ptxlint.results.finding import Triple


class DeclaredLaunches(Struct, frozen=True, kw_only=True):
    """What is declared of the launches of a kernel; what is left out is unconstrained. Arguments
    are numbers or ranges (``1..4096``), the ``buffers`` and the dynamic ``shared`` memory sizes in
    bytes, as they were written where they depend on the launch. ``pointers`` point into buffers
    (``x+4*n``). ``origin`` says who declares it. ``assumed`` conditions are not declared."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: str | None = None
    arguments: Mapping[str, str] = {}
    buffers: Mapping[str, str] = {}
    pointers: Mapping[str, str] = {}
    conditions: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    origin: str = ""
