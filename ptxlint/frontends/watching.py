"""The launches of a piece of a program: recorded as they happen, and each distinct one checked
once, afterwards."""

from __future__ import annotations

import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from ptxlint.api import words
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch, merged, text_of
from ptxlint.errors import Error, NotClean
from ptxlint.frontends.kernels import LoadedKernel
from ptxlint.options import Options
from ptxlint.results.finding import Finding
from ptxlint.results.report import Report

OWN = str(Path(__file__).parents[1])
STANDARD = sysconfig.get_path("stdlib")
ON_FINDING = ("warn", "raise", "ignore")

Late = Callable[[], tuple[LoadedKernel, ConcreteLaunch] | None]
"""A kernel and its launch, compiled when they are asked for; None if nothing was launched."""


class KernelWarning(UserWarning):
    """A finding in a kernel that was launched."""


class Watch(Struct):
    """The launches that were seen. ``skipped`` says of each that could not be captured why."""

    launched: list[tuple[LoadedKernel, RecordedLaunch]] = []
    skipped: list[str] = []
    reports: tuple[Report, ...] = ()
    options: Options | None = None
    _late: list[tuple[Late, str]] = []
    _checked: set[object] = set()

    def note(self, describe: Callable[[], Late]) -> None:
        """A launch, which is described now: its arrays may be gone later. The kernel is compiled
        later, so that the program is not held up. An error is kept: the program goes on."""
        site = call_site()
        try:
            self._late.append((describe(), site))
        except Exception as error:
            self.skipped.append(missed(site, error))

    def settle(self, test: str = "") -> None:
        """Turns what was launched into launches that can be recorded and checked; their site is the
        call, or the test that made it."""
        late, self._late = self._late, []
        for find, call in late:
            site = test or call
            try:
                found = find()
            except Exception as error:
                self.skipped.append(missed(site, error))
                continue
            if found is not None:
                loaded, launch = found
                self.launched.append((loaded, RecordedLaunch(loaded.kernel.name, launch, site)))

    @property
    def launches(self) -> list[RecordedLaunch]:
        """Each distinct launch, with its count."""
        self.settle()
        return merged(one for _, one in self.launched)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the launches as a record for ``ptxlint check --launches``."""
        Path(path).write_text(text_of(self.launches), "utf-8")

    def check(self) -> tuple[Report, ...]:
        """Checks each distinct launch that was not checked before; all reports so far."""
        self.settle()
        kernels: dict[str, LoadedKernel] = {}
        new: dict[str, list[RecordedLaunch]] = {}
        for loaded, one in self.launched:
            name = f"{loaded.digest} {loaded.kernel.name}"
            if (name, one.key) not in self._checked:
                self._checked.add((name, one.key))
                kernels.setdefault(name, loaded)
                new.setdefault(name, []).append(one)
        for name, several in new.items():
            found = kernels[name].check(several, self.options)
            self.reports = (*self.reports, found)
        return self.reports

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for report in self.check() for finding in report.findings)

    def assert_clean(self) -> None:
        """Raises NotClean, with the concise reports, where there is a finding or an error, or a
        launch that could not be captured."""
        bad = [str(report) for report in self.check() if report.findings or report.failed]
        if bad or self.skipped:
            raise NotClean("\n".join([*bad, *(f"not captured: {why}" for why in self.skipped)]))

    def conclude(self, on_finding: str) -> None:
        """Warns of what was found, raises NotClean, or does nothing."""
        if on_finding == "raise":
            self.assert_clean()
        elif on_finding == "warn":
            for finding in self.findings:
                text = f"{finding.location.short}: {finding.rule}: {finding.message}"
                warnings.warn(KernelWarning(text), stacklevel=4)
            for why in self.skipped:
                warnings.warn(KernelWarning(f"not captured: {why}"), stacklevel=4)
        if on_finding != "ignore" and not self.launched and not self.skipped:
            warnings.warn(KernelWarning("no launch was captured"), stacklevel=4)


@contextmanager
def watching(
    install: Callable[[Watch], Callable[[], None]],
    on_finding: str,
    select: str | Iterable[str] = (),
    ignore: str | Iterable[str] = (),
) -> Iterator[Watch]:
    """Installs a watch, and takes it away in the end. Raises Error."""
    if on_finding not in ON_FINDING:
        raise Error(f"on_finding {on_finding!r}: expected {', '.join(ON_FINDING)}")
    watch = Watch(options=Options(select=words(select), ignore=words(ignore)))
    undo = install(watch)
    try:
        yield watch
    finally:
        undo()
    watch.conclude(on_finding)


def missed(site: str, error: Exception) -> str:
    """Why the launch at a site could not be captured."""
    why = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
    return f"{site}: {why}" if site else why


def exchanged(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Puts a value in the place of an attribute; what is returned takes that back."""
    original = getattr(owner, name)
    setattr(owner, name, value)
    return lambda: setattr(owner, name, original)


# --- where a launch is written


def frames() -> Iterator[Any]:
    """The frames of the callers, those of this package excepted, innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OWN):
            yield frame
        frame = frame.f_back  # type: ignore[assignment]


def call_site() -> str:
    """The file and the line of the innermost caller in a file that is not installed, and that
    PyTorch did not generate; empty if there is none, as in the threads of a library."""
    for frame in frames():
        name, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
        installed = "site-packages" in name or name.startswith((STANDARD, "<"))
        if not installed and not module.startswith("torch."):
            return f"{shown(name)}:{frame.f_lineno}"
    return ""


def shown(path: str) -> str:
    """The path as it is called from the current folder, where it lies inside of that."""
    try:
        return str(Path(path).resolve().relative_to(Path.cwd()))
    except ValueError:
        return path
