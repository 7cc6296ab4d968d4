"""A kernel may be long: a chain of a thousand operations is analysed, not followed to its end. The
time of loops grows with the square of their number: the default is a number with as long a chain.
"""

from __future__ import annotations

import pytest

from ptxlint.checker import check
from ptxlint.contracts.resolution import resolved
from ptxlint.inference.contract import contract_of
from ptxlint.lowering.module import lower_module
from ptxlint.source import Source
from ptxlint.syntax import parse

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry chain(.param .u64 out) {{
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd0, [out]; mov.u32 %r1, %tid.x;
{}
  mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r1;
  ret;
}}"""
LINKS = {
    "operations": "  xor.b32 %r2, %r1, 3; add.s32 %r1, %r1, %r2;",
    "branches": "  setp.eq.s32 %p, %r1, {0}; @%p bra L{0}; add.s32 %r1, %r1, 1; L{0}:",
    "loops": "  mov.u32 %r2, 0; L{0}: add.s32 %r2, %r2, %r1; setp.lt.s32 %p, %r2, 9; @%p bra L{0};"
    " add.s32 %r1, %r1, %r2;",
}
CHAINS = [
    ("operations", 1000),
    ("branches", 1000),
    ("loops", 400),
    pytest.param("loops", 1000, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("link", "links"), CHAINS)
def test_a_long_chain(link: str, links: int) -> None:
    body = "\n".join(LINKS[link].format(at) for at in range(links))
    report = check([Source("chain.ptx", KERNEL.format(body))])
    assert not report.diagnostics
    assert report.summary.accesses.total == 1


@pytest.mark.parametrize(("link", "links"), CHAINS)
def test_its_contract_calls_a_long_formula_by_its_register(link: str, links: int) -> None:
    body = "\n".join(LINKS[link].format(at) for at in range(links))
    source = Source("chain.ptx", KERNEL.format(body))
    module = parse(source).module
    assert module is not None
    (kernel,) = lower_module(module, source).kernels
    unknown = contract_of(kernel, resolved([], kernel)).unknown
    assert all(len(one.missing.text) < 200 for one in unknown)
