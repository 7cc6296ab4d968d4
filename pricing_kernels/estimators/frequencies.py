"""How often numbers fall in each of 64 cells of the same size, and chi-square of these counts.

All streams count in one table, so every count is an atomic update. Of n numbers, chi-square has 63
degrees of freedom: the mean 63 and the variance 126, up to terms that vanish with n.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.rng.generator import BLOCK, Generator, Words

CELLS: Final = 64


def kernel(generator: Generator) -> EmittedKernel:
    """The kernel that adds the next `count` numbers of each stream to the table `counts`."""
    contract = KernelContract(
        f"{generator.name}_frequencies",
        {
            "state": generator.state,
            "counts": GlobalArray(np.uint32, str(CELLS)),
            "count": Scalar(np.uint32, 1, generator.max_count),
            "streams": generator.streams,
        },
        (BLOCK,),
        ("streams",),
        ("count*streams < 2**32",),  # a cell may count all
    )
    body = generator.body(_CUDA, "frequencies", __file__)
    body = replace(body, parameters={"SHIFT": shift(generator)})
    return EmittedKernel(body, contract, f"Numbers of {generator.name} in each of {CELLS} cells.")


def shift(generator: Generator) -> int:
    """The low bits of a number that do not tell its cell."""
    return generator.bits - (CELLS - 1).bit_length()


def frequencies(generator: Generator, numbers: Words) -> Words:
    """The numbers in each cell."""
    counts = np.bincount(numbers.ravel() >> np.uint32(shift(generator)), minlength=CELLS)
    return counts.astype(np.uint32)


def deviations(counts: Words) -> float:
    """How many standard deviations chi-square is from its mean, for cells of the same size."""
    expected = counts.sum(dtype=np.uint64) / CELLS
    chi_square = float(((counts - expected) ** 2).sum() / expected)
    return (chi_square - (CELLS - 1)) / math.sqrt(2 * (CELLS - 1))


_CUDA: Final = """\
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    for (unsigned i = 0; i < count; i++)
        atomicAdd(&counts[G::generate(local) >> SHIFT], 1u);
    G::save(local, mine);
}
"""
