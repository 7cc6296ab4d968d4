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
from numpy.typing import ArrayLike

from pricing_kernels import gf2
from pricing_kernels.link import Fragment
from pricing_kernels.rng.generator import Words

WORD: Final = 32  # bits, the w of the paper

# The constants of the authors' initialisation of 2002.
FIRST_SEED: Final = 19650218
SPREAD: Final = 1812433253
MIX_KEY: Final = 1664525
MIX_PLACE: Final = 1566083941


def _mixed(word: Words, factor: int) -> Words:
    return (word ^ word >> np.uint32(30)) * np.uint32(factor)


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
        """The next `count` words of each stream, not tempered.

        `state` has the shape (n, ...), oldest word first, and `a` one that fits the streams; the
        result has the shape (count, ...).
        """
        start = np.asarray(state, np.uint32)
        twist = np.asarray(a, np.uint32)
        upper, lower = np.uint32(self.upper), np.uint32(self.lower)
        x = np.empty((self.n + count, *start.shape[1:]), np.uint32)
        x[: self.n] = start
        reach = self.n - self.m  # so many words depend on no other of them
        for k in range(0, count, reach):
            size = min(reach, count - k)
            y = x[k : k + size] & upper | x[k + 1 : k + size + 1] & lower
            middle = x[k + self.m : k + self.m + size]
            x[k + self.n : k + self.n + size] = middle ^ y >> np.uint32(1) ^ (y & 1) * twist
        return x[self.n :]

    def advanced(
        self, ring: Words, position: Words, a: ArrayLike, count: int
    ) -> tuple[Words, Words, Words]:
        """The next `count` words of rings, and the rings and positions after them.

        A ring has n words or more, (size, streams); word i of a sequence is at i modulo the size,
        and the next one will be at `position`, one for each stream.
        """
        size = len(ring)
        places = np.arange(size)[:, None]
        past = np.take_along_axis(ring, (position + places) % size, axis=0)
        new = self.words(past[-self.n :], a, count)
        there = ((position + count) % size).astype(np.uint32)
        kept = np.concatenate([past, new])[-size:]
        return new, np.take_along_axis(kept, (places - there.astype(int)) % size, axis=0), there

    def temper(self, words: Words, b: ArrayLike, c: ArrayLike) -> Words:
        """What the generator gives out for the words of its recurrence."""
        mask_b, mask_c = np.asarray(b, np.uint32), np.asarray(c, np.uint32)
        y = words ^ words >> np.uint32(self.u)
        y = y ^ y << np.uint32(self.s) & mask_b
        y = y ^ y << np.uint32(self.t) & mask_c
        tempered: Words = y ^ y >> np.uint32(self.l)
        return tempered

    def seeded(self, seed: int, ids: ArrayLike) -> Words:
        """The first state of each stream, (n, streams): the key is the seed and the stream's id.

        The key has three words, of which the seed makes two; the authors' ``init_by_array``.
        """
        stream = np.asarray(ids, np.uint32)
        key = [np.full_like(stream, seed & 0xFFFFFFFF), np.full_like(stream, seed >> 32), stream]
        state = np.empty((self.n, *stream.shape), np.uint32)
        state[0] = FIRST_SEED
        for i in range(1, self.n):
            state[i] = _mixed(state[i - 1], SPREAD) + np.uint32(i)
        word = state[0]
        for k, i in enumerate((*range(1, self.n), 1)):
            mixed = state[i] ^ _mixed(word, MIX_KEY)
            state[i] = word = mixed + key[k % 3] + np.uint32(k % 3)
        for i in (*range(2, self.n), 1):
            state[i] = word = (state[i] ^ _mixed(word, MIX_PLACE)) - np.uint32(i)
        state[0] = 1 << WORD - 1  # so that the state is not zero
        return state

    def jump(self, state: Words, a: int, steps: int) -> Words:
        """The state after so many steps, for one state of n words."""
        return self.apart(state, a, steps, 2)[:, 1]

    def apart(self, state: Words, a: int, steps: int, streams: int) -> Words:
        """The states of streams that begin so many steps apart, (n, streams); the first is given.

        With t^steps = sum_i c_i t^i modulo the characteristic polynomial, word k of that state is
        the sum of c_i x[k + i]: p steps and one sum, however far. Source: H. Haramoto, M.
        Matsumoto, T. Nishimura, F. Panneton, P. L'Ecuyer, "Efficient jump ahead for F2-linear
        random number generators", INFORMS Journal on Computing 20 (2008).
        """
        coefficients = gf2.power_of_t(steps, self.characteristic_polynomial(a))
        terms = [i for i in range(self.degree) if coefficients >> i & 1]
        states = [state]
        while len(states) < streams:
            sequence = np.concatenate([states[-1], self.words(states[-1], a, self.degree)])
            windows = np.lib.stride_tricks.sliding_window_view(sequence, self.n)
            states.append(np.bitwise_xor.reduce(windows[terms], axis=0))
        return np.stack(states, axis=1)

    def characteristic_polynomial(self, a: int) -> int:
        """The polynomial of degree p that every bit of the recurrence satisfies.

        It is an affine and injective function of the bits of `a`, so that different `a` have
        different polynomials. Source: the paper, appendix A.
        """
        fixed, by_bit = self._polynomials
        for bit, term in enumerate(by_bit):
            fixed ^= term * (a >> bit & 1)
        return fixed

    @property
    def fragment(self) -> Fragment:
        """The recurrence, its tempering, its seeding and a step in a ring, in CUDA C."""
        shape = {"N": self.n, "M": self.m, "UPPER": self.upper, "LOWER": self.lower}
        shifts = {"U": self.u, "S": self.s, "T": self.t, "L": self.l}
        mixing = {"FIRST_SEED": FIRST_SEED, "SPREAD": SPREAD}
        mixing |= {"MIX_KEY": MIX_KEY, "MIX_PLACE": MIX_PLACE}
        return Fragment("twister", __file__, _CUDA, parameters=shape | shifts | mixing)

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


_CUDA: Final = """\
__device__ __forceinline__ unsigned twist(unsigned oldest, unsigned next, unsigned middle,
                                          unsigned a)
{
    unsigned y = (oldest & UPPER) | (next & LOWER);
    return middle ^ y >> 1 ^ (y & 1 ? a : 0);
}

__device__ __forceinline__ unsigned temper(unsigned y, unsigned b, unsigned c)
{
    y ^= y >> U;
    y ^= y << S & b;
    y ^= y << T & c;
    return y ^ y >> L;
}

__device__ __forceinline__ unsigned mixed(unsigned word, unsigned factor)
{
    return (word ^ word >> 30) * factor;
}

template <class Words>
__device__ __forceinline__ void mix(Words words, unsigned i, unsigned& word, unsigned factor,
                                    unsigned addend)
{
    words[i] = word = (words[i] ^ mixed(word, factor)) + addend;
}

// The first N words of the stream `id`; Words is a pointer, or what else has an operator [].
template <class Words>
__device__ __forceinline__ void seed_words(Words words, unsigned long long seed, unsigned id)
{
    unsigned word = FIRST_SEED;
    for (unsigned i = 1; i < N; i++)
        words[i] = word = mixed(word, SPREAD) + i;
    word = FIRST_SEED;
    unsigned key = seed, next = (seed >> 32) + 1, last = id + 2;
    for (unsigned i = 1; i < N; i++) {
        mix(words, i, word, MIX_KEY, key);
        unsigned used = key;
        key = next;
        next = last;
        last = used;
    }
    mix(words, 1, word, MIX_KEY, key);
    for (unsigned i = 2; i < N; i++)
        mix(words, i, word, MIX_PLACE, -i);
    mix(words, 1, word, MIX_PLACE, -1);
    words[0] = 0x80000000;
}

// One step of one thread in a ring of N words (thesis, algorithm 9): two reads and one write,
// since the word after the oldest is the oldest of the next step.
template <class Words>
__device__ __forceinline__ unsigned step(Words words, unsigned& position, unsigned& oldest,
                                         unsigned a)
{
    unsigned after = position < N - 1 ? position + 1 : 0;
    unsigned next = words[after];
    unsigned middle = words[position < N - M ? position + M : position + M - N];
    unsigned word = twist(oldest, next, middle, a);
    words[position] = word;
    position = after;
    oldest = next;
    return word;
}
"""
