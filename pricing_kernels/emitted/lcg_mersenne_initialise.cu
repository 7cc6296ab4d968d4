// First states of lcg_mersenne.
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

namespace initialise {
namespace G = lcg_mersenne;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) lcg_mersenne_initialise(unsigned* state, unsigned long long seed, unsigned streams)
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
