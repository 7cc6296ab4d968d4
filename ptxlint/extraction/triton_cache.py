"""The cache of Triton, and that of Inductor: a folder for each kernel, with ``NAME.ptx``,
``NAME.json`` and ``NAME.ttir``.

The metadata say what the PTX does not: how much dynamic shared memory the kernel takes. Its first
form, in Triton's own representation, has the names of the arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ptxlint.reading import LARGEST_TEXT, read_bytes
from ptxlint.source import Source

ARGUMENT = re.compile(r"%(\w+): (![\w.]+|\w+)")
MOST = 1 << 31
"""So many bytes of shared memory are not meant."""

SPLIT = "!tt.tensordesc"
"""An argument of this type becomes several parameters."""

SCRATCH = ("scratch", "profile")
"""Parameters behind the user's: memory for the kernel and for profiles, unused as a rule."""


def with_metadata(source: Source) -> Source:
    """The PTX with the launch that Triton's metadata beside it declare, if there are any."""
    path = Path(source.path)
    metadata = metadata_of(path.with_suffix(".json"))
    shared = metadata.get("shared")
    if "triton_version" not in metadata or type(shared) is not int or not 0 <= shared < MOST:
        return source
    words = [*_names(path.with_suffix(".ttir")), "--shared", str(shared)]
    return replace(source, launch=tuple(words))


def metadata_of(path: Path) -> Mapping[str, Any]:
    """What is written there; nothing where no such file can be read."""
    try:
        found = json.loads(read_bytes(path, LARGEST_TEXT)) if path.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _names(path: Path) -> Iterator[str]:
    """The option that names the parameters."""
    try:
        text = read_bytes(path, LARGEST_TEXT).decode("utf-8", "replace") if path.is_file() else ""
    except OSError:
        return
    start = text.find("tt.func public ")
    if start < 0:
        return
    arguments = ARGUMENT.findall(text[start : text.find("\n", start)])
    if arguments and not any(kind == SPLIT for _, kind in arguments):
        yield from ("--params", ",".join(name for name, _ in arguments))
