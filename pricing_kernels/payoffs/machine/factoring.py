"""Fewer steps: neighbours join, and equal code at several rows becomes one step for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from pricing_kernels.payoffs.language.expression import Expression
from pricing_kernels.payoffs.machine.program import MachineStep


def factored(steps: Sequence[MachineStep], result: Expression) -> list[MachineStep]:
    """The steps, with neighbours joined that are for the same rows and may be done at once."""
    joined: list[MachineStep] = []
    for step in steps:
        if joined and _together(joined[-1], step):
            both = joined[-1].assignments + step.assignments
            joined[-1] = MachineStep(both, step.when)
        else:
            joined.append(step)
    return joined


def _together(first: MachineStep, second: MachineStep) -> bool:
    """True if the second step reads and writes nothing that the first one writes."""
    return first.when == second.when and not first.written & (second.read | second.written)
