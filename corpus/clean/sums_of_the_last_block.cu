// The block that is last to count adds what all blocks left, column by column: a loop over the grid that is unrolled by four.
// launch: --grid 6 --block 32 --arg cols=1..64 --buffer part=4*nctaid.x*cols --buffer sum=4*cols --buffer count=4
// params: part,sum,count,cols
// expect-none
extern "C" __global__ void sums_of_the_last_block(const float* part, float* sum, unsigned* count, int cols)
{
    __shared__ unsigned before;
    if (threadIdx.x == 0)
        before = atomicAdd(count, 1);
    __syncthreads();
    if (before != gridDim.x - 1)
        return;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float total = 0.0f;
        for (int block = 0; block < gridDim.x; block++)
            total += part[c + block * cols];
        sum[c] = total;
    }
}
// contract: requires cols*nctaid.x <= 2**31
// contract: part = 4*cols*nctaid.x@4
