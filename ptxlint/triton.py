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

from ptxlint.contracts.captured import ArrayBytes, array_bytes, interface, triple
from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import ConcreteLaunch
from ptxlint.contracts.records import RecordedLaunch
from ptxlint.errors import Error
from ptxlint.frontends import double
from ptxlint.frontends.kernels import LoadedKernel, Value, loaded
from ptxlint.frontends.watching import Watch, call_site, shown, watching
from ptxlint.results.report import Report
from ptxlint.source import Source

__all__ = ["check", "interpret", "watch"]

CAPABILITY = 80
"""The architecture that kernels are compiled for."""

DIVISOR = 16
"""What Triton compiles a kernel for, where an argument is a multiple of it."""

SCRATCH = 2
"""Parameters behind the user's: memory for the kernel and for profiles, unused as a rule."""

POINTERS = {"f": "fp", "i": "i", "u": "u"}
UNSPECIALIZED = ("warmup", "stream", "debug")


@contextmanager
def interpret(checks: str = double.CHECKS) -> Iterator[None]:
    """Launches inside run on the interpreter, on arrays of numpy: results are written into them,
    and a fault raises NotClean. ``checks`` are those of ``ptxlint run``."""

    def run(function: Any, *args: Any, grid: Any, **options: Any) -> None:
        call = Call(function, args, options)
        shape = call.grid(grid), call.block, call.shared
        double.execute(call.kernel, *shape, call.values(), checks)

    undo = replaced(run)
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
    """Lets every launch be seen; what is returned takes that back. Raises Error without Triton."""
    original = function_class().run

    def run(function: Any, *args: Any, grid: Any, **options: Any) -> Any:
        described = [described_now(value) for value in args]
        named = {name: described_now(value) for name, value in options.items()}
        made: list[Any] = []
        if not options.get("warmup"):
            watch.add(partial(late, function, described, named, grid, made))
        made.append(original(function, *args, grid=grid, **options))
        return made[0]

    return replaced(run)


def late(
    function: Any,
    args: Sequence[Any],
    options: Mapping[str, Any],
    grid: Any,
    made: Sequence[Any],
) -> tuple[LoadedKernel, ConcreteLaunch]:
    """A launch that was seen, of the kernel that Triton made for it, if it came to that."""
    return Call(function, args, options, next(iter(made), None)).captured(grid)


def replaced(run: Callable[..., Any]) -> Callable[[], None]:
    """Puts a function in the place of the one that launches; what is returned takes it back."""
    function = function_class()
    original = function.run
    function.run = run

    def undo() -> None:
        function.run = original

    return undo


def function_class() -> Any:
    """Raises Error without Triton."""
    try:
        from triton.runtime.jit import JITFunction
    except ImportError:
        raise Error("triton is not installed: pip install triton") from None
    return JITFunction


class Tensor:
    """A tensor for later: where it lay, and its type; what is in it may be gone by then."""

    def __init__(self, bytes_: ArrayBytes, kind: str) -> None:
        self.bytes, self.kind = bytes_, kind

    @classmethod
    def of(cls, value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value
        bytes_, described = array_bytes(value), interface(value)
        assert bytes_ is not None and described is not None
        return cls(bytes_, pointer(described["typestr"]))


def described_now(value: Any) -> Any:
    """An argument, for later."""
    return value if array_bytes(value) is None else Tensor.of(value)


def pointer(typestr: str) -> str:
    """Triton's type of a pointer to elements of a type of numpy."""
    kind, size = typestr[1], int(typestr[2:])
    if kind == "b":
        return "*i1"
    if kind not in POINTERS:
        raise Error(f"elements of type {typestr[1:]} are not supported")
    return f"*{POINTERS[kind]}{8 * size}"


class Call:
    """A call of a kernel: its arguments by name, and what it is compiled for, unless it is ``made``
    already. Raises Error."""

    def __init__(
        self, function: Any, args: Sequence[Any], options: Mapping[str, Any], made: Any = None
    ) -> None:
        signature = inspect.signature(function.fn)
        named = {n: value for n, value in options.items() if n in signature.parameters}
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            raise Error(f"{function.__name__}: {error}") from None
        bound.apply_defaults()
        self.function = function
        self.named: dict[str, Any] = dict(bound.arguments)
        self.constants = {p.name for p in function.params if p.is_constexpr}
        self.types, self.attributes = {}, {}
        for at, parameter in enumerate(function.params):
            kind, divisible = self._specialized(parameter)
            self.types[parameter.name] = kind
            if divisible:
                self.attributes[(at,)] = (("tt.divisibility", DIVISOR),)
        rest = {n: v for n, v in options.items() if n not in named and n not in UNSPECIALIZED}
        if made is not None:
            self.types = dict(made.src.signature)
        constants = tuple((n, self.named[n]) for n, kind in self.types.items() if kind == CONSTANT)
        self.compiled = made or compiled(
            function,
            tuple(self.types.items()),
            constants,
            tuple(self.attributes.items()),
            tuple(sorted(rest.items())),
        )
        self.kernel = kernel_of(function, self.compiled, self.types)

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
        if not isinstance(value, Tensor) and array_bytes(value) is None:
            raise Error(
                f"argument {name}: expected a number or an array, not {type(value).__name__}"
            )
        tensor = Tensor.of(value)
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
            if kind[0] != "*":
                found.append(float(value) if kind[0] == "f" else int(value))
            else:
                found.append(value if isinstance(value, np.ndarray) else Tensor.of(value).bytes)
        return [*found, *([0] * SCRATCH)]

    def captured(self, grid: Any) -> tuple[LoadedKernel, ConcreteLaunch]:
        """The kernel and its launch, without what is in the arrays. Raises Error."""
        shape = self.grid(grid), self.block, self.shared
        return self.kernel, self.kernel.launch(*shape, self.values())


CONSTANT = "constexpr"


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
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise Error(f"{function.__name__}: Triton does not compile it: {first}") from error


def kernel_of(function: Any, done: Any, types: Mapping[str, str]) -> LoadedKernel:
    """The kernel in what Triton compiled. Raises Error."""
    if done.metadata.num_ctas != 1:
        raise Error(f"{function.__name__}: clusters are not supported")
    names = tuple(name for name, kind in types.items() if kind != CONSTANT)
    folder = Path(shown(function.fn.__code__.co_filename)).parent
    place = Source(str(folder / f"{function.__name__}.ptx"), done.asm["ptx"])
    return loaded(place, None, (*names, "scratch", "profile"))
