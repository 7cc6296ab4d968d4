"""Counts what was judged."""

from __future__ import annotations

from tests.tally import tallied

from .judging import Tally

tally = tallied(Tally)
