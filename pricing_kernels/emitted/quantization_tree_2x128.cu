// The nearest of 128 points to a state, by tree.
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

namespace tree {
namespace P = grid;
enum : unsigned { FACTORS = 2u };
enum : unsigned { POINTS = 128u };
enum : unsigned { BLOCK = 256u };
#line 70 "nearest.py"
// The grid point nearest to a state. Node 1 is the root, n / 2 the parent of node n.
__device__ __forceinline__ unsigned nearest(const float* point, const float* state)
{
    unsigned found = 0, from = 0, node = 1;
    float least = __int_as_float(0x7f800000);
    while (node != 0) {
        unsigned next = node / 2, k = node - 1;
        if (k < POINTS) {
            if (from < node) {
                float distance = P::distance(point, k, state);
                if (distance < least || distance == least && k < found) {
                    found = k;
                    least = distance;
                }
            }
            unsigned axis = (31 - __clz(node)) % FACTORS;
            float beyond = (axis ? state[FACTORS - 1] : state[0]) - point[axis * BLOCK + k];
            unsigned side = 2 * node + (beyond > 0.0f);
            if (from < node)
                next = side;
            else if (from == side && beyond * beyond <= least)
                next = side ^ 1;
        }
        from = node;
        node = next;
    }
    return found;
}
}

namespace nearest {
namespace P = grid;
namespace N = tree;
enum : unsigned { FACTORS = 2u };
enum : unsigned { BLOCK = 256u };
extern "C" __global__ void __launch_bounds__(256) quantization_tree_2x128(unsigned* cells, const float* grid, const float* state, unsigned states)
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
