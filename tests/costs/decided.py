"""How many accesses of the corpus have a cost that is decided, and why the others have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ptxlint.facts import AccessFacts, Facts
from tests.observation.launches import CORPUS, contract_of, kernels_of

FOLDERS = ("clean", "flawed", "compilers", "regressions")
SPACES = ("shared", "global", "local", "const")


def accesses() -> Iterator[AccessFacts]:
    """Those that some thread makes, each kernel under its own launch."""
    for path in sorted(path for folder in FOLDERS for path in (CORPUS / folder).glob("*.ptx")):
        contract = contract_of(path)
        for kernel in kernels_of(path.read_text("utf-8"), path.name):
            facts = Facts(kernel, contract.for_kernel(kernel), "sm_80")
            yield from (a for a in facts.accesses if a.pattern != "never-reached")


def verdict(access: AccessFacts) -> str:
    """``exact``, ``if`` with the doubts, ``range`` with what is not known, or ``unknown`` with the
    reason."""
    found = access.pattern
    if isinstance(found, str) or access.cost is None:
        return f"unknown: {found}"
    doubts = ", ".join(found.doubts)
    if not access.cost.exact:
        return "range: " + ("atomic" if found.base[1] >= 128 else "base-alignment")
    return f"if: {doubts}" if doubts else "exact"


def tally() -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {space: Counter() for space in SPACES}
    for access in accesses():
        if access.space in found:
            found[access.space][verdict(access)] += 1
    return found


def share(counts: Counter[str], *kinds: str) -> float:
    return sum(n for kind, n in counts.items() if kind.startswith(kinds)) / counts.total()
