"""Arrays as CuPy's kernels of expressions take them: broadcast, with axes moved or merged."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ptxlint.contracts.captured import array_bytes, contiguous, interface
from ptxlint.errors import Error
from ptxlint.frontends.kernels import Word

Shape = tuple[int, ...]


class ArrayView(Struct, frozen=True, eq=False):
    """An array along the axes of a launch."""

    memory: Word
    dtype: Any
    shape: Shape
    strides: Shape

    @classmethod
    def of(cls, value: Any) -> ArrayView | None:
        """None for what is no array."""
        if isinstance(value, ArrayView):
            return value
        found, described = array_bytes(value), interface(value)
        if found is None or described is None:
            return None
        memory = value if isinstance(value, np.ndarray) else found
        return cls(memory, np.dtype(described["typestr"]), found.shape, found.strides)

    def along(self, shape: Shape) -> ArrayView:
        """Broadcast to a shape, as numpy does it. Raises Error."""
        new = len(shape) - len(self.shape)
        if new < 0 or any(n not in (1, of) for n, of in zip(self.shape, shape[new:], strict=True)):
            raise Error(f"an array of shape {self.shape} where {shape} is expected")
        each = zip(self.shape, self.strides, shape[new:], strict=True)
        kept = (stride if n == extent else 0 for n, stride, extent in each)
        return replace(self, shape=shape, strides=(*(0,) * new, *kept))

    def permuted(self, axes: Sequence[int]) -> ArrayView:
        shape, strides = (tuple(each[at] for at in axes) for each in (self.shape, self.strides))
        return replace(self, shape=shape, strides=strides)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def ordered(self) -> bool:
        """True if its elements lie in the order of their indices, without gaps."""
        wanted = contiguous(self.shape, self.dtype.itemsize)
        each = zip(self.shape, self.strides, wanted, strict=True)
        return all(n == 1 or stride == want for n, stride, want in each)

    @property
    def flat(self) -> ArrayView:
        return replace(self, shape=(self.size,), strides=(self.dtype.itemsize,))

    @property
    def words(self) -> tuple[Word, ...]:
        """The structure that stands for it: pointer, size, shape, strides."""
        return self.memory, self.size, *self.shape, *self.strides


CallArgument = ArrayView | Any
"""An array, or a number."""


def described(args: Sequence[Any]) -> list[CallArgument]:
    """The arguments of a call, arrays as views."""
    return [ArrayView.of(each) or each for each in args]


def merged(
    given: Sequence[CallArgument], shape: Shape, raw: Sequence[bool]
) -> tuple[list[CallArgument], Shape]:
    """The arguments as vectors, if all arrays that are no ``raw`` ones are in order."""
    arrays = [
        each for each, whole in zip(given, raw, strict=True)
        if isinstance(each, ArrayView) and not whole
    ]  # fmt: skip
    if len(shape) < 2 or not all(each.ordered for each in arrays):
        return list(given), shape
    return [each.flat if each in arrays else each for each in given], (prod(shape),)


def common(given: Sequence[CallArgument], raw: Sequence[bool]) -> Shape:
    """The shape that the arrays are broadcast to. Raises Error."""
    shapes = [
        each.shape for each, whole in zip(given, raw, strict=False)
        if isinstance(each, ArrayView) and not whole
    ]  # fmt: skip
    if not shapes:
        raise Error("no array says how many elements there are; give size")
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise Error(f"arrays of shapes {', '.join(map(str, shapes))} do not broadcast") from None
