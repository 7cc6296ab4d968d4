"""What a project declares for all its checks: where it stands, what counts before it, what is
refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ptxlint.configuration.keys import BY_NAME, TABLES
from ptxlint.configuration.settings import Setting, settings
from ptxlint.contracts import files

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
    assert launch(ptxlint) == f"block 64, n=7 (../{name})"
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
        (
            "ptxlint.toml",
            "\nselekt = []",
            "unknown key selekt; did you mean select?",
        ),
        (
            "ptxlint.toml",
            'select = ["trafic"]',
            "1: select trafic: no such rule or tag",
        ),
        ("ptxlint.toml", 'extend-ignore = "x"', "ptxlint.toml:1: ignore x: no such rule or tag"),
        (
            "ptxlint.toml",
            'fail-on = "eror"',
            "1: fail-on eror: expected error, warning",
        ),
        ("ptxlint.toml", "strict = 1", "ptxlint.toml:1: strict: expected true or false"),
        ("ptxlint.toml", 'require = ["bound"]', "ptxlint.toml:1: require bound: expected bounds, "),
        (
            "ptxlint.toml",
            "[[override]]\npath = 'x'",
            "1: override: expected the rules",
        ),
        (
            "ptxlint.toml",
            "[[override]]\npath = 'p'\nignore = 'x'",
            "3: override: ignore x: no such rule",
        ),
        (
            "ptxlint.toml",
            "[[override]]\nwhy = 'x'",
            "2: unknown key why of an override",
        ),
        ("ptxlint.toml", "override = 3", "ptxlint.toml: expected [[override]] tables"),
        ("ptxlint.toml", "contract = 3", "ptxlint.toml:1: contract: expected a list of texts"),
        ("ptxlint.toml", 'contract = ["no.toml"]', "no.toml: no such file or directory"),
        ("ptxlint.toml", "[[launch]\n", "ptxlint.toml:1: expected"),
        ("ptxlint.toml", "strict = true\nignore = [\n\n", "ptxlint.toml:2: invalid value\n"),
        ("ptxlint.toml", "[[launch]]\nargs = { m = 1 }", "ptxlint.toml:2: arg m: no kernel has"),
        ("pyproject.toml", "[tool]\nptxlint = 3", "pyproject.toml: tool.ptxlint: expected a table"),
        (
            "pyproject.toml",
            "[tool.ptxlint]\narch = 3",
            "toml:2: tool.ptxlint.arch: expected",
        ),
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


def test_the_command_line_overrules_it_and_lists_that_extend_add_up(ptxlint: Ptxlint) -> None:
    kernel()
    Path("ptxlint.toml").write_text(
        'fail-on = "error"\nselect = ["memory"]\nextend-ignore = ["data-race"]\n'
    )
    asked = settings({"fail_on": "note", "extend_ignore": ("trap,index-overflow",)})
    assert asked.values["fail-on"] == Setting("note", "command line")
    assert asked.values["select"] == Setting(("memory",), "ptxlint.toml:2")
    assert asked.ignore == ("data-race", "trap", "index-overflow")
    assert asked.values["extend-ignore"].origin == "ptxlint.toml:3 and command line"
    assert asked.values["arch"] == Setting("sm_80", "default")


def test_strict_of_a_file_can_be_taken_back(ptxlint: Ptxlint) -> None:
    Path("k.ptx").write_text(KERNEL.replace("DIRECTIVE", "").replace("ret;", "frob; ret;"))
    Path("ptxlint.toml").write_text("strict = true")
    assert (ptxlint("k.ptx").code, ptxlint("k.ptx", "--no-strict").code) == (3, 0)


def test_config_prints_every_key_with_its_origin(ptxlint: Ptxlint) -> None:
    Path("pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.ptxlint]\nstrict = true\nbaseline = "known.toml"\n'
        '[[tool.ptxlint.override]]\npath = "gen/*"\nignore = ["traffic"]\nreason = "vendored"\n'
        + UNDER
    )
    out = ptxlint("config").out
    assert re.search(r"^strict = true +# pyproject.toml:4$", out, re.M)
    assert re.search(r'^baseline = "known.toml" +# pyproject.toml:5$', out, re.M)
    assert re.search(r'^fail-on = "warning" +# default$', out, re.M)
    assert "[[override]]  # pyproject.toml:6" in out and 'reason = "vendored"' in out
    assert "[[launch]]  # pyproject.toml:11" in out
    Path("ptxlint.toml").write_text(out)
    printed = [line.partition("  #")[0].rstrip() for line in out.splitlines()[1:]]
    again = ptxlint("config").out.splitlines()[1:]
    assert [line.partition("  #")[0].rstrip() for line in again] == printed


def test_files_and_folders_that_it_names_stand_beside_it(ptxlint: Ptxlint) -> None:
    Path("ptxlint.toml").write_text('source = ["src"]\nbaseline = "known"\n')
    asked = settings({}, str(Path("ptxlint.toml").resolve()))
    assert asked.names("source") == ("src",)
    asked = settings({}, "../" + Path.cwd().name + "/ptxlint.toml")
    assert asked.text("baseline") == f"../{Path.cwd().name}/known"


def test_the_schema_for_editors_says_what_the_reader_takes(ptxlint: Ptxlint) -> None:
    schema = json.loads(ptxlint("config", "--schema").out)
    assert [*schema["properties"]] == [*BY_NAME, *TABLES]
    assert [*schema["properties"]["launch"]["items"]["properties"]] == [*files.KEYS]
    for name, said in schema["properties"].items():
        assert said["description"], name
        if "default" in said:
            read = BY_NAME[name].read(said["default"])
            assert BY_NAME[name].default in (read, ())
    jsonschema = pytest.importorskip("jsonschema")
    wrong = {"fail-on": "eror", "strict": 1, "require": ["bound"], "override": [{}], "selekt": []}
    for key, value in wrong.items():
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({key: value}, schema)
    jsonschema.validate({"select": "traffic", "ignore": [], "launch": [{"block": 3}]}, schema)
