// Normal numbers from philox, shuffle.
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

namespace exchange {
enum : unsigned { BLOCK = 128u };
#line 180 "normal.py"
// What the other lane of the pair gives for what this one gives.
__device__ __forceinline__ float exchange(float mine)
{
    return __shfl_xor_sync(0xffffffff, mine, 1);
}
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

namespace normal_shuffle {
namespace G = philox;
namespace M = memory;
namespace N = box_muller;
namespace X = exchange;
enum : unsigned { UNUSED = 0u };
extern "C" __global__ void __launch_bounds__(128) philox_normal_shuffle(unsigned* state, float* numbers, unsigned count, unsigned streams)
#line 188 "normal.py"
{
    unsigned stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams)
        return;
    G::Local local;
    M::State mine = {state, stream, streams};
    G::load(local, mine);
    bool even = stream % 2 == 0;
    size_t end = (size_t)count * streams;
    for (size_t at = stream; at < end; at += streams) {
        unsigned word = G::generate(local) << UNUSED;
        float part = even ? N::radius(word) : N::angle(word);
        float other = X::exchange(part);
        numbers[at] = even ? part * __cosf(other) : other * __sinf(part);
    }
    G::save(local, mine);
}
}
