"""The footprints of a kernel under a launch: what the launch declares, as polynomials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from analyses.footprints import Footprints
from analyses.program import Operand, Region, Value
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.path_conditions import PathConditions
from analyses.proofs.smt import Solver
from analyses.scalar_evolution import SymbolicValues
from analyses.values import Values
from ptxlint.contracts.assumptions import Terms
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.powers import powers
from ptxlint.contracts.reciprocals import reciprocals
from ptxlint.ir import Kernel


def footprints(
    kernel: Kernel,
    launch: Launch,
    values: Values,
    pointers: Mapping[str, Region],
    unsigned: frozenset[str],
    solver: Callable[[PathConditions], Solver] | None,
) -> Footprints:
    words = {p.name: p.word for p in kernel.words}
    declared = {
        (words[one.multiplier], words[one.shift]): words[one.divisor]
        for one in reciprocals(launch.conditions)
        if words.keys() >= set(one)
    }
    exact = {name: one.value for name, one in values.specials.items() if one.is_constant}
    two = {name for name, value in exact.items() if value > 1 and value.bit_count() == 1}
    two |= {words.get(name, name) for name, _ in powers(launch.conditions)}
    symbolic = SymbolicValues(
        values, pointers, unsigned, declared, frozenset(two), dict(exchanges(kernel))
    )
    terms = Terms(kernel, launch, symbolic)
    general = PathCondition(tuple(terms.limits()))
    extents, contents = terms.extents(pointers), terms.contents(pointers)
    nullable = frozenset(
        pointers[kernel.arguments[index].word]
        for index, extent in launch.buffers.items()
        if extent.optional
    )
    return Footprints(symbolic, extents, general, contents, solver, nullable)


def exchanges(kernel: Kernel) -> Iterator[tuple[Value, Operand]]:
    """The words that lanes get from each other, by the operand that they are in the other lane."""
    for instr in kernel.instructions:
        if instr.form is not None and instr.form.row.opcode == "shfl" and instr.defs:
            yield instr.defs[0], instr.uses[0]
