"""Observers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from analyses.concrete.bitvectors import Array
from analyses.concrete.machine import BitVector
from analyses.program import Assume, Phi, Terminator, Value
from ptxlint.ir import PtxInstr

if TYPE_CHECKING:
    from ptxlint.simt.machine import Machine


class Observer(Protocol):
    """Observes all events of a run, as whole vectors with the active lanes. A word of one element
    is the same in all lanes; addresses are 64-bit operands. Every method is optional."""

    def begin(self, machine: Machine) -> None:
        return

    def entered(self, block: int, active: Array) -> None:
        return

    def defined(
        self, cause: PtxInstr | Phi | Assume, value: Value, word: BitVector, active: Array
    ) -> None:
        return

    def accessed(self, instr: PtxInstr, space: str, addresses: Array, active: Array) -> None:
        return

    def branched(
        self, block: int, terminator: Terminator, condition: BitVector | None, active: Array
    ) -> None:
        return
