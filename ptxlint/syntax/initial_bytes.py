"""The bytes that a variable of a module has before a host or a kernel writes it.

PTX ISA 9.4, "Initializers".
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from math import prod

from ptxlint.isa.row import TYPES
from ptxlint.syntax import ast
from ptxlint.syntax.declarations import initial_values

Address = Callable[[str, bool], int | None]
"""The address of a variable by its name, a generic one or not; None if it is not known."""


def initial_bytes(
    variable: ast.Variable, declarator: ast.Declarator, address: Address
) -> bytes | None:
    """The bytes of the initial values; short inner rows are filled with zeros. None if one is an
    address that is not known."""
    element = TYPES[variable.type].bits // 8

    def row(values: Iterable[ast.Initial], shape: Sequence[int | None]) -> bytes | None:
        inner = element * prod(extent or 1 for extent in shape[1:])
        found = list[bytes]()
        for value in values:
            if isinstance(value, tuple):
                one = row(value, shape[1:])
                one = None if one is None else one.ljust(inner, b"\0")
            else:
                one = initial_word(value, element, address)
            if one is None:
                return None
            found.append(one)
        return b"".join(found)

    return row(initial_values(declarator), declarator.shape)


def initial_word(value: ast.Initial, size: int, address: Address) -> bytes | None:
    """The ``size`` bytes of one initial value."""
    bits: int | None
    match value:
        case ast.Integer(bits):
            pass
        case ast.Float(bits, width):
            bits = float_bits(value, 32) if (width, size) == (64, 4) else bits  # as ptxas does
        case ast.Name(name):
            bits = address(name, False)
        case ast.SymbolOffset(name, offset, is_generic, mask):
            base = address(name, is_generic)
            bits = None if base is None else offset + base
            if mask and bits is not None:
                bits = (bits & mask) >> ((mask & -mask).bit_length() - 1)
        case _:
            bits = None
    return None if bits is None else (bits % (1 << (8 * size))).to_bytes(size, "little")


def float_bits(constant: ast.Float, bits: int) -> int:
    """The constant in a word of 32 or 64 bits, as ptxas puts it there: a double rounds to the
    nearest float, and to infinity beyond the greatest; of a float in 64 bits the high half is 0."""
    if constant.width <= bits:
        return constant.bits
    (number,) = struct.unpack("<d", constant.bits.to_bytes(8, "little"))
    try:
        rounded = struct.pack("<f", number)
    except OverflowError:
        rounded = struct.pack("<f", math.copysign(math.inf, number))
    return int.from_bytes(rounded, "little")
