// One total of all blocks, by atomics whose scope is the block: those of two blocks are unordered.
// launch: --grid 4 --block 64 --buffer in=4*256 --buffer total=4
// params: in,total
extern "C" __global__ void total_by_block_atomics(const int* in, int* total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = __reduce_add_sync(0xffffffffu, in[i]);
    if (threadIdx.x % 32 == 0)
        atomicAdd_block(total, own);  // expect: data-race
}
