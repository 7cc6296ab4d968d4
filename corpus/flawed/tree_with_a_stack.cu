// A search by tree keeps what is left to do on a stack: each lane at a height of its own.
// twin: quantization_tree_2x128.cu, emitted with it by pricing_kernels
// launch: --grid 1 --block 256 --arg states=64 --buffer 'cells=4*(states)' --buffer 'grid=4*(256)' --buffer 'state=4*(2*states)' --assume 'nctaid.x*ntid.x >= states'
// params: cells,grid,state,states
// expect-none
namespace grid {
enum : unsigned { FACTORS = 2u };
enum : unsigned { POINTS = 128u };
enum : unsigned { BLOCK = 256u };
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
// The grid point nearest to a state. Node 1 is the root, n / 2 the parent of node n.
__device__ __forceinline__ unsigned nearest(const float* point, const float* state)
{
    unsigned found = 0, from = 0, node = 1;
    float least = __int_as_float(0x7f800000);
    unsigned left[16];  // todo: at what heights the lanes are depends on data
    float apart[16];
    while (node != 0) {
        unsigned next = node / 2, k = node - 1;
        if (k < POINTS) {
            float distance = P::distance(point, k, state);
            if (distance < least || distance == least && k < found) {
                found = k;
                least = distance;
            }
            unsigned axis = (31 - __clz(node)) % FACTORS;
            float beyond = (axis ? state[FACTORS - 1] : state[0]) - point[axis * BLOCK + k];
            next = 2 * node + (beyond > 0.0f);
            left[from % 16] = next ^ 1;
            apart[from % 16] = beyond * beyond;
            from++;
        } else {
            for (next = 0; from > 0 && next == 0;) {
                from--;
                next = apart[from % 16] <= least ? left[from % 16] : 0;
            }
        }
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
extern "C" __global__ void __launch_bounds__(256) tree_with_a_stack(unsigned* cells, const float* grid, const float* state, unsigned states)
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
