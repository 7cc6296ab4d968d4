"""A kernel with a launch and what it computes, and the figures of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptxlint.results.report import Report

Arrays = list[Any]


@dataclass(frozen=True)
class Case:
    """``arguments`` are made anew for each launch; ``expected`` are the contents of the arrays
    among them after it, as numpy computes them from those before. ``run`` is on the interpreter,
    ``launch`` on a device, with arrays that lie there."""

    name: str
    arguments: Callable[[], Arrays]
    expected: Callable[..., Arrays]
    run: Callable[[Arrays], None]
    check: Callable[[Arrays], Report]
    launch: Callable[[Arrays], None]

    def agrees(self) -> bool:
        """True if the interpreter leaves in the arrays what numpy computes."""
        after = self.arguments()
        self.run(after)
        return self.computed(after)

    def computed(self, after: Arrays) -> bool:
        """True if the arrays, of numpy, hold what numpy computes."""
        wanted = self.expected(*self.arguments())
        found = [value for value in after if isinstance(value, np.ndarray)][-len(wanted) :]
        return all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))


@dataclass(frozen=True)
class Figures:
    """Accesses, and those whose bounds, alignment and space are decided; errors that were reported
    for right kernels; kernels whose results are numpy's."""

    kernels: int
    accesses: int
    decided: int
    alarms: tuple[str, ...]
    different: tuple[str, ...]

    @classmethod
    def of(cls, cases: Sequence[Case]) -> Figures:
        accesses = decided = 0
        alarms, different = [], []
        for case in cases:
            report = case.check(case.arguments())
            states = [access.status.value for access in report.accesses]
            accesses += len(states)
            decided += sum(state in ("proved", "flagged") for state in states)
            alarms += [
                f"{case.name}: {f.rule}" for f in report.findings if f.severity.value == "error"
            ]
            alarms += [f"{case.name}: {each}" for each in report.diagnostics]
            if not case.agrees():
                different.append(case.name)
        return cls(len(cases), accesses, decided, tuple(alarms), tuple(different))

    def __str__(self) -> str:
        share = 100 * self.decided / max(self.accesses, 1)
        return (
            f"{self.kernels} kernels, {self.accesses} accesses, {self.decided} decided"
            f" ({share:.1f} %); false alarms: {', '.join(self.alarms) or 'none'};"
            f" results other than numpy's: {', '.join(self.different) or 'none'}"
        )


def lines_of(reports: Iterable[tuple[str, int, Report]]) -> list[str]:
    """The defects, by name and line, that are not reported as an error at that line alone."""
    missed = []
    for name, line, report in reports:
        found = {f.location.line for f in report.findings if f.severity.value == "error"}
        if found != {line}:
            missed.append(f"{name}: line {line}, found {sorted(found)}")
    return missed
