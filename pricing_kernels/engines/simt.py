"""The engine that needs no GPU: ptxlint's interpreter of PTX.

Any fault of the run (an access out of bounds, a barrier that not all threads reach) is an error: a
price from such a run means nothing. Floats are rounded as the PTX manual says; its approximate
functions within the manual's bounds, so prices differ from a device's in the last bits.
"""

from __future__ import annotations

from pricing_kernels.contract import Contents, KernelLaunch
from pricing_kernels.engines import EngineError, Results
from ptxlint.ir import Kernel
from ptxlint.lowering.module import lower_module
from ptxlint.simt import RunOptions
from ptxlint.simt import run as interpret
from ptxlint.source import Source
from ptxlint.syntax import parse

MAX_STEPS = 100_000_000
MAX_SECONDS = 3600.0


def run(
    ptx: str,
    launch: KernelLaunch,
    contents: Contents | None = None,
    checks: frozenset[str] = frozenset(),
) -> Results:
    """Runs the launch's kernel, with what else `RunOptions.checks` looks for. Raises ContractError,
    EngineError."""
    contract, arrays = launch.contract, launch.arrays(contents)
    kernel = _kernel(ptx, contract.kernel)
    options = RunOptions(max_steps=MAX_STEPS, max_seconds=MAX_SECONDS, checks=checks)
    outcome = interpret(kernel, launch.concrete(arrays), options)
    if outcome.faults:
        raise EngineError("\n".join(f"{contract.kernel}: {fault}" for fault in outcome.faults))
    if outcome.exhausted:
        raise EngineError(f"{contract.kernel}: not done after {outcome.steps} steps")
    after = zip(arrays.items(), outcome.buffers, strict=True)
    return {name: held.view(before.dtype) for (name, before), held in after}


def _kernel(ptx: str, name: str) -> Kernel:
    source = Source(f"{name}.ptx", ptx)
    parsed = parse(source)
    if parsed.module is None:
        raise EngineError("\n".join(map(str, parsed.diagnostics)))
    program = lower_module(parsed.module, source)
    for kernel in program.kernels:
        if kernel.name == name:
            return kernel
    problems = map(str, (*parsed.diagnostics, *program.diagnostics))
    raise EngineError("\n".join([f"no kernel {name} in the PTX", *problems]))
