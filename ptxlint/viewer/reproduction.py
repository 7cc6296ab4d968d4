"""The command that replays the witness of a finding on the interpreter."""

from __future__ import annotations

import shlex

from ptxlint.analysis import Analysis
from ptxlint.contracts.files import exact
from ptxlint.contracts.launch import Allocation
from ptxlint.ir import Kernel
from ptxlint.places import Locations
from ptxlint.results.finding import Finding


def command(analysis: Analysis, finding: Finding, places: Locations) -> str | None:
    """``ptxlint run`` with the launch of the witness; None without a witness, if ``ptxlint run``
    reports no such finding, if a buffer has no declared size, or if what it holds decides."""
    seen, kernel, launch = finding.witness, analysis.kernel, analysis.launch
    if seen is None or not reported_by_a_run(finding, kernel):
        return None
    indices = {name: index for index, name in enumerate(launch.names)}
    values = {indices[n]: number for n, number in seen.arguments.items() if n in indices}
    try:
        concrete = launch.concrete(kernel, grid=seen.grid, block=seen.block, values=values)
    except (ValueError, KeyError, OverflowError, MemoryError):
        return None
    memory = [one for one in concrete.arguments if isinstance(one, Allocation)]
    if any(one.size is None for one in memory):
        return None
    words = ["ptxlint", "run", places.source.path, "--kernel", kernel.name, "--checks", "all"]
    for pair in exact(kernel.name, concrete).options():
        words += pair
    return shlex.join(words)


def reported_by_a_run(finding: Finding, kernel: Kernel) -> bool:
    """True if a run reports such a finding whatever the buffers hold."""
    from ptxlint.execution.faults import CLAIMS, KINDS
    from ptxlint.replay.races import data_matter

    if finding.rule == "data-race" and data_matter(kernel):
        return False
    return finding.rule in CLAIMS or any(finding.rule in kinds for kinds in KINDS.values())
