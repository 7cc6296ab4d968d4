"""What an instruction does to memory as no other does is known to every claim about it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ptxlint import kernels
from ptxlint.checker import check
from ptxlint.cli import called_with
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.results.finding import Certainty
from ptxlint.results.report import Report
from ptxlint.results.verdict import Property, Status
from ptxlint.source import Source
from tests.simt.programs import gives, ran

REGRESSIONS = Path(__file__).parents[2] / "corpus" / "regressions"
HEAD = """
.version 8.7
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 a[];
.extern .shared .align 4 .b8 b[];
.visible .entry k(.param .u64 x, .param .u32 n) {
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %d<8>;
    .shared .align 16 .b8 s[1024];
    ld.param.u64 %d0, [x];
    cvta.to.global.u64 %d0, %d0;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 16;
    add.s64 %d2, %d0, %d1;
"""
TAIL = "\n    ret;\n}\n"


def report(body: str, size: int = 1024) -> Report:
    options = f"--block 64 --grid 1 --shared 256 --arg n=8 --buffer x={size}"
    contract = Contract.from_options(options.split())
    return check([Source("k.ptx", HEAD + body + TAIL)], Options((contract,)))


def rules(body: str, size: int = 1024) -> list[str]:
    return [finding.rule for finding in report(body, size).findings]


LOADS = {
    "by name": "ld.shared.u32 %r5, [{}];",
    "by address": "mov.u32 %r4, {}; ld.shared.u32 %r5, [%r4];",
    "generic": "mov.u64 %d3, {}; cvta.shared.u64 %d3, %d3; ld.u32 %r5, [%d3];",
}


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("fence, expected", [("", ["data-race"]), ("bar.sync 0;", [])])
def test_every_dynamic_array_is_the_same_memory(load: str, fence: str, expected: list[str]) -> None:
    store = "shl.b32 %r1, %r0, 2; mov.u32 %r2, a; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r0;"
    assert rules(f"{store} {fence} {LOADS[load].format('b')}") == expected


COPY = "mov.u32 %r2, s; mad.lo.u32 %r2, %r0, 16, %r2; cp.async.ca.shared.global [%r2], [%d2], 16"


@pytest.mark.parametrize("read", [0, 1, 3, 4, 5, 8, 12, 15, 16])
def test_a_copy_reads_no_more_than_its_source_size(read: int) -> None:
    last = 63 * 16 + read
    assert "out-of-bounds" not in rules(f"{COPY}, {read};", last)
    assert ("out-of-bounds" in rules(f"{COPY}, {read};", last - 1)) == (read > 0)
    misaligned = f"add.s64 %d2, %d2, 4; {COPY}, {read};"
    assert ("misaligned-access" in rules(misaligned, 2048)) == (read > 0)


@pytest.mark.parametrize("read", [0, 3, 4, 12, 16])
def test_a_copy_fills_the_rest_with_zeros(read: int) -> None:
    given = np.arange(1, 65, dtype=np.uint8)
    body = f""".shared .align 16 .b8 s[64];
        mul.wide.u32 %rd7, %r1, 16; add.u64 %rd8, %rd2, %rd7; add.u64 %rd9, %rd1, %rd7;
        mov.u32 %r10, s; mad.lo.u32 %r10, %r1, 16, %r10;
        cp.async.ca.shared.global [%r10], [%rd8], 16, {read}; cp.async.wait_all;
        ld.shared.v4.u32 {{%r11, %r12, %r13, %r14}}, [%r10];
        st.global.v4.u32 [%rd9], {{%r11, %r12, %r13, %r14}};"""
    wanted = given.reshape(4, 16).copy()
    wanted[:, read:] = 0
    result = ran(body, threads=4, x=given, y=16, checks="init race")
    gives(result, wanted.reshape(-1), "u1")


LEFT = "sub.u32 %r3, {}, %r1; max.s32 %r3, %r3, 0; min.s32 %r3, %r3, 16;"


@pytest.mark.parametrize("size", [0, 1, 15, 16, 500, 1023, 1024])
def test_a_copy_reads_no_more_than_the_size_in_a_register(size: int) -> None:
    body = f"shl.b32 %r1, %r0, 4; {LEFT.format(size)} {COPY}, %r3;"
    assert "out-of-bounds" not in rules(body, max(size, 1))
    (copied, _) = report(body, max(size, 1)).accesses
    assert copied.status is Status.PROVED
    if size > 1:
        (found,) = report(body, size - 1).findings
        assert found.rule == "out-of-bounds" and found.certainty is not Certainty.POSSIBLE


SIZES = {
    "sub.u32 %r3, %r5, %r1; max.s32 %r3, %r3, 0; min.s32 %r3, %r3, 16;": "min(n, 16*ntid.x)",
    "add.u32 %r4, %r1, 16; setp.le.s32 %p0, %r4, %r5; selp.b32 %r3, 16, 0, %p0;": "16*(n//16)",
    "mov.u32 %r3, 5;": "16*ntid.x - 11",
}


@pytest.mark.parametrize(("size", "read"), SIZES.items())
def test_a_contract_asks_for_the_bytes_that_a_copy_reads(size: str, read: str) -> None:
    body = f"ld.param.u32 %r5, [n]; shl.b32 %r1, %r0, 4; {size} {COPY}, %r3;"
    source = Source("k.ptx", HEAD + body + TAIL)
    (found,) = check([source], Options(infer=True, rules=False)).contracts
    assert found.reads == {"x": read}


@pytest.mark.parametrize("size", range(0, 65, 5))
def test_a_run_copies_as_many_bytes_as_each_lane_says(size: int) -> None:
    given = np.arange(1, 65, dtype=np.uint8)
    body = f""".shared .align 16 .b8 s[64];
        mul.wide.u32 %rd7, %r1, 16; add.u64 %rd8, %rd2, %rd7; add.u64 %rd9, %rd1, %rd7;
        mov.u32 %r10, s; mad.lo.u32 %r10, %r1, 16, %r10; mul.lo.u32 %r11, %r1, 16;
        sub.u32 %r12, {size}, %r11; max.s32 %r12, %r12, 0; min.s32 %r12, %r12, 16;
        cp.async.ca.shared.global [%r10], [%rd8], 16, %r12; cp.async.wait_all;
        ld.shared.v4.u32 {{%r11, %r12, %r13, %r14}}, [%r10];
        st.global.v4.u32 [%rd9], {{%r11, %r12, %r13, %r14}};"""
    wanted = np.where(np.arange(64) < size, given, 0)
    gives(ran(body, threads=4, x=given[:size], y=16, checks="init race"), wanted, "u1")
    if size:
        assert ran(body, threads=4, x=given[: size - 1], y=16).faults


@pytest.mark.parametrize(("length", "expected"), [(4, []), (5, ["data-race"])])
def test_a_copy_races_for_the_bytes_that_it_reads(length: int, expected: list[str]) -> None:
    body = f"""mov.u32 %r3, {length}; add.u32 %r3, %r3, %r0; sub.u32 %r3, %r3, %r0;
        setp.eq.u32 %p0, %r0, 0; @%p0 {COPY}, %r3; setp.eq.u32 %p1, %r0, 1;
        @%p1 st.global.u32 [%d0+4], %r0;"""
    found = {finding.rule for finding in report(body).findings}
    assert sorted(found & {"data-race"}) == expected


@pytest.mark.parametrize("ignored", ["%p0", "!%p1"])
def test_a_copy_reads_nothing_where_its_source_is_ignored(ignored: str) -> None:
    body = f"""setp.ge.u32 %p0, %r0, 8; setp.lt.u32 %p1, %r0, 8; {COPY}, {ignored};"""
    assert "out-of-bounds" not in rules(body, 128)
    assert "out-of-bounds" in rules(body, 127)


SHARED = "ld.shared.u32 %r5, [s]; st.global.u32 [%d2], %r5;"
DONE = "shared::cluster.mbarrier::complete_tx::bytes"
FILLED = {
    "tensor copy": "cp.async.bulk.tensor.1d.shared::cluster.global.tile."
    "mbarrier::complete_tx::bytes [%r2], [%d0, {%r0}], [%r2];",
    "st.async": f"st.async.weak.{DONE}.u32 [%r2], 1, [%r2];",
    "red.async": f"red.async.relaxed.cluster.{DONE}.add.u32 [%r2], 1, [%r2];",
    "external function": "call.uni fill, (s);",
    "unknown opcode": "fill.shared [%r2];",
}


@pytest.mark.parametrize("fill", FILLED)
def test_what_may_be_written_unseen_is_not_uninitialised(fill: str) -> None:
    assert "uninitialized-read" in rules(SHARED)
    assert "uninitialized-read" not in rules(f"mov.u32 %r2, s; {FILLED[fill]} {SHARED}")


ATOMICS = {
    "atom.global.exch.b32 %r5, [%d0], %r0;": False,
    "atom.global.cas.b32 %r5, [%d0], %r0, 1;": False,
    "atom.global.inc.u32 %r5, [%d0], 7;": False,
    "atom.global.inc.u32 %r5, [%d0], %r0;": False,
    "red.global.dec.u32 [%d0], 7;": False,
    "atom.global.inc.u32 %r5, [%d0], -1;": True,
    "red.global.add.u32 [%d0], 1;": True,
    "red.global.max.s32 [%d0], %r0;": True,
    "red.global.or.b32 [%d0], %r0;": True,
}


@pytest.mark.parametrize(("update", "expected"), ATOMICS.items())
def test_updates_are_to_be_aggregated_where_that_is_the_same(update: str, expected: bool) -> None:
    (finding,) = report(update).findings
    assert finding.rule == "contended-atomic" and finding.help is not None
    assert ("aggregate" in finding.help) == expected


CONTRACTS = Options(infer=True, rules=False)
STORED = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group"
OPAQUE = {
    "call.uni fill, (s);": "call.uni fill reads any and writes any memory",
    "fill.global [%d0];": "fill.global reads any and writes any memory",
    "sust.b.1d.b32.trap [%d0, {%r0}], {%r0};": "sust.b.1d.b32.trap writes global memory",
    "txq.width.b32 %r1, [%d0]; tld4.r.2d.v4.f32.f32 {_, _, _, _}, [%d0, {%r0, %r0}];":
        "tld4.r.2d.v4.f32.f32 reads global memory",
    f"{STORED} [%d0, {{%r0}}], [%r2];": f"{STORED} reads shared and writes global memory",
}  # fmt: skip


def test_the_functions_of_the_runtime_write_no_buffer() -> None:
    body = "call.uni (%r1), vprintf, (%d0, %d1); st.global.u32 [%d2], %r0;"
    (found,) = check([Source("k.ptx", HEAD + body + TAIL)], CONTRACTS).contracts
    assert found.written == ("x",) and not found.complete


@pytest.mark.parametrize(("body", "said"), OPAQUE.items())
def test_a_contract_says_which_instructions_it_does_not_account_for(body: str, said: str) -> None:
    source = Source("k.ptx", HEAD + f"mov.u32 %r2, s;\n{body}" + TAIL)
    (found,) = check([source], CONTRACTS).contracts
    line = source.text[: source.text.index(body)].count("\n") + 1
    unknown = [(one.message, one.location) for one in found.unknown]
    assert unknown == [(f"{said} at unknown addresses", f"k.ptx:{line}")]
    assert not found.complete
    assert found.written is None or "writes global" not in said
    assert f"{said} at unknown addresses, k.ptx:{line}" in found.as_toml()
    (bare,) = check([Source("k.ptx", HEAD + TAIL)], CONTRACTS).contracts
    assert bare.complete and bare.written == ()


@pytest.mark.parametrize("fill", ["", *FILLED.values()])
def test_what_is_read_of_a_buffer_is_in_its_range_if_nothing_writes_it(fill: str) -> None:
    body = """ld.global.u32 %r1, [%d0]; shl.b32 %r1, %r1, 2; mov.u32 %r3, s;
        add.u32 %r3, %r3, %r1; st.shared.u32 [%r3], %r0;"""
    source = Source("k.ptx", HEAD + f"mov.u32 %r2, s; {body} {fill}" + TAIL)
    contract = Contract.from_options(["--buffer", "x=1024", "--values", "x=0..255:u32"])
    anywhere = "call" in fill or fill.startswith("fill")
    *_, stored = check([source], Options((contract,))).accesses[:2]
    assert (stored.status is Status.PROVED) == (not anywhere)


def test_a_variable_that_an_unknown_opcode_may_write_is_not_a_register() -> None:
    body = ".param .b32 p; st.param.b32 [p], 7; fill.b32 [p]; ld.param.b32 %r1, [p];"
    (kernel,) = kernels(HEAD + body + TAIL)
    (loaded,) = [i for i in kernel.instructions if i.text == "ld.param.b32"]
    assert loaded.access is not None and loaded.access.space == "local"


@pytest.mark.parametrize(
    ("call", "certainty"),
    [
        ("", Certainty.PROVED),
        ("call.uni fill, (s);", Certainty.POSSIBLE),
        ("call.uni (%r1), vprintf, (%d0, %d1);", Certainty.PROVED),
        ("@%p0 call.uni __assertfail, (%d0);", Certainty.WITNESS),
    ],
)
def test_a_fault_behind_a_function_that_may_end_the_thread_is_not_proved(
    call: str, certainty: Certainty
) -> None:
    source = Source("k.ptx", HEAD + f"{call} ld.global.u32 %r1, [%d0+1024];" + TAIL)
    contract = Contract(block=64, grid=1, shared=256, buffers={"x": 1024})
    (found,) = check(
        [source], Options((contract,), select=("out-of-bounds",), pedantic=True)
    ).findings
    assert found.certainty is certainty


def test_what_is_not_modelled_names_itself_and_its_line() -> None:
    body = (
        "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%r1, %r2}, %d1, %d2, %p1, 1, 1, 0, 0;"
    )
    found = report(f"\n{body}\n{body}")
    line = HEAD.count("\n") + 2
    assert [str(note) for note in found.diagnostics] == [
        f"k.ptx:{line}:1: note: {body.partition(' ')[0]} is not modelled; its results may be"
        " anything; it reads shared memory at unknown addresses"
    ]


WRITTEN = {
    "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};": True,
    f"{COPY};": False,
    f"{COPY}; cp.async.wait_all;": True,
    f"{COPY}; cp.async.commit_group; cp.async.wait_group 1;": False,
    f"{COPY}; cp.async.commit_group; cp.async.wait_group 0;": True,
    f"st.async.weak.{DONE}.v4.u32 [%r2], {{%r0, %r0, %r0, %r0}}, [%r2]; cp.async.wait_all;": False,
}


@pytest.mark.parametrize(("store", "proved"), WRITTEN.items())
def test_what_a_copy_writes_is_initialised_if_its_thread_waited(store: str, proved: bool) -> None:
    body = f"{COPY.partition('cp')[0]} {store} bar.sync 0; ld.shared.u32 %r5, [s];"
    verdicts = {one.name: one for one in report(body).summary.verdicts}
    assert (verdicts[Property.INITIALISATION].proved == 1) == proved


def test_the_exit_code_of_a_contract_says_that_it_is_not_complete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = REGRESSIONS / "written_through_a_surface.ptx"
    assert called_with(["contract", "--output-format", "toml", str(path)]) == 3
    said = capsys.readouterr().out
    assert "writes = " not in said
    assert "sust.b.1d.b32.trap writes global memory at unknown addresses" in said


def test_a_fetch_does_not_leave_a_texture_that_a_parameter_holds() -> None:
    path = REGRESSIONS / "fetched_from_a_texture.ptx"
    source = Source(path.name, path.read_text("utf-8"))
    (found,) = check([source], Options(infer=True)).contracts
    assert (found.unknown, found.assumed) == ((), ("t is a texture",))
    assert found.distinct == ()
    loaded = source.text.replace("ld.param.u64 %d1, [t]", "ld.global.u64 %d1, [%d0]")
    (found,) = check([Source(path.name, loaded)], Options(infer=True)).contracts
    assert [one.reason for one in found.unknown] == ["opaque"]


@pytest.mark.parametrize("kind", ["texture", "surface"])
def test_a_handle_is_neither_a_number_nor_a_buffer(kind: str) -> None:
    name = {"texture": "fetched_from_a_texture", "surface": "written_through_a_surface"}[kind]
    path = REGRESSIONS / f"{name}.ptx"
    source = Source(path.name, path.read_text("utf-8"))
    (found,) = check([source], Options(infer=True)).contracts
    types = dict(one.split(": ") for one in found.params)
    (handle,) = [name for name, type_ in types.items() if type_ == "b64"]
    assert f"{handle} is a {kind}" in found.assumed
    assert not any(handle in one for one in found.distinct)
    pasted = Contract(params=types)
    assert not check([source], Options(contracts=(pasted,))).failed
    register = re.search(rf"ld\.param\.u64 (%\w+), \[{handle}\]", source.text)
    assert register is not None
    both = source.text.replace("    ret;", f"    st.global.u64 [%d0], {register[1]};\n    ret;")
    (found,) = check([Source(path.name, both)], Options(infer=True)).contracts
    assert f"{handle}: s64" in found.params


ASYNC = {
    f"{COPY}; cp.async.wait_all;": True,
    f"{COPY};": False,
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%d0], 256, [s+512];"
    " cp.async.wait_all;": False,
    f"st.async.weak.{DONE}.u32 [s], 1, [s+512]; cp.async.wait_all;": False,
}


@pytest.mark.parametrize(("copy", "waited"), ASYNC.items())
def test_a_group_is_no_wait_for_what_a_barrier_object_completes(copy: str, waited: bool) -> None:
    body = f"{copy} bar.sync 0; ld.shared.u32 %r5, [s];"
    found = report(body)
    reads = [a for a in found.accesses if a.access.kind == "load" and a.access.region == "s"]
    open_ = {one.ptx for k in found.kernels for one in k.unproved if one.property is Property.RACES}
    assert (reads[0].ptx not in open_) == waited
