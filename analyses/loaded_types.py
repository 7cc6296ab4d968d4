"""The integers that loads read: how many bits each has, and if it is signed."""

from __future__ import annotations

from collections.abc import Iterator

from analyses.program import Instr
from analyses.scalar_evolution import SymbolicValues

SHORT = 16  # bits of integers that are read as signed ones or as unsigned ones


def types_read(symbolic: SymbolicValues, load: Instr) -> Iterator[tuple[int, bool]]:
    """The bits of the integers that are loaded, and if they are signed. A short one is what the
    kernel reads it as; none of one that it does not read as an integer, both of one that it reads
    as either."""
    bits = bits_read(load)
    for value in load.defs:
        word = symbolic.word(value).offset.polynomial
        symbol = word.alone if word is not None else None
        if bits > SHORT:
            yield bits, True
        elif value.width > bits:  # extended by the load
            yield bits, symbol is None or symbol.low < 0
        elif symbol is not None:
            yield from ((bits, signed) for signed in symbolic.integers.read_as.get(symbol, ()))


def bits_read(load: Instr) -> int:
    """The bits of each word that is loaded."""
    assert load.access is not None
    return 8 * load.access.bytes // len(load.defs)
