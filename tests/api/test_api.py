"""What the public functions take, give back and refuse."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import ptxlint
from ptxlint import Contract, Error, NotClean, Report, Severity, Source, Status
from ptxlint.mangling import signature
from ptxlint.rule import load_rule, load_rules, rule_names

from .kinds import emitted

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "corpus"
SOME = (
    sorted((CORPUS / "flawed").glob("*.ptx"))[::17] + sorted((CORPUS / "clean").glob("*.ptx"))[::29]
)
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TWO = """
.visible .entry reader(.param .u64 x) {
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    ld.global.u32 %r1, [%rd1+8];
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
OVER = Contract(params="x", buffers={"x": 8}, block=32, grid=1)


def checked(path: Path) -> Report:
    """A kernel of the corpus under the launch in its comments."""
    written = path.with_suffix(".cu")
    comments = (written if written.exists() else path).read_text("utf-8")
    return ptxlint.check(path, contract=Contract.from_comments(comments), pedantic=True)


# --- sources


def test_a_source_is_a_path_a_text_bytes_or_several(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + TWO)
    given: list[Any] = [path, str(path), HEAD + TWO, (HEAD + TWO).encode(), tmp_path]
    found = {
        (f.rule, f.ptx.line) for one in given for f in ptxlint.check(one, contract=OVER).findings
    }
    assert found == {("out-of-bounds", 9)}
    report = ptxlint.check([HEAD + TWO, HEAD + TWO.replace("reader", "other")], contract=OVER)
    assert [(f.ptx.path, f.kernel) for f in report.findings] == [
        ("<text 2>", "other"),
        ("<text>", "reader"),
    ]
    named = ptxlint.check(Source("made.ptx", HEAD + TWO), contract=OVER)
    assert str(named).startswith("made.ptx:9:5: error[out-of-bounds]")


BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a missing file": (lambda p: ptxlint.check(p / "gone.ptx"), "no such file or folder"),
    "an empty path": (lambda p: ptxlint.check(""), "an empty path names no file"),
    "an empty folder": (lambda p: ptxlint.check(p), "no .ptx file in this folder"),
    "nothing": (lambda p: ptxlint.check([]), "no source is given"),
    "a number": (lambda p: ptxlint.check(7), "a source is a path, a text or bytes, not int"),  # type: ignore[arg-type]
    "a number among others": (lambda p: ptxlint.check([7]), "not int"),  # type: ignore[list-item]
    "an unknown kernel": (
        lambda p: ptxlint.check(HEAD + TWO, kernel="writer"),
        "no kernel of this name, there is reader",
    ),
    "an unknown rule": (
        lambda p: ptxlint.check(HEAD + TWO, select="out-of-bound"),
        "select out-of-bound: no such rule or tag; did you mean out-of-bounds?",
    ),
    "a rule of runs": (
        lambda p: ptxlint.check(HEAD + TWO, select="branch-index"),
        "select branch-index: only 'ptxlint run' finds it",
    ),
    "an unknown target": (lambda p: ptxlint.check(HEAD + TWO, arch="80"), "expected a target"),
    "a contract of nothing": (
        lambda p: ptxlint.check(HEAD + TWO, contract=Contract(args={"n": 1})),
        "no kernel has a parameter n",
    ),
    "a contract file that is not there": (
        lambda p: ptxlint.check(HEAD + TWO, contract=str(p / "gone.toml")),
        "gone.toml",
    ),
    "an unknown severity": (
        lambda p: ptxlint.check(HEAD + TWO).exit_code("fatal"),
        "expected error, warning, note",
    ),
    "no report": (lambda p: Report.from_json("[]"), "not a report"),
    "another schema": (lambda p: Report.from_json('{"schema": "x/2"}'), "schema 'x/2'"),
    "kernels of an error": (lambda p: ptxlint.kernels(HEAD + ".entry k( {}"), "<text>:4:"),
    "contracts of an error": (lambda p: ptxlint.infer(HEAD + ".entry k( {}"), "<text>:4:"),
    "an unknown graph": (
        lambda p: ptxlint.kernels(HEAD + TWO)[0].graph("data"),
        "expected 'control-flow', 'dominators' or 'calls'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_raises_error(name: str, tmp_path: Path) -> None:
    call, said = BAD[name]
    with pytest.raises(Error) as error:
        call(tmp_path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"", "empty: expected .version"),
        (b"\x7fELF\x02\x01\x01" + bytes(60), "this is a compiled binary"),
        (bytes(range(256)), "this is binary data, not PTX"),
        (HEAD + ".visible .entry k() { frob %r1 }", "expected"),
    ],
)
def test_what_is_wrong_inside_is_a_diagnostic(source: str | bytes, said: str) -> None:
    report = ptxlint.check(source)
    assert report.failed and report.exit_code() == 2
    assert said in report.diagnostics[0].message
    with pytest.raises(NotClean, match="error: "):
        report.assert_clean()


# --- verdicts


def test_a_report_is_asserted_to_be_clean() -> None:
    report = ptxlint.check(HEAD + TWO, contract=OVER)
    with pytest.raises(NotClean) as error:
        report.assert_clean()
    assert isinstance(error.value, AssertionError)
    assert str(error.value) == str(report)
    large = ptxlint.check(
        HEAD + TWO, contract=Contract(params="x", buffers={"x": 12}, block=1, grid=1)
    )
    large.assert_clean()
    large.assert_clean(strict=True)
    undeclared = ptxlint.check(HEAD + TWO)
    undeclared.assert_clean()
    assert undeclared.exit_code(strict=True) == 3


def test_every_access_has_a_result() -> None:
    report = ptxlint.check(HEAD + TWO, contract=OVER)
    read, written = report.accesses
    assert (read.status, read.access.kind, read.access.size) == (Status.FLAGGED, "load", 8)
    assert (written.status, written.reason) == (Status.PROVED, None)
    assert written.cost is not None and (written.cost.unit, written.cost.actual) == ("sectors", 1)
    assert (read.ptx.column, read.ptx.end_column) == (5, 32)
    unknown, _ = ptxlint.check(HEAD + TWO).accesses
    assert (unknown.status, unknown.reason) == (Status.CONDITIONAL, "extent")


# --- plain data


def plain(value: Any) -> bool:
    """True if it is made of structures, enums, tuples, dictionaries, strings and numbers."""
    if isinstance(value, msgspec.Struct):
        return type(value).__module__.startswith("ptxlint") and all(
            plain(getattr(value, name)) for name in value.__struct_fields__
        )
    if isinstance(value, tuple):
        return all(map(plain, value))
    if isinstance(value, dict):
        return all(plain(key) and plain(held) for key, held in value.items())
    return value is None or type(value) in (str, int, float, bool) or isinstance(value, Enum)


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_a_report_survives_json_and_pickle(path: Path) -> None:
    report = checked(path)
    assert report.kernels and plain(report)
    assert Report.from_json(report.to_json()) == report
    assert pickle.loads(pickle.dumps(report)) == report
    assert hash(report.findings) == hash(Report.from_json(report.to_json()).findings)


@pytest.mark.parametrize("name", rule_names())
def test_findings_of_every_rule_survive_json(name: str) -> None:
    text = load_rules()[name].bad
    report = ptxlint.check(
        text, contract=Contract.from_comments(text), pedantic=True, contracts=True
    )
    assert Report.from_json(report.to_json()) == report
    assert plain(report)


def test_a_later_version_may_add_keys() -> None:
    report = ptxlint.check(HEAD + TWO, contract=OVER)
    document = json.loads(report.to_json())
    document["more"] = document["findings"][0]["more"] = 1
    assert Report.from_json(json.dumps(document)) == report


def test_spans_end_where_the_instruction_ends() -> None:
    text = (HEAD + TWO).replace(
        "ld.global.u32 %r1, [%rd1+8];", "ld.global.u32 %r1 , // ;\n [%rd1+8] ;"
    )
    (finding,) = ptxlint.check(text, contract=OVER).findings
    lines = text.splitlines()
    assert lines[finding.ptx.end_line - 1][: finding.ptx.end_column - 1] == " [%rd1+8]"


# --- one catalogue


def test_every_fault_of_a_run_has_a_page() -> None:
    """The kinds of fault are the words that the interpreter's source hands to its reports."""
    kinds = emitted()
    assert {"out-of-bounds", "data-race", "trap", "bad-membermask"} <= kinds
    assert kinds - {"unmodelled"} <= set(rule_names())
    for kind in kinds - {"unmodelled"}:
        assert load_rule(kind).rule.severity in (Severity.ERROR, Severity.WARNING)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("saxpy", "saxpy"),
        ("_Z7softmaxIfLi4EEvPT_", "softmax<float, 4>"),
        ("_Z6kernelI6float4S0_EvPT_", "kernel<float4, float4>"),
        ("_ZN3foo3barIN1a1bEJifEEEvv", "foo::bar<a::b, int, float>"),
        ("_Z1kI6__halfLb1ELin3EEvv", "k<__half, true, -3>"),
        ("_Z1kIPKfS1_EvT_", "k<float const*, float const*>"),
        ("_Z1kISt5arrayIPcLm3EEEvT_", "k<std::array<char*, 3>>"),
        ("_ZN12_GLOBAL__N_13putEv", "(anonymous)::put"),
        (
            "_ZN3one4make12_3clocals_3e5innerB2v1B26cw51cXTLSUwv1sDUaKthoaNgoKE5ArrayIfLi1EE",
            "one::make::<locals>::inner",
        ),
        ("_Z1kIXadL_Z1fvEEEvv", "k"),
        ("_Z1kIS9_EvT_", "k"),
        ("_Z1kI", "k"),
    ],
)
def test_template_arguments_are_named(symbol: str, name: str) -> None:
    """As c++filt has them, spaces and suffixes of numbers apart."""
    assert signature(symbol) == name


def test_errors_name_kernels_as_reports_do() -> None:
    text = HEAD + ".visible .entry _ZN3one3twoB2v1Ev() { mov.u32 %lost, 0; ret; }"
    (problem,) = ptxlint.check(text).diagnostics
    assert problem.message.startswith("kernel one::two is not analysed: ")


# --- the package


def test_the_names_are_all_there() -> None:
    for name in ptxlint.__all__:
        assert getattr(ptxlint, name) is not None
    assert dir(ptxlint) == ptxlint.__all__
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = ptxlint.chekc


def loaded(statement: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_import_is_light() -> None:
    found = loaded("import ptxlint")
    assert len(found) <= 1.3 * len(loaded("import click"))
    assert not {"numpy", "pyparsing", "networkx", "click", "analyses"} & found


# --- graphs


def test_graphs_of_a_kernel() -> None:
    networkx = pytest.importorskip("networkx")
    loop = """
.func (.param .b32 r) twice(.param .b32 a) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [a];
    add.s32 %r2, %r1, %r1;
    st.param.b32 [r], %r2;
    ret;
}
.visible .entry _Z4loopIfLi4EEvPT_() {
    .reg .pred %p;
    .reg .b32 %r<3>;
    .param .b32 a;
    .param .b32 r;
    mov.u32 %r1, 0;
AGAIN:
    st.param.b32 [a], %r1;
    call (r), twice, (a);
    ld.param.b32 %r1, [r];
    setp.lt.s32 %p, %r1, 10;
    @%p bra AGAIN;
    ret;
}
"""
    (kernel,) = ptxlint.kernels(HEAD + loop)
    flow = kernel.graph()
    assert not networkx.is_directed_acyclic_graph(flow)
    tree = kernel.graph("dominators")
    expected = networkx.immediate_dominators(flow, 0)
    assert {(parent, node) for node, parent in expected.items() if node not in (parent, 0)} == set(
        tree.edges
    )
    assert "add.s32 %r2, %r1, %r1" in {i for _, held in flow.nodes("instructions") for i in held}
    first = (HEAD + loop).splitlines().index("    mov.u32 %r1, 0;") + 1
    assert flow.nodes[0]["line"] == first
    assert set(kernel.graph("calls").edges) == {(kernel.name, "twice")}
    assert kernel.demangled == "loop<float, 4>"


def test_graphs_need_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(Error, match="pip install networkx"):
        ptxlint.kernels(HEAD + TWO)[0].graph()


# --- contracts


def test_an_inferred_contract_is_one_that_can_be_declared(tmp_path: Path) -> None:
    (contract,) = ptxlint.infer(HEAD + TWO, params="x")
    assert contract.buffers == {"x": "12@4"} and contract.written == ("x",)
    path = tmp_path / "k.toml"
    path.write_text(contract.as_toml())
    declared = ptxlint.check(HEAD + TWO, contract=path)
    declared.assert_clean(require=("bounds", "alignment", "spaces"))
    assert declared.exit_code(strict=True) == 3  # races of an undeclared launch


# --- runs

SCALE = """
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%rd5], %f3;
    ret;
}
"""


def test_a_run_gives_arrays_and_a_report() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    launch = Contract(block=32, args={"a": 2.5, "n": 12}, buffers={"y": 48})
    done = ptxlint.run(HEAD + SCALE, launch, {"x": x})
    done.assert_clean()
    assert (done.arrays["x"] == x).all() and done.arrays["x"].shape == x.shape
    assert done.arrays["y"].view(np.float32).tolist() == (2.5 * x).ravel().tolist()
    assert done.report.executed is not None and done.report.executed.threads == 32
    assert Report.from_json(done.report.to_json()).findings == done.report.findings
    (kernel,) = ptxlint.kernels(HEAD + SCALE)
    again = ptxlint.run(kernel, launch, {"x": x, "y": np.zeros(12, np.float32)})
    assert (again.arrays["y"] == 2.5 * x.ravel()).all()


def test_a_fault_of_a_run_is_a_finding() -> None:
    launch = Contract(block=32, args={"a": 1, "n": 13})
    done = ptxlint.run(HEAD + SCALE, launch, {n: np.zeros(12, np.float32) for n in ("x", "y")})
    assert [(f.rule, f.witness.tid) for f in done.report.findings if f.witness] == [
        ("out-of-bounds", (12, 0, 0))
    ] * 2
    with pytest.raises(NotClean, match="out-of-bounds"):
        done.assert_clean()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "--block is missing"),
        ({"block": 32}, "parameter 0 (x, .u64) has no value"),
        ({"block": 32, "checks": "races"}, "checks races: no such check; did you mean race?"),
        ({"block": 32, "name": "scales"}, "no kernel of this name; did you mean scale?"),
        ({"block": 32, "arrays": {"z": np.zeros(1)}}, "no kernel has a parameter z"),
        ({"block": 32, "arrays": {"x": np.array(["a"])}}, "array x: holds <U1"),
    ],
)
def test_a_run_that_cannot_be(more: dict[str, Any], said: str) -> None:
    block = {"block": more.pop("block")} if "block" in more else {}
    with pytest.raises(Error) as error:
        ptxlint.run(HEAD + SCALE, Contract(**block), **more)
    assert said in str(error.value)


def test_a_launch_is_held_against_a_contract_without_the_kernel() -> None:
    (inferred,) = ptxlint.infer(HEAD + SCALE)
    contract = inferred.contract()
    memory = {name: ptxlint.Allocation(48) for name in ("x", "y")}
    fine = ptxlint.ConcreteLaunch.of((32, 1, 1), arguments={**memory, "a": 1.0, "n": 12})
    assert ptxlint.check_launch(contract, fine) == []
    wrong = ptxlint.ConcreteLaunch.of((32, 1, 1), arguments={**memory, "a": 1.0, "n": 13})
    assert ptxlint.check_launch(contract, wrong)
