"""The search for MT607 parameter sets: `python -m tests.kernels.mt607_sets` writes them.

A generator per thread needs a recurrence per thread. The low 16 bits of the twist word `a` are the
number of its set, so that sets differ by construction, and with them their characteristic
polynomials; since these are irreducible, no two have a factor in common, which is what Matsumoto
and Nishimura ask of independent twisters ("Dynamic creation of pseudorandom number generators",
Monte Carlo and Quasi-Monte Carlo Methods 1998, section 3).

The other bits of `a` are drawn, by Philox with the key (number, 607), until the polynomial is
irreducible: any set can be found again alone. The masks of the tempering then start as those of
MT19937 and change a bit at a time, as long as no dimension of equidistribution is lost in sum.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np

from pricing_kernels.rng import mt607, mt19937, philox
from pricing_kernels.rng.mt607 import TWISTER

from . import equidistribution, factors

SETS: Final = 4096
TABLE: Final = Path(mt607.__file__).with_name("mt607.npy")
JUDGED_BITS: Final = 16  # for more, k(v) was 19, the words of a state, whatever the masks

_FLIPS: Final = [
    *((1 << bit, 0) for bit in range(31, TWISTER.s - 1, -1)),
    *((0, 1 << bit) for bit in range(31, TWISTER.t - 1, -1)),
]  # a shift to the left brings no bit below it: those of a mask would do nothing


def find(number: int) -> tuple[int, int, int]:
    """The parameter set (a, b, c) of this number, 0 <= number < 2^16."""
    polynomials = ((a, TWISTER.characteristic_polynomial(a)) for a in candidates(number))
    a = next(a for a, polynomial in polynomials if factors.is_irreducible(polynomial))
    return (a, *masks(a))


def has_full_period(a: int) -> bool:
    """The certificate of a set: the period of the recurrence with this twist word is 2^607 - 1.

    It takes some 10 ms, and shares with the search the polynomial's formula alone.
    """
    return factors.has_full_period(TWISTER.characteristic_polynomial(a))


def candidates(number: int) -> Iterator[int]:
    """Twist words to try: the number below, drawn bits above it, and the highest bit set.

    Without its highest bit the polynomial has the factor t + 1.
    """
    for draw in count():
        word = int(philox.philox((draw, 0, 0, 0), (number, TWISTER.degree))[0])
        yield 1 << 31 | (word & 0x7FFF) << 16 | number


def masks(a: int) -> tuple[int, int]:
    """Masks b and c for the tempering of a recurrence, by climbing from those of MT19937."""
    polynomial = TWISTER.characteristic_polynomial(a)
    start = np.ones(TWISTER.n, np.uint32)  # any but zero: there is one cycle
    words = TWISTER.words(start, a, TWISTER.degree)
    numerators = equidistribution.numerators(words, polynomial)

    def defect(b: int, c: int) -> int:
        tempered = TWISTER.temper(numerators, b, c)
        return equidistribution.defect(tempered, polynomial, JUDGED_BITS)

    b, c = mt19937.B & -(1 << TWISTER.s), mt19937.C & -(1 << TWISTER.t)
    least = defect(b, c)
    while True:
        before = least
        for flip_b, flip_c in _FLIPS:
            if (found := defect(b ^ flip_b, c ^ flip_c)) <= least:
                b, c, least = b ^ flip_b, c ^ flip_c, found
        if least == before:
            return b, c


def main() -> None:
    """Finds all sets and writes the table of the package: a good half hour of one core."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        table = np.array(list(pool.map(find, range(SETS), chunksize=16)), np.uint32)
    np.save(TABLE, table)


if __name__ == "__main__":
    main()
