// Numbers of sobol.
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

namespace sobol {
namespace M = memory;
enum : unsigned { BITS = 32u };
#line 109 "sobol.py"
struct Local {
    M::State directions;
    unsigned point, index;
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    local.index = seed;
    local.point = 0;
    unsigned gray = local.index ^ local.index >> 1;
    for (unsigned bit = 0; bit < BITS; bit++)
        local.point ^= gray >> bit & 1 ? state[bit] : 0;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.directions = state;
    local.point = state[BITS];
    local.index = state[BITS + 1];
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[BITS] = local.point;
    state[BITS + 1] = local.index;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned number = local.point;
    unsigned lowest_zero = __ffs(~local.index | 1u << (BITS - 1)) - 1;
    local.point ^= local.directions[lowest_zero];
    local.index++;
    return number;
}
}

namespace generate {
namespace G = sobol;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) sobol_generate(unsigned* state, unsigned* numbers, unsigned count, unsigned streams)
#line 144 "generator.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = G::generate(local);
    G::save(local, mine);
}
}
