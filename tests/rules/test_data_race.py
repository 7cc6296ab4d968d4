"""Races: what is asked about, what is found, and that whatever races was asked about."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel
from ptxlint.options import Options
from ptxlint.results.finding import Finding
from ptxlint.results.verdict import Property, Status, Verdict
from ptxlint.simt import ConcreteLaunch, Fault, RunOptions, run
from ptxlint.source import Source
from tests.declared import facts_of
from tests.observation.generate import generate
from tests.observation.launches import MAX_STEPS, concrete_launches, files, kernels_of
from tests.observation.randomly import contracts
from tests.sampled import sampled

HEAD = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<6>;
    .shared .align 4 .b8 s[4096];
    ld.param.u64 %rd1, [x];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u64 %rd2, [y];
    cvta.to.global.u64 %rd2, %rd2;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    mov.u32 %r6, s;
    mad.lo.u32 %r7, %r4, 4, %r6;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
"""
TAIL = "\nDONE:\n    ret;\n}\n"
OPTIONS = "--grid 2 --block 64 --arg n=64 --buffer x=4096 --buffer y=4096"

NEIGHBOUR = "st.shared.u32 [%r7], %r4;\n {} ld.shared.u32 %r8, [%r7+4];"
PAIR = "xor.b32 %r8, %r4, 1;\n mad.lo.u32 %r9, %r8, 4, %r6;\n st.shared.u32 [%r7], %r4;\n {}"
PAIR += " ld.shared.u32 %r10, [%r9];"
FIRST = "setp.ne.u32 %p1, %r4, 0;\n @%p1 bra DONE;\n "
STEP = "ld.global.u32 %r8, [{0}];\n add.u32 %r8, %r8, 1;\n st.global.u32 [{0}], %r8;"
GATHER = "ld.global.u32 %r8, [%rd4];\n {}mad.wide.u32 %rd5, %r8, 4, %rd2;\n"
GATHER += "st.global.u32 [%rd5], %r5;"
BOTH_WAYS = "st.global.u32 [%rd4], %r4;\n ld.global.u32 %r8, [%rd4+{}];"
ROUNDS = """
    mov.u32 %r8, 0;
LOOP:
    mad.lo.u32 %r9, %r8, {}, %r7;
    st.shared.u32 [%r9], %r4;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 8;
    @%p1 bra LOOP;
"""
WAYS = "{}\n setp.eq.u32 %p1, %r8, 0;\n @%p1 bra OTHER;\n st.shared.u32 [%r7], %r4;\n bra DONE;\n"
WAYS += "OTHER:\n st.shared.u32 [%r7+4], %r4;"
ROWS = "ld.global.u32 %r9, [%rd2];\n and.b32 %r9, %r9, 15;\n mad.wide.u32 %rd5, %r9, 4, %rd2;\n"
ROWS += "ld.global.u32 %r9, [%rd5];\n"  # a load that data decide
ROWS += "setp.ge.u32 %p1, %r4, {};\n @%p1 bra DONE;\n mad.lo.u32 %r8, %r2, 48, %r4;\n"
ROWS += "mad.wide.u32 %rd5, %r8, 4, %rd1;\n st.global.u32 [%rd5], %r5;"

APART = {
    "each its own word": "st.shared.u32 [%r7], %r4;\n ld.shared.u32 %r8, [%r7];",
    "a barrier between": NEIGHBOUR.format("bar.sync 0;"),
    "a warp's barrier": PAIR.format("bar.warp.sync 0xffffffff;"),
    "one thread alone": FIRST + "st.shared.u32 [%r6], %r4;\n ld.shared.u32 %r8, [%r6];",
    "both atomic": "red.shared.add.u32 [%r6], 1;\n red.global.add.u32 [%rd1], 1;",
    "a word in each CTA": FIRST + "mad.wide.u32 %rd5, %r2, 4, %rd1;\n st.global.u32 [%rd5], %r4;",
    "an update in place": STEP.format("%rd4"),
    "another array": "ld.global.u32 %r8, [%rd2];\n st.global.u32 [%rd4], %r8;",
    "the rows of a block": ROUNDS.format(256),
    "rows of fewer words than threads": ROWS.format(48),
    "a way for all": WAYS.format("mov.u32 %r8, %total_smem_size;"),
    "a loop of compare-and-swap": (
        "ld.global.u32 %r8, [%rd1];\n atom.global.cas.b32 %r9, [%rd1], %r8, %r4;"
    ),
}
ORDERED = {
    "words that are the same": "st.shared.u32 [%r6], 7;",
    "an index of its own": GATHER.format(""),
}
RACES = {
    "a neighbour's word": (NEIGHBOUR.format(""), ["load of `s`"]),
    "a pair of lanes": (PAIR.format(""), ["load of `s`"]),
    "a barrier before": ("bar.sync 0;" + NEIGHBOUR.format(""), ["load of `s`"]),
    "one word for all": ("st.shared.u32 [%r6], %r4;", ["store of `s`"]),
    "an update of one word": (STEP.format("%rd1"), ["store of `x`"]),
    "the next CTA's word": ("bar.sync 0;" + BOTH_WAYS.format(256), ["load of `x`"]),
    "CTAs at one word": (FIRST + "st.global.u32 [%rd1], %r2;", ["store of `x`"]),
    "a way for each": (WAYS.format("and.b32 %r8, %r4, 1;"), ["store of `s`"]),
    "rows that overlap": (ROUNDS.format(4), ["store of `s`"]),
    "rows of one word too many": (ROWS.format(49), ["store of `x`"]),
    "an index of few": (GATHER.format("and.b32 %r8, %r8, 15;\n"), ["store of `y`"]),
}


def findings(body: str, options: str = OPTIONS, pedantic: bool = False) -> list[Finding]:
    source = Source("k.ptx", HEAD + body + TAIL)
    contract = Contract.from_options([*options.split(), "--params", "x,y,n"])
    report = check([source], Options((contract,), select=("data-race",), pedantic=pedantic))
    assert not report.diagnostics
    return list(report.findings)


def test_what_the_buffers_held_is_said_in_plain_words() -> None:
    """Each word of a buffer counts up an element that it names: two may name the same one."""
    path = Path(__file__).parents[2] / "corpus/flawed/counts_not_atomic.ptx"
    text = path.with_suffix(".cu").read_text("utf-8")
    options = Options((Contract.from_comments(text),), select=("data-race",))
    found = check([Source(path.name, path.read_text("utf-8"))], options).findings
    told = "; it happens in a run whose buffers hold different numbers, shuffled"
    assert found and all(str(one.help).endswith(told) for one in found)


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_accesses_that_are_proved_to_be_apart_are_no_finding(body: str) -> None:
    assert findings(body, pedantic=True) == []


@pytest.mark.parametrize("body", ORDERED.values(), ids=ORDERED)
def test_a_possible_race_that_no_run_shows_is_no_finding(body: str) -> None:
    assert findings(body, pedantic=True)
    assert findings(body) == []


@pytest.mark.parametrize(("body", "what"), RACES.values(), ids=RACES)
def test_a_race_is_found_with_both_its_threads(body: str, what: list[str]) -> None:
    found = findings(body)
    assert [f.message.removeprefix("data race: ").partition(" and ")[0] for f in found] == what
    for finding in found:
        assert finding.witness is not None
        (other,) = finding.related
        assert other.message.startswith("against block (")


@pytest.mark.parametrize("missing", ["--grid 2", "--block 64"])
def test_without_a_shape_no_races_are_looked_for(missing: str) -> None:
    options = OPTIONS.replace(missing, "")
    assert findings(RACES["one word for all"][0], options, pedantic=True) == []


MIDDLE = "shr.u32 %r8, %r5, 1;\n mad.wide.u32 %rd5, %r8, 4, %rd1;\n st.global.u32 [%rd5], %r4;"
GUARD = "setp.ge.s32 %p1, %r5, %r1;\n @%p1 bra DONE;\n"
BY_FORMULA = "--grid (n+63)/64 --block 64 --arg n=1..100000 --buffer x=4*n --buffer y=4*n"


def races_of(body: str, options: str) -> Verdict:
    source = Source("k.ptx", HEAD + body + TAIL)
    contract = Contract.from_options([*options.split(), "--params", "x,y,n"])
    verdicts = check([source], Options((contract,))).summary.verdicts
    return next(verdict for verdict in verdicts if verdict.name is Property.RACES)


def test_races_are_looked_for_in_the_grids_of_a_formula() -> None:
    (race,) = findings(GUARD + MIDDLE, BY_FORMULA)
    assert race.witness is not None
    assert race.witness.grid == (1563, 1, 1)


def test_races_are_proved_for_all_grids_of_a_formula() -> None:
    body = GUARD + "st.global.u32 [%rd4], %r4;"
    assert races_of(body, BY_FORMULA).status is Status.PROVED


def test_a_race_that_no_grid_of_a_formula_shows_is_undecided() -> None:
    """Only blocks from the third one on race, and there are two."""
    body = "setp.lt.u32 %p1, %r2, 2;\n @%p1 bra DONE;\n" + MIDDLE
    found = races_of(body, "--block 64 --grid n,1 --arg n=1..2 --buffer x=4096")
    assert found.status is Status.PROVED  # no block gets there
    possible = races_of(GUARD + MIDDLE, "--block 64 --grid (n+63)/64 --arg n=0..1 --buffer x=4*n")
    assert possible.status is Status.UNDECIDED


def test_a_formula_of_a_number_that_is_not_declared_asks_for_it() -> None:
    found = races_of(GUARD + MIDDLE, BY_FORMULA.replace("--arg n=1..100000", ""))
    assert (found.reason, found.option) == ("n is not declared", "--arg n=...")


def test_races_are_proved_for_any_grid_along_the_axis_that_a_kernel_reads() -> None:
    own = "mad.wide.u32 %rd5, %r2, 256, %rd1;\n mad.wide.u32 %rd5, %r4, 4, %rd5;\n"
    body, row = own + "st.global.u32 [%rd5], %r4;", "--assume nctaid.y==1 --assume nctaid.z==1"
    assert races_of(body, f"--block 64 {row}").status is Status.PROVED
    for options in (f"--block 65 {row}", "--block 64"):
        found = races_of(body, options)
        assert (found.reason, found.option) == ("grid is not declared", "--grid XxYxZ")


WITHOUT_N = OPTIONS.replace("--arg n=64", "")
STORED = "add.u32 %r8, %r1, %r4;\n st.shared.u32 [%r6], %r8;"
GUARDED = "setp.ge.u32 %p1, %r4, %r1;\n @%p1 bra DONE;\n st.shared.u32 [%r6], %r4;"
THROUGH_MEMORY = "st.shared.u32 [%r7], %r1;\n ld.shared.u32 %r8, [%r7];\n"
THROUGH_MEMORY += "mad.lo.u32 %r9, %r8, 4, %r6;\n st.shared.u32 [%r9], %r4;"


@pytest.mark.parametrize("body", [GUARDED, THROUGH_MEMORY])
def test_a_launch_that_is_not_declared_is_not_blamed(body: str) -> None:
    assert findings(body, WITHOUT_N) == []
    assert findings(body, WITHOUT_N, pedantic=True)


@pytest.mark.parametrize("body", [RACES["one word for all"][0], STORED])
def test_a_number_that_decides_no_access_need_not_be_declared(body: str) -> None:
    assert [finding.rule for finding in findings(body, WITHOUT_N)] == ["data-race"]


def test_a_number_that_a_size_speaks_of_is_declared() -> None:
    sized = WITHOUT_N.replace("x=4096", "x=4*n")
    assert findings(STORED, sized) == []
    assert findings(STORED, f"{sized} --arg n=1..64")


def unasked(
    kernel: Kernel, facts: Facts, launch: ConcreteLaunch, max_steps: int = MAX_STEPS
) -> set[str]:
    """What races in a run and was taken to be apart; where threads miss a barrier, that is another
    rule's finding, and no barrier orders anything."""
    outcome = run(kernel, launch, RunOptions(max_steps=max_steps, checks=frozenset({"race"})))
    if "divergent-barrier" in outcome.kinds():
        return set()
    races = [fault for fault in outcome.faults if fault.kind.endswith("-race")]
    return {
        str(f) for f in races if f.instr not in facts.race_candidates and not beside_an_atomic(f)
    }


def beside_an_atomic(fault: Fault) -> bool:
    """A load of global memory that races with an atomic."""
    instrs = (fault.instr, fault.other_instr)
    kinds = {instr.access.kind for instr in instrs if instr is not None and instr.access}
    return kinds == {"load", "atomic"} and fault.space == "global"


TWO_ENTRIES = 1416
"""Its kernel has a loop in a loop that lanes enter at two places: some were lost behind it."""


@pytest.mark.parametrize("seed", [*range(40), TWO_ENTRIES])
def test_what_races_in_a_random_kernel_was_a_candidate(seed: int) -> None:
    (kernel,) = kernels_of(generate(seed))
    _, singles = contracts(Random(seed))
    launch = resolved([singles[seed % 3]], kernel)
    facts = Facts(kernel, launch, "sm_80")
    assert not unasked(kernel, facts, launch.concrete(kernel), max_steps=1000)


@pytest.mark.parametrize("seed", [*range(40), TWO_ENTRIES])
def test_what_races_in_some_grid_is_a_candidate_in_any(seed: int) -> None:
    (kernel,) = kernels_of(generate(seed))
    _, singles = contracts(Random(seed))
    launch = replace(resolved([singles[seed % 3]], kernel), grid=None)
    facts = Facts(kernel, launch, "sm_80")
    for grid in ((2, 1, 1), (1, 3, 1), (2, 1, 2)):
        assert not unasked(kernel, facts, launch.concrete(kernel, grid=grid), max_steps=1000)


@pytest.mark.parametrize(
    "path", sampled(files(), 4), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_what_races_in_the_corpus_in_its_grid_is_a_candidate_in_any(path: Path) -> None:
    for known in facts_of(path):
        kernel, launch = known.kernel, known.launch
        if launch.block is not None and launch.grid is not None:
            facts = Facts(kernel, replace(launch, grid=None), "sm_80")
            for one in concrete_launches(kernel, launch):
                assert not unasked(kernel, facts, one)


@pytest.mark.parametrize("path", files(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_races_in_the_corpus_was_a_candidate(path: Path) -> None:
    for facts in facts_of(path):
        kernel, launch = facts.kernel, facts.launch
        for one in concrete_launches(kernel, launch) if launch.block and launch.grid else ():
            assert not unasked(kernel, facts, one)


def teardown_module() -> None:
    """The last suite that asks for them: collections of garbage look at all that is kept."""
    facts_of.cache_clear()


CLUSTER = "setp.lt.u32 %p1, %r4, 16;\n @%p1 bra DONE;\n barrier.cluster.{}.aligned;"


@pytest.mark.parametrize("kind", ["arrive", "wait", "arrive.release"])
def test_nothing_is_proved_of_barriers_of_a_cluster(kind: str) -> None:
    text = (HEAD + CLUSTER.format(kind) + TAIL).replace("sm_80", "sm_90")
    report = check([Source("k.ptx", text)], Options((Contract.from_options(OPTIONS.split()),)))
    verdicts = {verdict.name: verdict.status for verdict in report.summary.verdicts}
    assert verdicts[Property.BARRIERS] is Status.UNDECIDED
