"""The options that say how a check runs: in processes, on a cluster, with a cache. They change
nothing in its report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from ptxlint.cli.output import Refusal
from ptxlint.errors import Error
from ptxlint.reading import reason

if TYPE_CHECKING:
    from ptxlint.cache import Cache
    from ptxlint.checker import Running
    from ptxlint.executors import Pool

PROGRESS_AFTER = 1.0  # seconds
AUTO = "auto"
MUCH = 60_000  # characters of kernels, which take a second or two

CACHE = (
    click.option("--cache-dir", metavar="DIR", help="Keep results there, not in the user's cache."),
    click.option("--no-cache", is_flag=True, help="Analyse all kernels, and keep no results."),
)
JOBS = click.option(
    "-j", "--jobs", metavar="N", default=AUTO, show_default=True,
    help="Analyse so many kernels at once, in processes; auto: one for each core if that "
    "takes over a second or so.",
)  # fmt: skip
RUNNING = (
    JOBS,
    click.option(
        "--executor", metavar="dask:ADDRESS", help="Analyse on the workers of a Dask cluster."
    ),
    *CACHE,
)


def running_options(command: Any) -> Any:
    return with_options(command, RUNNING)


def cache_options(command: Any) -> Any:
    return with_options(command, CACHE)


def with_options(command: Any, options: Sequence[Any]) -> Any:
    for option in reversed(options):
        command = option(command)
    return command


@contextmanager
def running(options: dict[str, Any]) -> Iterator[Running]:
    """How the check runs; new results are in the cache at the end."""
    from msgspec.structs import replace

    if options["executor"] is not None and options["jobs"] != AUTO:
        raise Refusal("--jobs: not with --executor, whose cluster has its own workers")
    automatic = options["executor"] is None and options["jobs"] == AUTO
    chosen = spread if automatic else given(options["jobs"], options["executor"])
    progress = ProgressLine()
    try:
        with serial(options) as alone:
            yield replace(alone, pool=chosen, progress=progress)
    finally:
        progress.end()


def spread(sizes: Sequence[int]) -> Pool | None:
    """Processes, where several kernels are large enough that it pays to start them."""
    if len(sizes) < 2 or sum(sizes) < MUCH:
        return None
    from ptxlint.executors import have_processes, pool_of

    return pool_of(AUTO, None) if have_processes() else None


def given(jobs: str, executor: str | None) -> Callable[[Sequence[int]], Pool | None]:
    """The pool that the options name, for all kernels."""
    from ptxlint.executors import pool_of

    try:
        pool = pool_of(jobs, executor)
    except Error as error:
        raise Refusal(f"--{error}") from None
    return lambda sizes: pool


@contextmanager
def serial(options: dict[str, Any]) -> Iterator[Running]:
    """In this process, with the cache alone."""
    from ptxlint.checker import Running

    cache = cache_of(options)
    try:
        yield Running(cache=cache)
    finally:
        if cache is not None:
            cache.close()


def cache_of(options: dict[str, Any]) -> Cache | None:
    """The cache, or None. The user's own is done without where it cannot be used."""
    given: str | None = options["cache_dir"]
    if options["no_cache"]:
        if given is not None:
            raise Refusal("--cache-dir: not with --no-cache")
        return None
    from ptxlint.cache import Cache, default_folder

    try:
        return Cache(Path(given) if given is not None else default_folder(), warn)
    except OSError as error:
        if given is not None:
            warn(f"--cache-dir {given}: no cache: {reason(error)}")
        return None


def warn(line: str) -> None:
    from ptxlint.source import harmless

    click.echo(f"ptxlint: {harmless(line)}", err=True)


class ProgressLine:
    """The number of kernels that are done, on a terminal, where the work takes more than a
    second."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.shown = False

    def __call__(self, done: int, every: int) -> None:
        late = monotonic() - self.start > PROGRESS_AFTER
        if late and sys.stderr is not None and sys.stderr.isatty():
            self.write(f"\r{done} of {every} kernels\x1b[K")
            self.shown = True

    def end(self) -> None:
        if self.shown:
            self.write("\r\x1b[K")

    def write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
