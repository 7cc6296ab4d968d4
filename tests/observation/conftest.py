"""Counts what was observed."""

from __future__ import annotations

from tests.tally import tallied

from .claims import Observation

tally = tallied(Observation)
