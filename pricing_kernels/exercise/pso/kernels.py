"""The kernels of the swarm: one text, and a switch for each optimisation.

A particle is a candidate for the policy's ``PARAMETERS`` numbers. Its *threshold* at a date is a
sum over these numbers; a path is exercised at the first date at which its *gain* is at least the
threshold: what exercise then pays above the European option. ``move`` moves the particles and
tabulates their thresholds, ``fitness`` adds up what the paths pay, ``remember`` keeps the best
position of each particle; a fused kernel does all three.

What a path pays is rounded to an integer before it is added, so the order of the paths does not
matter. Each product and each sum of the move is rounded, as in numpy. So all variants
give the same bits, on every engine.

Switches of the text: ``BY_PARTICLE`` puts the thresholds of a particle beside each other, not those
of a date; ``FORWARD`` leaves the loop over dates at the first exercise, where the others run from
the last date back and select; ``GROUP`` is the number of paths that a thread takes at a time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pricing_kernels.contract import GlobalArray, KernelContract, Scalar
from pricing_kernels.kernel import EmittedKernel
from pricing_kernels.link import Fragment
from pricing_kernels.rng import philox

PARAMETERS: Final = 4
BLOCK: Final = 256  # of paths
WARP: Final = 32
WARPS: Final = 8
MAX_PARTICLES: Final = 2**15
MAX_PATHS: Final = 2**20
MAX_ROWS: Final = 2**8
GROUP: Final = 4

_SWARM: Final = """\
// a + b c, each operation rounded by itself.
__device__ __forceinline__ float plus(float a, float b, float c)
{
    return __fadd_rn(a, __fmul_rn(b, c));
}

// A number of [0, 1) with 24 bits.
__device__ __forceinline__ float uniform(unsigned word)
{
    return (word >> 8) * 0x1p-24f;
}

struct Swarm {
    float *position, *velocity, *own;
    unsigned particles;
};

// The pulls of a move: of the velocity, of the own best position, and of the leader's.
struct Pulls {
    float inertia, own, leader;
};

// Moves a particle inside of the box.
__device__ __forceinline__ void move(Swarm swarm, unsigned particle, Pulls pulls,
                                     const float* leader, const float* box, unsigned turn,
                                     unsigned long long seed, float* x)
{
    uint4 random = {};
#pragma unroll
    for (unsigned k = 0; k < PARAMETERS; k++) {
        if (k % 2 == 0)
            random = P::philox(make_uint4(particle, turn, k / 2, 0), make_uint2(seed, seed >> 32));
        unsigned slot = k * swarm.particles + particle;
        float here = swarm.position[slot];
        float to_own = __fmul_rn(pulls.own, uniform(k % 2 ? random.z : random.x));
        float to_leader = __fmul_rn(pulls.leader, uniform(k % 2 ? random.w : random.y));
        float velocity = __fmul_rn(pulls.inertia, swarm.velocity[slot]);
        velocity = plus(velocity, to_own, __fsub_rn(swarm.own[slot], here));
        velocity = plus(velocity, to_leader, __fsub_rn(leader[k], here));
        x[k] = fminf(fmaxf(__fadd_rn(here, velocity), box[k]), box[PARAMETERS + k]);
        swarm.velocity[slot] = velocity;
        swarm.position[slot] = x[k];
    }
}

// The threshold of a position at one date.
__device__ __forceinline__ float threshold(const float* x, const float* basis, unsigned row)
{
    float4 weight = reinterpret_cast<const float4*>(basis)[row];
    float sum = plus(plus(__fmul_rn(weight.x, x[0]), weight.y, x[1]), weight.z, x[2]);
    return fmaxf(plus(sum, weight.w, x[3]), 0.0f);
}

// Keeps the position of a particle if it is the best so far.
__device__ __forceinline__ void remember(Swarm swarm, unsigned particle,
                                         unsigned long long fitness, unsigned long long* best)
{
    if (fitness <= best[particle])
        return;
    best[particle] = fitness;
    for (unsigned k = 0; k < PARAMETERS; k++)
        swarm.own[k * swarm.particles + particle] = swarm.position[k * swarm.particles + particle];
}
"""

_PATHS: Final = """\
// The gains of neighbouring paths at one date.
struct alignas(4 * GROUP) Gains {
    float of[GROUP];
};

// What a group of paths pays in all; `threshold` gives that of a row.
template <class Threshold>
__device__ __forceinline__ unsigned long long paid(const float* gains, unsigned paths,
                                                   unsigned path, unsigned rows,
                                                   Threshold threshold)
{
    Gains pays = {};
    if (FORWARD) {
#pragma unroll 1
        for (unsigned row = 0; row < rows; row++) {
            float gain = gains[row * paths + path];
            if (gain >= threshold(row)) {
                pays.of[0] = gain;
                break;
            }
        }
    } else {
#pragma unroll 1
        for (unsigned row = rows; row-- > 0;) {
            float least = threshold(row);
            Gains gain = *reinterpret_cast<const Gains*>(gains + row * paths + path);
#pragma unroll
            for (unsigned k = 0; k < GROUP; k++)
                pays.of[k] = gain.of[k] >= least ? gain.of[k] : pays.of[k];
        }
    }
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned k = 0; k < GROUP; k++)
        sum += __float2uint_rn(pays.of[k]);
    return sum;
}
"""

_GAINS: Final = """\
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        // discount; logarithm of growth, deviation and discount to the last date
        float4 law = reinterpret_cast<const float4*>(laws)[row];
        float spot = values[row * paths + path] / strike;
        float d = (__logf(spot) + law.y) / law.z + 0.5f * law.z;
        float forward = spot * __expf(law.y) * normcdff(sign * d);
        float european = law.w * sign * (forward - normcdff(sign * (d - law.z)));
        values[row * paths + path] = unit * law.x * (sign * (spot - 1.0f) - european);
    }
}
"""

_MOVE: Final = """\
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    S::Swarm swarm = {position, velocity, own, particles};
    S::Pulls pulls = {inertia, own_pull, leader_pull};
    float x[PARAMETERS];
    S::move(swarm, particle, pulls, leader, box, turn, seed, x);
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        float least = S::threshold(x, basis, row);
        if (BY_PARTICLE)
            thresholds[particle * rows + row] = least;  // ptxlint: ignore[uncoalesced-access] O1
        else
            thresholds[row * particles + particle] = least;
    }
}
"""

_HYBRID: Final = """\
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    auto threshold = [=](unsigned row) {
        return thresholds[particle * rows + row];  // ptxlint: ignore[uncoalesced-access] O1
    };
    unsigned* mine = pays + (size_t)particle * paths;
    for (unsigned path = 0; path < paths; path++) {
        unsigned long long sum = F::paid(gains, paths, path, rows, threshold);
        mine[path] = sum;  // ptxlint: ignore[uncoalesced-access] O1
    }
}
"""

_FITNESS: Final = """\
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    auto threshold = [=](unsigned row) { return thresholds[row * particles + particle]; };
    unsigned long long sum = 0;
    for (unsigned path = 0; path < paths; path += F::GROUP)
        sum += F::paid(gains, paths, path, rows, threshold);
    fitness[particle] = sum;
}
"""

_REMEMBER: Final = """\
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    S::Swarm swarm = {position, velocity, own, particles};
    S::remember(swarm, particle, fitness[particle], best);
    fitness[particle] = 0;
}
"""

_FUSED: Final = """\
{
    unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
    S::Swarm swarm = {position, velocity, own, particles};
    S::Pulls pulls = {inertia, own_pull, leader_pull};
    float x[PARAMETERS];
    S::move(swarm, particle, pulls, leader, box, turn, seed, x);
    auto threshold = [&](unsigned row) { return S::threshold(x, basis, row); };
    unsigned long long sum = 0;
    for (unsigned path = 0; path < paths; path += F::GROUP)
        sum += F::paid(gains, paths, path, rows, threshold);
    S::remember(swarm, particle, sum, best);
}
"""

_TILED: Final = """\
{
    __shared__ float tile[MAX_ROWS][WARP];  // the thresholds of a warp of particles
    unsigned lane = threadIdx.x, particle = blockIdx.x * WARP + lane;
#pragma unroll
    for (unsigned k = 0; k < MAX_ROWS; k += WARPS) {
        unsigned row = k + threadIdx.y;
        tile[row][lane] = row < rows ? thresholds[row * particles + particle] : 0.0f;
    }
    __syncthreads();
    auto threshold = [&](unsigned row) { return tile[row][lane]; };
    unsigned long long sum = 0;
    unsigned first = (blockIdx.y * WARPS + threadIdx.y) * F::GROUP;
    for (unsigned path = first; path < paths; path += gridDim.y * WARPS * F::GROUP)
        sum += F::paid(gains, paths, path, rows, threshold);
    atomicAdd(fitness + particle, sum);
}
"""

# --- contracts

Parameters = dict[str, Scalar | GlobalArray]

_SIZES: Final[Parameters] = {
    "particles": Scalar(np.uint32, WARP, MAX_PARTICLES, multiple_of=WARP),
    "rows": Scalar(np.uint32, 1, MAX_ROWS),
}
_COORDINATES: Final = GlobalArray(np.float32, f"{PARAMETERS}*particles")
_SWARM_ARRAYS: Final[Parameters] = dict.fromkeys(("position", "velocity", "own"), _COORDINATES)
_BEST: Final[Parameters] = {"best": GlobalArray(np.uint64, "particles")}
_FITNESS_ARRAY: Final[Parameters] = {"fitness": GlobalArray(np.uint64, "particles")}
_THRESHOLDS: Final[Parameters] = {"thresholds": GlobalArray(np.float32, "rows*particles")}
_PULL: Final = Scalar(np.float32, 0.0, 10.0)
_MOVES: Final[Parameters] = {
    **_SWARM_ARRAYS,
    "thresholds": GlobalArray(np.float32, "rows*particles"),
    "leader": GlobalArray(np.float32, str(PARAMETERS), const=True),
    "box": GlobalArray(np.float32, str(2 * PARAMETERS), const=True),
    "basis": GlobalArray(np.float32, f"{PARAMETERS}*rows", const=True),
    **_SIZES,
    "turn": Scalar(np.uint32, 0, 2**32 - 1),
    "inertia": _PULL,
    "own_pull": _PULL,
    "leader_pull": _PULL,
    "seed": Scalar(np.uint64, 0, 2**64 - 1),
}


_SWARM_FRAGMENT: Final = Fragment(
    "swarm", __file__, _SWARM, {"P": philox.ROUND}, {"PARAMETERS": PARAMETERS}
)


def _paths(group: int, forward: bool) -> Fragment:
    switches = {"GROUP": group, "FORWARD": int(forward)}
    return Fragment("paths", __file__, _PATHS, {}, switches)


_NO_MORE: Final = f"{WARP}*nctaid.x < particles + {WARP}"  # no block without particles


def _scan(group: int) -> Parameters:
    return {
        "gains": GlobalArray(np.float32, "rows*paths", const=True),
        "thresholds": GlobalArray(np.float32, "rows*particles", const=True),
        "paths": Scalar(np.uint32, group, MAX_PATHS, multiple_of=group),
        **_SIZES,
    }


def _kernel(body: Fragment, params: Parameters, shows: str) -> EmittedKernel:
    """A kernel with a thread for each particle, and a warp a block: there are few of them."""
    contract = KernelContract(f"pso_{body.name}", params, (WARP,), ("particles",), (_NO_MORE,))
    return EmittedKernel(body, contract, shows)


def gains_kernel() -> EmittedKernel:
    """From prices, in place: by how much more exercise pays than the European option of the last
    date is worth, discounted, in parts of the strike times ``unit``."""
    contract = KernelContract(
        "pso_gains",
        {
            "values": GlobalArray(np.float32, "rows*paths"),
            "laws": GlobalArray(np.float32, "4*rows", const=True),
            "paths": Scalar(np.uint32, 1, MAX_PATHS),
            "rows": _SIZES["rows"],
            "strike": Scalar(np.float32, 0.0, 1e9),
            "sign": Scalar(np.float32, -1.0, 1.0),
            "unit": Scalar(np.float32, 0.0, 1e9),
        },
        (BLOCK,),
        ("paths",),
    )
    body = Fragment("gains", __file__, _GAINS)
    return EmittedKernel(body, contract, "What exercise adds, by date and path.")


def move_kernel(by_particle: bool = False) -> EmittedKernel:
    """The move of the swarm. ``box`` has the bounds of each number, ``basis`` what it adds to the
    threshold of each date."""
    name = "move_hybrid" if by_particle else "move"
    switches = {"BY_PARTICLE": int(by_particle), "PARAMETERS": PARAMETERS}
    body = Fragment(name, __file__, _MOVE, {"S": _SWARM_FRAGMENT}, switches)
    return _kernel(body, _MOVES, "Positions of the swarm, and their thresholds.")


def hybrid_kernel() -> EmittedKernel:
    """What each path pays each particle: the host adds it up."""
    params = {"pays": GlobalArray(np.uint32, "particles*paths"), **_scan(1)}
    body = Fragment("hybrid", __file__, _HYBRID, {"F": _paths(1, forward=True)})
    return _kernel(body, params, "Payments by particle and path, thresholds by particle.")


def fitness_kernel(name: str, group: int = 1, forward: bool = False) -> EmittedKernel:
    """What all paths pay each particle."""
    imports = {"F": _paths(group, forward)}
    body = Fragment(name, __file__, _FITNESS, imports)
    return _kernel(body, _FITNESS_ARRAY | _scan(group), f"Fitness, {group} path(s) at a time.")


def remember_kernel() -> EmittedKernel:
    """The best positions; the fitness is 0 after it."""
    params = {**_SWARM_ARRAYS, **_BEST, **_FITNESS_ARRAY, "particles": _SIZES["particles"]}
    body = Fragment("remember", __file__, _REMEMBER, {"S": _SWARM_FRAGMENT})
    return _kernel(body, params, "The best position of each particle so far.")


def fused_kernel(name: str, group: int = 1) -> EmittedKernel:
    """Move, fitness and best positions in one launch."""
    params = {
        name: p for name, p in (_BEST | _MOVES | _scan(group)).items() if name != "thresholds"
    }
    imports = {"S": _SWARM_FRAGMENT, "F": _paths(group, forward=False)}
    body = Fragment(name, __file__, _FUSED, imports, {"PARAMETERS": PARAMETERS})
    return _kernel(body, params, f"A turn of the swarm, {group} path(s) at a time.")


def tiled_kernel() -> EmittedKernel:
    """As ``fitness_kernel``, by ``WARPS`` warps that share the thresholds of their particles. Rows
    of blocks divide the paths; ``fitness`` must be 0 before."""
    params = _FITNESS_ARRAY | _scan(GROUP)
    contract = KernelContract("pso_tiled", params, (WARP, WARPS), ("particles",), (_NO_MORE,))
    imports = {"F": _paths(GROUP, forward=False)}
    sizes = {"WARP": WARP, "WARPS": WARPS, "MAX_ROWS": MAX_ROWS}
    body = Fragment("tiled", __file__, _TILED, imports, sizes)
    return EmittedKernel(body, contract, "Fitness, the paths divided among warps and blocks.")


def kernels() -> tuple[EmittedKernel, ...]:
    """The kernels of all stages."""
    return (
        gains_kernel(), move_kernel(by_particle=True), move_kernel(), remember_kernel(),
        hybrid_kernel(), fitness_kernel("forward", forward=True), fitness_kernel("lockstep"),
        fused_kernel("fused"), fitness_kernel("vector", GROUP), fused_kernel("fused_vector", GROUP),
        tiled_kernel(),
    )  # fmt: skip
