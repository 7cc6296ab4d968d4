// First states of philox.
namespace memory {
#line 17 "memory.py"
struct State {
    unsigned* words;
    unsigned stream, streams;

    __device__ __forceinline__ unsigned& operator[](unsigned word) const
    {
        return words[(size_t)word * streams + stream];
    }
};
}

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

namespace philox {
namespace M = memory;
namespace P = philox4x32;
#line 129 "philox.py"
struct Local {
    unsigned long long position, seed;
    unsigned stream;
    uint4 words;  // those of the result that the position is in, unless it is at its beginning
};

__device__ __forceinline__ uint4 result(const Local& local)
{
    unsigned long long index = local.position >> 2;
    uint2 key = make_uint2(local.seed, local.seed >> 32);
    return P::philox(make_uint4(index, index >> 32, local.stream, 0), key);
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.position = 0;
    local.seed = seed;
    local.stream = state.stream;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.position = state[0] | (unsigned long long)state[1] << 32;
    local.seed = state[2] | (unsigned long long)state[3] << 32;
    local.stream = state.stream;
    local.words = result(local);
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.position;
    state[1] = local.position >> 32;
    state[2] = local.seed;
    state[3] = local.seed >> 32;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned lane = local.position & 3;
    if (lane == 0)
        local.words = result(local);
    local.position++;
    uint4 w = local.words;
    return lane < 2 ? (lane == 0 ? w.x : w.y) : (lane == 2 ? w.z : w.w);
}
}

namespace initialise {
namespace G = philox;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) philox_initialise(unsigned* state, unsigned long long seed, unsigned streams)
#line 132 "generator.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::initialise(local, mine, seed);
    G::save(local, mine);
}
}
