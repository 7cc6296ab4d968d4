// The nearest of 128 points to a state, by brute.
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

namespace nearest {
namespace P = grid;
namespace N = brute;
enum : unsigned { FACTORS = 2u };
enum : unsigned { BLOCK = 256u };
extern "C" __global__ void __launch_bounds__(256) quantization_brute_2x128(unsigned* cells, const float* grid, const float* state, unsigned states)
#line 103 "nearest.py"
{
    __shared__ float point[FACTORS * BLOCK];
    P::load(point, grid);
    __syncthreads();
    unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= states)
        return;
    float at[FACTORS];
    for (unsigned i = 0; i < FACTORS; i++)
        at[i] = state[(size_t)i * states + number];
    cells[number] = N::nearest(point, at);
}
}
