"""What is only possible is shown with what would rule it out."""

from __future__ import annotations

import pytest

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ContractError
from ptxlint.options import Options
from ptxlint.reports import render
from ptxlint.results.finding import Certainty
from ptxlint.source import Source

COPY = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 in, .param .u32 n) {
    .reg .b32 %r<7>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p, %r5, %r1;
    @%p bra $end;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r6, [%rd3];
    ADDED
$end:
    ret;
}
"""
LOADED = """mul.wide.s32 %rd2, %r6, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;"""


@pytest.mark.parametrize(
    ("options", "added", "reasons"),
    [
        ("--block 256", "", ["in bounds if nctaid.x <= 2**23"]),
        ("--grid 8", "", []),  # 8 blocks of at most 1024 threads do not wrap
        ("", "", ["in bounds if nctaid.x*ntid.x <= 2**31"]),
        ("--grid 8", LOADED, ["the address depends on loaded data"]),
    ],
)
def test_what_would_keep_an_access_in_bounds(options: str, added: str, reasons: list[str]) -> None:
    source = Source("copy.ptx", COPY.replace("ADDED", added))
    contract = Contract.from_options(["--buffer", "in=4*n", *options.split()])
    report = check([source], Options(contracts=(contract,), any_grid=True, pedantic=True))
    assert {finding.certainty for finding in report.findings} <= {Certainty.POSSIBLE}
    assert [finding.reason for finding in report.findings] == reasons


@pytest.mark.parametrize(("grid", "told"), [([], True), (["--grid", "8"], False)])
def test_what_is_not_proved_says_where_to_look(grid: list[str], told: bool) -> None:
    """A last line that counts undecided accesses is no answer to why."""
    source = Source("copy.ptx", COPY.replace("ADDED", ""))
    declared = ["--block", "256", "--buffer", "in=4*n", *grid]
    report = check([source], Options((Contract.from_options(declared),), any_grid=True))
    assert ("; undecided: --show-undecided;" in render(report, "full")) == told


@pytest.mark.parametrize("offset", [2**32, -(2**32)])
def test_an_offset_beyond_every_buffer_is_no_bound_that_was_not_found(offset: int) -> None:
    text = COPY.replace("[%rd3]", f"[%rd1+{offset}]").replace("ADDED", "")
    report = check([Source("copy.ptx", text)], Options(infer=True))
    (found,) = report.contracts[0].unknown
    assert (found.reason, found.decides) == ("far", "the size of in")
    report = check([Source("copy.ptx", text)], Options())
    (told,) = [one for one in report.judged[0].unproved if one.property.value == "bounds"]
    assert told.option == "--buffer in=BYTES" and told.reason.startswith("the offset is beyond")


def test_a_declaration_that_fits_one_kernel_names_the_one_it_does_not_fit() -> None:
    other = COPY.replace(".u64 in", ".u32 in").replace("copy", "second")
    sources = [Source("first.ptx", COPY), Source("second.ptx", other)]
    options = Options(contracts=(Contract.from_options(["--buffer", "in=4*n"]),))
    told = r"in is no pointer, it is \.u32 \(kernel second of second\.ptx\)"
    with pytest.raises(ContractError, match=told):
        check([Source(s.path, s.text.replace("ADDED", "")) for s in sources], options)
