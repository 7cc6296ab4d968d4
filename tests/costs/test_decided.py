"""What is decided stays decided: floors under the shares that ``python -m tests.costs`` prints."""

from __future__ import annotations

from collections import Counter

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts, metric
from ptxlint.facts.requests import near_ideal
from tests.observation.launches import CORPUS, kernels_of

from .decided import share, tally


def test_most_accesses_of_the_corpus_are_decided() -> None:
    """Accesses by loaded words are left out: their cost depends on the data."""
    found = {
        space: Counter({k: n for k, n in counts.items() if k != "unknown: loaded-index"})
        for space, counts in tally().items()
    }
    assert share(found["shared"], "exact", "if") >= 0.985
    assert share(found["shared"], "exact") >= 0.7
    assert share(found["global"], "exact", "if") >= 0.96
    assert share(found["global"], "exact") >= 0.7


def test_most_requests_of_undeclared_launches_are_close_to_their_ideal() -> None:
    """Of a block of whole warps in a row, however many lanes pass the guards."""
    judged = Counter[bool]()
    for path in sorted((CORPUS / "clean").glob("*.ptx"))[::4]:
        for kernel in kernels_of(path.read_text("utf-8"), path.name):
            facts = Facts(kernel, resolved([Contract()], kernel), "sm_80")
            counted = [a for a in facts.accesses if a.place.reached and metric(facts, a)]
            judged.update(near_ideal(facts, access) is not None for access in counted)
    assert judged[True] >= 0.7 * judged.total()
