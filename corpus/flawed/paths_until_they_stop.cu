// Each lane simulates until its own path stops: a warp waits for its longest path.
// twin: payoff_scenarios_1.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 256 --arg starts=2 --arg width=4 --arg segments=1 --arg paths=256 --arg rows=12 --arg stream=0 --arg seed=1 --buffer 'sums=8*(starts*segments)' --buffer 'runs=4*(starts*width)' --buffer 'table=4*(rows)' --assume 'segments == (paths + 255)//256'
// params: sums,runs,table,starts,width,segments,paths,rows,stream,seed
// expect-none
namespace hooks {
struct State {};
__device__ __forceinline__ void before(State&, const unsigned* table, unsigned rows)
{
    asm volatile("//!before table=%0 rows=%1" :: "l"(__cvta_generic_to_global(table)), "r"(rows));
}
__device__ __forceinline__ void row(State&, const unsigned* table, unsigned rows, unsigned row, const float* z)
{
    asm volatile("//!row table=%0 rows=%1 row=%2 z0=%3" :: "l"(__cvta_generic_to_global(table)), "r"(rows), "r"(row), "f"(z[0]));
}
__device__ __forceinline__ float after(State&, const unsigned* table, unsigned rows)
{
    float result;
    asm volatile("//!after result=%0 table=%1 rows=%2" : "=f"(result) : "l"(__cvta_generic_to_global(table)), "r"(rows));
    return result;
}
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

namespace box_muller {
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

namespace draws {
namespace P = philox4x32;
namespace N = box_muller;
enum : unsigned { DRAWS = 1u };
enum : unsigned { ROWS_A_DRAW = 4u };
enum : unsigned { NORMALS = 1u };
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

namespace walk {
namespace Z = hooks;
namespace D = draws;
// What a path pays: the inputs of its run are at `run`.
__device__ __forceinline__ float payoff(
    const unsigned* run, const unsigned* table, unsigned rows, uint2 path, unsigned long long seed)
{
    D::Normals normals = {};
    Z::State state;
    Z::before(state, run, rows);
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, path, row, seed);
        Z::row(state, table, rows, row, normals.z);
        if (normals.z[0] > 1.0f)
            break;  // todo: a trip count that depends on data is not analysed
    }
    return Z::after(state, table, rows);
}
}

namespace scenario_sums {
namespace W = walk;
enum : unsigned { SEGMENT = 256u };
extern "C" __global__ void __launch_bounds__(256) paths_until_they_stop(double* sums, const unsigned* runs, const unsigned* table, unsigned starts, unsigned width, unsigned segments, unsigned paths, unsigned rows, unsigned stream, unsigned long long seed)
{
    __shared__ double sum[SEGMENT];
    for (unsigned start = blockIdx.y; start < starts; start += gridDim.y)
        for (unsigned segment = blockIdx.x; segment < segments; segment += gridDim.x) {
            const unsigned* run = runs + (size_t)start * width;
            for (unsigned slot = threadIdx.x; slot < SEGMENT; slot += blockDim.x) {
                uint2 path = make_uint2(segment * SEGMENT + slot, stream + start);
                float payoff = W::payoff(run, table, rows, path, seed);
                sum[slot] = path.x < paths ? payoff : 0.0;
            }
            __syncthreads();
            for (unsigned part = SEGMENT / 4; part > 0; part /= 4) {
                for (unsigned slot = threadIdx.x; slot < part; slot += blockDim.x) {
                    unsigned b = slot + part, c = b + part, d = c + part;
                    sum[slot] = (sum[slot] + sum[b]) + (sum[c] + sum[d]);
                }
                __syncthreads();
            }
            if (threadIdx.x == 0)
                sums[(size_t)start * segments + segment] = sum[0];
            __syncthreads();
        }
}
}
