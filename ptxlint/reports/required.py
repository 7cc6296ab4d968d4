"""What is required and not proved, place by place: it makes a check fail, so that every format says
where, as far as it can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ptxlint.results.finding import IgnoredBy, Span
from ptxlint.results.report import KernelVerdict, Report
from ptxlint.results.verdict import Property, Status, Unproved

SILENCED = {IgnoredBy.BASELINE: "known in the baseline"}


class Missing(Struct, frozen=True):
    """A required property that is not proved at a place of a kernel, and why."""

    about: Property
    location: Span
    kernel: str
    why: str
    silenced: bool = False  # a finding says it, which is known or ignored

    @property
    def message(self) -> str:
        return f"required, not proved: {self.about.value}: {self.why}"


def missing_of(report: Report, required: Iterable[Property]) -> list[Missing]:
    """All that is missing, each once. What a finding says that is reported is not repeated; one
    that is known or ignored is missing."""
    names = [one.name for one in report.summary.incomplete(required)]
    if not names:
        return []
    silent = {one.finding.ptx: SILENCED.get(one.by, "ignored") for one in report.ignored}
    found = (each for judged in report.judged for each in _of_kernel(judged, names, silent))
    return list(dict.fromkeys(found))


def _of_kernel(
    judged: KernelVerdict, names: Iterable[Property], silent: dict[Span, str]
) -> Iterator[Missing]:
    name = judged.kernel.demangled
    for verdict in judged.verdicts:
        if verdict.unchecked and verdict.name in names:
            why = f"not checked: {verdict.asks}"
            yield Missing(verdict.name, judged.kernel.location, name, why)
    for one in judged.unproved:
        if one.property in names and (why := _why(one, silent)):
            silenced = one.status is Status.FLAGGED
            yield Missing(one.property, one.location, name, why, silenced)


def _why(subject: Unproved, silent: dict[Span, str]) -> str:
    """Why a subject is not proved; empty where a finding says it."""
    if subject.status is Status.FLAGGED:
        told = silent.get(subject.ptx)
        return "" if told is None else f"{told}: {subject.reason}"
    decides = f"; {subject.option}" if subject.option else ""
    return f"{subject.status.value}: {subject.reason}{decides}"
