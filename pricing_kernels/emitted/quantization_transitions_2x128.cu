// Moves of paths among 128 cells, counted.
namespace process {
enum : unsigned { FACTORS = 2u };
#line 23 "tree.py"
// Of one factor at one date: what is left of the state at the date before, and the noise.
struct alignas(8 * FACTORS) Row {
    float left[FACTORS], noise[FACTORS];
};

// The state at a date from that at the date before.
__device__ __forceinline__ void step(float* state, const Row* law, const float* z)
{
    float next[FACTORS];
    for (unsigned i = 0; i < FACTORS; i++) {
        const Row& row = law[i];
        next[i] = row.left[0] * state[0];
        for (unsigned j = 1; j < FACTORS; j++)
            next[i] = fmaf(row.left[j], state[j], next[i]);
        for (unsigned j = 0; j <= i; j++)
            next[i] = fmaf(row.noise[j], z[j], next[i]);
    }
    for (unsigned i = 0; i < FACTORS; i++)
        state[i] = next[i];
}
}

namespace grid {
enum : unsigned { FACTORS = 2u };
enum : unsigned { POINTS = 128u };
enum : unsigned { BLOCK = 256u };
#line 33 "nearest.py"
// By all threads of the block: a coordinate of all points, padded to a block, then another.
__device__ __forceinline__ void load(float* point, const float* grid)
{
    for (unsigned i = 0; i < FACTORS; i++)
        point[i * BLOCK + threadIdx.x] =
            threadIdx.x < POINTS ? grid[i * POINTS + threadIdx.x] : 0.0f;
}

// The squared distance of a state from grid point k.
__device__ __forceinline__ float distance(const float* point, unsigned k, const float* state)
{
    float d = state[FACTORS - 1] - point[(FACTORS - 1) * BLOCK + k], sum = d * d;
    for (unsigned i = 1; i < FACTORS; i++) {
        d = state[i - 1] - point[(i - 1) * BLOCK + k];
        sum = fmaf(d, d, sum);
    }
    return sum;
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

namespace brute {
namespace P = grid;
enum : unsigned { FACTORS = 2u };
enum : unsigned { POINTS = 128u };
enum : unsigned { BLOCK = 256u };
#line 54 "nearest.py"
// The grid point nearest to a state.
__device__ __forceinline__ unsigned nearest(const float* point, const float* state)
{
    unsigned found = 0;
    float least = P::distance(point, 0, state);
#pragma unroll 4
    for (unsigned k = 1; k < POINTS; k++) {
        float distance = P::distance(point, k, state);
        found = distance < least ? k : found;
        least = fminf(distance, least);
    }
    return found;
}
}

namespace draws {
namespace P = philox4x32;
namespace N = box_muller;
enum : unsigned { DRAWS = 1u };
enum : unsigned { ROWS_A_DRAW = 2u };
enum : unsigned { NORMALS = 2u };
#line 21 "draws.py"
struct Normals {
    float z[4 * DRAWS];  // the row's numbers come first
};

// The numbers of a path at a row, after those at the row before: path.y is the stream.
__device__ __forceinline__ void draw(
    Normals& n, uint2 path, unsigned row, unsigned long long seed)
{
    uint2 key = make_uint2(seed, seed >> 32);
    if (row % ROWS_A_DRAW == 0)
        for (unsigned k = 0; k < DRAWS; k++) {
            uint4 r = P::philox(make_uint4(path.x, row / ROWS_A_DRAW, k, path.y), key);
            float2 a = N::normals(r.x, r.y), b = N::normals(r.z, r.w);
            n.z[4 * k] = a.x;
            n.z[4 * k + 1] = a.y;
            n.z[4 * k + 2] = b.x;
            n.z[4 * k + 3] = b.y;
        }
    else
        for (unsigned k = 0; k + NORMALS < 4; k++)
            n.z[k] = n.z[k + NORMALS];
}
}

namespace transitions {
namespace D = draws;
namespace X = process;
namespace P = grid;
namespace N = brute;
enum : unsigned { FACTORS = 2u };
enum : unsigned { POINTS = 128u };
enum : unsigned { BLOCK = 256u };
enum : unsigned { FOLLOWED = 0u };
extern "C" __global__ void __launch_bounds__(256) quantization_transitions_2x128(unsigned* counts, const float* grid, const float* law, unsigned paths, unsigned rows, unsigned long long seed, unsigned origin)
#line 134 "transitions.py"
{
    __shared__ float point[FACTORS * BLOCK];
    P::load(point, grid);
    __syncthreads();
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    D::Normals normals = {};
    float state[FACTORS] = {};
    unsigned cell = origin;
    unsigned* layer = counts;
    const X::Row* step = (const X::Row*)law;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, FOLLOWED), row, seed);
        X::step(state, step, normals.z);
        unsigned to = N::nearest(point, state);
        atomicAdd(layer + cell * POINTS + to, 1u);
        layer += POINTS * POINTS;
        step += FACTORS;
        cell = to;
    }
}
}
