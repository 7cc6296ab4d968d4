"""The launches that a kernel was checked for, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ptxlint.results.finding import Triple


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredLaunches:
    """What is declared of the launches of a kernel; what is left out is unconstrained. Arguments
    are numbers or ranges (``1..4096``), the ``buffers`` and the dynamic ``shared`` memory sizes in
    bytes, as they were written where they depend on the launch. ``pointers`` point into buffers
    (``x+4*n``). ``origin`` says who declares it."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: str | None = None
    arguments: Mapping[str, str] = field(default_factory=dict, hash=False)
    buffers: Mapping[str, str] = field(default_factory=dict, hash=False)
    pointers: Mapping[str, str] = field(default_factory=dict, hash=False)
    conditions: tuple[str, ...] = ()
    origin: str = ""
