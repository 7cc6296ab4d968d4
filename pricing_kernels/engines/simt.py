"""The engine that needs no GPU: ptxlint's interpreter of PTX.

Any fault of the run (an access out of bounds, a barrier that not all threads reach) is an error: a
price from such a run means nothing. Floats are rounded as the PTX manual says; its approximate
functions within the manual's bounds, so prices differ from a device's in the last bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import Contents, KernelLaunch
from pricing_kernels.engines import EngineError, Results
from ptxlint.lowering.module import lower_module
from ptxlint.simt import Interpreter, RunOptions
from ptxlint.source import Source
from ptxlint.syntax import parse

MAX_STEPS = 100_000_000


def run(
    ptx: str,
    launch: KernelLaunch,
    contents: Contents | None = None,
    checks: frozenset[str] = frozenset(),
) -> Results:
    """Runs the launch's kernel, with what else `RunOptions.checks` looks for. Raises ContractError,
    EngineError."""
    contract, arrays = launch.contract, launch.arrays(contents)
    options = RunOptions(max_steps=MAX_STEPS, checks=checks)
    try:
        outcome = _interpreter(ptx, contract.kernel).run(launch.concrete(arrays), options)
    except MemoryError as error:
        raise EngineError(f"{contract.kernel}: the interpreter lacks memory: {error}") from error
    if outcome.faults:
        raise EngineError("\n".join(f"{contract.kernel}: {fault}" for fault in outcome.faults))
    if outcome.exhausted:
        raise EngineError(f"{contract.kernel}: not done after {outcome.steps} steps")
    after = zip(arrays.items(), outcome.buffers, strict=True)
    return {name: held.view(before.dtype) for (name, before), held in after}


class HostSession:
    """Arrays of the host, in which the interpreter's kernels write."""

    def array(self, host: NDArray[Any]) -> NDArray[Any]:
        return np.array(host).reshape(-1)

    def zeros(self, launch: KernelLaunch, buffer: str) -> NDArray[Any]:
        return launch.arrays()[buffer]

    def run(self, ptx: str, launch: KernelLaunch, arrays: Mapping[str, NDArray[Any]]) -> None:
        launch.check_arrays(arrays)
        for name, after in run(ptx, launch, arrays).items():
            arrays[name][:] = after

    def host(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy()


@contextmanager
def session() -> Iterator[HostSession]:
    yield HostSession()


@lru_cache(maxsize=64)
def _interpreter(ptx: str, name: str) -> Interpreter:
    """The interpreter of a kernel: what it finds out about the code serves every launch."""
    source = Source(f"{name}.ptx", ptx)
    parsed = parse(source)
    if parsed.module is None:
        raise EngineError("\n".join(map(str, parsed.diagnostics)))
    program = lower_module(parsed.module, source)
    for kernel in program.kernels:
        if kernel.name == name:
            return Interpreter(kernel)
    problems = map(str, (*parsed.diagnostics, *program.diagnostics))
    raise EngineError("\n".join([f"no kernel {name} in the PTX", *problems]))
