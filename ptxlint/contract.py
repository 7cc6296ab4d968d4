"""What is known about the launches of a kernel: declared by the user or by the PTX itself.

Everything is optional. What nobody declares may be anything that is legal on a GPU, and the answer
says so. Extents are in bytes, ranges include both ends.

A ``Contract`` is what the user said, by name; ``Contract.for_kernel`` turns it into the ``Launch``
of one kernel, by position. A parameter goes by its name in the PTX, by its position counted from
0, or by a name that ``params`` gives it, because compilers drop the names of the source.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from ptxlint.declaration import ContractError as ContractError
from ptxlint.declaration import Triple as Triple
from ptxlint.declaration import (
    argument,
    extent,
    named,
    parameter_names,
    shape,
    shown,
    size,
)
from ptxlint.expression import Expression, ExpressionError, interval, polynomial

if TYPE_CHECKING:
    from ptxlint.ir import Kernel, Parameter

MAX_THREADS = 1024
MAX_BLOCK: Triple = (1024, 1024, 64)
MAX_GRID: Triple = (2**31 - 1, 65535, 65535)


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from ``low`` to ``high``."""

    low: int
    high: int

    @property
    def single(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Extent:
    """A whole allocation: its size in bytes and the alignment of its first byte.

    ``terms``, where the size is a polynomial over parameters: each a coefficient and the positions
    of the parameters it multiplies. It ties the size to the values that index the buffer."""

    bytes: Range
    align: int = 256
    terms: tuple[tuple[int, tuple[int, ...]], ...] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """The launches of one kernel that its contract allows. ``values`` and ``buffers`` are by the
    position of the parameter; ``shared`` is dynamic shared memory in bytes."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: int | None = None
    values: Mapping[int, Range | float] = field(default_factory=dict)
    buffers: Mapping[int, Extent] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    origin: str = "any legal launch"
    max_threads: int = MAX_THREADS

    def concrete(self, kernel: Kernel) -> bool:
        """Whether the block and every integer parameter are declared."""
        return self.block is not None and all(
            parameter.index in self.values or parameter.size >= 8 or parameter.type.startswith("f")
            for parameter in kernel.parameters
        )


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer as declared: its extent is an expression over arguments."""

    text: str
    extent: Expression
    align: int = 256


@dataclass(frozen=True)
class Contract:
    """What a user declares about launches, by the names of parameters."""

    block: Triple | None = None
    grid: Triple | None = None
    shared: int | None = None
    values: Mapping[str, Range | float] = field(default_factory=dict)
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    params: tuple[str, ...] = ()
    origin: str = "command line"

    @classmethod
    def of(
        cls,
        *,
        block: str | None = None,
        grid: str | None = None,
        shared: str | None = None,
        arg: Iterable[str] = (),
        buffer: Iterable[str] = (),
        params: str | None = None,
        origin: str = "command line",
    ) -> Contract:
        """The contract that options declare, each as it stands on the command line. Raises
        ContractError."""
        values = dict(named("--arg", arg))
        buffers = dict(named("--buffer", buffer))
        for name in values.keys() & buffers.keys():
            raise ContractError(f"--buffer {name}: {name} is declared by --arg too")
        return cls(
            None if block is None else shape("--block", block, MAX_BLOCK, MAX_THREADS),
            None if grid is None else shape("--grid", grid, MAX_GRID),
            None if shared is None else size("--shared", shared),
            {name: ranged(argument(name, text)) for name, text in values.items()},
            {name: Buffer(text, *extent(name, text)) for name, text in buffers.items()},
            () if params is None else parameter_names(params),
            origin,
        )

    @classmethod
    def from_options(cls, words: Sequence[str], origin: str = "command line") -> Contract:
        """The contract in a list of words: ``--block 256 --arg n=1000``."""
        single: dict[str, str] = {}
        several: dict[str, list[str]] = {"arg": [], "buffer": []}
        rest = iter(words)
        for option in rest:
            name = option.removeprefix("--")
            value = next(rest, None)
            if value is None:
                raise ContractError(f"{option}: expected a value after it")
            if name in several:
                several[name].append(value)
            elif name in ("block", "grid", "shared", "params") and name not in single:
                single[name] = value
            else:
                raise ContractError(f"{option}: given twice, or no launch option")
        return cls.of(**single, **several, origin=origin)  # type: ignore[arg-type]

    @classmethod
    def from_comments(cls, text: str, origin: str = "comments") -> Contract:
        """The contract in the comments ``// launch: --block 256`` and ``// params: n,in``."""
        words: list[str] = []
        for kind, rest in re.findall(r"^\s*//\s*(launch|params):(.*)$", text, re.MULTILINE):
            words += shlex.split(rest) if kind == "launch" else ["--params", rest.strip()]
        return cls.from_options(words, origin)

    # --- meeting kernels

    def find(self, name: str, kernel: Kernel) -> Parameter | None:
        """The parameter of a kernel that goes by this name or position."""
        if name in self.params:
            name = str(self.params.index(name))
        for parameter in kernel.parameters:
            if name in (parameter.name, str(parameter.index)):
                return parameter
        return None

    def require(self, kernels: Sequence[Kernel]) -> None:
        """Raises ContractError for a name that no kernel has a parameter for."""
        if not kernels:
            return
        for option, names in (("--arg", self.values), ("--buffer", self.buffers)):
            for name in names:
                if not any(self.find(name, kernel) for kernel in kernels):
                    raise ContractError(self.missing(f"{option} {name}", name, kernels))
        most = max(len(kernel.parameters) for kernel in kernels)
        if len(self.params) > most:
            raise ContractError(
                f"--params: {len(self.params)} names, but no kernel has more than {most} parameters"
            )

    def missing(self, option: str, name: str, kernels: Sequence[Kernel]) -> str:
        if len(kernels) == 1:
            known = ", ".join(self.names(kernels[0])) or "none"
            return f"{option}: no kernel has a parameter {name}, this kernel's are {known}"
        lists = [f"{kernel.name}({', '.join(self.names(kernel))})" for kernel in kernels[:5]]
        more = f" and {len(kernels) - 5} more" if len(kernels) > 5 else ""
        return f"{option}: no kernel has a parameter {name}: {', '.join(lists)}{more}"

    def names(self, kernel: Kernel) -> tuple[str, ...]:
        """What the parameters are called: as declared, else as in the PTX."""
        declared = self.params[: len(kernel.parameters)]
        return declared + tuple(p.name for p in kernel.parameters[len(declared) :])

    def for_kernel(self, kernel: Kernel) -> Launch:
        """The launches of this kernel that the contract allows. Raises ContractError. Names of
        parameters that this kernel does not have are passed over (see ``require``)."""
        values: dict[int, Range | float] = {}
        for name, parameter in self.found("--arg", self.values, kernel):
            values[parameter.index] = fitted(name, self.values[name], parameter)
        buffers: dict[int, Extent] = {}
        for name, parameter in self.found("--buffer", self.buffers, kernel):
            if parameter.index in values:
                raise ContractError(f"--buffer {name}: an --arg declares this parameter too")
            buffers[parameter.index] = self.extent(name, parameter, kernel, values)
        block, bound, declared = directives(kernel, self.block)
        own = self.block or self.grid or self.shared is not None or values or buffers
        origins = [self.origin] * bool(own) + ["PTX directives"] * declared
        return Launch(
            block,
            self.grid,
            self.shared,
            values,
            buffers,
            self.names(kernel),
            " and ".join(origins) or "any legal launch",
            bound,
        )

    def found(
        self, option: str, names: Iterable[str], kernel: Kernel
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters that the names stand for, each at most once."""
        seen: dict[int, str] = {}
        for name in names:
            parameter = self.find(name, kernel)
            if parameter is None:
                continue
            if parameter.index in seen:
                other = seen[parameter.index]
                raise ContractError(f"{option} {name}: the same parameter as {other}")
            seen[parameter.index] = name
            yield name, parameter

    def extent(
        self, name: str, target: Parameter, kernel: Kernel, values: Mapping[int, Range | float]
    ) -> Extent:
        option = f"--buffer {name}={self.buffers[name].text}"
        if target.size != 8 or target.type.startswith("f"):
            raise ContractError(f"{option}: {name} is no pointer, it is .{target.type}")

        def bounds(word: str) -> tuple[int, int]:
            parameter = self.find(word, kernel)
            if parameter is None:
                raise ContractError(self.missing(option, word, [kernel]))
            value = values.get(parameter.index)
            if not isinstance(value, Range):
                what = "has no value" if value is None else f"is {value}, no integer"
                raise ContractError(f"{option}: {word} {what}; give --arg {word}=...")
            return value.low, value.high

        buffer = self.buffers[name]
        try:
            low, high = interval(buffer.extent, bounds)
        except ExpressionError as error:
            raise ContractError(f"{option}: {error}") from None
        if low < 0:
            raise ContractError(f"{option}: the extent may be negative, {low} bytes")
        return Extent(Range(low, high), buffer.align, self.terms(buffer, kernel))

    def terms(
        self, buffer: Buffer, kernel: Kernel
    ) -> tuple[tuple[int, tuple[int, ...]], ...] | None:
        found = polynomial(buffer.extent)
        if found is None:
            return None
        places = {w: p.index for names in found for w in names if (p := self.find(w, kernel))}
        return tuple((c, tuple(sorted(places[w] for w in names))) for names, c in found.items())


def ranged(value: tuple[int, int] | float) -> Range | float:
    return value if isinstance(value, float) else Range(*value)


def directives(kernel: Kernel, block: Triple | None) -> tuple[Triple | None, int, bool]:
    """The block after the PTX has had its say, the most threads, and whether it said anything."""
    if kernel.required_threads:
        x, y, z = (*kernel.required_threads, 1, 1)[:3]
        if block not in (None, (x, y, z)):
            raise ContractError(
                f"--block {shown(block)}: kernel {kernel.name} requires {shown((x, y, z))}"
                " (.reqntid); --kernel selects others"
            )
        return (x, y, z), min(MAX_THREADS, x * y * z), True
    if not kernel.max_threads:
        return block, MAX_THREADS, False
    most = min(MAX_THREADS, prod(kernel.max_threads))
    if block is not None and prod(block) > most:
        raise ContractError(
            f"--block {shown(block)}: {prod(block)} threads, kernel {kernel.name} allows {most}"
            " (.maxntid); --kernel selects others"
        )
    return block, most, True


def fitted(name: str, value: Range | float, parameter: Parameter) -> Range | float:
    """The value as the parameter's type can hold it. Raises ContractError."""
    kind = f"{name} is .{parameter.type}"
    if parameter.declared_pointer:
        raise ContractError(f"--arg {name}: {name} is a pointer, declare it with --buffer")
    if parameter.size > 8:
        raise ContractError(f"--arg {name}: {name} has {parameter.size} bytes, it is no number")
    if parameter.type.startswith("f"):
        if isinstance(value, float):
            return value
        if value.single:
            return float(value.low)
        raise ContractError(f"--arg {name}: {kind}, a range needs an integer parameter")
    if isinstance(value, float):
        if parameter.type.startswith("b"):
            return value
        raise ContractError(f"--arg {name}={value}: {kind}, expected an integer")
    bits = 8 * parameter.size
    if value.low < -(2 ** (bits - 1)) or value.high >= 2**bits:
        raise ContractError(f"--arg {name}: {kind}, the value does not fit in {bits} bits")
    return value
