// What a payoff is worth after each row, by path.
namespace hooks {
#line 4 "payoff_record_12.cu"
struct State {};
__device__ __forceinline__ void before(State&, const unsigned* table, unsigned rows)
{
    asm volatile("//!before table=%0 rows=%1" :: "l"(__cvta_generic_to_global(table)), "r"(rows));
}
__device__ __forceinline__ void row(State&, const unsigned* table, unsigned rows, unsigned row, const float* z)
{
    asm volatile("//!row table=%0 rows=%1 row=%2 z0=%3 z1=%4 z2=%5 z3=%6 z4=%7 z5=%8 z6=%9 z7=%10 z8=%11 z9=%12 z10=%13 z11=%14" :: "l"(__cvta_generic_to_global(table)), "r"(rows), "r"(row), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]), "f"(z[8]), "f"(z[9]), "f"(z[10]), "f"(z[11]));
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

namespace draws {
namespace P = philox4x32;
namespace N = box_muller;
enum : unsigned { DRAWS = 3u };
enum : unsigned { ROWS_A_DRAW = 1u };
enum : unsigned { NORMALS = 12u };
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

namespace payoff_record {
namespace Z = hooks;
namespace D = draws;
extern "C" __global__ void __launch_bounds__(256) payoff_record_12(float* values, const unsigned* table, unsigned paths, unsigned rows, unsigned long long seed)
#line 126 "simulation.py"
{
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;
    D::Normals normals = {};
    Z::State state;
    Z::before(state, table, rows);
    float* next = values + path;
#pragma unroll 1
    for (unsigned row = 0; row < rows; row++) {
        D::draw(normals, make_uint2(path, 0), row, seed);
        Z::row(state, table, rows, row, normals.z);
        *next = Z::after(state, table, rows);
        next += paths;
    }
}
}
