"""Each rule's own examples: BAD is reported at its line, GOOD is silent, and the harm is real.

The harm: for a fault, the interpreter meets it in BAD and not in GOOD; for a cost, the addresses
that the interpreter sees need more sectors or wavefronts in BAD than in GOOD; for needless work,
the interpreter issues more instructions in BAD than in GOOD; for few warps, the table says so; a
note about the text alone has none."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from analyses.traffic.occupancy import occupancy
from ptxlint.analysis import analyse
from ptxlint.checker import check
from ptxlint.claim import Faulting, Harm
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.resolution import resolved
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.options import Options
from ptxlint.replay.candidates import launches
from ptxlint.results.finding import Certainty, Severity
from ptxlint.results.report import Report
from ptxlint.rule import RuleModule, load_rules
from ptxlint.simt import Outcome, run
from ptxlint.source import Source
from ptxlint.syntax import parse

RULES = load_rules()
CHECKS = frozenset({"sync", "race", "init"})


def checked(rule: RuleModule, text: str) -> Report:
    """The report of all rules. Where another rule fails, this one is not to blame: the tests of the
    other say why."""
    report = check([Source("example.ptx", text)], Options((Contract.from_comments(text),)))
    told = "\n".join(map(str, report.diagnostics))
    failing = set(re.findall(r"internal error in rule ([\w-]+)", told))
    if failing and rule.rule.id not in failing:
        pytest.skip(f"the rule {', '.join(sorted(failing))} fails: {told}")
    assert not told, told
    return report


def found(rule: RuleModule, text: str) -> list[tuple[str, int]]:
    source = Source("example.ptx", text)
    contract = Contract.from_comments(text)
    report = checked(rule, text)
    places = {(f.rule, f.ptx.line) for f in report.findings}
    if rule.check is None:  # only a run finds it
        assert not places
        faults = ran(source, contract, CHECKS).faults
        places = {(fault.kind, source.line_column(fault.offset)[0]) for fault in faults}
    return sorted(places)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_bad_is_reported_where_it_says(rule: RuleModule) -> None:
    wanted = [
        (name.strip(), number)
        for number, line in enumerate(rule.bad.splitlines(), 1)
        if (match := re.search(r"// expect: ([a-z-]+)", line))
        for name in match[1].split(",")
    ]
    assert wanted, "BAD has no expectation"
    assert found(rule, rule.bad) == wanted


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_good_is_silent(rule: RuleModule) -> None:
    assert found(rule, rule.good) == []


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_interpreter_shows_the_harm(rule: RuleModule) -> None:
    assert harm(rule, rule.bad), "the interpreter runs BAD without harm"
    assert not harm(rule, rule.good), "the interpreter shows the harm in GOOD too"


def harm(rule: RuleModule, text: str) -> bool:
    """Whether the interpreter meets the rule's fault, or a replayed cost is confirmed."""
    source = Source("example.ptx", text)
    contract = Contract.from_comments(text)
    harm = harm_of(rule)
    if isinstance(harm, Faulting):
        return not ran(source, contract, harm.checks).kinds().isdisjoint(harm.kinds)
    if harm is not None:
        report = check([source], Options((contract,), select=(rule.id,)))
        return any(f.witness is not None for f in report.findings)
    if "work" in rule.rule.tags:
        return ran(source, contract).steps > ran(Source("good.ptx", rule.good), contract).steps
    if "size" in rule.rule.tags:
        good, bad = (len(kernels(Source("k.ptx", t))[0].instructions) for t in (rule.good, text))
        return bad > 10 * good and ran(source, contract).kinds() == set()
    if "occupancy" in rule.rule.tags:
        blocks = re.search(r"--block (\d+)", text), re.search(r"tile\[(\d+)\]", text)
        threads, shared = (int(found[1]) for found in blocks if found)
        resident = occupancy((8, 0), threads, shared=shared)
        return resident.warps < resident.most // 4
    if rule.rule.severity is Severity.NOTE:  # of the text alone: no run shows it
        return any(found.rule == rule.id for found in checked(rule, text).findings)
    raise AssertionError(
        f"{rule.id}: nothing says what a run must show: its claim about BAD has no harm that a"
        " replay could observe (ptxlint/claim.py has those that there are), and none of its tags is"
        " one of harm(); only a rule whose severity is a note may do without"
    )


def harm_of(rule: RuleModule) -> Harm | None:
    """What the claims about BAD say that a replay must observe."""
    if rule.check is None:
        return Faulting((rule.id,), CHECKS)
    source, contract = Source("example.ptx", rule.bad), Contract.from_comments(rule.bad)
    options, (kernel,) = Options(select=(rule.id,)), kernels(source)
    claims = analyse(source, kernel, resolved([contract], kernel), options).claims
    if not claims:
        return None
    (harm,) = {type(claim.harm): claim.harm for claim in claims}.values()
    return harm


def kernels(source: Source) -> tuple[Kernel, ...]:
    module = parse(source).module
    assert module is not None
    return lower_module(module, source).kernels


def ran(source: Source, contract: Contract, checks: frozenset[str] = frozenset()) -> Outcome:
    (kernel,) = kernels(source)
    launch, options = next(launches(kernel, resolved([contract], kernel)))
    return run(kernel, launch, replace(options, checks=checks))


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_finding_names_a_witness(rule: RuleModule) -> None:
    for finding in checked(rule, rule.bad).findings:
        assert finding.certainty in (Certainty.WITNESS, Certainty.PROVED)
        said = RULES[finding.rule].rule
        no_run = {"work", "size", "occupancy"} & {*said.tags} or said.severity is Severity.NOTE
        assert finding.witness is not None or no_run, finding.rule


HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize(
    ("directive", "said"),
    [
        (".reqntid 0", ".reqntid: expected at least one thread"),
        (".maxntid 8, 0", ".maxntid: expected at least one thread"),
        (".reqntid 2048", ".reqntid: a block has at most 1024 threads"),
        (".reqntid 1, 1, 65", ".reqntid: a block has at most 1024 threads, 64 along z"),
        (".reqntid 128, 1, 2147483647", ".reqntid: a block has at most 1024 threads"),
    ],
)
def test_a_block_that_cannot_be_launched_is_refused(directive: str, said: str) -> None:
    report = check([Source("k.ptx", f"{HEAD}.visible .entry k() {directive}\n{{ ret; }}")])
    (problem,) = report.diagnostics
    assert (problem.line, problem.severity) == (4, "error")
    assert said in problem.message


@pytest.mark.parametrize(
    ("arrays", "bytes_"),
    [
        (".shared .b8 s[49153];", 49153),
        (".shared .b8 s[999999999999];", 999999999999),
        (".shared .b32 s[6144]; .shared .b64 t[3073];", 49160),
    ],
)
def test_arrays_in_shared_memory_that_no_target_has_are_refused(arrays: str, bytes_: int) -> None:
    uses = "mov.u32 %r1, s;" + " mov.u32 %r1, t;" * (" t[" in arrays)
    for head, inside in ((f"{HEAD}{arrays}\n", ""), (HEAD + "\n", arrays)):
        text = f"{head}.visible .entry k()\n{{ {inside} .reg .b32 %r<2>; {uses} ret; }}"
        (problem,) = check([Source("k.ptx", text)]).diagnostics
        assert (problem.line, problem.severity) == (5, "error")
        said = f"its arrays in shared memory have {bytes_} bytes, at most 49152 may be declared"
        assert said in problem.message


def test_arrays_in_shared_memory_of_48_kib_are_not() -> None:
    body = "{ .shared .b8 s[49152]; .reg .b32 %r<2>; mov.u32 %r1, s; ret; }"
    assert not check([Source("k.ptx", f"{HEAD}.visible .entry k()\n{body}")]).diagnostics


def test_a_bound_above_what_a_block_can_have_is_no_error() -> None:
    report = check([Source("k.ptx", f"{HEAD}.visible .entry k() .maxntid 2048\n{{ ret; }}")])
    assert not report.diagnostics
