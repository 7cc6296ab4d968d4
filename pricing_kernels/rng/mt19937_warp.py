"""MT19937 by warps: 32 threads make 32 successive numbers of one sequence in a step.

A word depends on words 624, 623 and 227 places before it, so that 32 of them can be made at once.
The ring has 640 words, 20 lines of 128 bytes, and a step writes one line; its three reads begin 16,
17 and 29 words into a line, since 640 - 624 = 16 and so on. Half of the line that is overwritten is
read in the same step, by other lanes: the warp meets between the two, where warps of the thesis's
time were in step of themselves. That is enough, for what is written is read 7 steps later first.

MT-FAST     ring in shared memory: where it begins in a line is no matter there
MT-LIGHT    ring in global memory: each read touches two lines, the slow case of the thesis
realigned   the same, each read made of two that stay in their lines (thesis, algorithms 6 and 7)

All three give the same numbers: thread t of a warp gets t, t + 32, ... of the sequence that has the
warp's number in its key. Streams are threads, and come in whole warps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analyses.hardware import WARP
from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory
from pricing_kernels.rng.generator import BLOCK, Generator, Words
from pricing_kernels.rng.mt19937 import TWISTER, A, B, C

LINES: Final = 20
RING: Final = LINES * WARP


def initialise(seed: int, streams: int) -> Words:
    """20 words of its warp's ring for each thread and, in the last row, the line that is next.

    Word i of the ring is word i // 32 of thread i % 32. The 624 words of the state are the last.
    """
    ring = np.zeros((RING, streams // WARP), np.uint32)
    ring[-TWISTER.n :] = TWISTER.seeded(seed, np.arange(streams // WARP))
    return _by_thread(ring, np.zeros(streams // WARP, np.uint32))


def generate(state: Words, count: int) -> tuple[Words, Words]:
    """The next `count` numbers of each thread, and the states after them."""
    streams = state.shape[1]
    ring = state[:-1].reshape(LINES, -1, WARP).transpose(0, 2, 1).reshape(RING, -1)
    words, ring, position = TWISTER.advanced(ring, WARP * state[-1, ::WARP], A, WARP * count)
    numbers = TWISTER.temper(words, B, C).reshape(count, WARP, -1).transpose(0, 2, 1)
    return numbers.reshape(count, streams), _by_thread(ring, position)


def _by_thread(ring: Words, position: Words) -> Words:
    """Rings of the shape (640, warps) as states of the shape (21, threads)."""
    lines = ring.reshape(LINES, WARP, -1).transpose(0, 2, 1).reshape(LINES, -1)
    return np.concatenate([lines, np.repeat(position // WARP, WARP)[None]])


def _in_one_piece(state: Words) -> Words:
    """The same states with each warp's ring in one piece, as MT-LIGHT has them."""
    rings = state[:-1].reshape(LINES, -1, WARP).transpose(1, 0, 2)
    return np.concatenate([rings.reshape(LINES, -1), state[-1:]])


def _by_line(state: Words) -> Words:
    """The reverse of ``_in_one_piece``."""
    rings = state[:-1].reshape(-1, LINES, WARP).transpose(1, 0, 2)
    return np.concatenate([rings.reshape(LINES, -1), state[-1:]])


def initialise_in_one_piece(seed: int, streams: int) -> Words:
    """``initialise``, with each ring in one piece."""
    return _in_one_piece(initialise(seed, streams))


def generate_in_one_piece(state: Words, count: int) -> tuple[Words, Words]:
    """``generate``, with each ring in one piece."""
    numbers, after = generate(_by_line(state), count)
    return numbers, _in_one_piece(after)


STEP: Final = Fragment(
    "warp_step",
    __file__,
    """\
struct Local { unsigned* ring; unsigned line; };

__device__ __forceinline__ unsigned lane() { return threadIdx.x % WARP; }

__device__ __forceinline__ unsigned wrapped(unsigned place)
{
    return place < RING ? place : place - RING;
}

__device__ __forceinline__ void seed_ring(unsigned* ring, unsigned long long seed, unsigned warp)
{
    if (lane() < RING - MT::N)
        ring[lane()] = 0;
    if (lane() == 0)
        MT::seed_words(ring + RING - MT::N, seed, warp);
    __syncwarp();
}

__device__ __forceinline__ unsigned write(Local& local, unsigned word)
{
    local.ring[WARP * local.line + lane()] = word;
    local.line = local.line < LINES - 1 ? local.line + 1 : 0;
    return MT::temper(word, B, C);
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned place = WARP * local.line + lane();
    unsigned oldest = local.ring[wrapped(place + RING - MT::N)];
    unsigned next = local.ring[wrapped(place + RING - MT::N + 1)];
    unsigned middle = local.ring[wrapped(place + RING - MT::N + MT::M)];
    __syncwarp();
    return write(local, MT::twist(oldest, next, middle, A));
}
""",
    {"MT": TWISTER.fragment},
    {"A": A, "B": B, "C": C, "WARP": WARP, "LINES": LINES, "RING": RING},
)

FAST: Final = Fragment(
    "mt19937_fast",
    __file__,
    """\
using W::generate;
using W::Local;

__device__ __forceinline__ unsigned* ring()
{
    __shared__ unsigned rings[WARPS][W::RING];
    return rings[threadIdx.x / W::WARP];
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local = {ring(), 0};
    W::seed_ring(local.ring, seed, state.stream / W::WARP);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = {ring(), min(state[W::LINES], W::LINES - 1)};
    for (unsigned line = 0; line < W::LINES; line++)
        local.ring[W::WARP * line + W::lane()] = state[line];
    __syncwarp();
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    for (unsigned line = 0; line < W::LINES; line++)
        state[line] = local.ring[W::WARP * line + W::lane()];
    state[W::LINES] = local.line;
}
""",
    {"M": memory.FRAGMENT, "W": STEP},
    {"WARPS": BLOCK // WARP},
)

LIGHT: Final = Fragment(
    "mt19937_light",
    __file__,
    """\
using W::generate;
using W::Local;

__device__ __forceinline__ unsigned* ring(M::State state)
{
    return state.words + state.stream / W::WARP * W::RING;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local = {ring(state), 0};
    W::seed_ring(local.ring, seed, state.stream / W::WARP);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = {ring(state), min(state[W::LINES], W::LINES - 1)};
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[W::LINES] = local.line;
}
""",
    {"M": memory.FRAGMENT, "W": STEP},
)

REALIGNED: Final = Fragment(
    "mt19937_realigned",
    __file__,
    """\
// `last` is, in the last lane, the word before those that the next step reads.
struct Local { W::Local warp; unsigned last; };

// The 32 words from `place` words after the next one, of which a lane gets its own. The first
// lanes read the line after the others', so that both reads begin with a line.
__device__ __forceinline__ unsigned read(const W::Local& warp, unsigned place)
{
    unsigned line = warp.line + place / W::WARP, offset = place % W::WARP, word;
    if (W::lane() < offset)
        word = warp.ring[W::wrapped(W::WARP * (line + 1)) + W::lane()];
    else
        word = warp.ring[W::wrapped(W::WARP * line) + W::lane()];
    return __shfl_sync(0xffffffff, word, (W::lane() + offset) % W::WARP);
}

__device__ __forceinline__ unsigned before_next(const W::Local& warp)
{
    return warp.ring[W::wrapped(W::WARP * warp.line + W::RING - MT::N)];
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    L::initialise(local.warp, state, seed);
    local.last = before_next(local.warp);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    L::load(local.warp, state);
    local.last = before_next(local.warp);
}

__device__ __forceinline__ void save(Local& local, M::State state) { L::save(local.warp, state); }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned next = read(local.warp, W::RING - MT::N + 1);
    unsigned middle = read(local.warp, W::RING - MT::N + MT::M);
    unsigned before = W::lane() < W::WARP - 1 ? next : local.last;
    unsigned oldest = __shfl_sync(0xffffffff, before, (W::lane() + W::WARP - 1) % W::WARP);
    local.last = next;
    __syncwarp();
    return W::write(local.warp, MT::twist(oldest, next, middle, W::A));
}
""",
    {"M": memory.FRAGMENT, "L": LIGHT, "W": STEP, "MT": TWISTER.fragment},
)


def _generator(
    fragment: Fragment,
    first: Callable[[int, int], Words],
    then: Callable[[Words, int], tuple[Words, Words]],
) -> Generator:
    return Generator(fragment.name, fragment, LINES + 1, first, then, group=WARP)


GENERATORS: Final = (
    _generator(FAST, initialise, generate),
    _generator(LIGHT, initialise_in_one_piece, generate_in_one_piece),
    _generator(REALIGNED, initialise_in_one_piece, generate_in_one_piece),
)
