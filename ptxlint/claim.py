"""Claims of rules about instructions, and what a replay must observe to show them.

A claim becomes a finding when its location is known. Its ``harm`` is a description that knows
nothing of rules: the interpreter runs until an observer sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from analyses.polynomials.symbols import Interpretation
    from analyses.scalar_evolution import SymbolicValues
    from analyses.traffic.fixes import ProposedFix
    from ptxlint.contracts.expression import Condition
    from ptxlint.contracts.launch import ConcreteLaunch
    from ptxlint.ir import PtxInstr
    from ptxlint.results.finding import Certainty, MemoryAccess, RequestCost, Severity, Witness
    from ptxlint.results.verdict import Property


class Faulting(Struct, frozen=True):
    """The interpreter reports a fault of one of these ``kinds`` at the instruction. ``checks`` must
    be enabled."""

    kinds: tuple[str, ...]
    checks: frozenset[str] = frozenset()


class StrayAccess(Faulting, frozen=True):
    """A fault of an access that no choice of undeclared values causes. ``counterexample`` are
    numbers with which it may occur. If words ``must_agree``, several decide it, of which those that
    a replay makes up may not agree; if the address is ``gathered``, a loop computes it from a word
    of each iteration. With ``nowhere``, no execution of the access is in bounds."""

    counterexample: Mapping[str, int] = {}
    must_agree: bool = False
    gathered: bool = False
    nowhere: bool = False


class DataRace(Faulting, frozen=True):
    """Two threads race. ``update`` is set for the load or the store of a read-modify-write update:
    threads that make it at one address lose one. ``must_agree`` is that of ``StrayAccess``."""

    update: bool = False
    must_agree: bool = False


class Reached(Struct, frozen=True):
    """A thread executes the access."""


class ExcessCost(Struct, frozen=True):
    """A request of a warp costs more than its data needs and ``tolerated`` above that. ``bound`` is
    given if each request of all lanes costs so much, whatever undeclared numbers are: it is the
    most that one costs. With ``rows``, only in blocks whose rows are whole warps."""

    unit: str
    tolerated: int
    bound: int | None = None
    rows: bool = False


class IntegerOverflow(Struct, frozen=True):
    """The integer of an index overflows its type. ``symbolic`` has the meanings of its symbols.
    ``first`` is a parameter, by position, and the least value for which it is not proved to fit."""

    interpretation: Interpretation
    symbolic: SymbolicValues
    first: tuple[int, int] | None = None


class AliasingRace(Struct, frozen=True):
    """Threads race where two buffers, by the positions of their parameters, overlap: in any way or,
    if ``same``, only as one and in launches where ``when`` holds."""

    one: int
    other: int
    same: bool
    when: tuple[Condition, ...] = ()


Harm = Faulting | Reached | ExcessCost | IntegerOverflow | AliasingRace

UNBOUNDED_OFFSET = "unbounded offset"
"""What a message says of an access whose offset no analysis bounds."""


class RelatedInstr(Struct, frozen=True):
    """Another instruction of a claim, with its caption."""

    message: str
    instr: PtxInstr


class Claim(Struct, frozen=True, eq=False, kw_only=True):
    """A statement of a rule about one instruction. ``message`` may contain the cost as ``{cost}``,
    or UNBOUNDED_OFFSET, until a witness says more. A claim without ``harm`` is not replayed.
    ``help`` may promise the cost of ``fix``; ``advice`` is the help if the source cannot be changed
    so. ``property`` says which one it flags."""

    rule: str
    severity: Severity
    certainty: Certainty
    message: str
    instr: PtxInstr
    harm: Harm | None = None
    condition: str | None = None
    access: MemoryAccess | None = None
    cost: RequestCost | None = None
    share: int | None = None
    witness: Witness | None = None
    related: tuple[RelatedInstr, ...] = ()
    help: str | None = None
    advice: str | None = None
    fix: ProposedFix | None = None
    reason: str | None = None
    avoided: ConcreteLaunch | None = None  # a launch without the fault, in which it was executed
    property: Property | None = None

    def witnessed(self, witness: Witness) -> Claim:
        """The claim with its witness, which the message says the bytes of if it knew none."""
        message, access, at = self.message, self.access, witness.address
        if access is not None and at is not None:
            seen = f"a thread accesses bytes [{at}, {at + access.bytes})"
            message = message.replace(UNBOUNDED_OFFSET, seen)
        return replace(self, witness=witness, message=message)

    def priced(self) -> Claim:
        """The claim with its cost in the message."""
        if self.cost is None:
            return self
        return replace(self, message=self.message.replace("{cost}", str(self.cost)))
