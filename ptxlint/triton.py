"""Triton: kernels of ``@triton.jit`` run on arrays of numpy, and their launches are captured.

    with ptxlint.triton.interpret():     # anywhere: x, y and out are arrays of numpy
        add[(4,)](x, y, out, n, BLOCK=1024)

    with ptxlint.triton.watch():         # on a GPU: tensors of PyTorch
        add[(4,)](x, y, out, n, BLOCK=1024)

    ptxlint.triton.check(add, (4,), x, y, out, n, BLOCK=1024)

Triton's compiler writes PTX without a GPU. A kernel is compiled for its arguments as Triton does
it: pointers that are multiples of 16 and integers divisible by 16 are known to be so, an integer
that is 1 is a constant. What a watch sees launched is what Triton compiled for it. The block has
``num_warps`` warps, and the metadata say how much shared memory the kernel takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from ptxlint.contracts.captured import ArrayBytes, array_bytes, interface, triple
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.errors import Error
from ptxlint.extraction.triton_cache import SCRATCH
from ptxlint.frontends import double, inductor
from ptxlint.frontends.inductor import CONSTANT
from ptxlint.frontends.kernels import LoadedKernel, Value, loaded
from ptxlint.frontends.watching import Late, Watch, call_site, exchanged, shown, watching
from ptxlint.results.report import Report
from ptxlint.source import Source

__all__ = ["check", "interpret", "watch"]

CAPABILITY = 80
"""The architecture that kernels are compiled for."""

DIVISOR = 16
"""What Triton compiles a kernel for, where an argument is a multiple of it."""

ELEMENTS = {
    "bool": "i1", "bfloat16": "bf16", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
    "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16",
    **{f"float{bits}": f"fp{bits}" for bits in (16, 32, 64)},
    **{f"{kind}{bits}": f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
}  # fmt: skip
"""Triton's names of the types of numpy and of PyTorch."""

UNSPECIALIZED = ("warmup", "stream", "debug")


@contextmanager
def interpret(checks: str = double.CHECKS) -> Iterator[None]:
    """Launches inside run on the interpreter, on arrays of numpy: results are written into them,
    and a fault raises NotClean. ``checks`` are those of ``ptxlint run``."""

    def run(function: Any, *args: Any, grid: Any, **options: Any) -> None:
        call = Call(function, args, options)
        shape = call.grid(grid), call.block, call.shared
        double.execute(call.kernel, *shape, call.values(), checks)

    undo = exchanged(function_class(), "run", run)
    try:
        yield
    finally:
        undo()


def check(function: Any, grid: Any, *args: Any, **options: Any) -> Report:
    """Checks a launch, ``check(kernel, grid, *args, BLOCK=1024, num_warps=4)``: nothing runs.
    Arrays may be tensors on the GPU, or of numpy. Raises Error."""
    kernel, launch = Call(function, args, options).captured(grid)
    return kernel.check([RecordedLaunch(kernel.kernel.name, launch, call_site())])


def watch(
    on_finding: str = "warn", select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> AbstractContextManager[Watch]:
    """Captures the launches inside, and checks each distinct one once in the end: findings are
    warned of, raised as NotClean (``raise``), or kept (``ignore``)."""
    return watching(install, on_finding, select, ignore)


def install(watch: Watch) -> Callable[[], None]:
    """Lets every launch be seen, those of ``torch.compile`` too, once PyTorch is imported; what is
    returned takes that back. Raises Error without Triton."""
    undo = install_functions(watch), inductor.install(watch)

    def both() -> None:
        for each in undo:
            each()

    return both


def install_functions(watch: Watch) -> Callable[[], None]:
    """The same for launches of functions alone."""
    original = function_class().run

    def run(function: Any, *args: Any, grid: Any, **options: Any) -> Any:
        made: list[Any] = []

        def describe() -> Late:
            shape = triple(grid(named(function, args, options)) if callable(grid) else grid)
            known = [described_now(value) for value in args]
            others = {name: described_now(value) for name, value in options.items()}
            return partial(late, function, known, others, shape, made)

        if not options.get("warmup"):
            watch.note(describe)
        made.append(original(function, *args, grid=grid, **options))
        return made[0]

    return exchanged(function_class(), "run", run)


def late(
    function: Any,
    args: Sequence[Any],
    options: Mapping[str, Any],
    grid: Any,
    made: Sequence[Any],
) -> tuple[LoadedKernel, ConcreteLaunch]:
    """A launch that was seen, of the kernel that Triton made for it, if it came to that."""
    return Call(function, args, options, next(iter(made), None)).captured(grid)


def function_class() -> Any:
    """Raises Error without Triton."""
    try:
        from triton.runtime.jit import JITFunction
    except ImportError:
        raise Error("triton is not installed: pip install triton") from None
    return JITFunction


class Tensor(Struct, frozen=True):
    """A tensor for later: where it lay, and the name of its type; what is in it may be gone by
    then."""

    bytes: ArrayBytes
    elements: str

    @classmethod
    def of(cls, value: Any) -> Tensor | None:
        """None for what is no array."""
        if isinstance(value, Tensor):
            return value
        found = array_bytes(value)
        if found is None:
            return None
        described = interface(value) if not hasattr(value, "dtype") else None
        kind = value.dtype if described is None else np.dtype(described["typestr"])
        return cls(found, str(kind).rpartition(".")[2])

    @property
    def kind(self) -> str:
        """Triton's type of a pointer to its elements. Raises Error."""
        if self.elements not in ELEMENTS:
            raise Error(f"elements of type {self.elements} are not supported")
        return f"*{ELEMENTS[self.elements]}"


def described_now(value: Any) -> Any:
    """An argument, for later."""
    return Tensor.of(value) or value


def named(function: Any, args: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, with those that have a default. Raises Error."""
    signature = inspect.signature(function.fn)
    given = {name: value for name, value in options.items() if name in signature.parameters}
    try:
        bound = signature.bind(*args, **given)
    except TypeError as error:
        raise Error(f"{function.__name__}: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


class Call:
    """A call of a kernel: its arguments by name, and what it is compiled for, unless it is ``made``
    already. Raises Error."""

    def __init__(
        self, function: Any, args: Sequence[Any], options: Mapping[str, Any], made: Any = None
    ) -> None:
        self.function = function
        self.named = named(function, args, options)
        self.compiled = made or self._compiled(options)
        self.types: dict[str, str] = dict(self.compiled.src.signature)
        self.kernel = kernel_of(function, self.compiled, self.types)

    def _compiled(self, options: Mapping[str, Any]) -> Any:
        """What Triton compiles for the arguments. Raises Error."""
        types, attributes = {}, []
        for at, parameter in enumerate(self.function.params):
            types[parameter.name], divisible = self._specialized(parameter)
            if divisible:
                attributes.append(((at,), (("tt.divisibility", DIVISOR),)))
        constants = tuple((n, self.named[n]) for n, kind in types.items() if kind == CONSTANT)
        own = {*self.named, *UNSPECIALIZED}
        rest = sorted((name, value) for name, value in options.items() if name not in own)
        return compiled(
            self.function, tuple(types.items()), constants, tuple(attributes), tuple(rest)
        )

    def _specialized(self, parameter: Any) -> tuple[str, bool]:
        """The type that an argument is compiled for, and true if it is known to be divisible."""
        name, value = parameter.name, self.named[parameter.name]
        if parameter.is_constexpr or value is None:
            return CONSTANT, False
        if isinstance(value, np.generic):
            value = self.named[name] = value.item()
        special = not parameter.do_not_specialize
        aligned = special and not parameter.do_not_specialize_on_alignment
        if isinstance(value, bool):
            return "u1", False
        if isinstance(value, int):
            if value == 1 and special:
                return CONSTANT, False
            small = -(2**31) <= value < 2**31
            kind = "i32" if small else "i64" if value < 2**63 else "u64"
            return kind, aligned and value % DIVISOR == 0
        if isinstance(value, float):
            return "fp32", False
        tensor = Tensor.of(value)
        if tensor is None:
            raise Error(
                f"argument {name}: expected a number or an array, not {type(value).__name__}"
            )
        owned = isinstance(value, np.ndarray) and not isinstance(value.base, np.ndarray)
        return tensor.kind, aligned and (owned or not tensor.bytes.address % DIVISOR)

    @property
    def block(self) -> Triple:
        return 32 * self.compiled.metadata.num_warps, 1, 1

    @property
    def shared(self) -> int:
        shared: int = self.compiled.metadata.shared
        return shared

    def grid(self, said: Any) -> Triple:
        """The grid, which may be a function of the arguments."""
        return triple(said(self.named) if callable(said) else said)

    def values(self) -> list[Value]:
        """The arguments as the kernel takes them; arrays of numpy stay what they are."""
        found: list[Value] = []
        for name, kind in self.types.items():
            value = self.named[name]
            if kind == CONSTANT:
                continue
            if isinstance(value, np.ndarray):
                found.append(value)
            elif kind[0] == "*":
                tensor = Tensor.of(value)
                found.append(int(value) if tensor is None else tensor.bytes)
            else:
                found.append(float(value) if kind[0] in "fb" else int(value))
        return [*found, *([0] * len(SCRATCH))]

    def captured(self, grid: Any) -> tuple[LoadedKernel, ConcreteLaunch]:
        """The kernel and its launch, without what is in the arrays. Raises Error."""
        shape = self.grid(grid), self.block, self.shared
        return self.kernel, self.kernel.launch(*shape, self.values())


@lru_cache(maxsize=256)
def compiled(
    function: Any,
    types: tuple[tuple[str, str], ...],
    constants: tuple[tuple[str, Any], ...],
    attributes: tuple[tuple[Any, Any], ...],
    options: tuple[tuple[str, Any], ...],
) -> Any:
    """What Triton compiles. Raises Error."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    said = {at: [list(pair) for pair in pairs] for at, pairs in attributes}
    source = ASTSource(function, dict(types), dict(constants), said)
    try:
        return triton.compile(
            source, target=GPUTarget("cuda", CAPABILITY, 32), options=dict(options)
        )
    except Exception as error:
        raise Error(f"{function.__name__}: Triton does not compile it: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """The first line of an error and, if it is only the place, the last one of its cause: between
    them is the text of the kernel."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if len(lines) == 1 or not lines[0].endswith(":"):
        return lines[0]
    deepest = error
    while deepest.__cause__ is not None:
        deepest = deepest.__cause__
    last = (str(deepest).strip().splitlines() or [type(deepest).__name__])[-1]
    return f"{lines[0]} {last.strip()}"


def kernel_of(function: Any, done: Any, types: Mapping[str, str]) -> LoadedKernel:
    """The kernel in what Triton compiled. Raises Error."""
    if done.metadata.num_ctas != 1:
        raise Error(f"{function.__name__}: clusters are not supported")
    names = tuple(name for name, kind in types.items() if kind != CONSTANT)
    folder = Path(shown(function.fn.__code__.co_filename)).parent
    place = Source(str(folder / f"{function.__name__}.ptx"), done.asm["ptx"])
    return loaded(place, None, (*names, *SCRATCH))
