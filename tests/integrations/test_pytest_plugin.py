"""The pytest plug-in, in projects of a few lines."""

from __future__ import annotations

from importlib import import_module

import pytest

import ptxlint
from ptxlint import Contract
from tests.integrations.conftest import BAD, GOOD, LAUNCH

PLUGIN = ("-p", "ptxlint.integrations.pytest_plugin", "-p", "no:cacheprovider")
USE = """
import pytest
from ptxlint import Contract

LAUNCH = Contract(block=32, grid=1, params="x", buffers={"x": 512})

def test_plain(ptxlint):
    report = ptxlint("k.ptx", contract=LAUNCH)
    assert report.summary.analysed == 1

@pytest.mark.ptxlint(contract=LAUNCH, ignore="misaligned-access")
class TestMarked:
    def test_marker(self, ptxlint):
        ptxlint("k.ptx")

    @pytest.mark.ptxlint(ignore=())
    def test_nearest_marker(self, ptxlint):
        ptxlint("k.ptx")

    def test_call(self, ptxlint):
        ptxlint("k.ptx", ignore=())

@pytest.mark.ptxlint(contract=LAUNCH, ignore="misaligned-access", require="bounds,costs")
def test_required(ptxlint):
    ptxlint("k.ptx")
"""


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other plug-in is loaded; what a check imports stays imported, as numpy must."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    ptxlint.check(BAD, contract=Contract.from_options(LAUNCH.split()))
    import_module("ptxlint.cli.check")


@pytest.mark.parametrize(("kernel", "passed"), [(GOOD, 5), (BAD, 2)])
def test_the_fixture_fails_unless_the_report_is_clean(
    pytester: pytest.Pytester, kernel: str, passed: int
) -> None:
    pytester.path.joinpath("k.ptx").write_text(kernel)
    result = pytester.makepyfile(USE) and pytester.runpytest(*PLUGIN)
    result.assert_outcomes(passed=passed, failed=5 - passed)
    if passed < 5:
        result.stdout.fnmatch_lines(["*NotClean: k.ptx:*: error?misaligned-access? *"])
        result.stdout.no_fnmatch_line("*assert_clean*")


def test_files_are_checked_where_they_are_asked_for(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("good.ptx").write_text(GOOD)
    pytester.path.joinpath("bad.ptx").write_text(BAD)
    pytester.path.joinpath("pytest.ini").write_text(f"[pytest]\nptxlint_options = {LAUNCH}\n")
    assert pytester.runpytest(*PLUGIN).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = pytester.runpytest(*PLUGIN, "--ptxlint")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*bad.ptx:*: error?misaligned-access? *", "1 error"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("garbage", "*k.ptx:1:1: error: *"),
        (".version 8.0\n.target sm_80\n", "*no kernel in this file"),
    ],
)
def test_a_file_that_is_not_analysed_fails(pytester: pytest.Pytester, text: str, said: str) -> None:
    pytester.path.joinpath("k.ptx").write_text(text)
    result = pytester.runpytest(*PLUGIN, "--ptxlint", "k.ptx")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])


def test_wrong_options_are_one_line(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("k.ptx").write_text(GOOD)
    result = pytester.runpytest(*PLUGIN, "--ptxlint", "k.ptx", "-o", "ptxlint_options=--select nil")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["ptxlint: --select nil: no such rule*"])
    pytester.makepyfile("import pytest\n@pytest.mark.ptxlint('all')\ndef test(ptxlint): pass")
    result = pytester.runpytest(*PLUGIN)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the marker is ptxlint(option=value)"])


def test_the_marker_is_known(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(*PLUGIN, "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.ptxlint(?*options): *"])
