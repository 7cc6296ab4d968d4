"""Tables: the integers that arrays of a module hold before a host or a kernel writes them."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.loaded_ranges import Content
from analyses.polynomials.polynomial import Polynomial
from analyses.program import Region
from analyses.scalar_evolution import SymbolicValues
from ptxlint.ir import Kernel
from ptxlint.isa.row import TYPES
from ptxlint.syntax import ast, initial_values

LARGEST = 1 << 16  # bytes of a table that is looked at
SHORT = 16  # bits of integers that are read as signed ones or as unsigned ones


def tables(kernel: Kernel, symbolic: SymbolicValues) -> Iterator[tuple[Region, Content]]:
    """The arrays with initial values whose words are loaded as integers of one width, and the range
    of these integers, at multiples of it: of signed ones, if they are read so, or have more than 16
    bits. The caller shows that the loads are in bounds."""
    read: dict[Region, set[tuple[int, bool]]] = {}
    for symbol, load in symbolic.loaded.items():
        access = load.access
        origin = symbolic.word(access.base).origin if access is not None else None
        if access is None or origin is None or origin.region not in kernel.initials:
            continue
        bits = 8 * access.bytes // len(load.defs)
        kinds = read.setdefault(origin.region, set())
        if bits > SHORT:
            kinds.add((bits, True))
        elif symbolic.opaque[symbol].width > bits:  # extended by the load
            kinds.add((bits, symbol.low < 0))
        else:
            kinds.update((bits, one) for one in symbolic.integers.read_as.get(symbol, ()))
    for region, kinds in read.items():
        data = initial_data(region.size or 0, *kernel.initials[region])
        if len(kinds) != 1 or data is None:
            continue
        ((bits, signed),) = kinds
        if region.align % (bits // 8) == 0:
            words = [data[at : at + bits // 8] for at in range(0, len(data), bits // 8)]
            values = [int.from_bytes(word, "little", signed=signed) for word in words]
            ends = Polynomial.of(min(values)), Polynomial.of(max(values))
            yield region, Content(bits, signed, *ends, assumed=True)


def initial_data(size: int, variable: ast.Variable, declarator: ast.Declarator) -> bytes | None:
    """The so many bytes of an array of integers with initial values, zeros where it has fewer than
    elements; None for other variables, those with addresses, and large ones."""
    if variable.space not in ("const", "global") or not 0 < size <= LARGEST:
        return None
    words, width = [], TYPES[variable.type].bits // 8
    for value in initial_values(declarator):
        if not isinstance(value, ast.Integer):
            return None
        words.append((value.value % (1 << (8 * width))).to_bytes(width, "little"))
    return b"".join(words).ljust(size, b"\0") if words else None
