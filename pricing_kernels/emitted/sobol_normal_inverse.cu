// Normal numbers from sobol, inverse.
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

namespace inverse_cdf {
#line 127 "normal.py"
// The quantile of (word + 1/2) 2^-32 (Wichura 1988).
__device__ __forceinline__ float normal(unsigned word)
{
    float q = fmaf(static_cast<int>(word ^ 0x80000000), 0x1p-32f, 0x1p-33f);
    if (fabsf(q) <= 0.425f) {
        float x = 0.180625f - q * q;
        float above = ((59.109374720f * x + 159.29113202f) * x + 50.434271938f) * x + 3.3871327179f;
        float below = ((67.187563600f * x + 78.757757664f) * x + 17.895169469f) * x + 1.0f;
        return q * __fdividef(above, below);
    }
    float r = sqrtf(-__logf(fmaf(min(word, ~word), 0x1p-32f, 0x1p-33f))) - 1.6f;
    float above = ((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f;
    float below = (0.12021132975f * r + 0.73700164250f) * r + 1.0f;
    return copysignf(__fdividef(above, below), q);
}
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

namespace normal_inverse {
namespace G = sobol;
namespace M = memory;
namespace N = inverse_cdf;
enum : unsigned { UNUSED = 0u };
extern "C" __global__ void __launch_bounds__(128) sobol_normal_inverse(unsigned* state, float* numbers, unsigned count, unsigned streams)
#line 208 "normal.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams)
        numbers[at] = N::normal(G::generate(local) << UNUSED);
    G::save(local, mine);
}
}
