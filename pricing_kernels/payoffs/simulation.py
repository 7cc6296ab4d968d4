"""The skeletons into which a payoff's zones go.

``simulation`` makes normal numbers and adds payoffs up. Its bits depend on the seed and the number
of paths alone, not on block or grid: random numbers are counted by path, row and draw (Philox), and
a segment of 256 paths is added by one fixed tree in float64, whatever the block. A path whose
payoff is not finite is counted and left out of the sums. A launch simulates the segments from
``first`` on, before ``paths``, so paths may be divided among launches at the borders of segments.

``scenarios`` does so from many starts, which differ in the inputs of the run: each start has a
stream of normal numbers of its own, and sums of its own. What is not finite spoils them.

``record`` writes what a payoff is worth after each row. ``replay`` takes the normal numbers from
memory and writes what each path pays.

A skeleton has the zones as functions of a fragment Z, which a back-end gives: for PTX, hooks. Those
that simulate are made for 1, 2 or a multiple of 4 normal numbers a row; the usual ones are shipped.
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
MAX_KEPT_PATHS: Final = 2**20  # of which numbers by row are kept in memory
MAX_STARTS: Final = 2**16
SHIPPED_SIMULATIONS: Final = (1, 2, 4, 8, 12, 16, 20, 40)
SHIPPED_EARLY: Final = (1, 2, 4, 8, 12, 40)  # scenarios and records
SHIPPED_REPLAYS: Final = (1, 2, 3)


def tree_sums(slots: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of each row: its four parts added in pairs until one column is left."""
    while slots.shape[1] > 1:
        a, b, c, d = np.split(slots, 4, axis=1)
        slots = (a + b) + (c + d)
    return slots[:, 0]


_WALK: Final = """\
// What a path pays: the inputs of its run are at `run`.
__device__ __forceinline__ float payoff(
    const unsigned* run, const unsigned* table, unsigned rows, uint2 path, unsigned long long seed)
{
    D::Normals normals = {};
    Z::State state;
    Z::before(state, run, rows);
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, path, row, seed);
        Z::row(state, table, rows, row, normals.z);
    }
    return Z::after(state, table, rows);
}
"""

_SIMULATION: Final = """\
{
    __shared__ double total[3 * SEGMENT];  // of each slot the payoff, its square, 1 if not finite
    for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
            unsigned path = (first + segment) * SEGMENT + slot;
            float payoff = W::payoff(table, table, rows, make_uint2(path, 0), seed);
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

_SCENARIOS: Final = """\
{
    __shared__ double sum[SEGMENT];
    for (unsigned start = blockIdx.y; start < starts; start += gridDim.y)
        for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
            const unsigned* run = runs + (size_t)start * width;
            for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
                uint2 path = make_uint2(segment * SEGMENT + slot, stream + start);
                float payoff = W::payoff(run, table, rows, path, seed);
                sum[slot] = path.x < paths ? payoff : 0.0;
            }
            __syncthreads();
            for (unsigned part = SEGMENT / 4; part > 0; part /= 4) {
                for (unsigned slot = threadIdx.x; slot < part; slot += blockDim.x) {
                    unsigned b = slot + part, c = b + part, d = c + part;
                    sum[slot] = (sum[slot] + sum[b]) + (sum[c] + sum[d]);
                }
                __syncthreads();
            }
            if (threadIdx.x == 0)
                sums[(size_t)start * segments + segment] = sum[0];
            __syncthreads();
        }
}
"""

_RECORD: Final = """\
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    D::Normals normals = {};
    Z::State state;
    Z::before(state, table, rows);
    float* next = values + path;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, 0), row, seed);
        Z::row(state, table, rows, row, normals.z);
        *next = Z::after(state, table, rows);
        next += paths;
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


_ROWS: Final = Scalar(np.uint32, 1, MAX_ROWS)
_SEED: Final = Scalar(np.uint64, 0, 2**64 - 1)
_KEPT_PATHS: Final = Scalar(np.uint32, 1, MAX_KEPT_PATHS)


def _walk(normals: int, zones: Fragment) -> Fragment:
    return Fragment("walk", __file__, _WALK, {"Z": zones, "D": Draws(normals).fragment})


def simulation(
    normals: int, zones: Fragment, table: str = "rows", block: int = BLOCK
) -> EmittedKernel:
    """The simulation with its zones, for a table of so many words."""
    contract = KernelContract(
        f"payoff_simulation_{Draws(normals).size}",
        {
            "sums": GlobalArray(np.float64, "segments"),
            "squares": GlobalArray(np.float64, "segments"),
            "not_finite": GlobalArray(np.uint32, "segments"),
            "table": GlobalArray(np.uint32, table, const=True),
            "segments": Scalar(np.uint32, 1, MAX_PATHS // SEGMENT, equals=SEGMENTS),
            "first": Scalar(np.uint32, 0, MAX_PATHS // SEGMENT - 1),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": _ROWS,
            "seed": _SEED,
        },
        (block,),
    )
    imports = {"W": _walk(normals, zones)}
    body = Fragment("payoff_sums", __file__, _SIMULATION, imports, {"SEGMENT": SEGMENT})
    return EmittedKernel(body, contract, "Sums of what paths pay, simulated.")


def scenarios(normals: int, zones: Fragment, table: str = "rows") -> EmittedKernel:
    """The simulation from many starts. ``runs`` has ``width`` words for each, as the table before
    its rows; start s takes the normal numbers of stream ``stream + s``."""
    contract = KernelContract(
        f"payoff_scenarios_{Draws(normals).size}",
        {
            "sums": GlobalArray(np.float64, "starts*segments"),
            "runs": GlobalArray(np.uint32, "starts*width", const=True),
            "table": GlobalArray(np.uint32, table, const=True),
            "starts": Scalar(np.uint32, 1, MAX_STARTS),
            "width": Scalar(np.uint32, 1, 2**16),
            "segments": Scalar(
                np.uint32, 1, MAX_PATHS // SEGMENT, equals=f"(paths + {SEGMENT - 1})//{SEGMENT}"
            ),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": _ROWS,
            "stream": Scalar(np.uint32, 0, 2**32 - 1 - MAX_STARTS),
            "seed": _SEED,
        },
        (BLOCK,),
    )
    imports = {"W": _walk(normals, zones)}
    body = Fragment("scenario_sums", __file__, _SCENARIOS, imports, {"SEGMENT": SEGMENT})
    return EmittedKernel(body, contract, "Sums of what paths pay, from many starts.")


def record(normals: int, zones: Fragment, table: str = "rows") -> EmittedKernel:
    """The simulation that writes what a payoff is worth after each row."""
    contract = KernelContract(
        f"payoff_record_{Draws(normals).size}",
        {
            "values": GlobalArray(np.float32, "rows*paths"),
            "table": GlobalArray(np.uint32, table, const=True),
            "paths": _KEPT_PATHS,
            "rows": _ROWS,
            "seed": _SEED,
        },
        (BLOCK,),
        ("paths",),
    )
    imports = {"Z": zones, "D": Draws(normals).fragment}
    body = Fragment("payoff_record", __file__, _RECORD, imports)
    return EmittedKernel(body, contract, "What a payoff is worth after each row, by path.")


def replay(normals: int, zones: Fragment, table: str = "rows") -> EmittedKernel:
    """The replay with its zones, for a table of so many words."""
    contract = KernelContract(
        f"payoff_replay_{normals}",
        {
            "payoffs": GlobalArray(np.float32, "paths"),
            "normals": GlobalArray(np.float32, f"{normals}*rows*paths", const=True),
            "table": GlobalArray(np.uint32, table, const=True),
            "paths": _KEPT_PATHS,
            "rows": _ROWS,
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
        *(
            make(normals, hooks(normals))
            for make in (scenarios, record)
            for normals in SHIPPED_EARLY
        ),
        *(replay(normals, hooks(normals)) for normals in SHIPPED_REPLAYS),
    )
