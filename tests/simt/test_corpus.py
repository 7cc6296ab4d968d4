"""The corpus under its declared launches: clean kernels run without a fault, flawed ones show the
planted fault, at its line and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxlint.contract import Contract
from ptxlint.simt import Fault, Outcome, Setup, run

from .programs import kernel_of

CORPUS = Path(__file__).parents[2] / "corpus"
SHOWN = {
    "out-of-bounds",
    "misaligned-access",
    "address-space-mismatch",
    "divergent-uniform-branch",
    "divergent-barrier",
}
"""The rules whose harm a run shows; the others speak of cost or of what one run cannot show."""


def cases(folder: str) -> list[str]:
    return sorted(path.stem for path in (CORPUS / folder).glob("*.ptx"))


def replayed(folder: str, name: str) -> tuple[str, bool, Outcome]:
    """The source text of a case, whether it is the PTX itself, and its outcome."""
    ptx = (CORPUS / folder / f"{name}.ptx").read_text("utf-8")
    written = CORPUS / folder / f"{name}.cu"
    source = written.read_text("utf-8") if written.exists() else ptx
    kernel = kernel_of(ptx, name)
    launch = Contract.from_comments(source).for_kernel(kernel)
    return source, not written.exists(), run(kernel, Setup.of(kernel, launch))


def line(source: str, own: bool, fault: Fault) -> int:
    if own:
        return source.count("\n", 0, fault.offset) + 1
    assert fault.loc is not None
    return fault.loc.line


@pytest.mark.parametrize("name", cases("clean"))
def test_clean_kernel_runs_without_a_fault(name: str) -> None:
    _, _, outcome = replayed("clean", name)
    modelled = [fault for fault in outcome.faults if not fault.text.startswith("call")]
    assert not modelled, "\n".join(map(str, modelled))
    assert not outcome.exhausted


@pytest.mark.parametrize("name", cases("flawed"))
def test_flawed_kernel_shows_its_fault_at_its_line(name: str) -> None:
    source, own, outcome = replayed("flawed", name)
    expected = {
        (number, rule)
        for number, text in enumerate(source.splitlines(), 1)
        for rule in re.findall(r"// expect: ([\w-]+)", text)
        if rule in SHOWN
    }
    found = {(line(source, own, f), f.kind) for f in outcome.faults if f.kind in SHOWN}
    assert found == expected, "\n".join(map(str, outcome.faults))
    assert not outcome.exhausted
