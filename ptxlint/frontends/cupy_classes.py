"""CuPy's classes of kernels, whose launches a watch sees.

CuPy's own classes cannot be changed, but derived from. A launch is noted before it happens: one
that fails is still checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ptxlint.contracts.captured import array_bytes, triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.errors import Error
from ptxlint.frontends.array_views import described
from ptxlint.frontends.cuda_text import CudaText, kernel_of, placed
from ptxlint.frontends.cupy_arguments import arguments, included
from ptxlint.frontends.cupy_expressions import (
    ExpressionLaunch,
    Expressions,
    elementwise,
    reduction,
    unplaced,
)
from ptxlint.frontends.kernels import LoadedKernel
from ptxlint.frontends.watching import Late, Watch

Call = tuple[Any, Any, Sequence[Any], int]
"""Grid, block, arguments and dynamic shared memory of a call."""


def watched(watch: Watch, cupy: Any) -> Mapping[str, type]:
    """The classes to put in the place of CuPy's, by their names."""

    class WatchedRawKernel(cupy.RawKernel):  # type: ignore[misc]
        """``cupy.RawKernel``, watched."""

        def __call__(self, grid: Any, block: Any, args: Any, **more: Any) -> Any:
            note(watch, self, (grid, block, args, more.get("shared_mem", 0)))
            return super().__call__(grid, block, args, **more)

    class WatchedRawModule(cupy.RawModule):  # type: ignore[misc]
        """``cupy.RawModule``, whose functions are watched."""

        def get_function(self, name: str) -> Any:
            return WatchedFunction(watch, self, super().get_function(name), name)

    return {
        "RawKernel": WatchedRawKernel,
        "RawModule": WatchedRawModule,
        **watched_expressions(watch, cupy),
    }


def watched_expressions(watch: Watch, cupy: Any) -> Mapping[str, type]:
    """The same for kernels of expressions."""

    class WatchedElementwiseKernel(cupy.ElementwiseKernel):  # type: ignore[misc]
        """``cupy.ElementwiseKernel``, watched."""

        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            self._written = Expressions.of(self)

        def __call__(self, *args: Any, **more: Any) -> Any:
            size, block = more.get("size"), more.get("block_size", 128)
            note_call(watch, partial(elementwise, self._written, size=size, block=block), args)
            return super().__call__(*args, **more)

    class WatchedReductionKernel(cupy.ReductionKernel):  # type: ignore[misc]
        """``cupy.ReductionKernel``, watched."""

        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            self._written = Expressions.of(self)

        def __call__(self, *args: Any, **more: Any) -> Any:
            given = args if more.get("out") is None else (*args, more["out"])
            axis, keepdims = more.get("axis"), more.get("keepdims", False)
            note_call(watch, partial(reduction, self._written, axis=axis, keepdims=keepdims), given)
            return super().__call__(*args, **more)

    return {
        "ElementwiseKernel": WatchedElementwiseKernel,
        "ReductionKernel": WatchedReductionKernel,
    }


class WatchedFunction:
    """A function of a watched module; all else is that of CuPy."""

    def __init__(self, watch: Watch, module: Any, function: Any, name: str) -> None:
        self._watch, self._module, self._function, self.name = watch, module, function, name
        self.code, self.options = module.code, module.options
        self.name_expressions = getattr(module, "name_expressions", None)

    def __call__(self, grid: Any, block: Any, args: Any, **more: Any) -> Any:
        note(self._watch, self, (grid, block, args, more.get("shared_mem", 0)))
        return self._function(grid, block, args, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def note(watch: Watch, kernel: Any, call: Call) -> None:
    """Adds a launch to the watch."""
    grid, block, args, shared = call

    def describe() -> Late:
        known = [array_bytes(value) or value for value in args]
        text = placed(kernel.code, kernel.name) if kernel.code else None
        return partial(found, kernel, text, (grid, block, known, shared))

    watch.note(describe)


def note_call(watch: Watch, launched: Callable[..., ExpressionLaunch], args: Sequence[Any]) -> None:
    """Adds a call of a kernel of expressions, unless it has no elements."""
    watch.note(lambda: partial(late, launched, described(args)))


def late(
    launched: Callable[..., ExpressionLaunch], args: Sequence[Any]
) -> tuple[LoadedKernel, ConcreteLaunch] | None:
    """What a call launches, if there are elements. Raises Error."""
    found = launched(args, make=unplaced)
    if found.loaded is None:
        return None
    return found.loaded, found.loaded.launch(found.grid, found.block, 0, found.values)


def found(kernel: Any, text: CudaText | None, call: Call) -> tuple[LoadedKernel, ConcreteLaunch]:
    """The kernel of a call, compiled, and the launch. Raises Error."""
    if text is None:
        raise Error(f"{kernel.name}: its module was loaded from a file without CUDA C")
    grid, block, args, shared = call
    instances = tuple(getattr(kernel, "name_expressions", None) or ())
    loaded = kernel_of(text, kernel.name, included(tuple(kernel.options or ())), instances)
    values = arguments(loaded, args)
    return loaded, loaded.launch(triple(grid), triple(block), shared, values)
