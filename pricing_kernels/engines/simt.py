"""The engine that needs no GPU: ptxlint's interpreter of PTX.

Any fault of the run (an access out of bounds, a barrier that not all threads reach) is an error: a
price from such a run means nothing. Floats are rounded as the PTX manual says; its approximate
functions within the manual's bounds, so prices differ from a device's in the last bits.
"""

from __future__ import annotations

from dataclasses import replace

from pricing_kernels.contract import KernelContract
from pricing_kernels.engines import Contents, EngineError, Results
from ptxlint.assemble import assemble
from ptxlint.contract import Contract
from ptxlint.ir import Kernel
from ptxlint.simt import Buffer, Setup, run
from ptxlint.source import Source
from ptxlint.syntax import parse

MAX_STEPS = 100_000_000
MAX_SECONDS = 3600.0


def launch(ptx: str, contract: KernelContract, contents: Contents | None = None) -> Results:
    """Runs the contract's kernel. Raises EngineError."""
    kernel = _kernel(ptx, contract.kernel)
    declared = Contract.of(
        block="x".join(map(str, contract.block)),
        grid="x".join(map(str, contract.grid)),
        arg=[f"{name}={value}" for name, value in contract.args.items()],
        buffer=[f"{name}={extent}" for name, extent in contract.buffers.items()],
        params=",".join(contract.params) or None,
    )
    by_position = {contract.params.index(name): a for name, a in (contents or {}).items()}
    setup = Setup.of(kernel, declared.for_kernel(kernel), by_position)
    outcome = run(kernel, replace(setup, max_steps=MAX_STEPS, max_seconds=MAX_SECONDS))
    if outcome.faults:
        raise EngineError("\n".join(f"{contract.kernel}: {fault}" for fault in outcome.faults))
    if outcome.exhausted:
        raise EngineError(f"{contract.kernel}: not done after {outcome.steps} steps")
    names = (
        n for n, a in zip(contract.params, setup.arguments, strict=True) if isinstance(a, Buffer)
    )
    return dict(zip(names, outcome.buffers, strict=True))


def _kernel(ptx: str, name: str) -> Kernel:
    source = Source(f"{name}.ptx", ptx)
    parsed = parse(source)
    if parsed.module is None:
        raise EngineError("\n".join(map(str, parsed.diagnostics)))
    program = assemble(parsed.module, source)
    for kernel in program.kernels:
        if kernel.name == name:
            return kernel
    problems = map(str, (*parsed.diagnostics, *program.diagnostics))
    raise EngineError("\n".join([f"no kernel {name} in the PTX", *problems]))
