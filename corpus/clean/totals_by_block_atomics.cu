// A total of each block, by atomics whose scope is the block.
// launch: --grid 4 --block 64 --buffer in=4*256 --buffer totals=4*4
// params: in,totals
// expect-none
extern "C" __global__ void totals_by_block_atomics(const int* in, int* totals)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = __reduce_add_sync(0xffffffffu, in[i]);
    if (threadIdx.x % 32 == 0)
        atomicAdd_block(&totals[blockIdx.x], own);
}
