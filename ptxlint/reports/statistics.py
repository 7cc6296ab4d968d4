"""How many findings each rule has, for ``--statistics``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ptxlint.reports.colour import Palette
from ptxlint.results.finding import Severity
from ptxlint.results.report import Report
from ptxlint.source import plural

RANK = {severity: rank for rank, severity in enumerate(Severity)}


def lines(report: Report, palette: Palette) -> Iterator[str]:
    """A line for each rule, the most frequent first: findings, severity, the rule, in how many
    kernels and on how many source lines."""
    counts = Counter((found.severity, found.rule) for found in report.findings)
    order = sorted(counts, key=lambda key: (-counts[key], RANK[key[0]], key[1]))
    width = max((len(rule) for _, rule in order), default=0)
    digits = len(str(max(counts.values(), default=0)))
    for severity, rule in order:
        about = [f for f in report.findings if (f.severity, f.rule) == (severity, rule)]
        kernels = len({(found.ptx.path, found.kernel) for found in about})
        places = len({(found.location.path, found.location.line) for found in about})
        name = palette.link(rule) + " " * (width - len(rule))
        where = f"{plural(places, 'line', 'lines')} of {plural(kernels, 'kernel', 'kernels')}"
        said = palette.paint(f"{severity.value:7}", severity.value)
        yield f"{counts[severity, rule]:{digits}}  {said}  {name}  {where}"
