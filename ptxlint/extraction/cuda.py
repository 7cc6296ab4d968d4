"""CUDA C to PTX, with line information: by NVRTC, called through its C interface, or by nvcc.

NVRTC is a library of its own wheel (``pip install nvidia-cuda-nvrtc``) or of the toolkit. It
compiles device code alone. nvcc is asked first for files, which may have host code, and NVRTC first
for texts.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from ptxlint.extraction.errors import ExtractionError
from ptxlint.reading import LARGEST_TEXT, read_bytes, reason
from ptxlint.source import Source

DEFAULT_ARCH = "compute_80"
SECONDS = 600
"""How long nvcc may take for a file."""

SUFFIX = ".cu"
NVRTC_LIBRARY = re.compile(r"libnvrtc\.so(\.\d+)+|nvrtc64_\d+_0\.dll")
ABSENT = "no compiler for CUDA C: pip install nvidia-cuda-nvrtc, or put nvcc on the path"


class Compiled(Struct, frozen=True):
    """PTX, and the names in it of the instances that were asked for."""

    ptx: str
    lowered: Mapping[str, str] = {}


def compiled_file(path: str) -> Source:
    """The PTX of a file of CUDA C, named as if it lay beside it. Raises ExtractionError."""
    try:
        code = read_bytes(path, LARGEST_TEXT).decode("utf-8", "replace")
    except OSError as error:
        raise ExtractionError(path, f"cannot be read: {reason(error)}", inside=False) from None
    ptx = _nvcc(code, path, ()) if shutil.which("nvcc") else _nvrtc(code, path, (), ()).ptx
    return Source(str(Path(path).with_suffix(".ptx")), ptx)


def compiled(
    code: str, name: str, options: Sequence[str] = (), instances: Sequence[str] = ()
) -> Compiled:
    """The PTX of a text, which the line table calls ``name``. ``options`` are further ones of
    NVRTC, ``instances`` name kernels like ``fill<7>``, which NVRTC makes of templates. Raises
    ExtractionError."""
    if nvrtc_library() is not None or instances or not shutil.which("nvcc"):
        return _nvrtc(code, name, options, instances)
    return Compiled(_nvcc(code, name, options))


def _defaults(options: Sequence[str]) -> list[str]:
    """The options that are not given otherwise."""
    found = ["-lineinfo"]
    if not any(re.match(r"--?std\b", option) for option in options):
        found.append("--std=c++17")
    if not any(re.match(r"-arch\b|--gpu-architecture\b", option) for option in options):
        found.append(f"--gpu-architecture={DEFAULT_ARCH}")
    return found


# --- NVRTC


@cache
def nvrtc_library() -> Any:
    """NVRTC, None where it is not found."""
    for candidate in _candidates():
        try:
            for builtins in Path(candidate).parent.glob("*nvrtc-builtins*"):
                ctypes.CDLL(str(builtins))  # which NVRTC then finds by its name
            loaded = ctypes.CDLL(candidate)
            loaded.nvrtcGetErrorString.restype = ctypes.c_char_p
            return loaded
        except (OSError, AttributeError):
            continue
    return None


def _candidates() -> Iterator[str]:
    """Where NVRTC may be: in its wheel, in the toolkit, where the loader looks."""
    spec = find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec else ():
        yield from _libraries(Path(folder).glob("*/lib/*"))
        yield from _libraries(Path(folder).glob("*/bin/**/*"))
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if variable in os.environ:
            yield from _libraries(Path(os.environ[variable]).glob("lib64/*"))
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


def _libraries(files: Iterator[Path]) -> list[str]:
    return sorted((str(f) for f in files if NVRTC_LIBRARY.fullmatch(f.name)), reverse=True)


def _nvrtc(code: str, name: str, options: Sequence[str], instances: Sequence[str]) -> Compiled:
    nvrtc = nvrtc_library()
    if nvrtc is None:
        raise ExtractionError(name, ABSENT)
    words = [word.encode() for word in (*_defaults(options), *options)]
    program = ctypes.c_void_p()
    _must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), code.encode(), name.encode(), 0,
                                   None, None), name)  # fmt: skip
    try:
        for instance in instances:
            _must(nvrtc.nvrtcAddNameExpression(program, instance.encode()), name)
        arguments = (ctypes.c_char_p * len(words))(*words)
        if nvrtc.nvrtcCompileProgram(program, len(words), arguments):
            raise _first_error(_text(nvrtc, "ProgramLog", program), name)
        lowered = {instance: _lowered(nvrtc, program, instance) for instance in instances}
        return Compiled(_text(nvrtc, "PTX", program), lowered)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(nvrtc: Any, what: str, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(max(size.value, 1))
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode("utf-8", "replace")


def _lowered(nvrtc: Any, program: ctypes.c_void_p, instance: str) -> str:
    name = ctypes.c_char_p()
    _must(nvrtc.nvrtcGetLoweredName(program, instance.encode(), ctypes.byref(name)), instance)
    return (name.value or b"").decode()


def _must(status: int, name: str) -> None:
    if status:
        message = nvrtc_library().nvrtcGetErrorString(status).decode()
        raise ExtractionError(name, f"NVRTC: {message}")


def _first_error(log: str, name: str) -> ExtractionError:
    """The first error that a compiler reports."""
    for line in log.splitlines():
        found = re.match(r"(.*?)\((\d+)\)\s*: (?:catastrophic )?error(?:\s*#\S+)?:? *(.*)", line)
        if found:
            return ExtractionError(found[1] or name, found[3], int(found[2]))
    words = " ".join(log.split())
    return ExtractionError(name, words[:300] or "the compiler refused it")


# --- nvcc


def _nvcc(code: str, name: str, options: Sequence[str]) -> str:
    """Compiles in the folder of the file, if there is one, so that its headers are found."""
    folder = Path(name).parent if Path(name).is_file() else None
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, Path(name).name or "kernel.cu").with_suffix(SUFFIX)
        file.write_text(code, "utf-8")
        source = Path(name).resolve() if folder else file
        target = file.with_suffix(".ptx")
        command = ["nvcc", "-ptx", *_defaults(options), *options, str(source)]
        try:
            done = subprocess.run(
                [*command, "-o", str(target)], capture_output=True, text=True, timeout=SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ExtractionError(name, f"nvcc: {error}") from None
        if done.returncode:
            log = (done.stderr + done.stdout).replace(str(source), name)
            raise _first_error(log, name)
        return target.read_text("utf-8")
