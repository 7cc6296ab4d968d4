"""CuPy: launches are captured as they happen, and kernels run on arrays of numpy.

    with ptxlint.cupy.watch():           # on a GPU
        saxpy((4,), (256,), (n, a, x, y))

    saxpy = ptxlint.cupy.RawKernel(code, "saxpy")   # anywhere: x and y are arrays of numpy
    saxpy((4,), (256,), (np.int32(1000), np.float32(2), x, y))

A watch sees the kernels that are made while it lasts, as ``cupy.RawKernel``, as functions of a
``cupy.RawModule``, as ``cupy.ElementwiseKernel`` and ``cupy.ReductionKernel``. They are compiled
again, for line information, when it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from ptxlint.contracts.captured import triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.errors import Error
from ptxlint.frontends import double
from ptxlint.frontends.cuda_text import CudaText, kernel_of, placed
from ptxlint.frontends.cupy_arguments import arguments, included
from ptxlint.frontends.cupy_expressions import (
    ExpressionLaunch,
    Expressions,
    elementwise,
    empty,
    reduction,
    unplaced,
)
from ptxlint.frontends.kernels import LoadedKernel, Value
from ptxlint.frontends.watching import Watch, call_site, watching
from ptxlint.results.report import Report

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel", "check", "watch"]

Shape = int | Sequence[int]


# --- runs without a GPU


class RawKernel:
    """``cupy.RawKernel`` on arrays of numpy: a launch runs on the interpreter. Results are written
    into the arrays; a fault (out of bounds, a race, an uninitialised read, a divergent barrier)
    raises NotClean. ``checks`` are those of ``ptxlint run``."""

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        *,
        checks: str = double.CHECKS,
        **of_cupy: Any,
    ) -> None:
        self.code, self.name, self.options, self.checks = code, name, tuple(options), checks
        self._text = of_cupy.pop("_text", None) or placed(code, name)
        self._instances: tuple[str, ...] = of_cupy.pop("_instances", ())

    @cached_property
    def loaded(self) -> LoadedKernel:
        """The kernel, compiled. Raises Error."""
        return kernel_of(self._text, self.name, included(self.options), self._instances)

    def compile(self, log_stream: Any = None) -> None:
        """Compiles now. Raises Error."""
        self.loaded  # noqa: B018

    def __call__(
        self, grid: Shape, block: Shape, args: Sequence[Any], *, shared_mem: int = 0
    ) -> None:
        loaded = self.loaded
        values = arguments(loaded, args)
        double.execute(loaded, triple(grid), triple(block), shared_mem, values, self.checks)

    def check(
        self, grid: Shape, block: Shape, args: Sequence[Any], *, shared_mem: int = 0
    ) -> Report:
        """Checks this launch: nothing runs, and nothing is left to the data. Raises Error."""
        launch = captured(self.loaded, grid, block, args, shared_mem)
        return self.loaded.check([RecordedLaunch(self.loaded.kernel.name, launch, call_site())])


class RawModule:
    """``cupy.RawModule`` on arrays of numpy: ``get_function`` gives a ``RawKernel``."""

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | None = None,
        options: Sequence[str] = (),
        name_expressions: Iterable[str] | None = None,
        checks: str = double.CHECKS,
        **of_cupy: Any,
    ) -> None:
        if (code is None) == (path is None):
            raise Error("RawModule: expected code or path")
        if path is not None:
            code = Path(path).read_text("utf-8")
            self._text = CudaText(code, str(path), 1)
        assert code is not None
        self.code, self.options, self.checks = code, tuple(options), checks
        self._instances = tuple(name_expressions or ())
        if path is None:
            self._text = placed(code, "module")

    def get_function(self, name: str) -> RawKernel:
        of_cupy = {"_text": self._text, "_instances": self._instances}
        return RawKernel(self.code, name, self.options, checks=self.checks, **of_cupy)


class ElementwiseKernel:
    """``cupy.ElementwiseKernel`` on arrays of numpy: a call runs on the interpreter, and a fault
    raises NotClean. CuPy has to be installed, since it writes the CUDA C; it needs no GPU."""

    def __init__(self, *of_cupy: Any, checks: str = double.CHECKS, **more: Any) -> None:
        self._written = Expressions.of(cupy_itself().ElementwiseKernel(*of_cupy, **more))
        self.checks = checks

    def __call__(self, *args: Any, size: int | None = None, block_size: int = 128) -> Any:
        """What CuPy returns: the results."""
        launched = elementwise(self._written, args, empty, size, block_size)
        executed(launched, self.checks)
        kernel = self._written.kernel
        return None if kernel.no_return else results(launched, kernel.return_tuple)

    def check(self, *args: Any, size: int | None = None, block_size: int = 128) -> Report:
        """Checks this call: nothing runs. Raises Error."""
        return checked(elementwise(self._written, args, unplaced, size, block_size))


class ReductionKernel:
    """``cupy.ReductionKernel`` on arrays of numpy, as ``ElementwiseKernel``."""

    def __init__(self, *of_cupy: Any, checks: str = double.CHECKS, **more: Any) -> None:
        self._written = Expressions.of(cupy_itself().ReductionKernel(*of_cupy, **more))
        self.checks = checks

    def __call__(
        self, *args: Any, out: Any = None, axis: Any = None, keepdims: bool = False
    ) -> Any:
        """What CuPy returns: the results."""
        given = args if out is None else (*args, out)
        launched = reduction(self._written, given, empty, axis, keepdims)
        executed(launched, self.checks)
        return results(launched)

    def check(
        self, *args: Any, out: Any = None, axis: Any = None, keepdims: bool = False
    ) -> Report:
        """Checks this call: nothing runs. Raises Error."""
        given = args if out is None else (*args, out)
        return checked(reduction(self._written, given, unplaced, axis, keepdims))


def executed(launched: ExpressionLaunch, checks: str) -> None:
    """Runs what a call launches. Raises NotClean."""
    loaded = launched.loaded
    if loaded is not None:
        double.execute(loaded, launched.grid, launched.block, 0, launched.values, checks)


def results(launched: ExpressionLaunch, whole: bool = False) -> Any:
    """The results of a call: an array, or several."""
    found = tuple(each.memory for each in launched.results)
    return found if whole or len(found) > 1 else found[0]


def checked(launched: ExpressionLaunch) -> Report:
    """The report on what a call launches. Raises Error where that is nothing."""
    loaded = launched.loaded
    if loaded is None:
        raise Error("no elements: nothing is launched")
    launch = loaded.launch(launched.grid, launched.block, 0, launched.values)
    return loaded.check([RecordedLaunch(loaded.kernel.name, launch, call_site())])


# --- launches


def check(
    kernel: Any, grid: Shape, block: Shape, args: Sequence[Any], *, shared_mem: int = 0
) -> Report:
    """Checks a launch of a ``cupy.RawKernel``, or of ours: nothing runs. Arrays may be on the GPU,
    or of numpy. Raises Error."""
    if isinstance(kernel, RawKernel):
        return kernel.check(grid, block, args, shared_mem=shared_mem)
    same = RawKernel(kernel.code, kernel.name, tuple(kernel.options))
    return same.check(grid, block, args, shared_mem=shared_mem)


def watch(
    on_finding: str = "warn", select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> AbstractContextManager[Watch]:
    """Captures the launches of kernels that are made inside, and checks each distinct one once in
    the end: findings are warned of, raised as NotClean (``raise``), or kept (``ignore``)."""
    return watching(install, on_finding, select, ignore)


def install(watch: Watch) -> Callable[[], None]:
    """Lets the names in ``cupy`` make kernels that are watched; what is returned takes it back.
    Raises Error without CuPy."""
    from ptxlint.frontends.cupy_classes import watched

    cupy = cupy_itself()
    classes = watched(watch, cupy)
    before = {name: getattr(cupy, name) for name in classes}
    for name, replaced in classes.items():
        setattr(cupy, name, replaced)

    def undo() -> None:
        for name, original in before.items():
            setattr(cupy, name, original)

    return undo


def cupy_itself() -> Any:
    """Raises Error without CuPy."""
    try:
        import cupy
    except ImportError:
        raise Error("cupy is not installed: pip install cupy-cuda13x") from None
    return cupy


def captured(
    loaded: LoadedKernel, grid: Shape, block: Shape, args: Sequence[Any], shared: int
) -> ConcreteLaunch:
    """The launch, without what is in its arrays."""
    values: list[Value] = arguments(loaded, args)
    return loaded.launch(triple(grid), triple(block), shared, values)
