"""Which threads use the words that they load.

A load races with a store only if its word matters. Whether a thread will use the word is known at
the end of a run: if it makes an access that the word goes to (``analyses.races.load_uses``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analyses.concrete.bitvectors import Array
from analyses.program import Instr

Uses = Mapping[Instr, frozenset[Instr]]


class Users:
    """The lanes of each batch, by its first block, that make accesses which use loaded words.
    ``uses`` maps loads to these accesses."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self._accesses = frozenset[Instr]().union(*uses.values())
        self._made: dict[tuple[Instr, int], Array] = {}

    def made(self, instr: Instr, batch: int, lanes: Array, count: int) -> None:
        """Lanes, of ``count``, make this access."""
        if instr in self._accesses:
            self._made.setdefault((instr, batch), np.zeros(count, np.bool_))[lanes] = True

    def of(self, load: Instr, batch: int, count: int) -> Array:
        """True for the lanes that may use the word of a load."""
        users = np.zeros(count, np.bool_)
        for access in self.uses[load]:
            made = self._made.get((access, batch))
            if made is not None:
                users |= made
        return users
