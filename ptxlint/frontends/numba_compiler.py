"""Numba's compiler where there need be no GPU, also for kernels that call device functions.

Numba compiles the device functions of a kernel for the GPU of the process, and keeps them. Here
they are compiled for the architecture of the kernel, with their lines, and then forgotten: a later
launch finds Numba as it was.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from ptxlint.errors import Error
from ptxlint.frontends.watching import exchanged

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SAID_OF_ITSELF = ("Failed in cuda mode pipeline", "During: Pass ", "<source elided>")
"""Lines of Numba's errors that speak of its passes."""


class NamedCapability(Struct, frozen=True):
    """What Numba's compiler asks a GPU for."""

    compute_capability: tuple[int, int]


def compiled_text(
    function: Any, types: tuple[Any, ...], capability: tuple[int, int], options: Mapping[str, Any]
) -> str:
    """The PTX of a kernel for arguments of Numba's types, for an architecture such as (8, 0).
    Raises Error, with what Numba says."""
    from numba import cuda

    try:
        with compiling_for(capability):
            ptx, _ = cuda.compile_ptx(function, types, cc=capability, lineinfo=True, **options)
    except Exception as error:
        raise Error(f"{function.__name__}: Numba does not compile it: {told(error)}") from error
    return str(ptx)


@contextmanager
def compiling_for(capability: tuple[int, int]) -> Iterator[None]:
    """Inside, device functions are compiled for the architecture; no other thread compiles. What
    is compiled inside is not there afterwards."""
    from numba.cuda import dispatcher as numba

    original = numba.CUDADispatcher.compile_device
    undo: list[Callable[[], None]] = []
    seen: set[int] = set()

    def compile_device(function: Any, *args: Any, **more: Any) -> Any:
        if id(function) not in seen:
            seen.add(id(function))
            undo.append(anew(function))
        return original(function, *args, **more)

    with numba.global_compiler_lock:
        device = NamedCapability(capability)
        undo.append(exchanged(numba, "get_current_device", lambda: device))
        undo.append(exchanged(numba.CUDADispatcher, "compile_device", compile_device))
        try:
            yield
        finally:
            for back in reversed(undo):
                back()


def anew(function: Any) -> Callable[[], None]:
    """Lets a device function have been compiled for no types yet, and have its lines once it is;
    what is returned forgets what was compiled since, and takes that back."""
    compiled: OrderedDict[Any, Any] = OrderedDict()
    options = function.targetoptions
    lines = options if options.get("debug") else {**options, "lineinfo": True}
    undo = [exchanged(function, "overloads", compiled), exchanged(function, "targetoptions", lines)]

    def forget() -> None:
        for each in compiled.values():
            each.target_context.remove_user_function(each.entry_point)
        for back in undo:
            back()

    return forget


def told(error: Exception) -> str:
    """What Numba says of a kernel that it does not compile: a line, and more below it, indented;
    each once, and none about its passes."""
    lines = [line.rstrip() for line in COLOUR.sub("", str(error)).splitlines()]
    useful = dict.fromkeys(line for line in lines if line.strip(" ^"))
    kept = [line for line in useful if not line.strip().startswith(SAID_OF_ITSELF)]
    return "\n  ".join(kept) or type(error).__name__
