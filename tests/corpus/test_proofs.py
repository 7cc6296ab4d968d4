"""Every access of a clean kernel is proved for the launches that it declares, or its line says
``// todo: proof`` with what stands in the way: nothing is unproved without a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.declared import facts_of

from .judging import Tally

CLEAN = sorted((Path(__file__).parents[2] / "corpus" / "clean").glob("*.ptx"))


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_what_is_not_proved_is_named(path: Path, tally: Tally) -> None:
    written = path.with_suffix(".cu")
    compiled = written.exists()
    unproved = set()
    for facts in facts_of(path):
        source = facts.kernel.source
        assert source is not None
        tally.accesses += len(facts.accesses)
        tally.proved += sum(access.status == "proved" for access in facts.accesses)
        unproved |= {
            access.instr.loc.line
            if compiled and access.instr.loc is not None
            else source.line_column(access.instr.offset)[0]
            for access in facts.accesses
            if access.status != "proved"
        }
    lines = (written if compiled else path).read_text("utf-8").splitlines()
    named = {number for number, line in enumerate(lines, 1) if "// todo: proof, " in line}
    assert unproved <= named
