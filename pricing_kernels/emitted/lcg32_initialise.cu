// First states of lcg32.
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

namespace lcg32 {
namespace M = memory;
enum : unsigned { A = 1664525u };
enum : unsigned { C = 1013904223u };
enum : unsigned { SPACING = 65536u };
#line 66 "lcg32.py"
struct Local { unsigned x; };

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned a = A, c = C;
    local.x = seed;
    for (unsigned steps = state.stream * SPACING; steps; steps >>= 1) {
        if (steps & 1)
            local.x = a * local.x + c;
        c *= a + 1;
        a *= a;
    }
}

__device__ __forceinline__ void load(Local& local, M::State state) { local.x = state[0]; }

__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.x; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    return local.x = A * local.x + C;
}
}

namespace initialise {
namespace G = lcg32;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) lcg32_initialise(unsigned* state, unsigned long long seed, unsigned streams)
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
