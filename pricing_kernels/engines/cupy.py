"""The engine that runs kernels on the device, by CuPy: the driver assembles the PTX.

Without the package, or without a device, the error says what is missing; the engine ``simt`` gives
the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

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
    contract = launch.contract
    before = launch.arrays(contents)
    cupy = _cupy()
    held = {name: cupy.asarray(array) for name, array in before.items()}
    numbers = {
        name: np.array(launch.values[name], scalar.dtype)[()]
        for name, scalar in contract.scalars.items()
    }
    arguments = tuple((held | numbers)[name] for name in contract.params)
    grid, block = filled(launch.grid), filled(contract.block)
    return partial(_function(ptx, contract.kernel), grid, block, arguments), held


@lru_cache(maxsize=256)
def _function(ptx: str, kernel: str) -> Any:
    """The loaded kernel; the driver assembles a text once."""
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
