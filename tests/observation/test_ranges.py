"""Facts about parameters in ranges cover the launches at their ends and in the middle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError, Range
from ptxlint.contracts.launch import Launch
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel
from tests.sampled import sampled

from .claims import Observation
from .launches import MAX_STEPS, concrete_launches, contract_of, files, kernels_of
from .observe import observe


def integers(contract: Contract) -> dict[str, Range]:
    """The ranges from 1, or below, to what is declared."""
    return {
        name: Range(min(value.low, 1), value.high)
        for name, value in contract.args.items()
        if isinstance(value, Range)
    }


def single(ranges: dict[str, Range], quarters: int) -> dict[str, Range]:
    """One value of each range, so many quarters up."""
    values = {name: r.low + (r.high - r.low) * quarters // 4 for name, r in ranges.items()}
    return {name: Range(value, value) for name, value in values.items()}


@pytest.mark.parametrize(
    "path", sampled((path for path in files() if integers(contract_of(path))), 6)
)
def test_facts_about_ranges_cover_their_launches(path: Path, tally: Observation) -> None:
    text, contract = path.read_text("utf-8"), contract_of(path)
    ranges = integers(contract)
    for kernel in kernels_of(text, path.name):
        said = resolved([replace(contract, args={**contract.args, **ranges})], kernel)
        facts = Facts(kernel, said, "sm_80")
        for launch in launches(contract, ranges, kernel):
            for one in concrete_launches(kernel, launch):
                seen = observe(kernel, said, one, facts, MAX_STEPS)
                tally.add(seen)
                assert not seen.violations, "\n".join(v.located(text) for v in seen.violations)


def launches(contract: Contract, ranges: dict[str, Range], kernel: Kernel) -> list[Launch]:
    """At the ends and in the middle, as far as the contract's needs allow; the upper end is what
    is declared."""
    found = []
    for quarters in (0, 2, 4):
        values = {**contract.args, **single(ranges, quarters)}
        try:
            found.append(resolved([replace(contract, args=values)], kernel))
        except ContractError:
            assert contract.requires and quarters < 4
    return found
