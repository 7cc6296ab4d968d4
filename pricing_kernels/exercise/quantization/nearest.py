"""Nearest grid points, by comparison with every point and by a tree.

``brute`` reads the same point in all threads at once. ``tree`` goes down a balanced kd-tree to the
side of the state, and on the way up to the other side where a nearer point may be: fewer
comparisons, but each thread takes its own way. It keeps no stack, for the number of a node tells
its parent, and the node that it came from tells what is left to do. Both find the same point, the
first of several at one distance: a coordinate's difference is at most the distance in floating
point, too, since rounding is monotone.

Sources: J. Bentley, "Multidimensional binary search trees used for associative searching",
Communications of the ACM 18, 1975; I. Wald, "A stack-free traversal algorithm for left-balanced k-d
trees", 2022.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels import engines
from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.exercise.policy import ExerciseError
from pricing_kernels.exercise.quantization.process import Floats, Reals
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment

BLOCK: Final = 256
MAX_STATES: Final = 2**24

_POINTS: Final = """\
// By all threads of the block: a coordinate of all points, padded to a block, then another.
__device__ __forceinline__ void load(float* point, const float* grid)
{
    for (unsigned i = 0; i < FACTORS; i++)
        point[i * BLOCK + threadIdx.x] =
            threadIdx.x < POINTS ? grid[i * POINTS + threadIdx.x] : 0.0f;
}

// The squared distance of a state from grid point k.
__device__ __forceinline__ float distance(const float* point, unsigned k, const float* state)
{
    float d = state[FACTORS - 1] - point[(FACTORS - 1) * BLOCK + k], sum = d * d;
    for (unsigned i = 1; i < FACTORS; i++) {
        d = state[i - 1] - point[(i - 1) * BLOCK + k];
        sum = fmaf(d, d, sum);
    }
    return sum;
}
"""

_BRUTE: Final = """\
// The grid point nearest to a state.
__device__ __forceinline__ unsigned nearest(const float* point, const float* state)
{
    unsigned found = 0;
    float least = P::distance(point, 0, state);
#pragma unroll 4
    for (unsigned k = 1; k < POINTS; k++) {
        float distance = P::distance(point, k, state);
        found = distance < least ? k : found;
        least = fminf(distance, least);
    }
    return found;
}
"""

_TREE: Final = """\
// The grid point nearest to a state. Node 1 is the root, n / 2 the parent of node n.
__device__ __forceinline__ unsigned nearest(const float* point, const float* state)
{
    unsigned found = 0, from = 0, node = 1;
    float least = __int_as_float(0x7f800000);
    while (node != 0) {
        unsigned next = node / 2, k = node - 1;
        if (k < POINTS) {
            if (from < node) {
                float distance = P::distance(point, k, state);
                if (distance < least || distance == least && k < found) {
                    found = k;
                    least = distance;
                }
            }
            unsigned axis = (31 - __clz(node)) % FACTORS;
            float beyond = (axis ? state[FACTORS - 1] : state[0]) - point[axis * BLOCK + k];
            unsigned side = 2 * node + (beyond > 0.0f);
            if (from < node)
                next = side;
            else if (from == side && beyond * beyond <= least)
                next = side ^ 1;
        }
        from = node;
        node = next;
    }
    return found;
}
"""

_TEXTS: Final = {"brute": _BRUTE, "tree": _TREE}

_NEAREST: Final = """\
{
    __shared__ float point[FACTORS * BLOCK];
    P::load(point, grid);
    __syncthreads();
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= states)
        return;
    float at[FACTORS];
    for (unsigned i = 0; i < FACTORS; i++)
        at[i] = state[(size_t)i * states + number];
    cells[number] = N::nearest(point, at);
}
"""


def searching(search: str, factors: int, points: int) -> dict[str, Fragment]:
    """What a kernel imports to search: P loads the grid into shared memory, N finds ``nearest``."""
    constants = {"FACTORS": factors, "POINTS": points, "BLOCK": BLOCK}
    grid = Fragment("grid", __file__, _POINTS, {}, constants)
    return {"P": grid, "N": Fragment(search, __file__, _TEXTS[search], {"P": grid}, constants)}


def nearest_kernel(search: str, factors: int, points: int) -> EmittedKernel:
    """The nearest grid points of many states."""
    contract = KernelContract(
        f"quantization_{search}_{factors}x{points}",
        {
            "cells": GlobalArray(np.uint32, "states"),
            "grid": GlobalArray(np.float32, str(factors * points), const=True),
            "state": GlobalArray(np.float32, f"{factors}*states", const=True),
            "states": Scalar(np.uint32, 1, MAX_STATES),
        },
        (BLOCK,),
        ("states",),
    )
    constants = {"FACTORS": factors, "BLOCK": BLOCK}
    imports = searching(search, factors, points)
    body = Fragment("nearest", __file__, _NEAREST, imports, constants)
    return EmittedKernel(body, contract, f"The nearest of {points} points to a state, by {search}.")


def nearest_cells(
    grid: Reals, states: Floats, search: str = "brute", engine: str = "simt"
) -> NDArray[np.uint32]:
    """The cells of states, which are given by factor and number; points by number and factor, for
    the tree in its order. Raises ExerciseError, EngineError."""
    if search not in _TEXTS:
        raise ExerciseError(f"search {search!r}, expected one of {', '.join(_TEXTS)}")
    if not 1 <= states.shape[1] <= MAX_STATES or len(states) != grid.shape[1]:
        raise ExerciseError(
            f"{states.shape[0]} x {states.shape[1]} states, expected {grid.shape[1]} factors "
            f"of 1 to {MAX_STATES} states"
        )
    kernel = nearest_kernel(search, grid.shape[1], len(grid))
    launch = kernel.contract.launch(states=states.shape[1])
    contents = {"grid": grid.T.astype(np.float32), "state": states.astype(np.float32)}
    return engines.engine(engine)(kernel.ptx(), launch, contents)["cells"]
