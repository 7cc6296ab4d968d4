"""Commands: exit codes, bad input, bad options. Each says one clear thing and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ptxlint.cli.output import coloured
from ptxlint.errors import did_you_mean
from ptxlint.version import VERSION

ROOT = Path(__file__).parents[2]
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def entry(body: str = "", name: str = "k", parameters: str = "", header: str = "") -> str:
    return (
        f".visible .entry {name}({parameters}) {header}\n{{\n"
        f".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n{body}\nret;\n}}\n"
    )


PARAMETERS = ".param .u64 k_param_0, .param .u32 k_param_1"
GOOD = HEAD + entry("mov.u32 %r1, %tid.x;", parameters=PARAMETERS)
CALLED_PTX = "int main() { return 0; }\n"

Ptxlint = Callable[..., Any]


# --- bad input: file content, exit code, what is said


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        pytest.param("", 2, "empty: expected .version", id="empty file"),
        pytest.param("\n\n// nothing\n", 2, "expected .version", id="only a comment"),
        pytest.param(HEAD, 3, "0 of 0 kernels", id="no kernel"),
        pytest.param(b"\x7fELF\x02\x01\x01" + bytes(100), 2, "without PTX", id="cubin"),
        pytest.param(bytes(range(256)), 2, "not PTX", id="binary"),
        pytest.param(CALLED_PTX, 2, "not PTX: found 'int', expected .version", id="other text"),
        pytest.param(GOOD[:-20], 2, "k.ptx:7:9: error: found the end of the file", id="cut off"),
        pytest.param(HEAD + "// é\n" + entry(), 1, "non-ASCII character U+00E9", id="non-ASCII"),
        pytest.param(
            HEAD + entry("frob.u32 %r1, %r2;"), 0, "note: frob.u32 is not in", id="unknown opcode"
        ),
        pytest.param(
            HEAD + entry("mov.u32 %r9, 1;"), 2, "register %r9 is not declared", id="register"
        ),
        pytest.param(HEAD + entry("bra nowhere;"), 2, "label nowhere", id="undefined label"),
        pytest.param(HEAD + entry() + entry(), 2, "a second definition of 'k'", id="two kernels"),
        pytest.param(HEAD + "x" * 200_000, 2, "found '", id="long line"),
        pytest.param(
            HEAD + "// " + "x" * 200_000 + "\n" + entry(), 0, "1 of 1 kernel", id="long comment"
        ),
        pytest.param(
            HEAD + entry("mov.b32 %r1, " + "(" * 100_000), 2, "nested more than", id="brackets"
        ),
        pytest.param(HEAD + entry("{" * 100_000), 2, "nested more than", id="braces"),
        pytest.param(HEAD + "/*" * 100_000, 2, "no closing '*/'", id="open comments"),
    ],
)
def test_bad_input(
    ptxlint: Ptxlint, tmp_path: Path, content: str | bytes, code: int, said: str
) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "k.ptx").write_bytes(data)
    result = ptxlint("k.ptx")
    assert said in result.out
    assert (result.code, result.err) == (code, "")
    assert "internal error" not in result.out
    assert max(map(len, result.out.splitlines())) < 400
    assert result.out.splitlines()[-1].endswith(" s")


def test_one_broken_kernel_does_not_stop_the_others(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + entry("bra nowhere;", "bad") + entry("", "good"))
    result = ptxlint("k.ptx")
    assert (result.code, "1 of 2 kernels" in result.out) == (2, True)


def test_each_bad_instruction_of_a_kernel_is_reported_in_the_order_of_the_text(
    ptxlint: Ptxlint, tmp_path: Path
) -> None:
    callee = ".func f() {\n.reg .b32 %x; mov.b32 %x, %lost;\nret; }\n"
    body = "@%p7 bra nowhere;\ncall f;\ncall f;\nmov.u32 %r1, %tid.x;\nbra nowhere;"
    (tmp_path / "k.ptx").write_text(HEAD + callee + entry(body, parameters=".param .foo a"))
    result = ptxlint("--output-format", "concise", "k.ptx")
    assert result.code == 2
    assert result.out.splitlines()[:-1] == [
        "k.ptx:5:15: error: kernel k is not analysed: register %lost is not declared",
        "k.ptx:7:19: error: a: found .foo, expected the type of a variable",
        "k.ptx:10:1: error: register %p7 is not declared",
        "k.ptx:14:1: error: label nowhere is not defined in this function",
    ]


def test_many_bad_instructions_are_counted(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + entry("mov.u32 %r9, 1;\n" * 100))
    result = ptxlint("--output-format", "concise", "k.ptx")
    said = [line for line in result.out.splitlines() if "error:" in line]
    assert (len(said), said[-1]) == (21, "k.ptx:27:1: error: and 80 more in kernel k")


# --- options: command line, exit code, the whole of standard error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.ptx"], "missing.ptx: no such file or folder"),
        ([""], "an empty path names no file"),
        (["*.nothing"], "*.nothing: no such file or folder"),
        (["kernel.py"], "kernel.py: this is Python: give the PTX that it compiles to"),
        (["--block", "0", "k.ptx"], "--block 0: x is 0, expected 1 to 1024"),
        (["--block", "2048", "k.ptx"], "--block 2048: 2048 threads, a block has at most 1024"),
        (["--block=256", "--block=128", "k.ptx"], "--block 128: given twice, '256' came first"),
        (["--grid=1", "--grid=1", "k.ptx"], "--grid 1: given twice, '1' came first"),
        (["run", "--shared=8", "--shared=4", "k.ptx"], "--shared 4: given twice, '8' came first"),
        (["contract", "--params=a", "--params=b", "k.ptx"], "--params b: given twice, 'a' came"),
        (["--arg", "m=3", "k.ptx"], "--arg m: no kernel has a parameter m, this kernel's are"),
        (["--kernel", "reduce", "k.ptx"], "--kernel reduce: no kernel of this name, there is k"),
        (["--arch", "h100", "k.ptx"], "--arch h100: expected a target like sm_80"),
        (["--select", "nothing", "k.ptx"], "--select nothing: no such rule"),
        (["--color", "blue", "k.ptx"], "'blue' is not one of"),
        (["--bolck", "32", "k.ptx"], "No such option"),
        (["--block"], "requires an argument"),
        (["check"], "Missing argument 'PATH...'"),
        (["rule", "nothing"], "rule nothing: no such rule"),
    ],
)
def test_wrong_usage(ptxlint: Ptxlint, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    (tmp_path / "kernel.py").write_text("")
    result = ptxlint(*arguments)
    assert said in result.err
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err


def test_a_folder_without_ptx_is_not_clean(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = ptxlint("empty")
    assert "empty: error: no .ptx file in this folder" in result.out
    assert "nothing was analysed" in result.out
    assert result.code == 2


# --- what is checked


def test_folders_patterns_and_files(ptxlint: Ptxlint, tmp_path: Path) -> None:
    for name in ("a/one.ptx", "a/b/two.ptx", "a/.hidden/three.ptx", "four.ptx", "a/other.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(GOOD)
    for arguments, files in [
        (["a"], 2),
        (["a", "four.ptx"], 3),
        (["a", "a/one.ptx"], 2),
        (["a/**/*.ptx"], 2),
        (["a/other.txt"], 1),
        (["."], 3),
    ]:
        report = json.loads(ptxlint("check", "--output-format", "json", *arguments).out)
        assert report["summary"]["files"] == files, arguments


def test_check_is_the_default_command(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    for arguments in (["k.ptx"], ["check", "k.ptx"], ["--block", "256", "k.ptx"]):
        assert ptxlint(*arguments).code == 0, arguments


def test_flags_may_come_before_the_command(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + entry("ret;"))
    behind = ptxlint("contract", "--no-cache", "k.ptx")
    assert ptxlint("--no-cache", "contract", "k.ptx") == behind
    (tmp_path / "contract").write_text(HEAD + entry("ret;"))
    assert ptxlint("--no-cache", "contract").out.startswith("no findings\n")
    said = ptxlint("--kernel", "contract", "k.ptx").err
    assert said == "ptxlint: --kernel contract: no kernel of this name, there is k\n"


def test_standard_input_has_a_name(
    ptxlint: Ptxlint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text(HEAD + entry("bra nowhere;"))
    for arguments, name in [(["-"], "<stdin>"), (["--stdin-filename", "a.ptx", "-"], "a.ptx")]:
        with open(tmp_path / "in") as file:
            monkeypatch.setattr(sys, "stdin", file)
            result = ptxlint("--output-format", "concise", *arguments)
        assert result.out.startswith(f"{name}:7:1: error:"), result.out


@pytest.mark.parametrize("arguments", [["-", "-"], ["costs", "-", "-"], ["contract", "-", "-"]])
def test_standard_input_is_named_once(ptxlint: Ptxlint, arguments: list[str]) -> None:
    result = ptxlint(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == "ptxlint: standard input (-) is named twice, and can be read once\n"


def test_strict_wants_everything(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + entry("frob.u32 %r1, %r2;"))
    assert ptxlint("k.ptx").code == 0
    assert ptxlint("--strict", "k.ptx").code == 3


@pytest.mark.parametrize("stray", ["// é\n", "#pragma once\n", "// \0\n"])
def test_what_ptxas_refuses_counts_as_a_warning(
    ptxlint: Ptxlint, tmp_path: Path, stray: str
) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + stray + entry())
    result = ptxlint("k.ptx", "--strict")
    assert result.code == 1 and "\n1 warning\n" in result.out
    assert ptxlint("k.ptx", "--fail-on", "error").code == 0
    assert ptxlint("contract", "k.ptx").code == 1
    assert 'failures="1"' in ptxlint("k.ptx", "--output-format", "junit").out


def test_the_launch_stands_in_the_report(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    options = ["--params", "in,n", "--block", "32x8", "--arg", "n=1..64", "--buffer", "in=4*n"]
    said = "launch: block 32x8, n=1..64, in 4..256 bytes (command line)"
    assert said in ptxlint(*options, "k.ptx").out.splitlines()
    assert "launch: unspecified (every grid and block)" in ptxlint("k.ptx").out.splitlines()


# --- the process as a whole

PLAIN = "from ptxlint.cli import main; main()"


def python(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_version_imports_click_alone(tmp_path: Path) -> None:
    code = (
        "import sys, ptxlint.cli; code = ptxlint.cli.called_with(['--version']);"
        "print(code, sorted({'numpy', 'networkx', 'pyparsing', 'cupy', 'analyses'} &"
        " sys.modules.keys()))"
    )
    result = python("-c", code, cwd=tmp_path)
    assert result.stdout == f"ptxlint {VERSION}\n0 []\n"


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [sys.executable, "-c", PLAIN, "k.ptx"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(write)
    assert (process.returncode, process.stderr) == (0, b"")


def test_the_current_folder_is_not_imported(tmp_path: Path) -> None:
    for name in ("analyses", "click"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('not ours')\n")
    result = python("-m", "ptxlint", "--arch", "nonsense", "k.ptx", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (
        2,
        "ptxlint: --arch nonsense: expected a target like sm_80 or sm_90a\n",
    )


def test_letters_that_the_terminal_lacks(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEAD + "// é\n" + entry())
    result = python("-c", PLAIN, "k.ptx", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (1, "")
    assert "// ?" in result.stdout


@pytest.mark.parametrize(
    ("terminal", "environment", "choice", "expected"),
    [
        (True, {}, "auto", True),
        (False, {}, "auto", False),
        (True, {"NO_COLOR": "1"}, "auto", False),
        (True, {"TERM": "dumb"}, "auto", False),
        (True, {"NO_COLOR": "1"}, "always", True),
        (False, {}, "always", True),
        (True, {}, "never", False),
    ],
)
def test_colour(
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    environment: dict[str, str],
    choice: str,
    expected: bool,
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: terminal))
    assert coloured(choice) == expected


def test_colour_reaches_the_report(ptxlint: Ptxlint, tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(GOOD)
    assert "\x1b[" in ptxlint("--color", "always", "k.ptx").out
    assert "\x1b[" not in ptxlint("k.ptx").out


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION


def test_a_slip_of_the_fingers() -> None:
    assert did_you_mean("out-of-bound", ["out-of-bounds"]) == "; did you mean out-of-bounds?"
    assert did_you_mean("zzz", ["out-of-bounds"]) == ""


def test_a_solver_that_is_not_there(ptxlint: Ptxlint, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra: who asks for it is told what to install."""
    monkeypatch.setattr("ptxlint.options.find_spec", lambda name: None)
    result = ptxlint("check", "--z3", "kernel.ptx")
    assert result.code == 2
    assert "z3 is not installed" in result.err
    assert "[z3]" in result.err


def test_files_without_kernels_are_passed_over(ptxlint: Ptxlint, tmp_path: Path) -> None:
    function = HEAD + ".func f() { ret; }\n"
    for name, text in (("a", function), ("b", GOOD), ("c", function)):
        (tmp_path / f"{name}.ptx").write_text(text)
    assert "note" not in (result := ptxlint(".")).out
    assert (result.code, "1 of 1 kernel" in result.out) == (0, True)
    alone = ptxlint("a.ptx")
    assert (alone.code, alone.out.splitlines()[0]) == (3, "a.ptx: note: no kernel in this file")
    both = ptxlint("a.ptx", "c.ptx").out.splitlines()[0]
    assert both == "a.ptx: note: no kernel in this file, nor in 1 other file"
