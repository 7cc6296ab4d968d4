"""What a kernel may rely on, declared once: its parameters, their ranges and extents, its block.

Four read this one object. The emitter writes the kernel's head from it, names and types included;
``launch`` turns numbers into a launch and refuses those that break it; ptxlint gets it as options
in the words of its own command line; tests draw launches from the edges of its ranges.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ptxlint.contracts.expression import interval, parse

Number = int | float
Contents = Mapping[str, NDArray[Any]]

_C_TYPES = {
    np.dtype(np.uint32): "unsigned",
    np.dtype(np.int32): "int",
    np.dtype(np.uint64): "unsigned long long",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}


class ContractError(ValueError):
    """A launch breaks a contract, or a contract is at odds with itself."""


@dataclass(frozen=True)
class Scalar:
    """A number by value: its type, and the least and the greatest value that the kernel is for.

    ``multiple_of`` must divide an integer."""

    dtype: DTypeLike
    low: Number
    high: Number
    multiple_of: int = 1

    @property
    def c_type(self) -> str:
        return _C_TYPES[np.dtype(self.dtype)]

    @property
    def integer(self) -> bool:
        return np.dtype(self.dtype).kind in "iu"

    def flaw(self, value: Number) -> str:
        """What is wrong with a value, or the empty text."""
        if not self.low <= value <= self.high:
            return f"{value} is not in {self.low}..{self.high}"
        if self.integer and value != int(value):
            return f"{value} is no integer"
        if self.integer and value % self.multiple_of:
            return f"{value} is no multiple of {self.multiple_of}"
        return ""


@dataclass(frozen=True)
class Buffer:
    """An array in global memory: its type, and how many elements, as an expression over scalars.

    A ``const`` one is only read. The first byte stands at a multiple of 256, as cudaMalloc has it.
    """

    dtype: DTypeLike
    elements: str
    const: bool = False

    @property
    def c_type(self) -> str:
        return "const " * self.const + _C_TYPES[np.dtype(self.dtype)] + "*"

    @property
    def extent(self) -> str:
        """The bytes of the array, as ptxlint's ``--buffer`` wants them."""
        return f"{np.dtype(self.dtype).itemsize}*({self.elements})"


@dataclass(frozen=True)
class KernelContract:
    """One kernel's parameters in their order, its block, and the threads that it needs.

    ``threads`` has an expression over the scalars for each axis of the grid; a kernel that says
    nothing does the same for any grid, in strides."""

    kernel: str
    params: Mapping[str, Scalar | Buffer]
    block: tuple[int, ...]
    threads: tuple[str, ...] = ()

    @property
    def scalars(self) -> dict[str, Scalar]:
        return {name: p for name, p in self.params.items() if isinstance(p, Scalar)}

    @property
    def buffers(self) -> dict[str, Buffer]:
        return {name: p for name, p in self.params.items() if isinstance(p, Buffer)}

    @property
    def needs(self) -> tuple[str, ...]:
        """What must hold beside the ranges, in ptxlint's words."""
        several = ((name, s.multiple_of) for name, s in self.scalars.items())
        return tuple(f"{name} % {number} == 0" for name, number in several if number > 1)

    @property
    def head(self) -> str:
        """The declarator of the kernel in CUDA C."""
        params = ", ".join(f"{p.c_type} {name}" for name, p in self.params.items())
        bound = math.prod(self.block)
        return f'extern "C" __global__ void __launch_bounds__({bound}) {self.kernel}({params})'

    def options(self) -> list[str]:
        """The options of `ptxlint check` that declare every launch of the contract."""
        ranges = {n: f"{s.low}..{s.high}" for n, s in self.scalars.items() if s.integer}
        return self._options(ranges)

    def launch(self, grid: tuple[int, ...] | None = None, /, **values: Number) -> Launch:
        """The launch with these values of the scalars. Raises ContractError."""
        for name in values.keys() - self.scalars.keys():
            near = get_close_matches(name, self.scalars, 1)
            meant = f", did you mean {near[0]}?" if near else ""
            raise ContractError(f"{self.kernel}: no scalar {name}{meant}")
        for name, scalar in self.scalars.items():
            if name not in values:
                raise ContractError(f"{self.kernel}: {name} is missing")
            if flaw := scalar.flaw(values[name]):
                raise ContractError(f"{self.kernel}: {name}: {flaw}")
        ordered = {name: values[name] for name in self.scalars}
        launch = Launch(self, grid or (1,), ordered)
        if not self.threads:
            return launch
        enough = tuple(
            -(-launch.evaluate(n) // b) for n, b in zip(self.threads, self.block, strict=True)
        )
        if grid is not None and any(g < e for g, e in zip(grid, enough, strict=True)):
            raise ContractError(f"{self.kernel}: grid {grid} is too small, it needs {enough}")
        return Launch(self, grid or enough, ordered)

    def edges(self, most: int) -> Iterator[dict[str, Number]]:
        """Values of the scalars at both ends of every range, `most` at most where it may be."""
        ends = (
            {s.low, max(s.low, min(s.high, most - most % s.multiple_of))}
            for s in self.scalars.values()
        )
        for values in product(*map(sorted, ends)):
            yield dict(zip(self.scalars, values, strict=True))

    def _options(self, args: Mapping[str, str], grid: tuple[int, ...] = ()) -> list[str]:
        pairs = [
            ("--kernel", self.kernel),
            ("--params", ",".join(self.params)),
            *([("--grid", "x".join(map(str, grid)))] if grid else []),
            ("--block", "x".join(map(str, self.block))),
            *(("--arg", f"{name}={value}") for name, value in args.items()),
            *(("--buffer", f"{name}={b.extent}") for name, b in self.buffers.items()),
            *(("--need", need) for need in self.needs),
        ]
        return [word for pair in pairs for word in pair]


@dataclass(frozen=True)
class Launch:
    """One launch that a contract allows: made by ``KernelContract.launch``."""

    contract: KernelContract
    grid: tuple[int, ...]
    values: Mapping[str, Number] = field(default_factory=dict)

    def evaluate(self, expression: str) -> int:
        """An expression over the scalars, at their values."""

        def at(name: str) -> tuple[int, int]:
            return int(self.values[name]), int(self.values[name])

        return interval(parse(expression), at)[0]

    def elements(self, buffer: str) -> int:
        """How many elements a buffer has."""
        return self.evaluate(self.contract.buffers[buffer].elements)

    def options(self) -> list[str]:
        """The options of `ptxlint check` that declare this launch."""
        shown = {name: str(value) for name, value in self.values.items()}
        return self.contract._options(shown, self.grid)

    def comments(self) -> tuple[str, str]:
        """The launch as comments of a file declare it to ptxlint."""
        _, _, _, params, *launch = self.options()
        return f"// launch: {shlex.join(launch)}", f"// params: {params}"

    def arrays(self, contents: Contents | None = None) -> dict[str, NDArray[Any]]:
        """An array for each buffer: what it holds before, or zeros. Raises ContractError."""
        contents = contents or {}
        if unknown := contents.keys() - self.contract.buffers.keys():
            raise ContractError(f"{self.contract.kernel}: no buffer {min(unknown)}")
        return {name: self._array(name, contents.get(name)) for name in self.contract.buffers}

    def _array(self, name: str, given: NDArray[Any] | None) -> NDArray[Any]:
        dtype = np.dtype(self.contract.buffers[name].dtype)
        if given is None:
            return np.zeros(self.elements(name), dtype)
        flat = np.ascontiguousarray(given).reshape(-1)
        if flat.dtype != dtype or flat.size != self.elements(name):
            raise ContractError(
                f"{self.contract.kernel}: {name} is {flat.size} x {flat.dtype}, "
                f"expected {self.elements(name)} x {dtype}"
            )
        return flat
