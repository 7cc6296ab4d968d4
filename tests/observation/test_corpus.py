"""Every kernel of the corpus does what its facts say, under its declared launch and under any."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from tests.declared import facts_of
from tests.sampled import sampled

from .claims import Observation
from .launches import MAX_STEPS, concrete_launches, files
from .observe import observe


def held(seen: Observation, text: str, tally: Observation) -> None:
    tally.add(seen)
    assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)


@pytest.mark.parametrize(
    ("path", "known"), [*sampled(files(), 1, "declared"), *sampled(files(), 3, "undeclared")]
)
def test_facts_cover_the_declared_launch(path: Path, known: str, tally: Observation) -> None:
    text = path.read_text("utf-8")
    for own in facts_of(path):
        kernel, launch = own.kernel, own.launch
        said = launch if known == "declared" else resolved([Contract()], kernel)
        facts = own if known == "declared" else Facts(kernel, said, "sm_80")
        for one in concrete_launches(kernel, launch):
            held(observe(kernel, said, one, facts, MAX_STEPS), text, tally)
