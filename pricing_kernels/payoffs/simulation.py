"""The skeletons into which a payoff's zones go: Monte Carlo simulation, and replay.

``simulation`` makes normal numbers and adds payoffs up. Its bits depend on the seed and the number
of paths alone, not on block or grid: random numbers are counted by path, row and draw (Philox), and
a segment of 256 paths is added by one fixed tree in float64, whatever the block. A path whose
payoff is not finite is counted and left out of the sums. A launch simulates the segments from
``first`` on, before ``paths``, so paths may be divided among launches at the borders of segments.

``replay`` takes the normal numbers from memory and writes what each path pays.

A skeleton has the zones as functions of a fragment Z, which a back-end gives: for PTX, hooks.
Simulations are made for 1, 2 or a multiple of 4 normal numbers a row; those up to 20 are shipped.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.draws import Draws
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment

SEGMENT: Final = 256  # paths whose payoffs are added in one tree
MAX_PATHS: Final = 2**31
MAX_ROWS: Final = 2**20
SEGMENTS: Final = f"(paths + {SEGMENT - 1})//{SEGMENT} - first"
BLOCK: Final = 256
SHIPPED_SIMULATIONS: Final = (1, 2, 4, 8, 12, 16, 20)
SHIPPED_REPLAYS: Final = (1, 2, 3)


def tree_sums(slots: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row: its four parts added in pairs until one column is left."""
    while slots.shape[1] > 1:
        a, b, c, d = np.split(slots, 4, axis=1)
        slots = (a + b) + (c + d)
    return slots[:, 0]


_SIMULATION: Final = """\
{
    __shared__ double total[3 * SEGMENT];  // of each slot the payoff, its square, 1 if not finite
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = (first + segment) * SEGMENT + slot;
            D::Normals normals = {};
            Z::State state;
            Z::before(state, table, rows);
#pragma unroll 1
            for (unsigned row = 0; row < rows; row++) {
                D::draw(normals, make_uint2(path, 0), row, seed);
                Z::row(state, table, rows, row, normals.z);
            }
            float payoff = Z::after(state, table, rows);
            bool counts = path < paths, finite = fabsf(payoff) <= 0x1.fffffep+127f;
            double value = counts && finite ? payoff : 0.0;
            total[3 * slot] = value;
            total[3 * slot + 1] = value * value;
            total[3 * slot + 2] = counts && !finite;
        }
        __syncthreads();
        for (unsigned part = 3 * SEGMENT / 4; part > 2; part /= 4) {
            for (unsigned a = threadIdx.x; a < part; a += blockDim.x) {
                unsigned b = a + part, c = b + part, d = c + part;
                total[a] = (total[a] + total[b]) + (total[c] + total[d]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            sums[segment] = total[0];
            squares[segment] = total[1];
            not_finite[segment] = static_cast<unsigned>(total[2]);
        }
        __syncthreads();
    }
}
"""

_REPLAY: Final = """\
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    Z::State state;
    Z::before(state, table, rows);
    const float* next = normals + path;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        float z[NORMALS];
        for (unsigned k = 0; k < NORMALS; k++) {
            z[k] = *next;
            next += paths;
        }
        Z::row(state, table, rows, row, z);
    }
    payoffs[path] = Z::after(state, table, rows);
}
"""


def hooks(normals: int) -> Fragment:
    """The zones as hooks for PTX: empty assembler statements that name their registers."""
    z = " ".join(f"z{k}=%{k + 3}" for k in range(normals))
    operands = ", ".join(f'"f"(z[{k}])' for k in range(normals))
    table = '"l"(__cvta_generic_to_global(table)), "r"(rows)'
    given = "const unsigned* table, unsigned rows"
    head = "__device__ __forceinline__"
    text = f"""\
struct State {{}};
{head} void before(State&, {given})
{{
    asm volatile("//!before table=%0 rows=%1" :: {table});
}}
{head} void row(State&, {given}, unsigned row, const float* z)
{{
    asm volatile("//!row table=%0 rows=%1 row=%2 {z}" :: {table}, "r"(row), {operands});
}}
{head} float after(State&, {given})
{{
    float result;
    asm volatile("//!after result=%0 table=%1 rows=%2" : "=f"(result) : {table});
    return result;
}}
"""
    return Fragment("hooks", None, text)


def simulation(
    normals: int, zones: Fragment, table: str = "rows", block: int = BLOCK
) -> EmittedKernel:
    """The simulation with its zones, for a table of so many words."""
    draws = Draws(normals)
    contract = KernelContract(
        f"payoff_simulation_{draws.size}",
        {
            "sums": GlobalArray(np.float64, "segments"),
            "squares": GlobalArray(np.float64, "segments"),
            "not_finite": GlobalArray(np.uint32, "segments"),
            "table": GlobalArray(np.uint32, table, const=True),
            "segments": Scalar(np.uint32, 1, MAX_PATHS // SEGMENT, equals=SEGMENTS),
            "first": Scalar(np.uint32, 0, MAX_PATHS // SEGMENT - 1),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": Scalar(np.uint32, 1, MAX_ROWS),
            "seed": Scalar(np.uint64, 0, 2**64 - 1),
        },
        (block,),
    )
    imports = {"Z": zones, "D": draws.fragment}
    body = Fragment("payoff_sums", __file__, _SIMULATION, imports, {"SEGMENT": SEGMENT})
    return EmittedKernel(body, contract, "Sums of what paths pay, simulated.")


def replay(normals: int, zones: Fragment, table: str = "rows") -> EmittedKernel:
    """The replay with its zones, for a table of so many words."""
    contract = KernelContract(
        f"payoff_replay_{normals}",
        {
            "payoffs": GlobalArray(np.float32, "paths"),
            "normals": GlobalArray(np.float32, f"{normals}*rows*paths", const=True),
            "table": GlobalArray(np.uint32, table, const=True),
            "paths": Scalar(np.uint32, 1, 2**20),
            "rows": Scalar(np.uint32, 1, MAX_ROWS),
        },
        (BLOCK,),
        ("paths",),
    )
    body = Fragment("payoff_values", __file__, _REPLAY, {"Z": zones}, {"NORMALS": normals})
    return EmittedKernel(body, contract, "What each path pays, from given normal numbers.")


def skeletons() -> tuple[EmittedKernel, ...]:
    """The skeletons that are shipped: payoffs that fit them need no compiler."""
    return (
        *(simulation(normals, hooks(normals)) for normals in SHIPPED_SIMULATIONS),
        *(replay(normals, hooks(normals)) for normals in SHIPPED_REPLAYS),
    )
