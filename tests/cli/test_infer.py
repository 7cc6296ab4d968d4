"""``ptxlint contract``: what it prints, what can be declared again, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ptxlint.cache import FILE
from ptxlint.cli import called_with

from .conftest import Result

ROOT = Path(__file__).parents[2]
REDUCE = ROOT / "corpus" / "clean" / "reduce_shared.ptx"
NAMES = ("--params", "n,in,out")
Run = Callable[..., Result]


@pytest.fixture
def ptxlint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command line, rules and all, beside a kernel ``k.ptx``."""
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(REDUCE.read_text())
    Path("reduce_shared.cu").write_text(REDUCE.with_suffix(".cu").read_text())

    def call(*arguments: str) -> Result:
        code = called_with(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


def test_text(ptxlint: Run) -> None:
    result = ptxlint("contract", "k.ptx", *NAMES)
    assert (result.code, result.err) == (0, "")
    head, *lines = result.out.splitlines()
    assert head == "reduce_shared(n: s32, in: u64, out: u64)"
    assert [" ".join(line.split()) for line in lines] == [
        "requires nctaid.x*ntid.x <= 2**31 to avoid 32-bit overflow reduce_shared.cu:10",
        "requires ntid.x <= 256 because s has 1024 bytes reduce_shared.cu:10",
        "reads in[0 .. 4*n) when n >= 0",
        "writes out[0 .. 4*nctaid.x)",
        "distinct in, out so that no thread reads what another one writes reduce_shared.cu:10",
    ]


def test_json(ptxlint: Run) -> None:
    found = json.loads(ptxlint("contract", "k.ptx", *NAMES, "--output-format", "json").out)
    assert found["schema"] == "ptxlint-contract/1"
    (contract,) = found["contracts"]
    assert contract["kernel"] == "reduce_shared"
    assert contract["needs"] == ["nctaid.x*ntid.x <= 2**31", "ntid.x <= 256"]
    assert (contract["reads"], contract["writes"]) == ({"in": "4*n"}, {"out": "4*nctaid.x"})
    assert contract["buffers"] == {"in": "4*n@4", "out": "4*nctaid.x@4"}
    assert contract["distinct"] == ["in, out"]
    report = json.loads(ptxlint("k.ptx", *NAMES, "--output-format", "json", "--contracts").out)
    assert report["schema"] == "ptxlint-report/1"
    assert report["contracts"] == [contract]


def test_toml_is_declared_again(ptxlint: Run) -> None:
    toml = ptxlint("contract", "k.ptx", *NAMES, "--output-format", "toml").out
    Path("launches.toml").write_text(toml)
    proved = ["--require", "bounds,alignment,spaces,barriers"]
    result = ptxlint("k.ptx", "--contract", "launches.toml", *proved)
    assert result.code == 0, result.out
    assert "(launches.toml)" in result.out
    alone = ptxlint("k.ptx", *proved)
    assert alone.code == 3
    assert "required, not proved: bounds, alignment" in alone.out


NEEDS = """
[[launch]]
kernel = "reduce_*"
params = ["n", "in", "out"]
needs = [
    "n % 4 == 0",
    "ntid.x <= 256",  # the array in shared memory has as many elements
]
"""


def test_a_launch_that_breaks_a_need_is_a_finding(ptxlint: Run) -> None:
    """With its condition, its place in the file, and the launch that breaks it."""
    Path("c.toml").write_text(NEEDS)
    launch = ("--contract", "c.toml", "--block", "512", "--output-format")
    result = ptxlint("k.ptx", *launch, "concise")
    told = "[contract-violated] every declared launch violates ntid.x <= 256, required by c.toml:7"
    assert (result.code, told in result.out) == (1, True), result.out
    report = json.loads(ptxlint("k.ptx", *launch, "json").out)
    (finding,) = [f for f in report["findings"] if f["rule"] == "contract-violated"]
    assert (finding["condition"], finding["certainty"]) == ("not (ntid.x <= 256)", "proved")
    assert finding["location"]["path"] == "reduce_shared.cu"


def test_a_launch_that_meets_the_needs_is_none(ptxlint: Run) -> None:
    Path("c.toml").write_text(NEEDS)
    for launch in (("--block", "256"), ("--arg", "n=1..4"), ("--assume", "n > 9")):
        assert "contract-violated" not in ptxlint("k.ptx", "--contract", "c.toml", *launch).out
    broken = ptxlint("k.ptx", "--contract", "c.toml", "--arg", "n=6")
    assert "violates n % 4 == 0, required by c.toml:6" in broken.out


def test_a_buffer_that_is_only_to_be_read(ptxlint: Run) -> None:
    """What is inferred of a kernel's stores is declared with the rest."""
    toml = ptxlint("contract", "k.ptx", *NAMES, "--output-format", "toml").out
    assert 'writes = ["out"]' in toml
    Path("c.toml").write_text(toml.replace('writes = ["out"]', "writes = []"))
    result = ptxlint("k.ptx", "--contract", "c.toml")
    assert result.code == 1
    assert "writes `out`, which is read-only by contract" in result.out


def test_a_size_goes_by_the_names_that_are_given(ptxlint: Run) -> None:
    """Not by those of the PTX, which nobody wrote."""
    result = ptxlint(
        "k.ptx", *NAMES, "--block", "256", "--grid", "4", "--arg", "n=1..4096",
        "--buffer", "in=4*n - 4", "--buffer", "out=16",
    )  # fmt: skip
    assert "exceeds size 4*n - 4 bytes\n" in result.out, result.out


def test_a_run_takes_the_same_file(ptxlint: Run) -> None:
    toml = ptxlint("contract", "k.ptx", *NAMES, "--output-format", "toml").out
    Path("launches.toml").write_text(toml)
    run = ("run", "k.ptx", "--contract", "launches.toml", "--arg", "n=100", "--block")
    assert ptxlint(*run, "64").code == 0
    refused = ptxlint(*run, "512")
    assert refused.code == 2
    assert "ntid.x <= 256" in refused.err


GATHER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry gather(.param .u64 picks, .param .u64 x) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [picks];
    ld.param.u64 %rd2, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd6, %rd2, %rd5;
    ld.global.u32 %r3, [%rd6];
    st.global.u32 [%rd4], %r3;
    ret;
}
"""
UNENDING = """
.version 9.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 pool[];
.visible .entry unending(.param .u32 n) {
    .reg .pred %p;
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, pool;
again:
    st.shared.u32 [%r2], %r1;
    add.s32 %r2, %r2, %r1;
    bra again;
}
"""


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (
            GATHER.replace("[%rd6]", "[%rd4+-4]"),
            "picks no lower bound of the offset is known to be >= 0 (before)",
        ),
        (UNENDING, "pool no bound of a loop-carried address was found (loop)"),
    ],
)
def test_the_reason_why_nothing_is_known(ptxlint: Run, kernel: str, reason: str) -> None:
    Path("k.ptx").write_text(kernel)
    (line,) = (line for line in ptxlint("contract", "k.ptx").out.splitlines() if "unknown" in line)
    assert f"unknown 1 access of {reason}" in " ".join(line.split())


ROW = """
.version 9.0
.target sm_80
.address_size 64
.visible .entry row(.param .u64 x) {
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
"""


def test_of_many_accesses_the_farthest_counts(ptxlint: Run) -> None:
    """As many as would take minutes if each end were held against each other one."""
    loads = "\n".join(f"    ld.global.u32 %r2, [%rd3+{4 * (i * 7 % 500)}];" for i in range(500))
    Path("k.ptx").write_text(f"{ROW}{loads}\n    ret;\n}}\n")
    result = ptxlint("contract", "k.ptx")
    assert result.out.splitlines() == ["row(x: u64)", "  reads    x[0 .. 4*ntid.x + 1996)"]


def test_an_access_of_which_nothing_is_known_is_named(ptxlint: Run) -> None:
    Path("k.ptx").write_text(GATHER)
    result = ptxlint("contract", "k.ptx")
    assert (result.code, result.err) == (3, "")
    assert [" ".join(line.split()) for line in result.out.splitlines()] == [
        "gather(picks: u64, x: u64)",
        "reads picks[0 .. 4*ntid.x)",
        "writes picks[0 .. 4*ntid.x)",
        "distinct picks, x so that no thread reads what another one writes k.ptx:15",
        "unknown 1 access of x the address depends on loaded data (loaded-index) k.ptx:15",
        "decided by the range of the integers in picks (k.ptx:12)",
    ]


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("block = 64", "c.toml: unknown table block, expected [[launch]]"),
        ("[[launch]]\nblok = 64", "c.toml:2: unknown key blok, expected one of kernel, params,"),
        ("[[launch]]\nblock = 2048", "c.toml:2: block 2048: 2048 threads, a block has at most"),
        ("[[launch]]\n\nargs = { n = '9..3' }", "c.toml:3: arg n=9..3: the range is empty"),
        (
            "[[launch]]\nkernel = 'x'\n[[launch]]\n[launch.buffers]\n1 = '4*'",
            "c.toml:5: buffer 1=4*: column 3: expected a number, a name or '(', the text ends",
        ),
        ("[[launch]]\nbuffers = { 0 = 4 }", "c.toml:2: buffer 0=4: 0 is no pointer, it is .u32"),
        ("[[launch]]\nbuffers = { 1 = '4*m' }", "c.toml:2: buffer 1=4*m: no kernel has a"),
        ("[[launch]]\nshared = '48K'", "c.toml:2: shared 48K: column 3: expected a unit (B, KiB,"),
        (
            "[[launch]]\nneeds = ['n <']",
            "c.toml:2: requires n <: column 4: expected a number, a name",
        ),
        (
            "[[launch]]\nparams = ['n']\nneeds = ['n > 4', 'n < 4']",
            "c.toml:3: requires n < 4: no launch meets this and all else that is declared",
        ),
        ("[[launch]]\nparams = ['n: u64']", "c.toml:2: params n: u64, but the PTX has .u32"),
        ("[[launch]]\nparams = 3", "c.toml:2: params: expected names, like 'in, out' or"),
        ("[[launch]]\nparams = {n = 3}", "c.toml:2: params n:3: '3' is no type"),
        ("[[launch]]\nwrites = [3]", "c.toml:2: writes: expected names, like 'in, out' or"),
        ("[[launch]]\ndistinct = [[3]]", "c.toml:2: distinct: expected names, like 'in, out' or"),
        (
            "[[launch]]\nbuffers = {1 = 4}\nvalues = {1 = 3}",
            "c.toml:3: values 1=3: expected a text",
        ),
        ("[[launch]]\nwrites = ['in']", "c.toml:2: writes in: no kernel has a parameter in"),
        (
            "[[launch]]\nparams = ['n', 'x', 'y']\n[launch.buffers]\nx = '4*n'\ny = '4*m'",
            "c.toml:5: buffer y=4*m: no kernel has a parameter m",
        ),
        (
            "[[launch]]\nparams = ['n']\nargs = { n = [] }",
            "c.toml:3: arg n=[]: expected a number, or a range",
        ),
        ("[[launch]]\ndistinct = '1,2'", "c.toml:2: distinct: expected a list of texts in quotes"),
        (
            "[[launch]]\ndistinct = [\n  '1, 2',\n  '0, 1',\n]",
            "c.toml:4: distinct 0, 1: 0 is no pointer, it is .u32",
        ),
        ("[[launch]]\ndistinct = ['1', '2']", "c.toml:2: distinct 1: expected two buffers or more"),
        ("[[launch]]\nargs = { n = 1 }\nargs = { n = 2 }\n", "c.toml:3: cannot overwrite a value"),
        ("[[launch]]\nneeds = 'n > 4'", "c.toml:2: requires: expected a list of texts in quotes"),
        ("[[launch]", "c.toml:1: expected ']]' at the end of an array declaration"),
    ],
)
def test_a_file_that_is_wrong(ptxlint: Run, toml: str, message: str) -> None:
    Path("c.toml").write_text(toml)
    result = ptxlint("k.ptx", "--contract", "c.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"ptxlint: {message}"), result.err


def test_a_file_that_is_about_other_kernels_is_named(ptxlint: Run) -> None:
    Path("c.toml").write_text("[[launch]]\nkernel = 'x'\n[[launch]]\nkernel = 'reduce'\n")
    told = "c.toml: note: nothing there is about a kernel here: reduce_shared"
    assert told in ptxlint("k.ptx", "--contract", "c.toml").out
    Path("c.toml").write_text("[[launch]]\nkernel = 'x'\n[[launch]]\nkernel = 'reduce*'\n")
    assert "nothing there is about" not in ptxlint("k.ptx", "--contract", "c.toml").out


def test_a_file_that_is_not_there(ptxlint: Run) -> None:
    result = ptxlint("k.ptx", "--contract", "c.toml")
    assert (result.code, result.err) == (2, "ptxlint: c.toml: no such file or directory\n")


SIGN_KNOWN = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n, .param .u64 x) {
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u32 %r1, [n];
    ld.param.u64 %rd1, [x];
    setp.lt.s32 %p, %r1, 0;
    @%p ret;
    ld.global.u32 %r2, [%rd1];
    mul.lo.s32 %r3, %r1, %r2;
    mul.wide.s32 %rd2, %r3, 4;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r3;
    ret;
}
"""


def test_a_sign_that_is_known_is_not_taken_again(ptxlint: Run) -> None:
    """A bound was sought without end, with the sign of n that the guard says already."""
    Path("n.ptx").write_text(SIGN_KNOWN)
    result = ptxlint("contract", "n.ptx", "--params", "n,x")
    assert (result.code, result.err) == (3, "")
    assert "(loaded-index)" in result.out


def test_a_contract_is_the_same_in_processes_and_from_the_cache(ptxlint: Run) -> None:
    alone = ptxlint("contract", "k.ptx")
    for more in (("-j", "2"), ("--cache-dir", "kept"), ("--cache-dir", "kept"), ("--no-cache",)):
        assert ptxlint("contract", "k.ptx", *more) == alone
    assert Path("kept", FILE).exists()


def test_an_inference_in_no_process_is_refused(ptxlint: Run) -> None:
    result = ptxlint("contract", "k.ptx", "-j", "0")
    assert (result.code, result.out) == (2, "")
    assert result.err == "ptxlint: --jobs 0: expected a number of processes, or auto\n"
