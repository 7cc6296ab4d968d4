// First states of drand48.
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

namespace drand48 {
namespace M = memory;
enum : unsigned long long { A = 25214903917ull };
enum : unsigned { C = 11u };
enum : unsigned long long { MODULUS = 281474976710656ull };
enum : unsigned { LOW_OF_SEED = 13070u };
#line 65 "drand48.py"
struct Local { unsigned long long x, a, c; };  // the next state, the map of a step

// The map of `steps` steps, and where it takes x.
__device__ __forceinline__ Local jump(unsigned long long x, unsigned steps)
{
    Local far = {x, 1, 0};
    unsigned long long a = A, c = C;
    for (; steps; steps >>= 1) {
        if (steps & 1) {
            far.x = a * far.x + c;
            far.a *= a;
            far.c = a * far.c + c;
        }
        c *= a + 1;
        a *= a;
    }
    return far;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.x = jump(seed << 16 | LOW_OF_SEED, state.stream + 1).x & (MODULUS - 1);
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local = jump(0, state.streams);
    local.x = state[0] | (unsigned long long)state[1] << 32;
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;
    state[1] = local.x >> 32;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.x >> 16;
    local.x = (local.a * local.x + local.c) & (MODULUS - 1);
    return number;
}
}

namespace initialise {
namespace G = drand48;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) drand48_initialise(unsigned* state, unsigned long long seed, unsigned streams)
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
