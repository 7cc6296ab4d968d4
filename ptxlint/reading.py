"""Reading of inputs: bounded, and without waiting for a pipe that has no writer."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO

LARGEST = 2**28  # bytes of PTX
LARGEST_TEXT = 2**24  # bytes of a contract, a configuration or a source that a report quotes


def read_bytes(path: str | os.PathLike[str], largest: int = LARGEST) -> bytes:
    """The contents of a file. Raises OSError, also for a larger one, such as ``/dev/zero``.

    A named pipe is opened without waiting for a writer: without one it is empty. Once it has one,
    as in ``<(cuobjdump -ptx a.out)``, reading waits for it as for standard input."""
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if at_once:
            os.set_blocking(file.fileno(), True)
        return read_at_most(file, largest)


def read_at_most(file: BinaryIO, largest: int = LARGEST) -> bytes:
    """What is left of a stream. Raises OSError if that is more."""
    data = file.read(largest + 1)
    if len(data) > largest:
        raise OSError(errno.EFBIG, f"larger than {largest >> 20} MiB")
    return data


def reason(error: OSError) -> str:
    """What went wrong, without the path."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
