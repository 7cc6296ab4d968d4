"""What a project declares for all its checks: where it stands, what counts before it, what is
refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Ptxlint

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n, .param .u64 x) DIRECTIVE
{
    ret;
}
"""
LAUNCH = """
[[launch]]
kernel = "k"
params = ["n", "x"]
block = 64
args = { n = 7 }
"""
UNDER = LAUNCH.replace("[[", "[[tool.ptxlint.")


def kernel(directive: str = "") -> None:
    Path("k.ptx").write_text(KERNEL.replace("DIRECTIVE", directive))


def launch(ptxlint: Ptxlint, *options: str) -> str:
    """The line that says which launch was checked."""
    result = ptxlint("k.ptx", *options)
    assert result.code == 0, result.out + result.err
    (line,) = [line for line in result.out.splitlines() if line.startswith("launch: ")]
    return line.removeprefix("launch: ")


@pytest.mark.parametrize(("name", "text"), [("ptxlint.toml", LAUNCH), ("pyproject.toml", UNDER)])
def test_it_is_found_here_or_in_a_folder_above(
    ptxlint: Ptxlint, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    Path(name).write_text(text)
    kernel()
    assert launch(ptxlint) == f"block 64, n=7 ({name})"
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    kernel()
    assert launch(ptxlint) == f"block 64, n=7 ({Path.cwd().parent / name})"
    Path("pyproject.toml").write_text('[project]\nname = "ptxlint-user"\n')
    assert launch(ptxlint).startswith("block 64")
    Path("ptxlint.toml").write_text("")
    assert launch(ptxlint) == "unspecified (every grid and block)"


def test_files_that_it_names_stand_beside_it(ptxlint: Ptxlint) -> None:
    kernel()
    Path("more").mkdir()
    Path("more", "a.toml").write_text(LAUNCH)
    Path("more", "p.toml").write_text('contract = ["a.toml"]\n')
    assert launch(ptxlint, "--config", "more/p.toml") == "block 64, n=7 (more/a.toml)"


def test_the_first_source_counts_and_the_line_says_which_were_used(ptxlint: Ptxlint) -> None:
    """Each says another number of threads."""
    kernel(".maxntid 512")
    Path("ptxlint.toml").write_text(
        'contract = "named.toml"\n[[launch]]\nblock = 4\n[[launch]]\nblock = 8\n'
    )
    Path("named.toml").write_text("[[launch]]\nblock = 16\n")
    Path("c.toml").write_text("[[launch]]\nblock = 2\n")
    said = ("--contract", "c.toml")
    assert launch(ptxlint, "--block", "1", *said) == "block 1 (command line and PTX directives)"
    assert launch(ptxlint, *said) == "block 2 (c.toml and PTX directives)"
    assert launch(ptxlint) == "block 4 (ptxlint.toml and PTX directives)"
    Path("ptxlint.toml").write_text('contract = "named.toml"')
    assert launch(ptxlint) == "block 16 (named.toml and PTX directives)"
    Path("ptxlint.toml").unlink()
    assert launch(ptxlint) == "blocks of up to 512 threads (PTX directives)"
    kernel()
    assert launch(ptxlint) == "unspecified (every grid and block)"


def test_what_one_source_leaves_open_another_may_say(ptxlint: Ptxlint) -> None:
    kernel()
    Path("ptxlint.toml").write_text("[[launch]]\nblock = 4\ngrid = 2\nargs = { 0 = 5 }\n")
    Path("c.toml").write_text('[[launch]]\nblock = 2\nneeds = ["nctaid.x > 1"]\n')
    assert launch(ptxlint, "--arg", "0=7", "--contract", "c.toml") == (
        "block 2, grid 2, n=7, nctaid.x > 1 (command line and c.toml and ptxlint.toml)"
    )


def test_the_names_of_parameters_are_used_where_a_contract_is_inferred(ptxlint: Ptxlint) -> None:
    kernel()
    Path("ptxlint.toml").write_text(LAUNCH)
    assert ptxlint("contract", "k.ptx").out.startswith("k(n: ")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("ptxlint.toml", "[[launch]]\nblok = 3", "ptxlint.toml:2: unknown key blok"),
        ("ptxlint.toml", "launch = 3", "ptxlint.toml: expected [[launch]] tables"),
        ("ptxlint.toml", "select = []", "unknown key select, expected contract or launch"),
        ("ptxlint.toml", "contract = 3", "ptxlint.toml: contract: expected a file in quotes"),
        ("ptxlint.toml", 'contract = ["no.toml"]', "no.toml: no such file or directory"),
        ("ptxlint.toml", "[[launch]\n", "ptxlint.toml:1: expected"),
        ("ptxlint.toml", "[[launch]]\nargs = { m = 1 }", "ptxlint.toml:2: arg m: no kernel has"),
        ("pyproject.toml", "[tool]\nptxlint = 3", "pyproject.toml: tool.ptxlint: expected a table"),
        ("pyproject.toml", "[tool.ptxlint]\narch = 3", "unknown key tool.ptxlint.arch"),
        (
            "pyproject.toml",
            '[project]\n[[tool.ptxlint.launch]]\n[[tool.ptxlint.launch]]\nblock = "x"',
            "pyproject.toml:4: block x: expected one to three sizes",
        ),
    ],
)
def test_refused(ptxlint: Ptxlint, name: str, text: str, told: str) -> None:
    kernel()
    Path(name).write_text(text)
    result = ptxlint("k.ptx")
    assert (result.code, result.out) == (2, "")
    assert told in result.err, result.err


def test_a_configuration_that_is_named_must_be_there(ptxlint: Ptxlint) -> None:
    kernel()
    result = ptxlint("k.ptx", "--config", "no.toml")
    assert (result.code, "no.toml: no such file or directory" in result.err) == (2, True)
