// The threads of the last block are more than the streams that are left.
// twin: lcg32_initialise.cu, emitted with it by pricing_kernels
// launch: --grid 2 --block 128 --arg seed=1 --arg streams=200 --buffer 'state=4*(1*streams)' --assume 'nctaid.x*ntid.x >= streams'
// params: state,seed,streams
namespace memory {
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

__device__ __forceinline__ void save(Local& local, M::State state) { state[0] = local.x; }  // expect: out-of-bounds

__device__ __forceinline__ unsigned generate(Local& local)
{
    return local.x = A * local.x + C;
}
}

namespace initialise {
namespace G = lcg32;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) streams_unguarded(unsigned* state, unsigned long long seed, unsigned streams)
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::initialise(local, mine, seed);
    G::save(local, mine);
}
}
