"""A kernel of two inlined functions, and an engine that finds what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ptxlint import analysis, checker
from ptxlint import options as asking
from ptxlint.claim import Claim
from ptxlint.contracts.contract import Contract
from ptxlint.facts.kernel_facts import Facts
from ptxlint.ir import Kernel, PtxInstr
from ptxlint.options import Options
from ptxlint.results.finding import Certainty, Severity
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property
from ptxlint.rule import Rule, RuleModule
from ptxlint.source import Source

CUDA = """\
__device__ float twice(const float* p, int i)
{
    return p[i] * 2.0f;
}
extern "C" __global__ void k(const float* p, float* q)
{
    int i = threadIdx.x;
    q[i] = twice(p, i) + twice(p, i + 1);
}
"""

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{
\t.reg .f32 %f<4>;
\t.reg .b32 %r<2>;
\t.reg .b64 %rd<6>;
\tld.param.u64 %rd1, [k_param_0];
\tld.param.u64 %rd2, [k_param_1];
\t.loc 1 7 5
\tmov.u32 %r1, %tid.x;
\tmul.wide.u32 %rd3, %r1, 4;
\tadd.s64 %rd4, %rd1, %rd3;
\t.loc 1 3 5, function_name $L__info_string0, inlined_at 1 8 5
\tld.global.f32 %f1, [%rd4];
\tld.global.f32 %f2, [%rd4+4];
\tadd.f32 %f3, %f1, %f2;
\t.loc 1 8 5
\tadd.s64 %rd5, %rd2, %rd3;
\tst.global.f32 [%rd5], %f3;
\tret;
}
\t.file 1 "FOLDER/two.cu"
\t.section .debug_str
\t{
$L__info_string0:
.b8 95,90,53,116,119,105,99,101,80,75,102,105,0
\t}
"""

Checked = Callable[..., Report]


def found(instr: PtxInstr, **more: Any) -> Claim:
    usual = {
        "rule": "out-of-bounds",
        "severity": Severity.ERROR,
        "certainty": Certainty.PROVED,
        "message": "past the end",
        "property": Property.BOUNDS,
    }
    return Claim(instr=instr, **{**usual, **more})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the source in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PTXLINT_TRACEBACK", raising=False)
    (tmp_path / "two.cu").write_text(CUDA)
    return tmp_path


@pytest.fixture
def checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    """Checks a text; a rule is a function from a kernel and its accesses to claims."""

    def call(
        *rules: Callable[[Kernel, list[PtxInstr]], Iterable[Claim]],
        ptx: str = PTX,
        path: str = "two.ptx",
        options: Iterable[str] = (),
        pedantic: bool = False,
    ) -> Report:
        def rule_of(name: str) -> RuleModule:
            (asked,) = (rule for rule in rules if rule.__name__ == name)

            def claims(facts: Facts) -> Iterable[Claim]:
                instrs = [access.instr for access in facts.accesses]
                return asked(facts.kernel, instrs)

            return RuleModule(Rule(name, Severity.ERROR, (), ""), "", "", "", claims)

        names = tuple(rule.__name__ for rule in rules)
        monkeypatch.setattr(analysis, "load_rule", rule_of)
        monkeypatch.setattr(asking, "load_rule", rule_of)
        monkeypatch.setattr(asking, "rule_names", lambda: names)
        Path(path).write_text(ptx)
        source = Source(path, ptx)
        declared = Contract.from_options(list(options))
        asked = Options((declared,), select=names, pedantic=pedantic, rules=bool(rules))
        report = checker.check([source], asked)
        return replace(report, seconds=0.25)

    return call
