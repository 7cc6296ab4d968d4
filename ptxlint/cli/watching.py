"""``ptxlint check --watch``: the same check again, whenever a file changes.

Times and sizes of files are looked at once a second. That needs no help of the system and works on
every file system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from time import sleep

from ptxlint.errors import Error
from ptxlint.inputs import files

PAUSE = 1.0  # seconds between two looks

State = dict[str, tuple[int, int] | None]
"""The time of the last change and the size of each file; None without a file."""


def watch(paths: Iterable[str], check: Callable[[], Iterable[str]]) -> None:
    """Checks now and after every change, until it is interrupted. ``check`` returns the other files
    that it depends on."""
    paths, others = list(paths), list[str]()
    while True:
        before = state(paths, others)
        others = list(check())
        before = state((), others) | before  # a change during the check counts
        while state(paths, others) == before:
            sleep(PAUSE)


def state(paths: Iterable[str], others: Iterable[str]) -> State:
    """The state of all files that the paths stand for, and of others."""
    found = set(others)
    for path in paths:
        try:
            found.update(files(path))
        except Error:
            found.add(path)
    return {name: status(name) for name in found}


def status(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
