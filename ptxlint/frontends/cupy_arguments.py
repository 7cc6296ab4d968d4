"""The arguments of a kernel of CuPy, and the options that it is compiled with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ptxlint.contracts.captured import ArrayBytes, array_bytes
from ptxlint.errors import Error
from ptxlint.frontends.kernels import LoadedKernel, Value, number

TOOLKIT = "/usr/local/cuda"  # where CuPy looks for it, too


def arguments(loaded: LoadedKernel, args: Sequence[Any]) -> list[Value]:
    """The arguments as the kernel takes them; arrays of numpy stay what they are. Raises Error."""
    formals = loaded.kernel.parameters
    if len(args) != len(formals):
        names = ", ".join(loaded.called)
        called = loaded.kernel.demangled
        raise Error(f"{called} takes {len(formals)} arguments, not {len(args)}: {names}")
    found: list[Value] = []
    for value, formal, name in zip(args, formals, loaded.called, strict=True):
        if isinstance(value, ArrayBytes | np.ndarray | tuple):
            found.append(value)
        elif value is None:
            found.append(0)
        else:
            found.append(array_bytes(value) or number(value, formal, name))
    return found


def included(options: Sequence[str]) -> tuple[str, ...]:
    """The options, with the folders of the headers that CuPy, the toolkit's wheels and the toolkit
    bring."""
    folders = []
    cccl = (f"_core/include/cupy/_cccl/{part}" for part in ("libcudacxx", "thrust", "cub"))
    of_cupy = [("cupy", below) for below in ("_core/include", *cccl)]
    for package, below in (*of_cupy, ("nvidia", "cu13/include")):
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            if Path(place, below).is_dir():
                folders.append(f"-I{Path(place, below)}")
    toolkits = [os.environ.get(variable, "") for variable in ("CUDA_PATH", "CUDA_HOME")]
    for toolkit in filter(None, (*toolkits, TOOLKIT)):
        if Path(toolkit, "include").is_dir():
            folders.append(f"-I{Path(toolkit, 'include')}")
            break
    return (*options, *folders)
