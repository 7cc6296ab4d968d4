"""Numba: kernels of ``@cuda.jit`` run on arrays of numpy, and their launches are captured.

    with ptxlint.numba.interpret():      # anywhere: x and y are arrays of numpy
        saxpy[4, 256](n, a, x, y)

    with ptxlint.numba.watch():          # on a GPU
        saxpy[4, 256](n, a, x, y)

    ptxlint.numba.check(saxpy[4, 256], n, a, x, y)

Numba's compiler writes PTX without a GPU, for device functions too. An array becomes seven
parameters or more: two that are unused, the number of its elements, the bytes of one, the pointer,
shape and strides. They are called ``x_size``, ``x_itemsize``, ``x``, ``x_shape0`` and
``x_stride0`` here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ptxlint.contracts.captured import ArrayBytes, array_bytes, contiguous, triple
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.errors import Error
from ptxlint.frontends import double
from ptxlint.frontends.kernels import LoadedKernel, Value, loaded
from ptxlint.frontends.numba_compiler import compiled_text
from ptxlint.frontends.watching import Late, Watch, call_site, exchanged, shown, watching
from ptxlint.results.report import Report
from ptxlint.source import Source

__all__ = ["check", "interpret", "watch"]

Shape = tuple[Triple, Triple, int]

CAPABILITY = (8, 0)
"""The architecture that kernels are compiled for."""

OPTIONS = ("fastmath", "opt", "launch_bounds")
"""The options of ``cuda.jit`` that the compiler is given, too."""


@contextmanager
def interpret(checks: str = double.CHECKS) -> Iterator[None]:
    """Launches inside run on the interpreter, on arrays of numpy: results are written into them,
    and a fault raises NotClean. ``checks`` are those of ``ptxlint run``."""

    def call(dispatcher: Any, args: Sequence[Any], *configured: Any) -> None:
        kernel, values = prepared(dispatcher, args)
        double.execute(kernel, *shape_of(configured), values, checks)

    undo = exchanged(dispatcher_class(), "call", call)
    try:
        yield
    finally:
        undo()


def check(configured: Any, *args: Any) -> Report:
    """Checks a launch, ``check(kernel[grid, block], *args)``: nothing runs. Arrays may be on the
    GPU, or of numpy. Raises Error."""
    kernel, launch = captured(configured.dispatcher, args, shape_of([configured]))
    return kernel.check([RecordedLaunch(kernel.kernel.name, launch, call_site())])


def watch(
    on_finding: str = "warn", select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> AbstractContextManager[Watch]:
    """Captures the launches inside, and checks each distinct one once in the end: findings are
    warned of, raised as NotClean (``raise``), or kept (``ignore``)."""
    return watching(install, on_finding, select, ignore)


def install(watch: Watch) -> Callable[[], None]:
    """Lets every launch be seen; what is returned takes that back. Raises Error without Numba."""
    original = dispatcher_class().call

    def call(dispatcher: Any, args: Sequence[Any], *configured: Any) -> Any:
        def describe() -> Late:
            known = [described_now(value) for value in args]
            return partial(captured, dispatcher, known, shape_of(configured))

        watch.note(describe)
        return original(dispatcher, args, *configured)

    return exchanged(dispatcher_class(), "call", call)


def dispatcher_class() -> Any:
    """Raises Error without Numba."""
    try:
        from numba.cuda.dispatcher import CUDADispatcher
    except ImportError:
        raise Error("numba-cuda is not installed: pip install 'numba-cuda[cu13]'") from None
    return CUDADispatcher


# --- kernels


@lru_cache(maxsize=256)
def compiled(dispatcher: Any, types: tuple[Any, ...]) -> LoadedKernel:
    """The kernel for arguments of these types. Raises Error."""
    function = dispatcher.py_func
    given = dispatcher.targetoptions
    options = {name: given[name] for name in OPTIONS if given.get(name) is not None}
    ptx = compiled_text(function, types, CAPABILITY, options)
    folder = Path(shown(function.__code__.co_filename)).parent
    named = tuple(name for name, kind in zip(arguments_of(function), types, strict=True)
                  for name in parameter_names(name, kind))  # fmt: skip
    return loaded(Source(str(folder / f"{function.__name__}.ptx"), ptx), None, named)


def arguments_of(function: Any) -> tuple[str, ...]:
    code = function.__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
    return names


def parameter_names(name: str, kind: Any) -> Iterator[str]:
    """The names of the parameters that an argument becomes."""
    from numba import types

    if isinstance(kind, types.Array):
        yield from (f"{name}_meminfo", f"{name}_parent", f"{name}_size", f"{name}_itemsize", name)
        yield from (f"{name}_shape{axis}" for axis in range(kind.ndim))
        yield from (f"{name}_stride{axis}" for axis in range(kind.ndim))
    elif isinstance(kind, types.BaseTuple):
        for at, each in enumerate(kind):
            yield from parameter_names(f"{name}_{at}", each)
    elif isinstance(kind, types.Complex):
        yield from (f"{name}_real", f"{name}_imag")
    else:
        yield name


# --- arguments


def described_now(value: Any) -> Any:
    """An argument for later: an array without what is in it, which may be gone by then."""
    found = array_bytes(value)
    return value if found is None else Described(found, value)


class Described:
    """An array: where it lay, and its type."""

    def __init__(self, bytes_: ArrayBytes, value: Any) -> None:
        self.bytes, self.kind = bytes_, kind_of(value)


def kind_of(value: Any) -> Any:
    """Numba's type of an argument."""
    from numba import cuda, typeof

    if isinstance(value, Described):
        return value.kind
    if not isinstance(value, np.ndarray) and hasattr(type(value), "__cuda_array_interface__"):
        value = value if hasattr(value, "_numba_type_") else cuda.as_cuda_array(value, sync=False)
        return getattr(value, "_numba_type_", None) or typeof(value)
    return typeof(value)


def shape_of(configured: Sequence[Any]) -> Shape:
    """Grid, block and dynamic shared memory of a launch: one object or, in the Numba that has CUDA
    built in, grid, block, stream and bytes."""
    if len(configured) == 1:
        (one,) = configured
        return triple(one.griddim), triple(one.blockdim), one.sharedmem
    grid, block, _, shared = configured
    return triple(grid), triple(block), shared


def captured(
    dispatcher: Any, args: Sequence[Any], shape: Shape
) -> tuple[LoadedKernel, ConcreteLaunch]:
    """The kernel and its launch, without what is in the arrays. Raises Error."""
    kernel, values = prepared(dispatcher, args)
    return kernel, kernel.launch(*shape, values)


def prepared(dispatcher: Any, args: Sequence[Any]) -> tuple[LoadedKernel, list[Value]]:
    """The kernel for these arguments, and its parameters; arrays of numpy stay what they are.
    Raises Error."""
    names = arguments_of(dispatcher.py_func)
    if len(args) != len(names):
        many = f"{len(names)} arguments, not {len(args)}"
        raise Error(f"{dispatcher.py_func.__name__} takes {many}: {', '.join(names)}")
    kinds = tuple(kind_of(value) for value in args)
    kernel = compiled(dispatcher, kinds)
    each = zip(names, kinds, args, strict=True)
    return kernel, [v for name, kind, value in each for v in parameters(name, kind, value)]


def parameters(name: str, kind: Any, value: Any) -> Iterator[Value]:
    """The parameters that an argument becomes, as Numba's launcher has them. Raises Error."""
    from numba import types

    match kind:
        case types.Array():
            known = value.bytes if isinstance(value, Described) else array_bytes(value)
            assert known is not None
            size = int(np.prod(known.shape, dtype=np.int64))
            yield from (
                0,
                0,
                size,
                known.itemsize,
                value if isinstance(value, np.ndarray) else known,
            )
            yield from known.shape
            yield from known.strides or contiguous(known.shape, known.itemsize)
        case types.BaseTuple():
            for at, (each, part) in enumerate(zip(kind, value, strict=True)):
                yield from parameters(f"{name}_{at}", each, part)
        case types.Complex():
            yield from (float(value.real), float(value.imag))
        case types.Float():
            yield float(value)
        case types.Integer() | types.Boolean():
            yield int(value)
        case _:
            raise Error(f"argument {name}: {kind} is not supported")
