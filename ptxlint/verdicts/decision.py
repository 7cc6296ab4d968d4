"""What is decided of one subject of a property, or of a property that is not checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ptxlint.ir import PtxInstr
from ptxlint.results.verdict import Status


class Decision(NamedTuple):
    """A status; of one that is not proved, why, and the option that would decide it."""

    status: Status
    reason: str = ""
    option: str | None = None


Decisions = Mapping[PtxInstr, Decision]
"""One decision for each subject of a property."""

PROVED = Decision(Status.PROVED)


def undecided(reason: str, option: str | None = None) -> Decision:
    return Decision(Status.UNDECIDED, reason, option)


def not_checked(reason: str, option: str | None) -> Decision:
    return Decision(Status.NOT_CHECKED, reason, option)
