"""The engine that runs kernels on the device, by CuPy: the driver assembles the PTX.

Without the package, or without a device, the error says what is missing; the engine ``simt`` gives
the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import Contents, KernelLaunch, filled
from pricing_kernels.engines import EngineError, Results


def run(ptx: str, launch: KernelLaunch, contents: Contents | None = None) -> Results:
    """Runs the launch's kernel. Raises ContractError, EngineError."""
    start, held = prepared(ptx, launch, contents)
    cupy = _cupy()
    try:
        start()
        return {name: cupy.asnumpy(array) for name, array in held.items()}
    except (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError) as error:
        raise EngineError(f"{launch.contract.kernel}: {error}") from error


def prepared(
    ptx: str, launch: KernelLaunch, contents: Contents | None = None
) -> tuple[Callable[[], None], dict[str, Any]]:
    """What starts the launch's kernel, and the buffers on the device. Raises ContractError,
    EngineError."""
    before = launch.arrays(contents)
    cupy = _cupy()
    held = {name: cupy.asarray(array) for name, array in before.items()}
    return _started(ptx, launch, held), held


class DeviceSession:
    """Arrays on the current device."""

    def array(self, host: NDArray[Any]) -> Any:
        return _cupy().asarray(host.reshape(-1))

    def zeros(self, launch: KernelLaunch, buffer: str) -> Any:
        return self.array(launch.arrays()[buffer])

    def run(self, ptx: str, launch: KernelLaunch, arrays: Mapping[str, Any]) -> None:
        launch.check_arrays(arrays)
        cupy = _cupy()
        try:
            _started(ptx, launch, arrays)()
        except (cupy.cuda.driver.CUDADriverError, cupy.cuda.runtime.CUDARuntimeError) as error:
            raise EngineError(f"{launch.contract.kernel}: {error}") from error

    def host(self, array: Any) -> NDArray[Any]:
        held: NDArray[Any] = _cupy().asnumpy(array)
        return held


@contextmanager
def session() -> Iterator[DeviceSession]:
    _cupy()
    yield DeviceSession()


def _started(ptx: str, launch: KernelLaunch, held: Mapping[str, Any]) -> Callable[[], None]:
    """What starts the launch's kernel on these arrays of the device."""
    contract, device = launch.contract, _cupy().cuda.runtime.getDevice()
    numbers = {
        name: np.array(launch.values[name], scalar.dtype)[()]
        for name, scalar in contract.scalars.items()
    }
    arguments = tuple({**held, **numbers}[name] for name in contract.params)
    grid, block = filled(launch.grid), filled(contract.block)
    return partial(_function(ptx, contract.kernel, device), grid, block, arguments)


@lru_cache(maxsize=256)
def _function(ptx: str, kernel: str, device: int) -> Any:
    """The kernel, loaded on the current device; the driver assembles a text once for each."""
    cupy = _cupy()
    module = cupy.cuda.function.Module()
    try:
        module.load(ptx.encode("ascii"))
        return module.get_function(kernel)
    except cupy.cuda.driver.CUDADriverError as error:
        raise EngineError(f"{kernel}: the driver refuses the PTX: {error}") from error


def _cupy() -> Any:
    """CuPy, with a device."""
    try:
        import cupy

        cupy.cuda.runtime.getDevice()
    except ImportError as error:
        raise EngineError(
            "the engine cupy needs CuPy: pip install 'ptxlint[kernels]'; simt needs neither"
        ) from error
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise EngineError(f"the engine cupy needs a device ({error}); simt does not") from error
    return cupy
