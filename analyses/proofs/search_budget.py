"""Steps that searches for proofs share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct


class Budget(Struct):
    """The steps left to all searches together; no limit if none is given."""

    left: int = sys.maxsize

    @contextmanager
    def share(self, of: int) -> Iterator[None]:
        """Restricts the budget to one share of what is left: a hard query leaves steps for easy
        ones."""
        with self.limit(self.left // of):
            yield

    @contextmanager
    def limit(self, steps: int) -> Iterator[None]:
        """Restricts the budget to so many steps."""
        kept = max(self.left - steps, 0)
        self.left -= kept
        try:
            yield
        finally:
            self.left += kept
