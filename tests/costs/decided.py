"""How many accesses of the corpus have a cost that is decided, and why the others have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from analyses.traffic.cost_functions import FIRST
from ptxlint.facts.kernel_facts import AccessFacts, Facts, metric
from ptxlint.facts.requests import cost_function
from tests.declared import facts_of
from tests.observation.launches import CORPUS

FOLDERS = ("clean", "flawed", "compilers", "regressions")
SPACES = ("shared", "global", "local", "const")


def accesses() -> Iterator[tuple[Facts, AccessFacts]]:
    """Those that some thread makes, each kernel under its own launch."""
    for path in sorted(path for folder in FOLDERS for path in (CORPUS / folder).glob("*.ptx")):
        for facts in facts_of(path):
            yield from ((facts, a) for a in facts.accesses if a.pattern != "never-reached")


def verdict(facts: Facts, access: AccessFacts) -> str:
    """``exact``; ``if`` with the doubts and what a law makes the cost a function of, so that each
    of its values has one cost; ``range`` or ``unknown`` with the reason."""
    found, law = access.pattern, cost_function(facts, access)
    assumptions = () if isinstance(found, str) else found.assumptions
    if access.cost is not None and access.cost.exact:
        return f"if: {', '.join(assumptions)}" if assumptions else "exact"
    if law is not None and law.exact:
        kind = "first address" if law.subject == FIRST else "a parameter"
        return f"if: {', '.join((*law.assumptions, kind))}"
    if isinstance(found, str) or access.cost is None:
        by_data = access.instr in facts.loaded_data.accesses()
        return "unknown: loaded-index" if by_data else f"unknown: {found}"
    by = metric(facts, access)
    return "range: atomic" if by and by.least is not by.most else "range: base-alignment"


def tally() -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {space: Counter() for space in SPACES}
    for facts, access in accesses():
        if access.space in found:
            found[access.space][verdict(facts, access)] += 1
    return found


def share(counts: Counter[str], *kinds: str) -> float:
    return sum(n for kind, n in counts.items() if kind.startswith(kinds)) / counts.total()
