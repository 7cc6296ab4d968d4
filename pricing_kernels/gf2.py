"""Polynomials over GF(2), each a Python integer: bit i is the coefficient of t^i.

Sum is `^`, multiplication by t^k is `<< k`, and the degree is `bit_length() - 1`. That is all a
generator that is linear over GF(2) needs: its characteristic polynomial says how long its period
is, and a power of t modulo that polynomial is a jump ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

_SPREAD: Final = [sum((byte >> i & 1) << 2 * i for i in range(8)) for byte in range(256)]
_LOW: Final = bytes(word & 0xFF for word in _SPREAD)
_HIGH: Final = bytes(word >> 8 for word in _SPREAD)


def product(a: int, b: int) -> int:
    """a b."""
    result = 0
    while b:
        lowest = b & -b
        result ^= a * lowest
        b ^= lowest
    return result


def power(a: int, exponent: int) -> int:
    """a to the `exponent`-th, exponent >= 0."""
    result = 1
    for _ in range(exponent):
        result = product(result, a)
    return result


def square(a: int) -> int:
    """a^2: the coefficients of a, moved to the even places."""
    words = a.to_bytes((a.bit_length() + 7) // 8, "little")
    spread = bytearray(2 * len(words))
    spread[0::2] = words.translate(_LOW)
    spread[1::2] = words.translate(_HIGH)
    return int.from_bytes(spread, "little")


def reduction(f: int) -> Callable[[int], int]:
    """The function a -> a modulo f for deg a < 2 deg f, by a table of eight coefficients."""
    degree = f.bit_length() - 1
    multiples = [0]  # by the coefficients that the multiple of f has from t^degree on
    for bit in range(8):
        multiple = f << bit
        multiple ^= multiples[(multiple >> degree) ^ 1 << bit]
        multiples += [multiple ^ smaller for smaller in multiples]

    def reduce(a: int) -> int:
        for shift in range((max(a.bit_length() - degree, 0) + 7) // 8 * 8 - 8, -1, -8):
            a ^= multiples[a >> degree + shift] << shift
        return a

    return reduce


def power_of_t(exponent: int, f: int) -> int:
    """t^exponent modulo f, for deg f > 1: the jump by `exponent` steps."""
    reduce = reduction(f)
    result = 1
    for bit in bin(exponent)[2:]:
        result = square(result)
        if bit == "1":
            result <<= 1
        result = reduce(result)
    return result


def minimal_polynomial(bits: Sequence[int]) -> int:
    """The polynomial of least degree that annihilates a sequence of bits.

    With c_i its coefficients, sum_i c_i bits[n + i] = 0 wherever all these bits are given. It is
    unique once 2 deg bits are given. Source: J. Massey, "Shift-register synthesis and BCH
    decoding", IEEE Transactions on Information Theory 15 (1969).
    """
    connection, earlier = 1, 1  # bit i is the coefficient of the bit i steps ago
    length, age, past = 0, 0, 0
    for n, bit in enumerate(bits):
        past = past << 1 | bit
        age += 1
        if (past & connection).bit_count() & 1:
            mended = connection ^ earlier << age
            if 2 * length <= n:
                length, earlier, age = n + 1 - length, connection, 0
            connection = mended
    return int(f"{connection:0{length + 1}b}"[::-1], 2)
