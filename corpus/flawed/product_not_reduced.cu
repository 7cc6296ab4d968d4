// One fold instead of two: a product of 62 bits may be left at 32 bits, above the modulus.
// twin: lcg_mersenne_generate.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 128 --arg count=16 --arg streams=64 --buffer 'state=4*(2*streams)' --buffer 'numbers=4*(count*streams)' --assume 'nctaid.x*ntid.x >= streams'
// params: state,numbers,count,streams
// expect-none
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

namespace lcg_mersenne {
namespace M = memory;
enum : unsigned { P = 2147483647u };
enum : unsigned { ROOT = 7u };
enum : unsigned { FIRST_EXPONENT = 1048576u };
enum : unsigned { WINDOW = 32u };
struct Local { unsigned x, a; };

__device__ __forceinline__ unsigned residue(unsigned long long n)
{
    return (n & P) + (n >> 31);  // todo: numbers of 0 .. P - 1 is no part of a contract
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

namespace generate {
namespace G = lcg_mersenne;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) product_not_reduced(unsigned* state, unsigned* numbers, unsigned count, unsigned streams)
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
