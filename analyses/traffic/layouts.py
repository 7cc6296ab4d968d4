"""Arrays of structures: where the fields of an element are, there and in a structure of arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct

from analyses.budget import ARRAY_BYTES

Field = tuple[int, int]  # its first byte in the structure, and its bytes


class ArrayOfStructures(Struct, frozen=True):
    """An array whose elements have so many ``bytes``, with ``fields`` in rising order that do not
    overlap."""

    bytes: int
    fields: tuple[Field, ...]

    @classmethod
    def of_sizes(cls, sizes: Iterable[int]) -> ArrayOfStructures:
        """The structure with fields of these sizes, powers of two, where C places them: each at a
        multiple of its size, the whole a multiple of the largest."""
        fields, end, largest = [], 0, 1
        for size in sizes:
            end += -end % size
            fields.append((end, size))
            end, largest = end + size, max(largest, size)
        return cls(end + -end % largest, tuple(fields))

    @classmethod
    def accessed(cls, bytes_: int, accesses: Iterable[tuple[int, int]]) -> ArrayOfStructures:
        """The structure in which each access, at an offset and of a size, is to one field. Accesses
        that overlap are to one field."""
        fields: list[Field] = []
        for start, size in sorted({(offset % bytes_, size) for offset, size in accesses}):
            if fields and start < sum(fields[-1]):
                first, known = fields.pop()
                start, size = first, max(first + known, start + size) - first
            fields.append((start, size))
        return cls(bytes_, tuple(fields))

    def __str__(self) -> str:
        return f"aos:{','.join(str(size) for _, size in self.fields)}"

    def holds(self, offset: int, size: int) -> bool:
        """True if so many bytes at an offset are in one field of one element."""
        column = offset % self.bytes
        number = bisect_right(self.fields, (column, self.bytes)) - 1
        return number >= 0 and column + size <= sum(self.fields[number])

    def as_arrays(self, offset: int) -> int:
        """Where the byte is if there is an array for each field."""
        element, column = divmod(offset, self.bytes)
        number = bisect_right(self.fields, (column, self.bytes)) - 1
        start, size = self.fields[number]
        return number * ARRAY_BYTES + element * size + column - start
