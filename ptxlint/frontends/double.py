"""A run of a launch on arrays of numpy, on the interpreter, with its checks: a GPU's test double.

Arrays that are views of one array share its bytes, as on a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np
from msgspec.structs import replace

from ptxlint.contracts.captured import ArrayBytes
from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import Allocation, ConcreteLaunch, PointerArgument
from ptxlint.contracts.resolution import resolved
from ptxlint.errors import Error, NotClean
from ptxlint.execution.arrays import Array
from ptxlint.execution.faults import Prepared, afford, reported
from ptxlint.execution.runner import checks_of, execution_of
from ptxlint.frontends.kernels import NOWHERE, LoadedKernel, Value
from ptxlint.simt import Outcome, RunOptions
from ptxlint.simt import run as interpreted
from ptxlint.source_files import SourceFiles

CHECKS = "all"
STEPS = 100_000_000
"""Instructions of a run, counted once for all threads that run them together."""


def execute(
    loaded: LoadedKernel,
    grid: Triple,
    block: Triple,
    shared: int,
    values: Sequence[Value],
    checks: str = CHECKS,
) -> None:
    """Runs the launch and writes the results into its arrays. Raises NotClean, after that, where
    there was a fault, and Error for a launch that cannot be run."""
    words = loaded.words(values)
    given = {at: word for at, word in enumerate(words.values()) if isinstance(word, np.ndarray)}
    for name, word in words.items():
        if isinstance(word, ArrayBytes) and word is not NOWHERE:
            raise Error(f"argument {name}: a run without a GPU takes arrays of numpy")
    launch = loaded.launch(grid, block, shared, values)
    launch = filled(launch, given)
    how = RunOptions(max_steps=STEPS, checks=checks_of(checks))
    afford(loaded.kernel, launch, how)
    start = perf_counter()
    outcome = interpreted(loaded.kernel, launch, how)
    written(launch, outcome, given)
    if (
        outcome.exhausted
        or reported(outcome, how.checks)
        or any(fault.kind == "unmodelled" for fault in outcome.faults)
    ):
        raise NotClean(report(loaded, launch, how, outcome, perf_counter() - start))


def filled(launch: ConcreteLaunch, arrays: Mapping[int, Array]) -> ConcreteLaunch:
    """The launch with the contents of the arrays in its memory."""
    contents = {
        at: np.zeros(each.size or 0, np.uint8)
        for at, each in enumerate(launch.arguments)
        if isinstance(each, Allocation)
    }
    for at, array in arrays.items():
        home, offset = home_of(launch, at)
        if array.size:
            view(contents[home], offset, array)[...] = array
    arguments = tuple(
        replace(each, data=contents[at]) if isinstance(each, Allocation) else each
        for at, each in enumerate(launch.arguments)
    )
    return replace(launch, arguments=arguments)


def home_of(launch: ConcreteLaunch, at: int) -> tuple[int, int]:
    """The position of the memory that an array lies in, and the bytes from its start."""
    value = launch.arguments[at]
    return (value.base, value.offset) if isinstance(value, PointerArgument) else (at, 0)


def view(data: Array, offset: int, like: Array) -> Array:
    """The bytes of an array inside of others."""
    return np.ndarray(like.shape, like.dtype, data.data, offset, like.strides)


def written(launch: ConcreteLaunch, outcome: Outcome, arrays: Mapping[int, Array]) -> None:
    """Writes what the run left in memory into the arrays. Raises Error for one that is read-only
    and was changed."""
    after = dict(zip(launch.allocated, outcome.buffers, strict=True))
    for at, array in arrays.items():
        home, offset = home_of(launch, at)
        if not array.size:
            continue
        result = view(np.ascontiguousarray(after[home]), offset, array)
        if array.flags.writeable:
            array[...] = result
        elif result.tobytes() != array.tobytes():
            raise Error(f"{launch.names[at]}: the kernel writes it, but the array is read-only")


def report(
    loaded: LoadedKernel, launch: ConcreteLaunch, how: RunOptions, outcome: Outcome, seconds: float
) -> str:
    """The faults of a run, a line each."""
    declared = Contract(block=launch.block, grid=launch.grid)
    named = replace(resolved([declared], loaded.kernel), names=launch.names)
    ready = Prepared(loaded.kernel, declared, named, launch, {})
    files = SourceFiles([loaded.source, *loaded.texts])
    done = execution_of(loaded.program, ready, how, outcome, seconds, files)
    return str(done.report)
