"""Tables: the integers that arrays of a module hold before a host or a kernel writes them."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.loaded_ranges import Content
from analyses.loaded_types import types_read
from analyses.polynomials.polynomial import Polynomial
from analyses.program import Instr, Region
from analyses.scalar_evolution import SymbolicValues
from ptxlint.ir import Kernel
from ptxlint.syntax.initial_bytes import initial_bytes

LARGEST = 1 << 16  # bytes of a table that is looked at


def tables(kernel: Kernel, symbolic: SymbolicValues) -> Iterator[tuple[Region, Content]]:
    """The arrays with initial values whose words are loaded as integers of one width, and the range
    of these integers, at multiples of it: of signed ones, if they are read so, or have more than 16
    bits. The caller shows that the loads are in bounds."""
    read: dict[Region, set[tuple[int, bool]]] = {}
    for load in dict.fromkeys(symbolic.loaded.values()):
        region = table_of(load, symbolic)
        if region in kernel.initials:
            read.setdefault(region, set()).update(types_read(symbolic, load))
    for region, kinds in read.items():
        data = initial_data(kernel, region)
        if len(kinds) != 1 or data is None:
            continue
        ((bits, signed),) = kinds
        if region.align % (bits // 8) == 0:
            words = [data[at : at + bits // 8] for at in range(0, len(data), bits // 8)]
            values = [int.from_bytes(word, "little", signed=signed) for word in words]
            ends = Polynomial.of(min(values)), Polynomial.of(max(values))
            yield region, Content(bits, signed, *ends, assumed=True)


def table_of(load: Instr, symbolic: SymbolicValues) -> Region | None:
    """The region that the address of a load points into, if that is known."""
    assert load.access is not None
    origin = symbolic.word(load.access.base).origin
    return origin.region if origin is not None else None


def initial_data(kernel: Kernel, region: Region) -> bytes | None:
    """The bytes of an array with initial values, zeros where it has fewer than elements; None for
    one in another space, one with addresses, and a large one."""
    variable, declarator = kernel.initials[region]
    size = region.size or 0
    if variable.space not in ("const", "global") or not 0 < size <= LARGEST:
        return None
    found = initial_bytes(variable, declarator, lambda *_: None)
    return found.ljust(size, b"\0") if found else None
