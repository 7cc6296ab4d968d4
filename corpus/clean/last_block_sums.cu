// The block that finishes last adds the sums of all blocks.
// launch: --grid 4 --block 64 --buffer x=4*256 --buffer sums=4*4 --buffer done=4 --buffer total=4
// params: x,sums,done,total
// input: done=zeros
// expect-none
extern "C" __global__ void last_block_sums(const int* x, int* sums, unsigned* done, int* total)
{
    __shared__ int sum;
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * 64 + t]);
    __syncthreads();
    if (t == 0) {
        atomicExch(&sums[blockIdx.x], sum);
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < gridDim.x)
        atomicAdd(total, atomicAdd(&sums[t], 0));
}
