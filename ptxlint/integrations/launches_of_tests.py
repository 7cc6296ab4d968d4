"""The launches of tests, for the pytest plug-in: those of CuPy, Numba and Triton, and those that
run on the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from ptxlint import cupy, numba, triton
from ptxlint.api import contracts_in, words
from ptxlint.contracts import files
from ptxlint.contracts.records import RecordedLaunch, text_of
from ptxlint.errors import Error
from ptxlint.frontends import double, inductor
from ptxlint.frontends.kernels import LoadedKernel
from ptxlint.frontends.watching import Watch, exchanged
from ptxlint.integrations.marker import JUDGING, options_of
from ptxlint.options import Options

FRONT_ENDS = {"cupy": cupy.install, "numba.cuda": numba.install, "triton": triton.install}
"""What is watched where it is installed, and how."""


class TestLaunches:
    """Watches all tests: the kernels that one launches are checked when its call ends, and fail it.
    With a ``record``, they are added to that file in the end."""

    __test__ = False

    def __init__(self, config: pytest.Config, record: str | None) -> None:
        self.checks = bool(config.getoption("--ptxlint"))
        self.record = record
        self.watch = Watch()
        self.checked: set[object] = set()
        self.undo = list(installed(self.watch))
        if record is not None and not hasattr(config, "workerinput"):  # workers of xdist add to it
            Path(record).write_text("", "utf-8")

    def pytest_collection_finish(self) -> None:
        self.undo.append(inductor.install(self.watch))  # by now, tests have imported PyTorch

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        first = len(self.watch.launched)
        result = yield
        self.watch.settle(item.nodeid)
        if self.checks:
            failed = list(self.failures(self.watch.launched[first:], options_of(item)))
            skipped, self.watch.skipped = self.watch.skipped, []
            if failed or skipped:
                lost = [f"not captured: {why}" for why in skipped]
                pytest.fail("\n\n".join([*failed, *lost]), pytrace=False)
        return result

    def failures(
        self, launched: Sequence[tuple[LoadedKernel, RecordedLaunch]], marked: Mapping[str, Any]
    ) -> Iterator[str]:
        """What is wrong with launches: each distinct one is checked once for the same options."""
        judging = {name: marked[name] for name in JUDGING if name in marked}
        options = asked({name: said for name, said in marked.items() if name not in JUDGING})
        for kernel, launch in launched:
            key = (kernel.digest, launch.key, options, repr(judging))
            if key in self.checked:
                continue
            self.checked.add(key)
            report = kernel.check([launch], options)
            if report.exit_code(**judging):
                yield f"{launch.site} launched {report.kernels[0].launch}\n{report}"

    def pytest_sessionfinish(self) -> None:
        for undo in self.undo:
            undo()
        if self.record is not None:
            with open(self.record, "a", encoding="utf-8") as file:
                file.write(text_of(one for _, one in self.watch.launched))


def asked(marked: Mapping[str, Any]) -> Options:
    """The options of a marker, as ``ptxlint.check`` takes them. Raises Error."""
    said = dict(marked)
    found: dict[str, Any] = {"contracts": contracts_in(said.pop("contract", ()), files.read)}
    for name in ("select", "ignore"):
        found[name] = words(said.pop(name, ()))
    for name in ("kernel", "launches", "contracts"):  # of the fixture alone
        said.pop(name, None)
    unknown = said.keys() - {"any_grid", "arch", "pedantic", "z3"}
    if unknown:
        raise Error(f"the marker ptxlint: {min(unknown)} is no option of ptxlint.check")
    return Options(**found, **said)


def installed(watch: Watch) -> Iterator[Callable[[], None]]:
    """Installs the watch everywhere; what is yielded takes it back."""
    yield _of_runs(watch)
    for name, install in FRONT_ENDS.items():
        with suppress(Error, ModuleNotFoundError):
            if find_spec(name) is not None:
                yield install(watch)


def _of_runs(watch: Watch) -> Callable[[], None]:
    """Watches what runs on the interpreter."""
    original = double.execute

    def execute(loaded: LoadedKernel, grid: Any, block: Any, shared: int, values: Any,
                checks: str = double.CHECKS) -> None:  # fmt: skip
        launch = loaded.launch(grid, block, shared, values)
        watch.note(lambda: lambda: (loaded, launch))
        original(loaded, grid, block, shared, values, checks)

    return exchanged(double, "execute", execute)
