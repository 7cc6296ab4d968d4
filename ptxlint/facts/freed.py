"""Frees the facts of a kernel, in a tenth of the time of a garbage collection."""

from __future__ import annotations

from analyses.footprints import Footprints
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.prover import Proofs
from ptxlint.facts.kernel_facts import Facts

CENTRES = Facts, Footprints, Proofs, PathConditions


def free(facts: Facts) -> None:
    """Empties the facts, those derived from them, and the provers that they hold, by which almost
    all that is known refers to itself. They cannot be asked for anything more."""
    held: list[object] = [facts]
    while held:
        one = held.pop()
        if isinstance(one, CENTRES):
            held += one.derived if isinstance(one, Facts) and vars(one) else ()
            held += vars(one).values()
            vars(one).clear()
