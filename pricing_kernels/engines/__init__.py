"""Where a kernel runs: ``simt``, the interpreter, needs no GPU; ``cupy`` is the device.

An engine takes a kernel's PTX, a launch that its contract allows, and what buffers hold before (the
others hold zeros); it gives back every buffer as it is after, by name. The results are the same.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from numpy.typing import NDArray

from pricing_kernels.contract import Contents, KernelLaunch

NAMES = ("simt", "cupy")

Results = dict[str, NDArray[Any]]


class EngineError(Exception):
    """The kernel did not run to its end, or did something that no kernel may do."""


class KernelEngine(Protocol):
    def __call__(
        self, ptx: str, launch: KernelLaunch, contents: Contents | None = None
    ) -> Results: ...


def engine(name: str) -> KernelEngine:
    """The engine of that name, imported when it is asked for. Raises EngineError."""
    if name not in NAMES:
        raise EngineError(f"no engine {name!r}; there are: {', '.join(NAMES)}")
    run: KernelEngine = import_module(f"pricing_kernels.engines.{name}").run
    return run
