// The loop that fills a ring runs to its end included: past the state of the last stream.
// twin: lfg_initialise.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 128 --arg seed=1 --arg streams=64 --buffer 'state=4*(65*streams)' --assume 'nctaid.x*ntid.x >= streams'
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

namespace philox4x32 {
enum : unsigned { ROUNDS = 10u };
enum : unsigned { M0 = 3528531795u };
enum : unsigned { M1 = 3449720151u };
enum : unsigned { W0 = 2654435769u };
enum : unsigned { W1 = 3144134277u };
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

namespace lfg {
namespace M = memory;
namespace P = philox4x32;
enum : unsigned { J = 24u };
enum : unsigned { K = 55u };
enum : unsigned { RING = 64u };
struct Local {
    M::State ring;
    unsigned n;  // of the next word
};

__device__ __forceinline__ void initialise(Local& local, M::State state, unsigned long long seed)
{
    for (unsigned i = 0; i <= RING; i += 4) {
        uint4 w = P::philox(make_uint4(i / 4, 0, state.stream, K), make_uint2(seed, seed >> 32));
        state[i] = i ? w.x : w.x | 1;
        state[i + 1] = w.y;  // expect: out-of-bounds
        state[i + 2] = w.z;  // expect: out-of-bounds
        state[i + 3] = w.w;  // expect: out-of-bounds
    }
    local.n = K;
}

__device__ __forceinline__ void load(Local& local, M::State state)
{
    local.ring = state;
    local.n = state[RING];
}

__device__ __forceinline__ void save(Local& local, M::State state) { state[RING] = local.n; }

__device__ __forceinline__ unsigned generate(Local& local)
{
    unsigned n = local.n++, mask = RING - 1;
    return local.ring[n & mask] = local.ring[n - J & mask] + local.ring[n - K & mask];
}
}

namespace initialise {
namespace G = lfg;
namespace M = memory;
extern "C" __global__ void __launch_bounds__(128) ring_one_round_too_many(unsigned* state, unsigned long long seed, unsigned streams)
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
