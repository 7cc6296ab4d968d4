"""Fingerprints that move when sources are compiled by another NVRTC: ``python -m bench.rebuild
libnvrtc.so.A libnvrtc.so.B [SOURCE...]``. Without sources, those of ``corpus/flawed``.

Prints a line for each source with fingerprints of one build alone, and their number in all.
"""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

from ptxlint.checker import check
from ptxlint.contracts.contract import Contract
from ptxlint.options import Options
from ptxlint.source import Source

FLAWED = Path(__file__).parents[1] / "corpus" / "flawed"
OPTIONS = ("--gpu-architecture=compute_80", "-lineinfo", "-default-device")


def loaded(path: str) -> ctypes.CDLL:
    """The compiler of a wheel, with the library that it looks for beside itself."""
    for part in Path(path).parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(part))
    return ctypes.CDLL(path)


def compiled(library: ctypes.CDLL, name: str, text: str) -> str:
    """The PTX of a source. Raises ValueError with the compiler's log."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    given = (ctypes.c_char_p * len(OPTIONS))(*(option.encode() for option in OPTIONS))
    failed = library.nvrtcCompileProgram(program, len(OPTIONS), given)
    size = ctypes.c_size_t()
    what = "ProgramLog" if failed else "PTX"
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise ValueError(buffer.value.decode())
    return buffer.value.decode()


def fingerprints(ptx: Path, declared: Contract) -> Counter[tuple[str, str, int]]:
    report = check([Source(str(ptx), ptx.read_text())], Options((declared,)))
    return Counter((one.fingerprint, one.rule, one.location.line) for one in report.findings)


def main(first: str, second: str, *paths: str) -> None:
    libraries = [loaded(path) for path in (first, second)]
    moved = every = 0
    sources = [Path(path) for path in paths] or sorted(FLAWED.glob("*.cu"))
    for source in sources:
        text, found = source.read_text(), []
        with TemporaryDirectory() as folder:
            copy(source, folder)
            for library in libraries:
                ptx = Path(folder) / f"{source.stem}.ptx"
                ptx.write_text(compiled(library, source.name, text))
                found.append(fingerprints(ptx, Contract.from_comments(text)))
        every += len(found[0])
        if found[0].keys() != found[1].keys():
            moved += len(found[0].keys() ^ found[1].keys())
            print(source.name, sorted(found[0].keys() ^ found[1].keys()))
    print(f"{len(sources)} sources, {every} findings, {moved} fingerprints of one build alone")


if __name__ == "__main__":
    main(*sys.argv[1:])
