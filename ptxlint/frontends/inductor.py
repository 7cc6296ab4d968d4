"""Inductor, the compiler of ``torch.compile``: its launches are captured.

Inductor has a class of its own for kernels of Triton. For each kernel it writes a small function,
the launcher, which works out the grid and hands the arguments on. What Triton compiled lies in a
folder of Inductor's cache.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

from msgspec.structs import replace

from ptxlint.contracts.captured import array_bytes, triple
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.errors import Error
from ptxlint.extraction.triton_cache import SCRATCH, metadata_of
from ptxlint.frontends.kernels import LoadedKernel, Value, loaded
from ptxlint.frontends.watching import Late, Watch, exchanged
from ptxlint.source import Source

CONSTANT = "constexpr"
"""The type of an argument that the kernel is compiled for."""


def install(watch: Watch) -> Callable[[], None]:
    """Lets the launches of ``torch.compile`` be seen; what is returned takes that back. Without
    PyTorch, or before it is imported, there are none."""
    if "torch" not in sys.modules:
        return lambda: None
    from torch._inductor.runtime import triton_heuristics

    kernels: Any = triton_heuristics.CachingAutotuner
    original = kernels.run

    def run(kernel: Any, *args: Any, **options: Any) -> Any:
        try:
            return original(kernel, *args, **options)
        finally:  # now it is known which launcher was the fastest
            watch.note(lambda: described(kernel, args, options))

    return exchanged(kernels, "run", run)


def described(kernel: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Late:
    """A launch, of which all but the kernel is known. Raises Error."""
    from torch._inductor.runtime.cache_dir_utils import triton_cache_dir

    if len(kernel.launchers) != 1:
        raise Error(f"{kernel.fn.__name__}: it was not launched")
    (launcher,) = kernel.launchers
    call = inspect.signature(launcher).bind(
        *args, **{name: value for name, value in options.items() if name != "benchmark_run"}
    )
    types: Mapping[str, str] = kernel.triton_meta["signature"]
    names = [name for name, kind in types.items() if kind != CONSTANT and name in call.arguments]
    values = [memory(call.arguments[name]) for name in names]
    folder = Path(triton_cache_dir(kernel.device_props.index or 0), launcher.cache_hash)
    return partial(captured, folder, grid_of(launcher, call), tuple(names), values)


def memory(value: Any) -> Any:
    """An argument without what is in its memory, which may be gone later."""
    return array_bytes(value) or value


def grid_of(launcher: FunctionType, call: inspect.BoundArguments) -> Triple:
    """The grid that the launcher works out: it is called with another function in the place of the
    one that launches, which takes the grid first."""
    found: list[Any] = []
    same = FunctionType(
        launcher.__code__,
        {**launcher.__globals__, "runner": lambda *given: found.extend(given[:3])},
    )
    same(*call.args, **call.kwargs)
    return triple(found)


def captured(
    folder: Path, grid: Triple, names: tuple[str, ...], values: Sequence[Value]
) -> tuple[LoadedKernel, ConcreteLaunch]:
    """The kernel in a folder of the cache, and its launch. Raises Error."""
    try:
        (path,) = folder.glob("*.ptx")
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        raise Error(f"{folder}: expected the PTX of one kernel") from None
    metadata = metadata_of(path.with_suffix(".json"))
    if metadata.get("num_ctas", 1) != 1:
        raise Error(f"{path.stem}: clusters are not supported")
    kernel = loaded(Source(str(path), text), None)
    many = len(kernel.kernel.parameters)
    kernel = replace(kernel, names=(*names, *SCRATCH)[:many])
    block = 32 * metadata["num_warps"], 1, 1
    given = [*values, *[0] * len(SCRATCH)][:many]
    return kernel, kernel.launch(grid, block, metadata["shared"], given)
