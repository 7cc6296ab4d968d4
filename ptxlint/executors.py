"""Many tasks on an executor of ``concurrent.futures``: here, in processes, or on a Dask cluster.

Each task gives one result under its number, in any order. Where a process dies, the tasks that it
may have died of are tried again, each alone; one whose process dies again is ``Lost``, and the
others go on. Dask does the same by itself.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from ptxlint.errors import Error

Task = TypeVar("Task")
Result = TypeVar("Result")
AHEAD = 1  # tasks that wait in an executor, so that no worker waits
PATIENCE = 30  # seconds for a cluster to answer


class Lost(Struct, frozen=True):
    """Instead of a result: the processes that tried the task died."""


class Pool(Protocol):
    """Where tasks run. ``gives_up`` are the exceptions of a task that the pool itself has tried
    several times."""

    @property
    def gives_up(self) -> tuple[type[BaseException], ...]: ...

    def open(self, alone: bool = False) -> Any:
        """A context with an executor and its number of workers; ``alone``, with one worker."""


def run(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    order: Iterable[int],
    pool: Pool,
    needed: Callable[[int], bool] = lambda number: True,
) -> Iterator[tuple[int, Result | Lost]]:
    """Runs the tasks, submitted in this order, and yields each with its number when it is done.
    Those that are not ``needed`` any more are left out. Raises what the function raises."""
    waiting = deque(order)
    while waiting:
        suspects: list[int] = []
        running: dict[Future[Result], int] = {}
        with pool.open() as (executor, workers):
            while (waiting or running) and not suspects:
                while waiting and len(running) < workers + AHEAD:
                    if needed(number := waiting.popleft()):
                        running[executor.submit(function, tasks[number])] = number
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=running.__getitem__):
                    number = running.pop(future)
                    try:
                        result = future.result()
                    except pool.gives_up:
                        yield number, Lost()
                    except BrokenExecutor:
                        suspects.append(number)
                    else:
                        yield number, result
        for number in sorted([*suspects, *running.values()]):
            yield number, alone(function, tasks[number], pool)


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """The results by number, each as soon as it and those before it are there."""
    early, following = dict[int, Result](), 0
    for number, result in results:
        early[number] = result
        while following in early:
            yield early.pop(following)
            following += 1


def alone(function: Callable[[Task], Result], task: Task, pool: Pool) -> Result | Lost:
    with pool.open(alone=True) as (executor, _):
        future: Future[Result] = executor.submit(function, task)
        try:
            return future.result()
        except BrokenExecutor:
            return Lost()


# --- where tasks run


class _Here(Executor):
    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*given, **named))
        return future


class Serial:
    """This process, one task after the other."""

    gives_up = ()

    @contextmanager
    def open(self, alone: bool = False) -> Iterator[tuple[Executor, int]]:
        yield _Here(), 1 - AHEAD


class Processes(Struct, frozen=True):
    """So many processes on this machine. They end with the context, also where it is left by an
    exception, such as that of Ctrl-C."""

    workers: int
    gives_up = ()

    @contextmanager
    def open(self, alone: bool = False) -> Iterator[tuple[Executor, int]]:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        # A fork has all modules at once. Elsewhere it is missing, or not safe.
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        others = set(multiprocessing.active_children())
        workers = 1 if alone else self.workers
        executor = ProcessPoolExecutor(workers, context, initializer=_ignore_interrupts)
        try:
            yield executor, workers
        except BaseException:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        finally:
            executor.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C goes to all processes of a terminal; the parent ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Dask:
    """The workers of a Dask cluster that exists. Raises Error where there is none."""

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            from distributed.scheduler import KilledWorker
        except ImportError:
            raise Error("dask: distributed is not installed; pip install 'ptxlint[dask]'") from None
        self.gives_up = (KilledWorker,)

    @contextmanager
    def open(self, alone: bool = False) -> Iterator[tuple[Executor, int]]:
        from distributed import Client

        try:
            client = Client(self.address, timeout=PATIENCE)
        except (OSError, ValueError):
            raise Error(f"dask:{self.address}: no scheduler answers there") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                raise Error(f"dask:{self.address}: the cluster has no workers") from None
            with client.get_executor(pure=False) as executor:
                yield executor, sum(client.nthreads().values())


def pool_of(jobs: str, executor: str | None) -> Pool:
    """The pool that ``-j`` and ``--executor`` name. Raises Error."""
    if executor is not None:
        kind, _, address = executor.partition(":")
        if kind != "dask" or not address:
            raise Error(
                f"executor {executor}: expected dask:ADDRESS, like dask:tcp://10.0.0.1:8786"
            )
        return Dask(address)
    if jobs != "auto" and not (jobs.isdecimal() and 0 < int(jobs) <= 1024):
        raise Error(f"jobs {jobs}: expected a number of processes, or auto")
    workers = cores() if jobs == "auto" else int(jobs)
    return Processes(workers) if workers > 1 else Serial()


def have_processes() -> bool:
    """True if this machine has what processes share: some sandboxes have no shared memory."""
    import multiprocessing

    try:
        multiprocessing.Lock()
    except (ImportError, OSError):
        return False
    return True


def cores() -> int:
    """The cores that this process may use."""
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable is not None else os.cpu_count() or 1
