"""What a random number generator is here, and the two kernels that run any of them.

A generator is a fragment of CUDA C with five symbols (thesis, chapter V, section 2.3):

    Local                               what one thread keeps in registers
    initialise(local, state, seed)      the first state of stream ``state.stream``
    load(local, state)                  from global memory ...
    save(local, state)                  ... and back
    generate(local)                     the next number, of 0 .. values - 1

Beside it stands the same in numpy, for all streams at once, word for word equal: it is what a
kernel's numbers are compared with. A state has ``state_words`` words of 32 bits for each stream;
the streams of one seed are disjoint parts of one sequence unless the generator says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.rng import memory

Words = NDArray[np.uint32]

BLOCK: Final = 128


class SeedError(ValueError):
    """A seed or a number of streams that a generator cannot serve."""


@dataclass(frozen=True)
class Generator:
    """A generator in CUDA C and in numpy.

    ``initialise(seed, streams)`` gives the first states, (state_words, streams); ``generate(state,
    count)`` the next numbers, (count, streams), and the states after them. ``stored`` is what the
    host must have written into the states before a kernel initialises them, if anything. Streams
    that make their numbers together come in whole groups."""

    name: str
    fragment: Fragment
    state_words: int
    initialise: Callable[[int, int], Words]
    generate: Callable[[Words, int], tuple[Words, Words]]
    stored: Callable[[int, int], Words] | None = None
    values: int = 2**32
    max_count: int = 2**20
    max_seed: int = 2**64 - 1
    max_streams: int = 2**20
    group: int = 1

    def start(self, seed: int, streams: int) -> Words:
        """The first states of `streams` streams. Raises SeedError."""
        for what, value, least, most in (
            ("seed", seed, 0, self.max_seed),
            ("streams", streams, self.group, self.max_streams),
        ):
            if not least <= value <= most:
                raise SeedError(f"{self.name}: {what} {value}, expected {least} to {most}")
        if streams % self.group:
            raise SeedError(f"{self.name}: streams {streams}, expected a multiple of {self.group}")
        return self.initialise(seed, streams)

    def before(self, seed: int, streams: int) -> Words:
        """What a kernel that initialises finds in the states."""
        if self.stored is not None:
            return self.stored(seed, streams)
        return np.zeros((self.state_words, streams), np.uint32)

    def numbers(self, seed: int, streams: int, count: int) -> Words:
        """The first `count` numbers of each stream, (count, streams). Raises SeedError."""
        return self.generate(self.start(seed, streams), count)[0]

    @property
    def bits(self) -> int:
        """The bits that hold a number."""
        return (self.values - 1).bit_length()

    @property
    def streams(self) -> Scalar:
        """How many streams a launch may have."""
        return Scalar(np.uint32, self.group, self.max_streams, self.group)

    @property
    def state(self) -> GlobalArray:
        """The states of the streams of a launch, in global memory."""
        return GlobalArray(np.uint32, f"{self.state_words}*streams")

    def body(self, text: str, name: str, file: str = __file__) -> Fragment:
        """A kernel's body that uses this generator as G."""
        return Fragment(name, file, text, {"G": self.fragment, "M": memory.FRAGMENT})

    @property
    def kernels(self) -> tuple[EmittedKernel, EmittedKernel]:
        """The kernel that writes the first states, and the one that writes numbers."""
        seed = Scalar(np.uint64, 0, self.max_seed)
        count = Scalar(np.uint32, 1, self.max_count)
        first = KernelContract(
            f"{self.name}_initialise",
            {"state": self.state, "seed": seed, "streams": self.streams},
            (BLOCK,),
            ("streams",),
        )
        then = KernelContract(
            f"{self.name}_generate",
            {
                "state": self.state,
                "numbers": GlobalArray(np.uint32, "count*streams"),
                "count": count,
                "streams": self.streams,
            },
            (BLOCK,),
            ("streams",),
        )
        return (
            EmittedKernel(
                self.body(INITIALISE, "initialise"), first, f"First states of {self.name}."
            ),
            EmittedKernel(self.body(GENERATE, "generate"), then, f"Numbers of {self.name}."),
        )


INITIALISE: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::initialise(local, mine, seed);
    G::save(local, mine);
}
"""

GENERATE: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = G::generate(local);
    G::save(local, mine);
}
"""
