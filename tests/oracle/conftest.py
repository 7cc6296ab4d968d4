"""Counts what the oracle checked."""

from __future__ import annotations

from tests.tally import tallied

from .judge import Verdict

tally = tallied(Verdict)
