"""What a kernel may rely on, declared once: its parameters, their ranges and extents, its block.

Four read this one object. The emitter writes the kernel's head from it, names and types included;
``launch`` turns numbers into a launch and refuses those that break it; ptxlint gets it as a
``Contract``; tests draw launches from the edges of its ranges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ptxlint.contracts.contract import Contract
from ptxlint.contracts.declaration import ALLOCATION_ALIGN, Buffer, Requirement, Triple
from ptxlint.contracts.declaration import ContractError as ContractError
from ptxlint.contracts.expression import interval, parse
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch, shape_names

Number = int | float
Contents = Mapping[str, NDArray[Any]]

_C_TYPES = {
    np.dtype(np.uint32): "unsigned",
    np.dtype(np.int32): "int",
    np.dtype(np.uint64): "unsigned long long",
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
}


@dataclass(frozen=True)
class Scalar:
    """A number by value: its type, and the least and the greatest value that the kernel is for.

    ``multiple_of`` must divide an integer; one that ``equals`` an expression over other scalars
    need not be given to a launch."""

    dtype: DTypeLike
    low: Number
    high: Number
    multiple_of: int = 1
    equals: str = ""

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
        return ""


@dataclass(frozen=True)
class GlobalArray:
    """An array in global memory: its type, and how many elements, as an expression over scalars.

    A ``const`` one is only read. The first byte stands at a multiple of ``align``: 256, as
    cudaMalloc has it, or less where launches are given a part of an array. ``layout`` is that of an
    array of structures, in ptxlint's words: ``aos:4,4,4``."""

    dtype: DTypeLike
    elements: str
    const: bool = False
    align: int = ALLOCATION_ALIGN
    layout: str = ""

    @property
    def c_type(self) -> str:
        return "const " * self.const + _C_TYPES[np.dtype(self.dtype)] + "*"

    @property
    def extent(self) -> str:
        """The bytes of the array, as ptxlint's ``--buffer`` wants them."""
        size = f"{np.dtype(self.dtype).itemsize}*({self.elements})"
        return Buffer(size, self.align).text


@dataclass(frozen=True)
class KernelContract:
    """One kernel's parameters in their order, its block, and the threads that it needs.

    ``threads`` has an expression over the scalars for each axis of the grid; a kernel that says
    nothing does the same for any grid, in strides. ``relations`` are conditions on scalars."""

    kernel: str
    params: Mapping[str, Scalar | GlobalArray]
    block: tuple[int, ...]
    threads: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()

    @property
    def scalars(self) -> dict[str, Scalar]:
        return {name: p for name, p in self.params.items() if isinstance(p, Scalar)}

    @property
    def buffers(self) -> dict[str, GlobalArray]:
        return {name: p for name, p in self.params.items() if isinstance(p, GlobalArray)}

    @property
    def requires(self) -> tuple[str, ...]:
        """What every launch meets beside the ranges, in ptxlint's words."""
        several = ((name, s.multiple_of) for name, s in self.scalars.items())
        axes = ((a, n) for a, n in zip("xyz", self.threads, strict=False) if n != "1")
        return (
            *(f"{name} % {number} == 0" for name, number in several if number > 1),
            *(f"{name} == {s.equals}" for name, s in self.scalars.items() if s.equals),
            *(f"nctaid.{a}*ntid.{a} >= {n}" for a, n in axes),
            *self.relations,
        )

    @property
    def head(self) -> str:
        """The declarator of the kernel in CUDA C."""
        params = ", ".join(f"{p.c_type} {name}" for name, p in self.params.items())
        bound = math.prod(self.block)
        return f'extern "C" __global__ void __launch_bounds__({bound}) {self.kernel}({params})'

    def declared(self) -> Contract:
        """Every launch that is allowed, for ptxlint."""
        ranges = {n: (int(s.low), int(s.high)) for n, s in self.scalars.items() if s.integer}
        return self._declared(args=ranges)

    def launch(self, grid: tuple[int, ...] | None = None, /, **values: Number) -> KernelLaunch:
        """The launch with these values of the scalars. Raises ContractError."""
        for name in values.keys() - self.scalars.keys():
            near = get_close_matches(name, self.scalars, 1)
            meant = f", did you mean {near[0]}?" if near else ""
            raise ContractError(f"{self.kernel}: no scalar {name}{meant}")
        ordered: dict[str, Number] = {}
        for name, scalar in sorted(self.scalars.items(), key=lambda item: bool(item[1].equals)):
            if name not in values and not scalar.equals:
                raise ContractError(f"{self.kernel}: {name} is missing")
            value = values[name] if name in values else evaluated(scalar.equals, ordered)
            if flaw := scalar.flaw(value):
                raise ContractError(f"{self.kernel}: {name}: {flaw}")
            ordered[name] = value
        sizes = zip(self.threads, self.block, strict=False)
        enough = tuple(-(-evaluated(number, ordered) // block) for number, block in sizes)
        launch = KernelLaunch(
            self, grid or enough or (1,), {name: ordered[name] for name in self.scalars}
        )
        for text in self.requires:
            launch.meet(Requirement.of(text))
        return launch

    def edges(self, most: int) -> Iterator[dict[str, Number]]:
        """Values of the scalars at both ends of every range, `most` at most where it may be: those
        that make a launch of the contract."""
        free = {name: s for name, s in self.scalars.items() if not s.equals}
        ends = (
            {s.low, max(s.low, min(s.high, most - most % s.multiple_of))} for s in free.values()
        )
        for values in product(*map(sorted, ends)):
            edge = dict(zip(free, values, strict=True))
            with suppress(ContractError):
                self.launch(**edge)
                yield edge

    def _declared(self, **launch: Any) -> Contract:
        buffers = {name: each.extent for name, each in self.buffers.items()}
        return Contract(
            self.kernel, params=list(self.params), block=self.block, buffers=buffers,
            layouts={name: each.layout for name, each in self.buffers.items() if each.layout},
            requires=self.requires, **launch,
        )  # fmt: skip


def evaluated(expression: str, values: Mapping[str, Number]) -> int:
    """An expression over scalars, at their values."""
    return interval(parse(expression), lambda name: (int(values[name]), int(values[name])))[0]


@dataclass(frozen=True)
class KernelLaunch:
    """One launch that a contract allows: made by ``KernelContract.launch``."""

    contract: KernelContract
    grid: tuple[int, ...]
    values: Mapping[str, Number] = field(default_factory=dict)

    def __str__(self) -> str:
        """``grid 8x2, n=1000``"""
        values = (f"{name}={value}" for name, value in self.values.items())
        return ", ".join([f"grid {'x'.join(map(str, self.grid))}", *values])

    def elements(self, buffer: str) -> int:
        """How many elements a buffer has."""
        return evaluated(self.contract.buffers[buffer].elements, self.values)

    def declared(self) -> Contract:
        """This launch, for ptxlint."""
        return self.contract._declared(grid=self.grid, args=dict(self.values))

    def concrete(self, arrays: Mapping[str, NDArray[Any]]) -> ConcreteLaunch:
        """This launch with its buffers, for the interpreter."""
        given: dict[str, Argument] = {
            name: Allocation.of(arrays[name]) if name in arrays else self.values[name]
            for name in self.contract.params
        }
        return ConcreteLaunch.of(filled(self.contract.block), filled(self.grid), 0, given)

    def meet(self, requirement: Requirement) -> None:
        """Raises ContractError for a launch that does not."""
        shape = shape_names(filled(self.contract.block), filled(self.grid))
        whole = {name: int(value) for name, value in self.values.items()} | shape
        if not all(condition.holds(whole.__getitem__) for condition in requirement.conditions):
            names = sorted({name for each in requirement.conditions for name in each.names})
            actual = ", ".join(f"{name}={whole[name]}" for name in names)
            kernel = self.contract.kernel
            raise ContractError(f"{kernel}: requires {requirement.text}, given {actual}")

    def arrays(self, contents: Contents | None = None) -> dict[str, NDArray[Any]]:
        """An array for each buffer: what it holds before, or zeros. Raises ContractError."""
        given = {name: np.ascontiguousarray(a).reshape(-1) for name, a in (contents or {}).items()}
        buffers = self.contract.buffers
        missing = buffers.keys() - given.keys()
        given |= {name: np.zeros(self.elements(name), buffers[name].dtype) for name in missing}
        self.check_arrays(given)
        return {name: given[name] for name in buffers}

    def check_arrays(self, arrays: Mapping[str, Any]) -> None:
        """Raises ContractError unless there is a flat array of its type and size for each buffer,
        and no other."""
        kernel, buffers = self.contract.kernel, self.contract.buffers
        if unknown := arrays.keys() - buffers.keys():
            raise ContractError(f"{kernel}: no buffer {min(unknown)}")
        if missing := buffers.keys() - arrays.keys():
            raise ContractError(f"{kernel}: the array {min(missing)} is missing")
        for name, array in arrays.items():
            dtype, elements = np.dtype(buffers[name].dtype), self.elements(name)
            if array.dtype != dtype or array.size != elements:
                raise ContractError(
                    f"{kernel}: {name} is {array.size} x {array.dtype}, "
                    f"expected {elements} x {dtype}"
                )


def filled(shape: tuple[int, ...]) -> Triple:
    """The shape along all three axes."""
    x, y, z = (*shape, 1, 1)[:3]
    return x, y, z
