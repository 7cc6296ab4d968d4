"""One input through the whole command, as a person would run it, and what must not come of it.

Whatever the bytes are, ``ptxlint`` prints diagnostics or findings and returns one of its exit
codes. A traceback, the words "internal error", a code nobody documented or more than ten seconds
of processor time are a failure of ours. Launches are small and replays short, so that an input
costs milliseconds.
"""

from __future__ import annotations

import io
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from time import process_time
from types import FrameType
from unittest.mock import patch

from ptxlint import cli
from ptxlint.replay import candidates, replays
from ptxlint.reports import FORMATS

from .edits import MARKS, edited
from .programs import program

ROOT = Path(__file__).parents[2]
TOO_LONG = 10
STEPS = 400
CODES = frozenset(range(4))
INTERRUPTED = 130
SOME_WORDS = (".entry", ".reg", "add.s32", "%r1", "k", ".b32", "1", "ret")
LAUNCHES = (
    (), (), ("--block", "32", "--grid", "1"), ("--block", "64", "--grid", "2"),
    ("--block", "8x4x2", "--grid", "2x2"), ("--arg", "0=5"), ("--buffer", "0=256"),
    ("--block", "96", "--shared", "1KiB"),
)  # fmt: skip


class TooLongError(BaseException):
    """The alarm rang; nothing between here and there may take it for an error of its own."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to, in processor seconds; ``failure`` says what is wrong with that, if
    anything is."""

    code: int
    seconds: float
    output: str
    failure: str | None = None


@cache
def seeds() -> tuple[str, ...]:
    """The texts that inputs grow from."""
    folders = ("corpus", "pricing_kernels/emitted", "tests/syntax/snippets", "tests/fuzz/cases")
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.ptx"))
    return tuple(path.read_text("utf-8") for path in files)


def produced(seed: str) -> tuple[bytes, tuple[str, ...]]:
    """The input of this name, and the options it is run with."""
    chance = Random(seed)
    kind = chance.random()
    if kind < 0.03:
        data = chance.randbytes(chance.randrange(2000))
    elif kind < 0.06:
        words = chance.choices([*MARKS, *SOME_WORDS], k=chance.randrange(300))
        data = f".version 9.0\n.target sm_80\n{' '.join(words)}".encode()
    else:
        text = program(chance) if kind < 0.3 else chance.choice(seeds())
        changed = text if kind < 0.12 else edited(text, chance, seeds())
        data = changed.encode("utf-8", "surrogatepass")
    options = [*chance.choice(LAUNCHES), "--output-format", chance.choice(list(FORMATS))]
    options += ["--pedantic"] * (chance.random() < 0.3) + ["--strict"] * (chance.random() < 0.1)
    return data, tuple(options)


def driven(data: bytes, options: Sequence[str] = ()) -> Result:
    """Runs ``ptxlint check - OPTIONS`` on these bytes."""
    out, code, failure = io.StringIO(), -1, None
    start = process_time()
    try:
        with surroundings(data, out), alarm():
            code = cli.called_with(["check", "-", *options])
    except TooLongError:
        failure = f"more than {TOO_LONG} s"
    except KeyboardInterrupt:
        raise
    except BaseException:
        failure = traceback.format_exc()
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    seconds, output = process_time() - start, out.getvalue()
    if failure is None and code not in CODES:
        failure = f"exit code {code}"
    if failure is None and "internal error" in output:
        failure = next(line for line in output.splitlines() if "internal error" in line)
    return Result(code, seconds, output, failure)


class Input:
    """Standard input that holds some bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@contextmanager
def surroundings(data: bytes, out: io.StringIO) -> Iterator[None]:
    """Standard streams of our own, and short replays."""
    with (
        patch.object(sys, "stdin", Input(data)),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", out),
        patch.object(candidates, "REPLAY_STEPS", STEPS),
        patch.object(replays, "REPLAYS_STEPS", 10 * STEPS),
    ):
        yield


@contextmanager
def alarm() -> Iterator[None]:
    """Raises TooLongError in the main thread after ten seconds of processor time."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
