// Normal numbers from lcg_mersenne, single.
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

namespace box_muller {
#line 103 "normal.py"
__device__ __forceinline__ float radius(unsigned word)
{
    float u = fmaf(word, 0x1p-32f, 0x1p-33f);
    return sqrtf(fmaxf(-2.0f * __logf(u), 0.0f));
}

__device__ __forceinline__ float angle(unsigned word)
{
    return static_cast<int>(word) * 0x1.921fb6p-30f;  // 2 pi / 2^32
}

// Two standard normal numbers from two uniform words.
__device__ __forceinline__ float2 normals(unsigned a, unsigned b)
{
    float r = radius(a), phi = angle(b);
    return make_float2(r * __cosf(phi), r * __sinf(phi));
}
}

namespace lcg_mersenne {
namespace M = memory;
enum : unsigned { P = 2147483647u };
enum : unsigned { ROOT = 7u };
enum : unsigned { FIRST_EXPONENT = 1048576u };
enum : unsigned { WINDOW = 32u };
#line 69 "lcg_mersenne.py"
struct Local { unsigned x, a; };

__device__ __forceinline__ unsigned residue(unsigned long long n)
{
    n = (n & P) + (n >> 31);
    return (n & P) + (n >> 31);
}

__device__ __forceinline__ bool coprime(unsigned e, unsigned n)  // to n
{
    while (n) {
        unsigned rest = e % n;
        e = n;
        n = rest;
    }
    return e == 1;
}

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    unsigned exponent = FIRST_EXPONENT + WINDOW * state.stream;
    while (!coprime(exponent, P - 1))
        exponent++;
    unsigned long long root = ROOT, power = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            power = residue(power * root);
        root = residue(root * root);
    }
    local.x = seed + 1;
    local.a = power;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.x = state[0];
    local.a = state[1];
}

__device__ __forceinline__ void save(Local& local, M::State state)
{
    state[0] = local.x;
    state[1] = local.a;
}

__device__ __forceinline__ unsigned generate(Local& local)
{
    return local.x = residue((unsigned long long)local.a * local.x);
}
}

namespace normal_single {
namespace G = lcg_mersenne;
namespace M = memory;
namespace N = box_muller;
enum : unsigned { UNUSED = 1u };
extern "C" __global__ void __launch_bounds__(128) lcg_mersenne_normal_single(unsigned* state, float* numbers, unsigned count, unsigned streams)
#line 146 "normal.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams) {
        unsigned first = G::generate(local) << UNUSED;
        float2 z = N::normals(first, G::generate(local) << UNUSED);
        numbers[at] = z.x;
        at += streams;
        if (at < end)
            numbers[at] = z.y;
    }
    G::save(local, mine);
}
}
