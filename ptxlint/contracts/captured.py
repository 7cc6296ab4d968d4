"""A launch as a program makes it: arrays with their addresses become memory, and arrays that share
bytes become pointers into the same memory.

An array is whatever has ``__cuda_array_interface__`` (CuPy, Numba) or ``__array_interface__``
(numpy): pointer, shape and strides. Tensors of PyTorch are asked for the same by their methods:
their interface is refused where gradients are wanted, and has no name for some types. The extent
goes from the first to the last byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from msgspec import Struct

from ptxlint.contracts.declaration import Triple
from ptxlint.contracts.launch import Allocation, Argument, ConcreteLaunch, PointerArgument

BEST_ALIGN = 256
"""The alignment of what a GPU allocates, at least."""

INTERFACES = ("__cuda_array_interface__", "__array_interface__")


class ArrayBytes(Struct, frozen=True):
    """The bytes of an array: the address of its first element, and their number from there on;
    None where elements stand before it. ``itemsize`` is that of an element."""

    address: int
    size: int | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def end(self) -> int:
        return self.address + (self.size or 0)


def interface(value: object) -> Mapping[str, Any] | None:
    """The description of an array, None of anything else, a scalar of numpy among them. The type is
    asked first: an array on a GPU may raise for the other interface."""
    from numpy import generic

    if isinstance(value, generic):
        return None
    for name in INTERFACES:
        if hasattr(type(value), name) and (found := getattr(value, name, None)):
            described: Mapping[str, Any] = found
            return described
    return None


def array_bytes(value: Any) -> ArrayBytes | None:
    """The bytes of an array, None of anything else."""
    if is_tensor(value):
        itemsize = value.element_size()
        strides = tuple(itemsize * stride for stride in value.stride())
        return extent(value.data_ptr(), tuple(value.shape), strides, itemsize)
    described = interface(value)
    if described is None:
        return None
    shape = tuple(described["shape"])
    itemsize = int(described["typestr"][2:])
    strides = tuple(described.get("strides") or contiguous(shape, itemsize))
    return extent(described["data"][0], shape, strides, itemsize)


def is_tensor(value: object) -> bool:
    """True for a tensor of PyTorch, which need not be installed."""
    return callable(getattr(type(value), "data_ptr", None))


def extent(
    address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> ArrayBytes:
    """The bytes of an array whose first element is there."""
    last = sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
    size = 0 if prod(shape) == 0 else last + itemsize
    backwards = any(stride < 0 < n - 1 for n, stride in zip(shape, strides, strict=True))
    return ArrayBytes(address, None if backwards else size, shape, strides, itemsize)


def contiguous(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """The strides of an array without gaps, the last index fastest."""
    return tuple(itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape)))


def launch_of(
    grid: Triple,
    block: Triple,
    shared: int,
    arguments: Mapping[str, int | float | ArrayBytes],
) -> ConcreteLaunch:
    """The launch of these arguments, in the order of the parameters. Of arrays that share bytes,
    the one that begins first is the memory of all, unless one has no known extent."""
    owners: dict[int, int] = {}  # by position: of the array that begins first
    ends: dict[int, int] = {}
    found = list(arguments.values())
    order = [i for i, each in enumerate(found) if isinstance(each, ArrayBytes) and each.size]
    current = -1
    for i in sorted(order, key=lambda i: (_array(found[i]).address, -_array(found[i]).end, i)):
        array = _array(found[i])
        if current < 0 or array.address >= ends[current]:
            current = i
        owners[i] = current
        ends[current] = max(ends.get(current, array.end), array.end)

    def argument(at: int, value: int | float | ArrayBytes) -> Argument:
        if not isinstance(value, ArrayBytes):
            return value
        owner = owners.get(at, at)
        if owner != at:
            return PointerArgument(owner, value.address - _array(found[owner]).address)
        size = value.size if value.size is None else ends.get(at, value.address) - value.address
        return Allocation(size, align=alignment(value.address), address=value.address)

    values = tuple(argument(at, value) for at, value in enumerate(found))
    return ConcreteLaunch(grid, block, shared, values, tuple(arguments))


def _array(value: int | float | ArrayBytes) -> ArrayBytes:
    assert isinstance(value, ArrayBytes)
    return value


def alignment(address: int) -> int:
    """The greatest power of two that divides an address, 256 at most."""
    return min(address & -address or BEST_ALIGN, BEST_ALIGN)


def triple(shape: Any) -> Triple:
    """A grid or a block as programs write it: a number, or one to three."""
    numbers = list(shape) if hasattr(shape, "__len__") else [shape]
    x, y, z = [*(int(number) for number in numbers), 1, 1, 1][:3]
    return x, y, z
