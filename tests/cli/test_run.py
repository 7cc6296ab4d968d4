"""``ptxlint run``: what it computes, how faults look, and every way to ask for what cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SCALE = """.visible .entry scale(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)
{
    .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<5>; .reg .f32 %f<3>;
    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r4, [n];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r1, %r2, %r3, %r1; setp.ge.u32 %p, %r1, %r4; @%p bra OUT;
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd2];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd1], %f2;
OUT:
    ret;
}
"""
OTHERS = {
    "loop": "()\n{\nAGAIN: bra AGAIN;\n}",
    "printing": "()\n{\n.param .b64 p;\ncall vprintf, (p);\n}",
    "few": "()\n.maxntid 32\n{\nret;\n}",
    "fixed": "()\n.reqntid 64\n{\nret;\n}",
    "by_value": "(.param .u64 y, .param .align 4 .b8 pair[8])\n{\n.reg .b32 %r; .reg .b64 %rd;\n"
    "ld.param.u64 %rd, [y]; ld.param.u32 %r, [pair+4]; st.global.u32 [%rd], %r; ret;\n}",
    "racy": "(.param .u64 y)\n{\n.shared .align 4 .b32 s; .reg .b32 %r; .reg .b64 %rd;\n"
    "mov.u32 %r, %tid.x;\nst.shared.u32 [s], %r;\n"
    "ld.param.u64 %rd, [y]; ld.shared.u32 %r, [s]; st.global.u32 [%rd], %r; ret;\n}",
    "trapped": "()\n{\ntrap;\n}",
    "idle": "(.param .u64 y, .param .u32 n)\n{\n.reg .b64 %rd;\n"
    "ld.param.u64 %rd, [y]; st.global.u32 [%rd], 7; ret;\n}",
}
ALL = HEAD + ".extern .func vprintf(.param .b64 f);\n" + SCALE + "".join(
    f".visible .entry {name}{rest}\n" for name, rest in OTHERS.items()
)  # fmt: skip
COMPLETE = ["--arg", "a=2.0", "--arg", "n=8", "--buffer", "x=4*n", "--buffer", "y=4*n"]
FULL = "--block 8 " + " ".join(COMPLETE)


@pytest.fixture
def ran(ptxlint: Any, tmp_path: Path) -> Any:
    """Runs ``ptxlint run`` on a file of one kernel, ``scale``, or of all with ``--kernel``."""
    (tmp_path / "one.ptx").write_text(HEAD + SCALE)
    (tmp_path / "all.ptx").write_text(ALL)
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32))
    np.savez(tmp_path / "xs.npz", x=np.arange(8, dtype=np.float32), other=np.ones(3))
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "complex.npy", np.ones(4, np.complex64))
    np.save(tmp_path / "pair.npy", np.array([3, 11], np.int32))
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY\x01\x00")

    def call(*words: str) -> Any:
        file = "all.ptx" if "--kernel" in words else "one.ptx"
        return ptxlint("run", file, *words)

    return call


def test_arrays_go_in_and_come_out(ran: Any, tmp_path: Path) -> None:
    words = "--block 4 --grid 2 --arg a=2.5 --arg n=8 --input x=x.npy --buffer y=4*n"
    result = ran(*words.split(), "--output", "y=y.npy", "--print", "y[:3]", "--print", "y[7]")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:2] == ["y[:3]: 0.0 2.5 5.0", "y[7]: 17.5"]
    saved = np.load(tmp_path / "y.npy")
    assert (saved.dtype, saved.tolist()) == (np.float32, [2.5 * i for i in range(8)])


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("x=ones", "2.0 2.0 2.0"),
        ("x=zeros", "0.0 0.0 0.0"),
        ("x=arange", "0.0 2.0 4.0"),
        ("x=arange:f4", "0.0 2.0 4.0"),
        ("x=xs.npz", "0.0 2.0 4.0"),
        ("x=xs.npz:x", "0.0 2.0 4.0"),
        ("x=random:7", " ".join(
            str(2 * v) for v in np.random.default_rng(7).random(8).astype("f4")[:3]
        )),
    ],
)  # fmt: skip
def test_inputs(ran: Any, given: str, printed: str) -> None:
    result = ran("--block", "8", *COMPLETE, "--input", given, "--print", "y[:3]")
    assert (result.code, result.out.splitlines()[0]) == (0, f"y[:3]: {printed}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x=wide.npy", "note: x holds float64, the kernel accesses it as f32: its bytes are taken"),
        ("x=arange:i4", "note: x holds int32, the kernel accesses it as f32: its bytes are taken"),
        ("x=random:1:i1", ""),
        ("x=x.npy", ""),
    ],
)
def test_an_array_of_other_elements_is_told(
    ran: Any, tmp_path: Path, given: str, said: str
) -> None:
    np.save(tmp_path / "wide.npy", np.arange(4, dtype=np.float64))
    result = ran("--block", "8", *COMPLETE, "--input", given)
    assert (result.code, said in result.err) == (0, True)
    assert (result.err == "") == (said == "")


def test_a_structure_by_value(ran: Any) -> None:
    words = "--kernel by_value --block 1 --buffer y=4 --input pair=pair.npy --print y:i4"
    assert ran(*words.split()).out.splitlines()[0] == "y:i4: 11"


GOLDEN = """\
one.ptx:11:5: error[out-of-bounds] load of 4 bytes out of bounds of x; 3 times
11 |     ld.global.f32 %f2, [%rd2];
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^
   = witness: block (0,0,0) thread (5,0,0): reads byte 20 of x[0..20) (grid 1, block 8, a=2.0, n=8)

1 error
launch: block 8, a=2, n=8, y 32 bytes, x 20 bytes (command line)
ran 8 threads: 136 instructions, 16 accesses, 3 faults; N s
"""
SHORT = ["--block", "8", *("x=20" if word == "x=4*n" else word for word in COMPLETE)]


def test_a_fault_is_a_finding(ran: Any) -> None:
    result = ran(*SHORT)
    assert (result.code, result.err) == (1, "")
    assert re.sub(r"[\d.]+ s$", "N s", result.out, flags=re.MULTILINE) == GOLDEN


def test_the_concise_form_and_the_json_form(ran: Any) -> None:
    first = ran(*SHORT, "--output-format", "concise").out.splitlines()[0]
    assert first == GOLDEN.splitlines()[0]
    document = json.loads(ran(*SHORT, "--output-format", "json").out)
    (finding,) = document["findings"]
    assert (finding["rule"], finding["certainty"]) == ("out-of-bounds", "witness")
    assert finding["witness"]["tid"] == [5, 0, 0]
    end = {"end_line": 11, "end_column": 30}
    assert finding["ptx"] == {"path": "one.ptx", "line": 11, "column": 5, **end}


def test_checks_are_chosen(ran: Any) -> None:
    words = ["--kernel", "racy", "--block", "64", "--buffer", "y=4"]
    assert ran(*words).code == 0
    result = ran(*words, "--checks", "race")
    assert (result.code, "error[data-race]" in result.out) == (1, True)
    assert "block (0,0,0) thread (0,0,0) writes here" in result.out
    assert ran(*words, "--checks", "all").code == 1
    assert ran(*SHORT, "--checks", "sync").code == 0


def test_a_trap_is_always_told(ran: Any) -> None:
    result = ran("--kernel", "trapped", "--block", "1", "--checks", "race")
    assert (result.code, "error[trap] trap executed" in result.out) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--kernel loop --block 32 --max-steps 1000", "not finished within 1000 steps: "),
        (FULL + " --max-steps 5", "not finished within 5 steps: --max-steps sets"),
        ("--kernel printing --block 32", "call vprintf is not supported, aborting block (0,0,0)"),
    ],
)
def test_a_run_that_does_not_finish(ran: Any, words: str, said: str) -> None:
    result = ran(*words.split())
    assert (result.code, result.err) == (3, "")
    assert said in result.out


def test_a_parameter_that_no_instruction_reads_needs_no_value(ran: Any) -> None:
    words = ["--kernel", "idle", "--block", "1", "--buffer", "y=4"]
    assert ran(*words).code == 0
    unsized = ran(*words[:-1], "y=4*n")
    assert (unsized.code, unsized.err.partition(":")[2][:27]) == (2, " parameter 1 (n, .u32) has ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (FULL.replace("--block 8", ""), "--block is missing: how many threads has a block?"),
        ("--kernel few --block 64", "--block 64: 64 threads, kernel few allows 32 (.maxntid)"),
        ("--kernel fixed --block 32", "--block 32: kernel fixed requires 64 (.reqntid)"),
        ("--kernel scal --block 8", "--kernel scal: no kernel of this name; did you mean scale?"),
        ("--block 8", "parameter 0 (y, .u64) has no value: give --arg y=... or, for a pointer,"),
        (FULL.replace("--arg a=2.0", ""), "parameter 2 (a, .f32) has no value: give --arg a=..."),
        (FULL.replace("n=8", "n=1..8"), "--arg n=1..8: a run needs one value"),
        (FULL.replace("n=8", "n=9") + " --input x=x.npy", "x=x.npy: has 32 bytes, expected 36"),
        ("--kernel by_value --block 1 --buffer y=4 --input pair=x.npy", "32 bytes, expected 8"),
        (FULL + " --input z=x.npy", "--input z: no kernel has a parameter z"),
        (FULL + " --input n=x.npy", "--input n=x.npy: this parameter has a value already"),
        (FULL + " --input x=y.npy", "--input x=y.npy: no such file"),
        (FULL + " --input x=objects.npy", "--input x=objects.npy: holds no array of numbers"),
        (FULL + " --input x=broken.npy", "--input x=broken.npy: holds no array of numbers"),
        (FULL + " --input x=complex.npy", "x=complex.npy: holds complex64, expected numbers"),
        (FULL + " --input x=xs.npz:z", "no array z, there is x, other; name one: xs.npz:NAME"),
        (FULL + " --input x=twos", "--input x=twos: expected a file .npy or .npz, or one of"),
        (FULL + " --input x=ones:f3", "--input x=ones:f3: f3 is no type, expected one of"),
        (FULL + " --input x=random", "--input x=random: expected random:SEED"),
        (FULL + " --input x", "--input x: expected NAME=FILE.npy"),
        ("--block 8 --arg a=1.0 --arg n=8 --input x=ones", "Give --buffer x=BYTES too"),
        (FULL + " --print z", "--print z: no kernel has a parameter z"),
        (FULL + " --print n", "--print n: n is a number, no buffer"),
        (FULL + " --print y[", "--print y[: expected NAME"),
        (FULL + " --print y[8]", "--print y[8]: nothing is there, y has 8 elements"),
        (FULL + " --print y[4]:f8", "--print y[4]:f8: nothing is there, y has 4 elements"),
        (FULL + " --print y[-9]", "--print y[-9]: nothing is there, y has 8 elements"),
        (FULL + " --print y[8:9]", "--print y[8:9]: nothing is there, y has 8 elements"),
        (FULL + " --print y:f3", "--print y:f3: f3 is no type"),
        (FULL + " --print y --output-format json", "not with --output-format json"),
        (FULL + " --output y=y.txt", "--output y=y.txt: expected NAME=FILE.npy"),
        (FULL + " --output y=no/y.npy", "--output y=no/y.npy: there is no folder no"),
        (FULL + " --checks races", "--checks races: no such check; did you mean race?"),
        (FULL + " --max-steps 0", "0 is not in the range"),
        (FULL + " --schedule one", "'one' is not a valid integer"),
        (FULL.replace("x=4*n", "x=3GiB"), "--buffer x: 3221225472 bytes, a run holds up to"),
    ],
)
def test_what_cannot_be_asked_for(ran: Any, words: str, said: str) -> None:
    result = ran(*words.split())
    assert said in result.err
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err


def test_files_that_cannot_be_run(ptxlint: Any, ran: Any, tmp_path: Path) -> None:
    several = ptxlint("run", "all.ptx", "--block", "1")
    assert "all.ptx has 9 kernels, choose one with --kernel: scale, loop" in several.err
    (tmp_path / "text.ptx").write_text("hello")
    (tmp_path / "none.ptx").write_text(HEAD)
    (tmp_path / "bad.ptx").write_text(HEAD + ".entry k()\n{\nbra nowhere;\n}\n")
    (tmp_path / "rest.ptx").write_text(HEAD + ".entry k() { ret; }\nmov.u32 %r1, 0;\n")
    for file, said in (
        ("text.ptx", "not PTX"),
        ("none.ptx", "no kernel in this file"),
        ("rest.ptx", "rest.ptx:5:1: error: found 'mov', expected a directive"),
        ("bad.ptx", "label nowhere is not defined"),
        ("missing.ptx", "no such file or folder"),
    ):
        result = ptxlint("run", file, "--block", "1")
        assert (result.code, said in result.err) == (2, True), result.err


def test_a_launch_that_no_memory_holds(ran: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda name: 8)
    result = ran(*FULL.split())
    assert (result.code, "this machine has 0.0 GiB" in result.err) == (2, True)
