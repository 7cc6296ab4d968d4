"""An instruction with opaque accesses, planted into a clean kernel of every class: no claim that
depends on what it may touch survives. Every fourth class by default, and each instruction twice."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest

from analyses.races.candidates import SPACES, unordered_kinds
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.inference.contract import contract_of
from ptxlint.rules import uninitialized_read
from ptxlint.verdicts.decision import PROVED
from ptxlint.verdicts.initialisation import initialisation
from ptxlint.verdicts.ordering import races
from tests.sampled import sampled

from .judging import assembled
from .judging import contract_of as declared

CLEAN = sorted((Path(__file__).parents[2] / "corpus" / "clean").glob("*.ptx"))
CLASSES = [next(paths) for _, paths in groupby(CLEAN, lambda path: path.stem.partition("_")[0])]
BODY = re.compile(r"\.entry[^{]*\{\n")

PLANTED = {
    "unknown opcode": ("no.such.opcode;", "store", SPACES),
    "external function": ("call.uni no_body, ();", "store", SPACES),
    "surface": ("sust.b.1d.b32.trap [0, {0}], {0};", "store", ("global",)),
    "tensor copy": (
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [0, {0}], [0];",
        "store",
        ("global",),
    ),
    "matrix store": ("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [0], {0};", "store",
                     ("shared",)),
    "texture": ("tex.1d.v4.s32.s32 {_, _, _, _}, [0, {0}];", "load", ("global",)),
    "descriptor": ("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 0, 0, 0, 0;", "load",
                   ("shared",)),
}  # fmt: skip


def planted(path: Path, text: str) -> str:
    external = ".extern .func no_body ();\n.visible" if "no_body" in text else ".visible"
    ptx = path.read_text("utf-8").replace(".visible", external, 1)
    changed, times = BODY.subn(lambda found: f"{found[0]}    {text}\n", ptx)
    assert times
    return changed


NAMES = list(PLANTED)


@pytest.mark.parametrize("path", sampled(CLASSES, 4))
def test_no_claim_survives_that_depends_on_it(path: Path) -> None:
    text, kind, spaces = PLANTED[NAMES[CLASSES.index(path) // 2 % len(NAMES)]]
    program = assembled(planted(path, text))
    assert program is not None
    for kernel in program.kernels:
        launch = resolved([declared(path)], kernel)
        facts = Facts(kernel, launch, "sm_80")
        assert any(instr.opaque for instr in kernel.instructions)
        written = spaces if kind == "store" else ()
        if launch.block is not None and launch.grid is not None:
            unordered = {
                access.instr
                for access in facts.accesses
                if access.place.reached and access.space in spaces
                if unordered_kinds(kind, access.place.access.kind, access.space)
            }
            assert unordered <= facts.race_candidates
            found = races(facts)
            open_ = unordered if isinstance(found, dict) else set()
            assert not any(found[instr] is PROVED for instr in open_)
        for decisions in (races(facts), initialisation(facts)):
            if isinstance(decisions, dict):
                planted_there = [decisions[i] for i in kernel.instructions if i.opaque]
                assert PROVED not in planted_there
        for claim in uninitialized_read.check(facts):
            assert claim.access is not None and claim.access.space not in written
        inferred = contract_of(kernel, launch)
        assert "opaque" in [unknown.reason for unknown in inferred.unknown]
        if "global" in written:
            assert all(map(facts.footprints.may_be_written, facts.pointers.values()))
            assert not any(map(facts.footprints.contents_of, facts.symbolic.loaded))
            assert inferred.writes is None
