"""What is inferred of kernels of the corpus: printed, run, pasted back and checked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from analyses.polynomials.inequality import Inequality
from analyses.polynomials.polynomial import Polynomial, Symbol
from analyses.proofs.path_condition import PathCondition
from analyses.proofs.system_cache import ASSUMED_NONNEGATIVE
from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.files import contracts
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.options import Options
from ptxlint.results.report import AccessCounts
from ptxlint.source import Source

from .__main__ import faulting, held
from .breaking import bounds
from .kernels import ROOT, Subject, files, subjects
from .launches import Launches

SOME = (
    "reduce_shared", "saxpy_guarded", "double_tile_33", "dynamic_shared_sized", "packed_halves",
    "index_clamped_to_edge", "barrier_in_uniform_loop", "guard_2d_early_return",
    "packed_complex_product", "constant_weights_of_a_filter", "function_with_pointer",
    "index_reversed", "range_over_rows", "bias_if_given",
    "counter_doubled", "loop_down_unrolled", "loop_to_an_end",
)  # fmt: skip
PATHS = [path for path in files() if path.stem in SOME]
LAUNCHES = 12  # of each
LEAST_TIGHT = 0.9
some = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@some
def test_a_launch_that_meets_the_contract_does_not_fault(path: Path) -> None:
    for subject in subjects(path):
        count: Counter[str] = Counter()
        launches = Launches(subject, Random(subject.name))
        assert held(launches, LAUNCHES, count) == []
        assert count["launches"] > 0


def test_bounds_are_tight() -> None:
    """Broken by one, most of them fault."""
    tight = []
    for path in PATHS:
        for subject in subjects(path):
            launches = Launches(subject, Random(subject.name))
            tight += [any(faulting(launches, bound, 25)) for bound in bounds(launches)]
    assert sum(tight) >= LEAST_TIGHT * len(tight)


def pasted(path: Path, subject: Subject) -> tuple[list[Contract], AccessCounts]:
    """The contract as it is printed and read again, and what a check under it says of accesses."""
    source = Source(path.name, path.read_text("utf-8"))
    declared = list(contracts(subject.result.as_toml(), "inferred.toml"))
    return declared, check([source], Options(tuple(declared))).summary.accesses


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=() if p in PATHS else pytest.mark.slow) for p in files()],
)
def test_a_contract_that_is_pasted_back_says_the_same_and_the_kernel_keeps_it(path: Path) -> None:
    """Of some kernels, every access is proved of which something is known."""
    for subject in subjects(path):
        declared, accesses = pasted(path, subject)
        launch = resolved([subject.result.contract()], subject.kernel)
        assert replace(resolved(declared, subject.kernel), origin=launch.origin) == launch
        assert accesses.flagged == 0
        if path in PATHS:
            assert accesses.total - accesses.proved <= len(subject.contract.unknown)


def test_a_size_that_is_read_as_unsigned_is_any_number_of_its_type() -> None:
    """Declared as such, an access is proved for all of them; taken as signed, for all that are not
    negative."""
    path = ROOT / "clean" / "guard_unsigned_index.ptx"
    (subject,) = subjects(path)
    assert subject.contract.params == (("n", "u32"), ("x", "u64"), ("y", "u64"))
    assert subject.contract.needs == ()
    for kind, most in (("u32", 2**32 - 1), ("s32", 2**31 - 1)):
        declared = Contract.of(params=f"n: {kind}, x, y", buffer=["x=4*n", "y=4*n"])
        launch = resolved([declared], subject.kernel)
        assert launch.most(subject.kernel.parameters[0]) == most
        report = check([Source(path.name, path.read_text("utf-8"))], Options((declared,)))
        assert report.summary.accesses.total == report.summary.accesses.proved


CLAIMS = {
    "index64_of_a_slab": ["needs first + rows <= 2**32", "writes slab[0 .. rows*width)"],
    "guard_signed_64": [
        "reads x[0 .. 4*n)",
        "writes y[0 .. 4*n)",
    ],
    "loop_unrolled_remainder": [
        "needs nctaid.x*ntid.x <= 2**31",
        "needs columns*rows <= 2**31",
        "reads x[0 .. 4*columns*rows)",
        "writes sums[0 .. 4*columns)",
    ],
    "halo_within_the_array": [
        "needs nctaid.x*ntid.x <= 2**31",
        "reads x[0 .. 4*n)",
        "writes y[0 .. 4*n)",
    ],
    "compaction_by_ballot": [
        "needs nctaid.x*ntid.x <= 2**31",
        "reads x[0 .. 4*nctaid.x*ntid.x)",
        "writes y[0 .. 128*((nctaid.x*ntid.x + 31)//32))",
        "writes counts[0 .. 4*((nctaid.x*ntid.x + 31)//32))",
    ],
    "shared_counts_of_warps": [
        "needs 128*nctaid.x + ntid.x <= 2**31 + 128",
        "needs n + 128*nctaid.x <= 2**31",
        "needs ntid.x <= 128",
        "reads x[0 .. 4*n)",
        "updates bins[0 .. 64)",
    ],
    "warp_sums_by_shuffle": [
        "needs ntid.x <= 256",
        "reads in[0 .. 4*nctaid.x*ntid.x)",
        "writes out[0 .. 4*nctaid.x)",
    ],
    "gather_rows_checked": [
        "needs ntid.x + width <= 2**31",
        "reads pick[0 .. 8*nctaid.x)",
        "reads table[0 .. 4*rows*width)",
        "writes out[0 .. 4*nctaid.x*width)",
    ],
    "bits_packed_by_ballot": [
        "needs nctaid.x*ntid.x <= 2**31",
        "reads x[0 .. 4*n)",
        "writes words[0 .. 4*((n + 31)//32))",
    ],
    "reduce_shared": [
        "needs nctaid.x*ntid.x <= 2**31",
        "needs ntid.x <= 256",
        "reads in[0 .. 4*n)",
        "writes out[0 .. 4*nctaid.x)",
    ],
    "double_tile_33": [
        "needs ntid.x + 33*ntid.y <= 297",
        "needs 33*ntid.x + ntid.y <= 1065",
        "reads in[0 .. 8*ntid.x + 256*ntid.y + 5888)",
        "writes out[0 .. 8*ntid.x + 256*ntid.y + 5888)",
    ],
    "dynamic_shared_sized": [
        "needs nctaid.x*ntid.x <= 2**31",
        "reads x[0 .. 4*nctaid.x*ntid.x)",
        "writes dynamic_smem_size[0 .. 4*ntid.x)",
        "reads dynamic_smem_size[0 .. 4*ntid.x)",
        "writes y[0 .. 4*nctaid.x*ntid.x)",
    ],
}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_inferred(name: str) -> None:
    """The design's example, whole words of what a warp has, a padded tile, shared memory that the
    launch sizes, and rows of a warp each. A guard on both sides needs no grid without an index that
    wraps; nor does what other needs see to, or an index that is less where it wraps."""
    (subject,) = subjects(ROOT / "clean" / f"{name}.ptx")
    contract = subject.contract
    found = [f"needs {need.condition}" for need in contract.needs]
    found += [f"{part.kind} {part.name}[{part.low} .. {part.high})" for part in contract.bytes]
    assert set(CLAIMS[name]) == set(found)
    assert contract.unknown == ()


@pytest.mark.parametrize(("name", "bits"), [("saxpy_guarded", 32), ("lines_counted", 64)])
def test_a_limit_says_which_words_would_overflow(name: str, bits: int) -> None:
    (subject,) = subjects(ROOT / "clean" / f"{name}.ptx")
    assert {need.reason for need in subject.contract.needs} == {f"to avoid {bits}-bit overflow"}


def test_what_is_taken_for_granted_is_not_mixed_up_with_what_holds() -> None:
    """Premises that say the same, one because of a guard, the other one by a need."""
    (subject,) = subjects(ROOT / "clean" / "saxpy_guarded.ptx")
    places = Facts(
        subject.kernel, resolved([], subject.kernel), "sm_80"
    ).footprints.proofs.conditions
    number = Polynomial.of(Symbol("n"))
    for why in (ASSUMED_NONNEGATIVE, "a guard"):
        premises = PathCondition((Inequality(number, why), Inequality(number + 1, why)))
        assert {fact.origin for fact in places.relevant(premises, number).known} == {why}
