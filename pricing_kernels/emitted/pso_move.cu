// Positions of the swarm, and their thresholds.
namespace philox4x32 {
enum : unsigned { ROUNDS = 10u };
enum : unsigned { M0 = 3528531795u };
enum : unsigned { M1 = 3449720151u };
enum : unsigned { W0 = 2654435769u };
enum : unsigned { W1 = 3144134277u };
#line 103 "philox.py"
// The four words of a counter under a key.
__device__ __forceinline__ uint4 philox(uint4 c, uint2 key)
{
    for (int i = 0; i < ROUNDS; i++) {
        unsigned hi0 = __umulhi(M0, c.x), lo0 = M0 * c.x;
        unsigned hi1 = __umulhi(M1, c.z), lo1 = M1 * c.z;
        c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
        key.x += W0;
        key.y += W1;
    }
    return c;
}
}

namespace swarm {
namespace P = philox4x32;
enum : unsigned { PARAMETERS = 4u };
#line 39 "kernels.py"
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
}

namespace move {
namespace S = swarm;
enum : unsigned { BY_PARTICLE = 0u };
enum : unsigned { PARAMETERS = 4u };
extern "C" __global__ void __launch_bounds__(32) pso_move(float* position, float* velocity, float* own, float* thresholds, const float* leader, const float* box, const float* basis, unsigned particles, unsigned rows, unsigned turn, float inertia, float own_pull, float leader_pull, unsigned long long seed)
#line 163 "kernels.py"
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
}
