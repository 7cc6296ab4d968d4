"""What compute-sanitizer says of a launch, beside what a run on the interpreter finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ptxlint.simt import run

from .launches import Case

MEANT = {
    "memcheck": {"out-of-bounds", "misaligned-access", "address-space-mismatch",
                 "param-out-of-bounds"},
    "racecheck": {"data-race"},
    "synccheck": {"divergent-barrier", "bad-barrier"},
}  # fmt: skip
"""The faults of a run that a tool looks for too; racecheck looks for races in shared memory."""
CHECKS = frozenset({"race", "init", "sync"})


def other_faults(case: Case, told: Mapping[str, str]) -> Iterator[str]:
    """Where one of both finds something, by what each tool said; it is empty if the tool found
    nothing."""
    outcome = run(case.kernel, case.launch, replace(case.options, checks=CHECKS))
    kinds = {
        fault.kind for fault in outcome.faults
        if fault.kind != "data-race" or fault.space == "shared"
    }  # fmt: skip
    for tool, said in told.items():
        found = ", ".join(sorted(kinds & MEANT[tool]))
        if bool(said) != bool(found):
            yield f"{case.name}: {tool} says {said or 'nothing'!r}, a run {found or 'nothing'!r}"
