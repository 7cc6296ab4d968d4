"""The Mersenne twister family: one recurrence, its tempering, its period and its jumps.

A state is n words of w = 32 bits; of the oldest word only the w - r highest bits count, so a state
has p = n w - r bits. The next word is

    x[k + n] = x[k + m] ^ y >> 1 ^ (a if y is odd),  y = high w - r bits of x[k], low r of x[k + 1]

and an output is a word tempered by four shifts and two masks, which mixes bits and keeps the
period. Both are linear over GF(2). If 2^p - 1 is prime and the characteristic polynomial of the
recurrence is irreducible, every state but zero is on one cycle of 2^p - 1 states.

Source: M. Matsumoto and T. Nishimura, "Mersenne twister: a 623-dimensionally equidistributed
uniform pseudo-random number generator", ACM TOMACS 8 (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pricing_kernels import gf2

Words = NDArray[np.uint32]

WORD: Final = 32  # bits, the w of the paper


@dataclass(frozen=True)
class Twister:
    """The shape of a recurrence and the shifts of its tempering, named as in the paper.

    The last words a, b and c of a parameter set are not part of it: a generator of many sets has
    arrays of them, and each is the argument of what needs it.
    """

    n: int  # words of state
    m: int  # 0 < m < n, the middle word
    r: int  # low bits of the oldest word that do not count
    u: int
    s: int
    t: int
    l: int  # noqa: E741

    @property
    def degree(self) -> int:
        """p, the bits of a state."""
        return self.n * WORD - self.r

    @property
    def upper(self) -> int:
        """The mask of the bits of the oldest word that count."""
        return (1 << WORD) - (1 << self.r)

    @property
    def lower(self) -> int:
        """The mask of the other bits."""
        return (1 << self.r) - 1

    def words(self, state: ArrayLike, a: ArrayLike, count: int) -> Words:
        """The next `count` words of each state, not tempered.

        `state` has the shape (..., n), oldest word first, and `a` one that its leading axes allow;
        the result has the shape (..., count).
        """
        start = np.asarray(state, np.uint32)
        twist = np.asarray(a, np.uint32)[..., None]
        upper, lower = np.uint32(self.upper), np.uint32(self.lower)
        x = np.empty((*start.shape[:-1], self.n + count), np.uint32)
        x[..., : self.n] = start
        reach = self.n - self.m  # so many words depend on no other of them
        for k in range(0, count, reach):
            size = min(reach, count - k)
            y = x[..., k : k + size] & upper | x[..., k + 1 : k + size + 1] & lower
            middle = x[..., k + self.m : k + self.m + size]
            x[..., k + self.n : k + self.n + size] = middle ^ y >> 1 ^ (y & 1) * twist
        return x[..., self.n :]

    def temper(self, words: Words, b: ArrayLike, c: ArrayLike) -> Words:
        """What the generator gives out for the words of its recurrence."""
        mask_b, mask_c = np.asarray(b, np.uint32), np.asarray(c, np.uint32)
        y = words ^ words >> np.uint32(self.u)
        y = y ^ y << np.uint32(self.s) & mask_b
        y = y ^ y << np.uint32(self.t) & mask_c
        tempered: Words = y ^ y >> np.uint32(self.l)
        return tempered

    def jump(self, state: Words, a: int, steps: int) -> Words:
        """The state after so many steps, for one state of n words.

        With t^steps = sum_i c_i t^i modulo the characteristic polynomial, word k of that state is
        the sum of c_i x[k + i]: p steps and one sum, however far. Source: H. Haramoto, M.
        Matsumoto, T. Nishimura, F. Panneton, P. L'Ecuyer, "Efficient jump ahead for F2-linear
        random number generators", INFORMS Journal on Computing 20 (2008).
        """
        coefficients = gf2.power_of_t(steps, self.characteristic_polynomial(a))
        sequence = np.concatenate([state, self.words(state, a, self.degree)])
        windows = np.lib.stride_tricks.sliding_window_view(sequence, self.n)
        terms = [i for i in range(self.degree) if coefficients >> i & 1]
        there: Words = np.bitwise_xor.reduce(windows[terms], axis=0)
        return there

    def characteristic_polynomial(self, a: int) -> int:
        """The polynomial of degree p that every bit of the recurrence satisfies.

        It is an affine and injective function of the bits of `a`, so that different `a` have
        different polynomials. Source: the paper, appendix A.
        """
        fixed, by_bit = self._polynomials
        for bit, term in enumerate(by_bit):
            fixed ^= term * (a >> bit & 1)
        return fixed

    @cached_property
    def _polynomials(self) -> tuple[int, tuple[int, ...]]:
        """What does not depend on `a`, and what each bit of `a` adds, lowest bit first."""
        high = (1 << self.n) | (1 << self.m)  # t^n + t^m
        low = high >> 1
        powers = [gf2.power(high, i) for i in range(WORD - self.r + 1)]
        last = powers[-1]
        by_bit = [gf2.product(last, gf2.power(low, self.r - 1 - i)) for i in range(self.r)]
        by_bit += [powers[WORD - 1 - i] for i in range(self.r, WORD)]
        return gf2.product(last, gf2.power(low, self.r)), tuple(by_bit)
