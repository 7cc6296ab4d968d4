"""Where a kernel runs: ``simt``, the interpreter, needs no GPU; ``cupy`` is the device.

An engine takes a kernel's PTX, a launch that its contract allows, and what buffers hold before (the
others hold zeros); it gives back every buffer as it is after, by name. The results are the same.

A session keeps arrays where the kernels run, from one launch to the next::

    with session("cupy") as device:
        state = device.array(first)
        device.run(ptx, launch, {"state": state, "numbers": device.zeros(launch, "numbers")})
        device.host(state)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
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


class Session(Protocol):
    """An engine whose arrays outlive a launch. Its methods raise ContractError, EngineError."""

    def array(self, host: NDArray[Any]) -> Any:
        """A copy of the array, where the kernels run."""

    def zeros(self, launch: KernelLaunch, buffer: str) -> Any:
        """Zeros, of the type and size that the launch wants for the buffer."""

    def run(self, ptx: str, launch: KernelLaunch, arrays: Mapping[str, Any]) -> None:
        """Runs the launch on these arrays, one for each buffer; the kernel writes into them."""

    def host(self, array: Any) -> NDArray[Any]:
        """What an array holds now."""


def engine(name: str) -> KernelEngine:
    """The engine of that name, imported when it is asked for. Raises EngineError."""
    run: KernelEngine = _module(name).run
    return run


def session(name: str) -> AbstractContextManager[Session]:
    """A session of the engine of that name; its arrays are freed at the end. Raises EngineError."""
    opened: AbstractContextManager[Session] = _module(name).session()
    return opened


def _module(name: str) -> Any:
    if name not in NAMES:
        raise EngineError(f"no engine {name!r}; there are: {', '.join(NAMES)}")
    return import_module(f"pricing_kernels.engines.{name}")
