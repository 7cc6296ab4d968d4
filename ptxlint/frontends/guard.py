"""A check before each launch: what a kernel needs is inferred once, and a launch that does not meet
it is refused in microseconds, with the reason, before the GPU sees it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from numpy import ndarray

from ptxlint.checker import check as checked
from ptxlint.contracts.captured import array_bytes, triple
from ptxlint.contracts.compiled_check import Given, LaunchGuard
from ptxlint.contracts.contract import Contract
from ptxlint.errors import Error
from ptxlint.frontends.cuda_text import kernel_of, placed
from ptxlint.frontends.cupy_arguments import included
from ptxlint.frontends.kernels import LoadedKernel
from ptxlint.options import Options


class LaunchRefused(Error):  # noqa: N818
    """A launch that does not meet what the kernel needs."""


class Guarded:
    """A kernel whose launches are checked before they happen; all else is that of the kernel.
    ``refusals`` counts what was refused."""

    def __init__(self, kernel: Any, guard: LaunchGuard) -> None:
        self._kernel, self._guard = kernel, guard

    def __call__(self, grid: Any, block: Any, args: Sequence[Any], **more: Any) -> Any:
        refused = self._guard.refusals(
            triple(grid), triple(block), more.get("shared_mem", 0), [given(each) for each in args]
        )
        if refused:
            raise LaunchRefused(f"{self._kernel.name}: {'; '.join(refused)}")
        return self._kernel(grid, block, args, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def guard(kernel: Any, contract: Contract | None = None) -> Guarded:
    """The kernel, a ``cupy.RawKernel`` or one of ``ptxlint.cupy``, with a check before each launch:
    against the ``contract``, or what is inferred of the kernel. Raises Error where it cannot be
    inferred; a launch that is refused raises LaunchRefused."""
    loaded = getattr(kernel, "loaded", None)
    if not isinstance(loaded, LoadedKernel):
        text = placed(kernel.code, kernel.name)
        loaded = kernel_of(text, kernel.name, included(tuple(kernel.options or ())))
    pointers = [name for name, formal in zip(loaded.called, loaded.kernel.parameters, strict=True)
                if formal.size == 8 and not formal.number and formal.type[0] != "f"]  # fmt: skip
    return Guarded(kernel, LaunchGuard.of(contract or inferred(loaded), loaded.called, pointers))


@lru_cache(maxsize=256)
def inferred(loaded: LoadedKernel) -> Contract:
    """What a kernel needs. Raises Error."""
    names = Contract(params=loaded.called)
    options = Options((names,), kernel=loaded.kernel.name, infer=True, rules=False)
    report = checked([loaded.source], options)
    for found in report.contracts:
        if found.kernel == loaded.kernel.name:
            return found.contract()
    wrong = next((str(each) for each in report.diagnostics), "nothing is inferred")
    raise Error(f"{loaded.kernel.demangled}: {wrong}")


def given(value: Any) -> Given:
    """An argument: an array by its address and its bytes."""
    if isinstance(value, int | float):
        return value
    pointer = getattr(getattr(value, "data", None), "ptr", None)
    if pointer is not None:  # of CuPy: its description would take microseconds
        return pointer, value.nbytes
    if isinstance(value, ndarray) and value.flags.c_contiguous:
        return value.__array_interface__["data"][0], value.nbytes
    found = array_bytes(value)
    if found is not None:
        return found.address, found.size or 0
    item: int | float = value.item() if hasattr(value, "item") else value
    return item
