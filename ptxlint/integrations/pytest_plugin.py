"""The pytest plug-in: a fixture, a marker, and ``--ptxlint``, which checks ``.ptx`` files and the
kernels that tests launch.

pytest imports this module in every project that has ptxlint installed: nothing else of the package
but ``marker`` is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ptxlint.integrations.marker import JUDGING, options_of

if TYPE_CHECKING:
    from ptxlint.results.report import Report

MARKER = (
    "ptxlint(**options): options of ptxlint.check for the fixture 'ptxlint' in this test, and"
    " for the kernels that it launches."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxlint", "static analysis of PTX")
    group.addoption("--ptxlint", action="store_true", help="Check .ptx files, each as a test, and"
                    " the kernels that tests launch.")  # fmt: skip
    group.addoption("--ptxlint-record", metavar="FILE", help="Record the launches of all tests, for"
                    " 'ptxlint check --launches FILE'.")  # fmt: skip
    about = "Options of 'ptxlint check' for the files that --ptxlint checks."
    parser.addini("ptxlint_options", about, type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER)
    record = config.getoption("--ptxlint-record")
    if config.getoption("--ptxlint") or record:
        from ptxlint.integrations.launches_of_tests import TestLaunches

        config.pluginmanager.register(TestLaunches(config, record), "ptxlint-launches")


# --- in a test


@pytest.fixture
def ptxlint(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """Checks PTX as ``ptxlint.check`` does and fails the test unless the report is clean; else it
    returns the report. ``fail_on``, ``strict`` and ``require`` are those of the command line. The
    marker ``ptxlint`` sets options for every call, the nearest marker counting most."""
    marked = options_of(request.node)

    def check(source: Any, **options: Any) -> Report:
        __tracebackhide__ = True
        from ptxlint.api import check as checked
        from ptxlint.errors import NotClean

        given = {**marked, **options}
        judging = {name: given.pop(name) for name in JUDGING if name in given}
        report = checked(source, **given)
        if report.exit_code(**judging):
            raise NotClean(str(report))
        return report

    return check


# --- files


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> PtxFile | None:
    if file_path.suffix == ".ptx" and parent.config.getoption("--ptxlint"):
        return PtxFile.from_parent(parent, path=file_path)
    return None


class PtxFile(pytest.File):
    """A file of PTX: one test."""

    def collect(self) -> Iterable[PtxTest]:
        yield PtxTest.from_parent(self, name="ptxlint")


class PtxTest(pytest.Item):
    """``ptxlint check FILE``, with the options and the configuration of the project: it passes if
    that exits with 0."""

    def runtest(self) -> None:
        from ptxlint.cli import called_with
        from ptxlint.errors import NotClean

        given, text = self.config.getini("ptxlint_options"), StringIO()
        with redirect_stdout(text), redirect_stderr(text):
            code = called_with(["check", *given, "--", str(self.path)])
        if code:
            raise NotClean(text.getvalue().rstrip())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report, without a traceback."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"ptxlint {self.path.name}"
