"""CUDA C to PTX with the NVRTC that CuPy carries: no GPU, no nvcc.

The text is compiled under a plain base name and its `.file` entries are cut down to base names, so
the PTX is the same on every machine and names no folder of any of them (NVRTC itself writes the
working directory there). A newer NVRTC writes PTX that the installed assemblers and drivers refuse:
the version is checked here, once, with one clear error.

Not handled: cubin, and headers other than those NVRTC has built in.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

OPTIONS = ("--gpu-architecture=compute_80", "--std=c++17", "-lineinfo")
"""The options that every kernel of this project is compiled with."""

NEWEST_PTX = (9, 0)  # what ptxas 13.0 accepts; NVRTC 13.5 writes 9.5

_VERSION = re.compile(r"^\s*\.version\s+(\d+)\.(\d+)", re.MULTILINE)
_FILE_FOLDER = re.compile(r'(^\s*\.file\s+\d+\s+")[^"]*[/\\]', re.MULTILINE)


class BuildError(Exception):
    """The compiler is absent, refused the text, or wrote PTX that is too new."""


@dataclass(frozen=True)
class Compiler:
    """What produced a PTX text: the name and version of the compiler, and its options."""

    name: str
    options: tuple[str, ...]


def compiler() -> Compiler:
    """The compiler that `compile_ptx` uses here and now."""
    major, minor = _nvrtc().getVersion()
    return Compiler(f"NVRTC {major}.{minor}", OPTIONS)


def compile_ptx(source: str, name: str, more: tuple[str, ...] = ()) -> str:
    """Compiles CUDA C `source`, called `name` in the line table, to PTX, with `more` options."""
    nvrtc = _nvrtc()
    program = nvrtc.createProgram(source, name, [], [])
    try:
        try:
            nvrtc.compileProgram(program, [*OPTIONS, *more])
        except nvrtc.NVRTCError as error:
            raise BuildError(f"{name}: {error}\n{nvrtc.getProgramLog(program)}") from error
        raw = nvrtc.getPTX(program)
    finally:
        nvrtc.destroyProgram(program)
    ptx = raw.decode("ascii") if isinstance(raw, bytes) else str(raw)
    check_version(ptx, name)
    return without_folders(ptx.rstrip("\0"))


def cached_ptx(source: str, name: str, more: tuple[str, ...] = ()) -> str:
    """What `compile_ptx` gives, from the cache if this text was compiled before.

    The cache is content-addressed: the name of a file is a digest of all that the PTX depends on.
    It lies in the folder that PRICING_KERNELS_CACHE names, else in the user's cache folder."""
    key = "\0".join((name, source, _release(), *OPTIONS, *more))
    path = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.ptx"
    if path.is_file():
        return path.read_text("utf-8")
    ptx = compile_ptx(source, name, more)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(ptx, "utf-8", newline="\n")
        unfinished.replace(path)
    except OSError as error:
        raise BuildError(
            f"the cache cannot be written: {error}; PRICING_KERNELS_CACHE names another folder"
        ) from error
    return ptx


def seconds_to_compile(source: str, name: str, more: tuple[str, ...] = (), turns: int = 5) -> float:
    """The shortest of some compilations, the compiler being loaded and nothing cached."""
    seconds = []
    for _ in range(turns + 1):  # the first one loads the compiler
        start = time.perf_counter()
        compile_ptx(source, name, more)
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def _release() -> str:
    """The release of the compiler's package, known without loading it; empty if it is none."""
    try:
        return metadata.version("nvidia-cuda-nvrtc")
    except metadata.PackageNotFoundError:
        return ""


def cache_folder() -> Path:
    """The folder of compiled kernels: PRICING_KERNELS_CACHE, or one in the user's cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "pricing-kernels")
    return Path(os.environ.get("PRICING_KERNELS_CACHE") or default)


def ptx_version(ptx: str) -> tuple[int, int]:
    """The `.version` of a PTX text as (major, minor)."""
    found = _VERSION.search(ptx)
    if found is None:
        raise BuildError("the PTX has no .version directive")
    return int(found[1]), int(found[2])


def check_version(ptx: str, name: str) -> None:
    """Refuses PTX that is newer than the assemblers in use accept."""
    version = ptx_version(ptx)
    if version > NEWEST_PTX:
        raise BuildError(
            "{}: the compiler wrote PTX {}.{}, assemblers in use accept up to {}.{}; "
            "install the pinned compiler: pip install 'ptxlint[kernels]'".format(
                name, *version, *NEWEST_PTX
            )
        )


def without_folders(ptx: str) -> str:
    """The same PTX with every `.file` entry cut down to its base name."""
    return _FILE_FOLDER.sub(r"\1", ptx)


def _nvrtc() -> Any:
    """CuPy's NVRTC module, imported when it is first needed."""
    try:
        from cupy.cuda import nvrtc

        nvrtc.getVersion()
    except (ImportError, OSError, RuntimeError) as error:
        raise BuildError(
            "kernels are compiled with CuPy's NVRTC, which is not usable here "
            f"({error}); install it: pip install 'ptxlint[kernels]'"
        ) from error
    return nvrtc
